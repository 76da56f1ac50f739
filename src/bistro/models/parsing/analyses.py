"""The best parses of raw text, computed in pieces by any number of workers.

An analysis consists of the head, the label index and the tag index of every word, but does not
contain the words themselves. Pieces are returned in text order, so the result is the
same for any number of workers. An interrupted run resumes after the last piece that was saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bistro.models.shared import SharedModel
from bistro.treebank.raw_text import TextPiece

COLUMNS = {"heads": np.int32, "labels": np.int16, "tags": np.int16}

Piece = tuple[int, TextPiece]
"""The number of particles or the beam width, and the piece of text to parse."""


class TextParser(Protocol):
    """The methods of a parser that are needed for parsing raw text."""

    def best_analyses(
        self, sentences: Iterable[Sequence[str]], size: int
    ) -> dict[str, NDArray[np.int32]]:
        """Return the heads, label indices and tag indices of all words in the best parses."""

    def to_bytes(self) -> bytes:
        """Return the model as the content of a model file."""


@dataclass
class Analyses:
    """The best analyses of all sentences parsed so far."""

    sentences: int = 0
    words: int = 0
    _pieces: list[dict[str, NDArray[Any]]] = field(default_factory=list)

    def add(self, sentences: int, columns: Mapping[str, NDArray[Any]]) -> None:
        """Append the analyses of the sentences in a piece of text."""
        self._pieces.append(dict(columns))
        self.sentences += sentences
        self.words += columns["heads"].size

    def columns_of(self, first: int, words: int) -> dict[str, NDArray[np.int32]]:
        """Return the heads, labels and tags of a range of consecutive words."""
        return {name: self._whole(name)[first : first + words].astype(np.int32) for name in COLUMNS}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all analyses as arrays, to be saved in a checkpoint."""
        arrays = {f"analyses.{name}": self._whole(name) for name in COLUMNS}
        return {**arrays, "analyses.sentences": np.array([self.sentences])}

    @classmethod
    def restore(cls, state: Mapping[str, NDArray[Any]]) -> Analyses:
        """Restore the analyses from arrays that `state` returned."""
        analyses = cls()
        columns = {name: np.array(state[f"analyses.{name}"]) for name in COLUMNS}
        analyses.add(int(state["analyses.sentences"][0]), columns)
        return analyses

    def _whole(self, name: str) -> NDArray[Any]:
        if len(self._pieces) > 1:
            every = {n: np.concatenate([piece[n] for piece in self._pieces]) for n in COLUMNS}
            self._pieces = [every]
        return self._pieces[0][name] if self._pieces else np.zeros(0, COLUMNS[name])


def parse_piece(shared: SharedModel[Any], piece: Piece) -> tuple[int, dict[str, NDArray[Any]]]:
    """Return the number of sentences in a piece of text, and the columns of their best analyses."""
    size, text = piece
    sentences = text.sentences()
    parser: TextParser = shared.open()
    columns = parser.best_analyses(sentences, size)
    return len(sentences), {name: columns[name].astype(kind) for name, kind in COLUMNS.items()}
