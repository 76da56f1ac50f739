"""How far a run over a file has come: one line on a terminal, which goes away at the end.

words done, words per second, and, for a plain file, the time left by the share of its lines. Parsed
sentences arrive in batches, so both rates are measured from the arrival of the first sentence: all
time before it is that of a whole batch.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from bistro.treebank.treebank import Writable

S = TypeVar("S", bound=Writable)
EVERY_SECONDS = 0.5
WIDTH = 70
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


class Progress:
    """Passes sentences on and shows how many words have gone by; silent if not on a terminal.

    Sentences that go to the terminal themselves (`output` is ``-``) show progress well enough.
    """

    def __init__(self, source: str | os.PathLike[str], output: str | os.PathLike[str]) -> None:
        self._live = sys.stderr.isatty() and not (str(output) == "-" and sys.stdout.isatty())
        self._lines = lines_of(source) if self._live else None
        self._last = time.monotonic()
        self._first: tuple[float, int, int] | None = None
        """When the first sentence arrived, its words and its line."""
        self._words = 0

    def watch(self, sentences: Iterable[S]) -> Iterator[S]:
        """Yield the sentences."""
        line = -1
        try:
            for sentence in sentences:
                if sentence.line != line:  # several trees of one sentence count once
                    self.add(len(sentence), sentence.line)
                    line = sentence.line
                yield sentence
        finally:
            self.clear()

    def add(self, words: int, line: int = 0) -> None:
        """Count words; `line` tells how far into the file they are, if that is known."""
        self._words += words
        self._show(line)

    def clear(self) -> None:
        """Take the line away."""
        if self._live:
            print(f"\r{'':<{WIDTH}}\r", end="", file=sys.stderr, flush=True)

    def _show(self, line: int) -> None:
        now = time.monotonic()
        self._first = self._first or (now, self._words, line)
        if not self._live or now - self._last < EVERY_SECONDS:
            return
        self._last = now
        begin, words_before, line_before = self._first
        seconds = max(now - begin, 1e-9)
        told = f"{self._words:,} words"
        if self._words > words_before:
            told += f"  {(self._words - words_before) / seconds:,.0f} words/s"
        if self._lines and line_before < line <= self._lines:
            left = seconds * (self._lines - line) / (line - line_before)
            told += f"  {left:.0f} s left"
        print(f"\r{told:<{WIDTH}}", end="", file=sys.stderr, flush=True)


def lines_of(source: str | os.PathLike[str]) -> int | None:
    """Return the number of lines of a plain file, None for what cannot be read twice."""
    path = Path(source)
    if not path.is_file() or path.suffix in _COMPRESSED:
        return None
    with path.open("rb") as stream:
        return sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))
