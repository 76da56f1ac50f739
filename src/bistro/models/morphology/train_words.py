"""Training of the model that divides written words into morphemes.

The model consists of three suffix tries: for labels, for morphemes and for letters. The context of
a label or morpheme is everything before it in the word. Letters are counted once for each distinct
morpheme. Each distinct morpheme is one table in the trie of morphemes, so it is drawn once from the
base distribution.

    H(morpheme | label) = P(letters | label) · (share of a morpheme whose form is its letters)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import ContextTrie, RuleTrie, spelling_events, spellings
from bistro.encoding.morphemes import Inventory, Piece, pieces, shares_of_capitals
from bistro.errors import BistroError, ConfigError
from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.reader import check_paragraphs
from bistro.models.morphology.words import (
    LABELS,
    LETTERS,
    MORPHEMES,
    UNSEEN_SHARE,
    WordsModel,
    bounds,
)
from bistro.models.runs import Run
from bistro.models.unbounded.train import TrieChain
from bistro.treebank.morphology import Paragraph, SegmentedWord

Columns = dict[str, NDArray[Any]]
Events = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]
"""The concatenated contexts, and the start, the outcome and the held-out block of each event."""


def train_words(data: Sequence[Paragraph], config: MorphologyConfig, run: Run) -> WordsModel:
    """Train a model that divides written words into morphemes.

    Training is deterministic. The seed is recorded in the model but not used.
    """
    if config.sampler.seating != "minimal":
        raise ConfigError("unit = word requires minimal seating: set sampler.seating = minimal")
    check_paragraphs(data)
    words = [word for paragraph in data for word in paragraph]
    if not words:
        raise BistroError("there is nothing to train on: the data has no words")
    parts = list(_aligned(words))
    inventory = Inventory.of(parts)
    learned = _Learner(inventory, config)
    tries = learned.tries(parts)
    trace = [{"sweep": 1, "log_likelihood": learned.log_likelihood}]
    origin = run.origin(trace, sentences=len(data), words=len(words))
    return WordsModel(config, inventory, shares_of_capitals(words), tries, origin)


def _aligned(words: Iterable[SegmentedWord]) -> Iterator[list[Piece]]:
    """Yield the morphemes of each word. A repeated word is aligned only once."""
    known: dict[tuple[Any, ...], list[Piece]] = {}
    for word in words:
        key = (word.form, word.morphemes)
        if key not in known:
            known[key] = pieces(word)
        yield known[key]


class _Learner:
    """A learner that counts events and fits the hyper-parameters of each trie."""

    def __init__(self, inventory: Inventory, config: MorphologyConfig) -> None:
        self.inventory = inventory
        self.config = config
        self.log_likelihood = 0.0

    def tries(self, words: Sequence[Sequence[Piece]]) -> dict[str, Columns]:
        """Return the arrays of the label, morpheme and letter tries."""
        inventory = self.inventory
        letters = self._trie(LETTERS, self._letters(), _uniform(inventory.alphabet + 1))
        of_labels = self._labels(words)
        return {
            LABELS: self._trie(LABELS, of_labels, _uniform(len(inventory.labels) + 1)),
            MORPHEMES: self._trie(MORPHEMES, self._morphemes(words), self._base(letters)),
            LETTERS: letters,
        }

    def _trie(self, name: str, events: Events, base: NDArray[np.float64]) -> Columns:
        contexts, offsets, dishes, blocks = events
        depth = bounds(self.config)[name]
        trie = ContextTrie.of_events(contexts, offsets, dishes, depth=depth, blocks=blocks)
        learner = _fitted(trie, base, self.config)
        if self.config.fit != "seating":
            # Left-out events carry no information on unseen ones, which short contexts predict.
            seating = _fitted(trie, base, replace(self.config, fit="seating")).state()
            state = learner.state()
            for key, parameters in state.items():
                parameters[0] = seating[key][0]
            learner.restore(state)
        self.log_likelihood += learner.log_likelihood()
        return learner.frozen()

    def _labels(self, words: Sequence[Sequence[Piece]]) -> Events:
        numbers, end = self.inventory.label_numbers, len(self.inventory.labels)
        rows = [[(0, numbers[piece.label]) for piece in word] + [(0, end)] for word in words]
        return self._events(words, rows)

    def _morphemes(self, words: Sequence[Sequence[Piece]]) -> Events:
        labels, numbers = self.inventory.label_numbers, self.inventory.morpheme_numbers
        rows = [[(1 + labels[piece.label], numbers[piece]) for piece in word] for word in words]
        return self._events(words, rows)

    def _events(
        self, words: Sequence[Sequence[Piece]], rows: Sequence[Sequence[tuple[int, int]]]
    ) -> Events:
        """Return all events, given the first context element and the outcome of each event.

        The other context elements are the previous morphemes. Neighbouring words share a block.
        """
        contexts, events, blocks = [], [], []
        for i, (word, row) in enumerate(zip(words, rows, strict=True)):
            for k, (own, event) in enumerate(row):
                contexts.append([own, *self.inventory.history(word[:k])])
                events.append(event)
                blocks.append(i * self.config.blocks // len(words))
        offsets = np.fromiter(accumulate(map(len, contexts), initial=0), dtype=np.int64)
        elements = np.fromiter(chain.from_iterable(contexts), dtype=np.int32)
        return elements, offsets, np.array(events, np.int32), np.array(blocks, np.int32)

    def _spelled(self) -> dict[str, Any]:
        """Return the letters of all morphemes, the start of each morpheme, and the labels."""
        inventory = self.inventory
        labels = [inventory.label_numbers[piece.label] for piece in inventory.morphemes]
        letters, offsets = inventory.encode([piece.surface for piece in inventory.morphemes])
        return {
            "letters": letters,
            "offsets": offsets,
            "label": np.array(labels, dtype=np.int32),
            "num_labels": len(inventory.labels),
            "alphabet": inventory.alphabet,
        }

    def _letters(self) -> Events:
        spelled = self._spelled()
        contexts, offsets, letters = spelling_events(**spelled)
        # Morphemes are sorted, and neighbours would be too similar to be left out together.
        numbers = np.repeat(np.arange(spelled["label"].size), np.diff(spelled["offsets"]) + 1)
        return contexts, offsets, letters, (numbers % self.config.blocks).astype(np.int32)

    def _base(self, letters: Columns) -> NDArray[np.float64]:
        """Return the base probabilities of known morphemes, followed by 1 for unseen morphemes."""
        morphemes = self.inventory.morphemes
        log_probs = spellings(RuleTrie(**letters, depth=-1), **self._spelled())
        others = Counter((p.label, p.surface) for p in morphemes if p.canonical != p.surface)
        shares = [
            UNSEEN_SHARE
            if piece.canonical == piece.surface
            else (1 - UNSEEN_SHARE) / others[piece.label, piece.surface]
            for piece in morphemes
        ]
        return np.append(np.exp(log_probs) * shares, 1.0)


def _fitted(trie: ContextTrie, base: NDArray[np.float64], config: MorphologyConfig) -> TrieChain:
    learner = TrieChain(trie, base, config)
    for sweep in range(config.sampler.sweeps):
        learner.step(sweep, keep=True)
    return learner


def _uniform(size: int) -> NDArray[np.float64]:
    return np.full(size, 1 / size)
