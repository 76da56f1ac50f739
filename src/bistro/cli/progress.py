"""Progress reports with the number of words and the share of lines that have been read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from bistro.progress import observed, phase
from bistro.treebank.treebank import Writable

S = TypeVar("S", bound=Writable)
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def counted(sentences: Iterable[S], source: str | os.PathLike[str], name: str) -> Iterator[S]:
    """Yield sentences unchanged, and report the number of words as the progress of a phase."""
    lines = lines_of(source) if observed() else None
    with phase(name, total=lines) as work:
        line = -1
        for sentence in sentences:
            if sentence.line != line:  # several trees of one sentence count once
                line = sentence.line
                work.count(len(sentence), "words")
                if lines and line <= lines:
                    work.reach(line)
            yield sentence


def lines_of(source: str | os.PathLike[str]) -> int | None:
    """Return the number of lines in a file, or None for streams and compressed files."""
    path = Path(source)
    if not path.is_file() or path.suffix in _COMPRESSED:
        return None
    with path.open("rb") as stream:
        return sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))
