"""Words cut into morphemes, in plain Python: every analysis of a word, and its probability.

The same mathematics as `cpp/infinite/segment.hpp`, without a beam:

    P = Π_k P(l_k | history) · P(m_k | l_k, history) · P(end | history)

A morpheme never seen is worth P(other | l_k, history) · share · P(letters | label).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bistro._core import RuleTrie
from bistro.encoding.morphemes import Inventory, Piece


class Step(NamedTuple):
    """A morpheme of an analysis."""

    piece: Piece
    is_seen: bool


class PlainSegmenter:
    """Asks the tries one probability after the other."""

    def __init__(
        self,
        inventory: Inventory,
        labels: RuleTrie,
        morphemes: RuleTrie,
        letters: RuleTrie,
        unseen_share: float,
        most_empty: int = 2,
    ) -> None:
        self.inventory = inventory
        self._labels = labels
        self._morphemes = morphemes
        self._letters = letters
        self._share = unseen_share
        self._most_empty = most_empty

    def analyses(self, word: str) -> Iterator[tuple[tuple[Step, ...], float]]:
        """Yield every analysis of a word with its log-probability."""
        yield from self._from(word, (), 0.0, 0)

    def spelling(self, label: str, surface: str) -> float:
        """Return log P(letters | label), the end of the morpheme included."""
        inventory = self.inventory
        size, end = len(inventory.labels), inventory.alphabet
        letters, _ = inventory.encode([surface])
        found = 0.0
        for k in range(len(surface) + 1):
            before = [2 + size + int(c) for c in letters[:k][::-1]]
            context = [0, 1 + inventory.label_numbers[label], *before, 1 + size]
            found += _log(self._letters, context, int(letters[k]) if k < len(surface) else end)
        return found

    def _from(
        self, rest: str, before: tuple[Step, ...], log_prob: float, empty: int
    ) -> Iterator[tuple[tuple[Step, ...], float]]:
        inventory = self.inventory
        history = self._history(before)
        if not rest:
            yield before, log_prob + _log(self._labels, [0, *history], len(inventory.labels))
        for step in self._steps(rest, empty):
            label = inventory.label_numbers[step.piece.label]
            own = _log(self._labels, [0, *history], label)
            own += self._morpheme(step, [1 + label, *history])
            now_empty = 0 if step.piece.surface else empty + 1
            following = rest[len(step.piece.surface) :]
            yield from self._from(following, (*before, step), log_prob + own, now_empty)

    def _steps(self, rest: str, empty: int) -> Iterator[Step]:
        inventory = self.inventory
        for piece in inventory.morphemes:
            if rest.startswith(piece.surface) and (piece.surface or empty < self._most_empty):
                yield Step(piece, True)
        for label in inventory.labels:
            for end in range(1, len(rest) + 1):
                piece = Piece(label, rest[:end], rest[:end])
                if piece not in inventory.morpheme_numbers:
                    yield Step(piece, False)

    def _morpheme(self, step: Step, context: Sequence[int]) -> float:
        inventory = self.inventory
        if step.is_seen:
            return _log(self._morphemes, context, inventory.morpheme_numbers[step.piece])
        spelled = math.log(self._share) + self.spelling(step.piece.label, step.piece.surface)
        return _log(self._morphemes, context, len(inventory.morphemes)) + spelled

    def _history(self, before: Sequence[Step]) -> list[int]:
        inventory = self.inventory
        size = len(inventory.labels)
        unknown = 2 + size + len(inventory.surfaces)
        found = []
        for step in reversed(before):
            surface = 2 + size + inventory.surfaces[step.piece.surface] if step.is_seen else unknown
            found += [1 + inventory.label_numbers[step.piece.label], surface]
        return [*found, 1 + size]


def _log(trie: RuleTrie, context: Sequence[int], event: int) -> float:
    elements = np.array(context, dtype=np.int32)
    offsets = np.array([0, elements.size], dtype=np.int64)
    return math.log(float(trie.probabilities(elements, offsets, np.array([event], np.int32))[0]))
