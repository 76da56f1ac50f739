"""The next word of a treebank grammar: exact, as all its sums are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.inference.grammar.exact import Continuations
from bistro.models.next_words import EXACT
from bistro.models.results.next_words import Flags, Floats, NextSums


class GrammarSums(NextSums):
    """All words as they are written in this place, classes of unknown ones, and the end."""

    weights = EXACT

    def __init__(
        self,
        found: Continuations,
        classes: Collection[str],
        written: Callable[[str], tuple[str, bool]],
    ) -> None:
        """`written` says how the grammar writes a word here, and whether it is unknown."""
        self.names = [*found.forms, END_SYMBOL]
        self.shares = np.append(found.probs, found.end)[None]
        self.is_oov = np.array([name in classes for name in self.names], dtype=np.bool_)
        self._places = {name: i for i, name in enumerate(found.forms)}
        self._written = written

    def of(self, words: Sequence[str]) -> tuple[Floats, Flags]:
        """Return the probabilities of words; one that cannot come has none."""
        tokens = [self._written(word) for word in words]
        is_end = [w == END_SYMBOL and unknown for w, (_, unknown) in zip(words, tokens, strict=True)]
        shares = np.zeros((1, len(words)))
        for i, (token, _) in enumerate(tokens):
            place = len(self._places) if is_end[i] else self._places.get(token, -1)
            shares[0, i] = self.shares[0, place] if place >= 0 else 0.0
        unknown = [flag and not end for (_, flag), end in zip(tokens, is_end, strict=True)]
        return shares, np.array(unknown, dtype=np.bool_)
