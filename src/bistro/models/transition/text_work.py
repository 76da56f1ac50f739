"""Extraction of events from the parses of raw text, by tasks for `bistro.inference.workers`.

The result of a task is small, because it consists only of sorted integers. One process can merge
the results faster than many processes produce them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch, oracle_events
from bistro.encoding.events import Events
from bistro.errors import BistroError
from bistro.models.parsing.codec import Codec
from bistro.models.transition.config import DISTRIBUTIONS, ContextSettings, TransitionConfig
from bistro.models.transition.model import shape_of
from bistro.treebank.raw_text import TextPiece


class ParsedText(NamedTuple):
    """Consecutive pieces of a text, with the heads, label indices and tag indices of all words."""

    pieces: Sequence[TextPiece]
    columns: dict[str, NDArray[np.int32]]
    first: int
    """The position of the first sentence of these pieces in the whole text, counted from 0."""


class TextEvents(NamedTuple):
    """The training events of one or more pieces of text."""

    events: dict[str, Events]
    """The sorted events of each distribution, by name."""
    tagged: NDArray[np.int64]
    """The sorted distinct word-tag pairs, encoded as word · (number of tags) + tag."""


@dataclass(frozen=True)
class Recorder:
    """A converter from trees to training events."""

    config: TransitionConfig
    codec: Codec
    single_root: bool

    def recorded(self, batch: SentenceBatch, first: int = 0) -> dict[str, Events]:
        """Return the events in the oracle derivations of trees, by distribution."""
        shape = shape_of(self.config, self.codec, single_root=self.single_root)
        recorded = oracle_events(shape, batch)
        if recorded["failed"].size:
            number = first + int(recorded["failed"][0]) + 1
            raise BistroError(f"the tree of sentence {number} is not projective")
        return {name: Events(*recorded[name]) for name in DISTRIBUTIONS if recorded[name][1].size}

    def for_text(self) -> Recorder:
        """Return a recorder without the contexts of distributions that do not learn from raw text.

        The contexts of these distributions would take most of the memory.
        """
        learns = set(self.config.raw_text.learns)
        lists = {n: getattr(self.config.contexts, n) if n in learns else () for n in DISTRIBUTIONS}
        return replace(self, config=replace(self.config, contexts=ContextSettings(**lists)))


def record_piece(shared: Recorder, text: ParsedText) -> TextEvents:
    """Return the sorted events of parsed text. Workers run this function."""
    sentences = [words for piece in text.pieces for words in piece.sentences()]
    ids, offsets = shared.codec.encode_words(sentences)
    if ids.size != text.columns["tags"].size:
        raise BistroError("the raw text changed during training: start from the beginning")
    known: dict[str, Any] = {"spelled": np.zeros(0, np.int32), "spellings": np.zeros(0)}
    batch = SentenceBatch(ids, offsets, **{**known, **text.columns})
    events = shared.recorded(batch, text.first)
    learns = shared.config.raw_text.learns
    tags = text.columns["tags"].astype(np.int64)
    tagged = np.unique(ids.astype(np.int64) * len(shared.codec.tags) + tags)
    return TextEvents({n: e.sorted() for n, e in events.items() if n in learns}, tagged)
