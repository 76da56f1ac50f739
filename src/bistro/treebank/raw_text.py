"""Raw text to learn from: files of sentences, read several times, a little in memory at a time.

A sentence a line, its words separated by spaces or tabs, as everywhere (`bistro.treebank.text`);
compressed by suffix. Nothing is lost silently: blank lines are skipped and counted, and so are the
words that hold what cannot be seen. Zero-width characters make no difference to a model's words
(`bistro.treebank.invisible`); spaces of other kinds are part of their words, here as in all files.

>>> text = RawText(["news.txt.gz", "more.txt"])                    # doctest: +SKIP
>>> sum(map(len, text)), text.facts[0].blank_lines                 # doctest: +SKIP
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from bistro.errors import BistroError
from bistro.files import STANDARD_STREAM
from bistro.treebank.detect import format_of_suffix
from bistro.treebank.text import iter_text
from bistro.treebank.treebank import opened

# Soft hyphen, zero-width and direction marks, byte order mark; and all spaces but the plain one.
_UNSEEN = re.compile(
    "[\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)


@dataclass(frozen=True)
class TextFacts:
    """What one file holds."""

    name: str
    sha256: str
    sentences: int
    words: int
    blank_lines: int
    unseen_characters: int
    """Words with zero-width characters or spaces of other kinds."""


class RawText:
    """Sentences of several files as lists of words; each iteration reads the files again."""

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = [os.fspath(path) for path in several]
        if STANDARD_STREAM in self.paths:
            raise BistroError("raw text is read several times: give files, not stdin")
        for path in self.paths:
            if (format := format_of_suffix(path)) not in (None, "text"):
                raise BistroError(
                    f"{path}: is {format} by its name, where raw text has a sentence a line: "
                    "make text of it with bistro convert"
                )
        self._facts: dict[int, TextFacts] = {}

    @property
    def facts(self) -> list[TextFacts]:
        """What each file holds, as far as they have been read."""
        return [self._facts[i] for i in sorted(self._facts)]

    @property
    def words(self) -> int:
        """The number of words of the files read so far."""
        return sum(facts.words for facts in self.facts)

    def provenance(self) -> list[dict[str, Any]]:
        """Return the facts, ready for JSON."""
        return [asdict(facts) for facts in self.facts]

    def notes(self) -> Iterator[str]:
        """Yield a sentence for everything in the files that a user may not expect."""
        for path, facts in zip(self.paths, self.facts, strict=True):
            if facts.blank_lines:
                yield f"{path}: {facts.blank_lines:,} blank lines are skipped"
            if facts.unseen_characters:
                yield (
                    f"{path}: {facts.unseen_characters:,} words hold zero-width characters, "
                    "which are left out, or spaces other than the plain one, which are kept"
                )

    def __iter__(self) -> Iterator[list[str]]:
        for number, path in enumerate(self.paths):
            yield from self._file(number, path)

    def _file(self, number: int, path: str) -> Iterator[list[str]]:
        sentences = words = blank = unseen = 0
        with opened(path) as (stream, name):
            for sentence in iter_text(stream, name):
                written, forms = str(sentence), sentence.forms
                blank += written.count("\n") + (not written.endswith("\n")) - 1
                if not written.isascii():
                    unseen += sum(_UNSEEN.search(form) is not None for form in forms)
                sentences += 1
                words += len(forms)
                yield forms
            digest = stream.sha256.hexdigest()
        facts = TextFacts(PurePath(path).name, digest, sentences, words, blank, unseen)
        if self._facts.setdefault(number, facts) != facts:
            raise BistroError(f"{path}: has changed while it was in use: start from the beginning")
        if not sentences:
            raise BistroError(f"{path}: the text is empty: expected at least one sentence")
