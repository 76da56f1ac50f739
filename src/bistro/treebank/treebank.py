"""Treebanks are sequences of sentences that are read from and written to files.

The format follows from the suffix (``.conllu``, ``.conll`` and ``.conllx``, or ``.txt``),
optionally followed by ``.gz``, ``.xz`` or ``.zst``. Otherwise, the format is detected from the
content. Unchanged sentences are written back byte for byte.

>>> treebank = read("train.conllu")                             # doctest: +SKIP
>>> len(treebank), treebank.words, treebank[0].forms[:2]        # doctest: +SKIP
>>> write(treebank[:100], "first.conllu.gz")                    # doctest: +SKIP
>>> words = sum(len(s) for s in iter_sentences("huge.conllu"))  # doctest: +SKIP
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Protocol, overload

from bistro.errors import TreebankError
from bistro.files import STANDARD_STREAM, open_binary, writing
from bistro.progress import phase
from bistro.treebank.blocks import BYTE_ORDER_MARK, Readable
from bistro.treebank.column_file import ColumnReader
from bistro.treebank.conllu import CONLLU
from bistro.treebank.conllx import CONLLX
from bistro.treebank.detect import PeekedStream, choose_format
from bistro.treebank.sentence import Sentence
from bistro.treebank.text import check_encoding, iter_text
from bistro.treebank.validate import Roots

if TYPE_CHECKING:
    import pandas as pd

Source = str | os.PathLike[str] | IO[bytes]

_COLUMN_FORMATS = {column_format.name: column_format for column_format in (CONLLU, CONLLX)}


_SHOWN = {
    "form": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "head": "heads",
    "deprel": "deprels",
    "misc": "misc",
}
"""The columns of a data frame, and the corresponding attributes of a sentence."""


class Treebank(Sequence[Sentence]):
    """A sequence of sentences that records its origin. A slice is also a treebank.

    Parameters
    ----------
    sentences
        The sentences.
    path
        The file that they come from.
    name, license
        Name and licence of the treebank; models keep them.
    format
        The format of the sentences; default: the format of the first one.
    sha256
        The hash of the file; default: the hash of the output of `write`.
    """

    def __init__(
        self,
        sentences: Iterable[Sentence],
        path: str | None = None,
        *,
        name: str | None = None,
        license: str | None = None,
        format: str | None = None,
        sha256: str | None = None,
    ) -> None:
        self.sentences = list(sentences)
        self.path = path
        self.name = name
        self.license = license
        self.format = format or (self.sentences[0].format if self.sentences else CONLLU.name)
        self._sha256 = sha256
        self.problems: list[TreebankError] = []
        """Errors in sentences that were left out. For a treebank, the list is always empty."""

    @property
    def label(self) -> str:
        """The name of the treebank, or the name of its file."""
        return self.name or (PurePath(self.path).name if self.path else "unnamed")

    @property
    def words(self) -> int:
        """The number of syntactic words."""
        return sum(map(len, self.sentences))

    @property
    def sha256(self) -> str:
        """The hash of the file's decompressed bytes, or of the output of `write`."""
        if self._sha256 is None:
            digest = hashlib.sha256()
            for piece in encoded(self.sentences):
                digest.update(piece)
            self._sha256 = digest.hexdigest()
        return self._sha256

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        if isinstance(index, int):
            return self.sentences[index]
        return Treebank(
            self.sentences[index],
            self.path,
            name=self.name,
            license=self.license,
            format=self.format,
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per word, with ``sent_id, word_id`` and the columns of CoNLL-U."""
        from bistro.data_frames import pandas

        pd = pandas()

        rows = [
            (sentence.sent_id or str(number), place, *values)
            for number, sentence in enumerate(self.sentences, start=1)
            for place, values in enumerate(
                zip(*(getattr(sentence, name) for name in _SHOWN.values()), strict=True), start=1
            )
        ]
        return pd.DataFrame(rows, columns=["sent_id", "word_id", *_SHOWN])

    def __repr__(self) -> str:
        return f"<Treebank of {len(self)} sentences, {self.words} words: {self.label}>"


def read(
    source: Source, format: str | None = None, *, roots: Roots | None = None, partial: bool = False
) -> Treebank:
    """Read a whole treebank file.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or a binary stream. Files whose names end in .gz,
        .xz or .zst are decompressed.
    format
        ``conllu``, ``conllx``, ``text`` (one sentence per line) or ``raw`` (running text);
        default: by the name and content of the file.
    roots
        ``one`` (the rule of CoNLL-U) or ``any`` (the rule of CoNLL-X) root per sentence; default:
        by the format.
    partial
        Allow sentences in which only some words have a head.

    Raises
    ------
    TreebankError
        If the file is not valid. The error message names the file and the line.
    """
    with opened(source) as (peeked, path), phase(f"reading {path}"):
        input_format = choose_format(path, peeked, format)
        sentences = parse_all(peeked, path, input_format, roots, partial)
        written = CONLLU.name if input_format == "raw" else input_format
        return Treebank(sentences, path, format=written, sha256=peeked.sha256.hexdigest())


def refuse_text(paths: Iterable[str], format: str | None = None) -> None:
    """Before a file is read, raise an error if it is plain text.

    Standard input is not checked, because it can be read only once.
    """
    for name in paths:
        if name == STANDARD_STREAM:
            continue
        with opened(name) as (peeked, path):
            if choose_format(path, peeked, format) == "text":
                raise TreebankError(
                    "this text has no trees, tags or other annotation: give a treebank (and any "
                    "raw text with --text), or train an ngram model on the text",
                    path=path,
                    line=1,
                )


def iter_sentences(
    source: Source, format: str | None = None, *, roots: Roots | None = None, partial: bool = False
) -> Iterator[Sentence]:
    """Yield the sentences from a file, standard input (``-``) or a binary stream, using little
    memory.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or a binary stream.
    format
        ``conllu``, ``conllx``, ``text`` (one sentence per line) or ``raw`` (running text, which
        `bistro.treebank.tokens` splits); default: by the name and content of the file.
    roots
        ``one`` (the rule of CoNLL-U) or ``any`` (the rule of CoNLL-X) root per sentence.
    partial
        Allow sentences in which only some words have a head.
    """
    with opened(source) as (peeked, path):
        yield from parse(peeked, path, choose_format(path, peeked, format), roots, partial)


class Writable(Protocol):
    """The interface that an object must implement to be written as a sentence."""

    @property
    def format(self) -> str:
        """The format of the sentence: ``conllu``, ``conllx`` or ``text``."""

    @property
    def line(self) -> int:
        """The line number of the sentence's first line."""

    @property
    def lead(self) -> str:
        """The byte-order mark and blank lines before the first sentence, or an empty string."""

    def __len__(self) -> int: ...


def write(sentences: Iterable[Writable], path: str | os.PathLike[str]) -> None:
    """Write sentences to a file. The file gets its final name only when it is complete.

    Parameters
    ----------
    sentences
        A treebank, or any iterable of sentences of one format.
    path
        Path of the file, or ``-`` for standard output; .gz, .xz and .zst are compressed.
    """
    with writing(path) as stream:
        for piece in encoded(sentences):
            stream.write(piece)


def encoded(sentences: Iterable[Writable]) -> Iterator[bytes]:
    """Yield the bytes of a file that contains the sentences.

    The sentences may come from different files.
    """
    before = ""
    first_format = None
    for sentence in sentences:
        first_format = first_format or sentence.format
        if sentence.format != first_format:
            raise TreebankError(
                f"a sentence has the format {sentence.format}, but the sentences before it have "
                f"the format {first_format}: convert them to one format first"
            )
        text = str(sentence)
        if before:
            if sentence.lead:
                text = text.removeprefix(BYTE_ORDER_MARK)
            text = _separator(before, sentence.format) + text
        yield text.encode()
        before = text


def _separator(before: str, format: str) -> str:
    """Return the line endings that must be inserted before the next sentence."""
    if before.endswith(("\n\n", "\n\r\n")) or (format == "text" and before.endswith("\n")):
        return ""
    return "\n" if before.endswith("\n") or format == "text" else "\n\n"


@contextlib.contextmanager
def opened(source: Source) -> Iterator[tuple[PeekedStream, str | None]]:
    """Open a file, standard input (``-``) or a binary stream, and yield it with its name."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        with open_binary(name) as stream:
            yield PeekedStream(stream), "<stdin>" if name == STANDARD_STREAM else name
    else:
        label = getattr(source, "name", None)
        yield PeekedStream(source), label if isinstance(label, str) else None


def parse_all(
    stream: PeekedStream, path: str | None, format: str, roots: Roots | None, partial: bool
) -> list[Sentence]:
    """Return the sentences in a stream whose format is known.

    Errors are found without using much memory.
    """
    # Commands that read sentence by sentence do not need this module.
    from bistro.treebank.keeping import memory_of_sentence, read_all

    def sentences() -> Iterator[Sentence]:
        return parse(stream, path, format, roots, partial)

    if format in _COLUMN_FORMATS:
        return read_all(stream, sentences, memory_of_sentence)
    # A text has no errors other than its bytes.
    stream.mark()
    check_encoding(stream, path)
    stream.rewind()
    return list(sentences())


def parse(
    stream: Readable, path: str | None, format: str, roots: Roots | None, partial: bool
) -> Iterator[Sentence]:
    """Yield the sentences in a stream whose format is known."""
    if format == "text":
        sentences = iter_text(stream, path)
    elif format == "raw":
        # Few programs read running text, and its rules are in a separate file.
        from bistro.treebank.tokens import iter_raw

        sentences = iter_raw(stream, path)
    else:
        reader = ColumnReader(_COLUMN_FORMATS[format], path, roots, partial)
        sentences = reader.iter_sentences(stream)
    empty = True
    for sentence in sentences:
        empty = False
        yield sentence
    if empty:
        raise TreebankError("the file is empty: expected at least one sentence", path=path)
