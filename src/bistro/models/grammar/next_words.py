"""The next word of a treebank grammar: exact, as all its sums are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.inference.grammar.exact import Continuations
from bistro.models.results.next_words import Estimates, NextSums


class GrammarSums(NextSums):
    """All words as they are written in this place, classes of unknown ones, and the end."""

    def __init__(
        self,
        found: Continuations,
        classes: Collection[str],
        written: Callable[[str], tuple[str, bool]],
    ) -> None:
        """`written` says how the grammar writes a word here, and whether it is unknown."""
        self.names = [*found.forms, END_SYMBOL]
        oov = np.array([name in classes for name in self.names], dtype=np.bool_)
        self.listed = Estimates.exact(np.append(found.probs, found.end), oov)
        self._places = {name: i for i, name in enumerate(found.forms)}
        self._written = written

    def of(self, words: Sequence[str]) -> Estimates:
        """Return the probabilities of words as they are written here."""
        tokens = [self._written(word) for word in words]
        end = len(self._places)
        places = [
            end if word == END_SYMBOL and unknown else self._places[token]
            for word, (token, unknown) in zip(words, tokens, strict=True)
        ]
        found = self.listed.at(places)
        unknown = [flag and place != end for (_, flag), place in zip(tokens, places, strict=True)]
        return found._replace(is_oov=np.array(unknown, dtype=np.bool_))
