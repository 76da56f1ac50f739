"""Exact probabilities of the next word under a treebank grammar."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.inference.grammar.exact import Continuations
from bistro.models.results.next_words import Estimates, NextSums


class GrammarSums(NextSums):
    """Exact next-word distribution over words, classes of unknown words and the sentence end."""

    def __init__(
        self,
        continuations: Continuations,
        classes: Collection[str],
        written: Callable[[str], tuple[str, bool]],
    ) -> None:
        """Initialise the distribution.

        The function `written` returns the grammar's token for a word at the next position, and
        whether the word is unknown.
        """
        self.names = [*continuations.forms, END_SYMBOL]
        oov = np.array([name in classes for name in self.names], dtype=np.bool_)
        self.listed = Estimates.exact(np.append(continuations.probs, continuations.end), oov)
        self._places = {name: i for i, name in enumerate(continuations.forms)}
        self._written = written

    def of(self, words: Sequence[str]) -> Estimates:
        """Return the probabilities of the given words.

        Spellings that cannot occur at this position have probability 0.
        """
        tokens, unknown = zip(*map(self._written, words), strict=True)
        is_end = [w == END_SYMBOL and oov for w, oov in zip(words, unknown, strict=True)]
        end = len(self._places)
        logs = np.array(
            [
                self.listed.log_probs[end if ends else self._places[token]]
                if ends or token in self._places
                else -np.inf
                for token, ends in zip(tokens, is_end, strict=True)
            ]
        )
        return Estimates(logs, np.array(unknown, np.bool_) & ~np.array(is_end, np.bool_))
