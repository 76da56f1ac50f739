"""Annotate running text or sentences with a pipeline, which fills in all columns."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bistro.errors import TreebankError
from bistro.inference.workers import Workers
from bistro.models.abilities import ANNOTATE, PARSE, TOKENISE
from bistro.models.base import Model
from bistro.progress import pace
from bistro.tasks import spread
from bistro.tasks.parsed import as_columns
from bistro.treebank.blocks import Readable
from bistro.treebank.detect import PeekedStream, choose_format
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import iter_sentences, opened, parse, read
from bistro.treebank.validate import Roots

BYTES_AT_ONCE = 1 << 16
RUNNING_TEXT = ("raw", "text")
ALTERNATIVES = "alternatives"
"""The only option that the pipeline itself uses. All other options are passed to the pipeline's
parser."""
Watch = Callable[[Iterable[Sentence]], Iterator[Sentence]]


class AnnotateRun:
    """One pass of a pipeline over the input, with a report at the end."""

    def __init__(
        self,
        model: Model,
        options: Mapping[str, Any],
        *,
        keep: Sequence[str],
        line_ends: bool,
        watch: Watch = iter,
        workers: Workers | None = None,
    ) -> None:
        """Initialise the run.

        The function `watch` yields the sentences of tokenised files unchanged, and may issue
        warnings. The `workers` annotate the sentences.
        """
        self._whole = model
        self._workers = workers
        self.model = ANNOTATE.of(model)
        self._parser = PARSE.of(model)
        self._options = dict(options)
        self._keep = tuple(keep)
        self._line_ends = line_ends
        self._watch = watch
        self.words = self.sentences = 0
        self._begin = time.monotonic()

    def annotated(self, input: str, format: str | None) -> Iterator[Sentence]:
        """Yield the sentences in a file, with all columns filled in.

        A text file is read as running text by default.
        """
        with opened(input) as (stream, path):
            file_format = choose_format(path, stream, format)
            if file_format in RUNNING_TEXT and format not in ("text", "lines"):
                text = decoded(stream, path)
                sentences = self._of_text(text)
            else:
                rows = enumerate(
                    self._watch(parse(stream, path, file_format, "any", partial=True)), 1
                )
                sentences = (as_columns(sentence, number) for number, sentence in rows)
                sentences = self._of_sentences(sentences, {"keep": self._keep, **self._options})
            yield from self._counted(sentences)

    def _of_text(self, text: Iterator[str]) -> Iterator[Sentence]:
        if self._workers is None:
            return self.model.annotate(text, line_ends=self._line_ends, **self._options)
        shown = bool(self._options.get("marginals") or self._options.get(ALTERNATIVES))
        sentences = self.model.sentences(text, line_ends=self._line_ends, probabilities=shown)
        return self._of_sentences(sentences, self._options)

    def _of_sentences(
        self, sentences: Iterator[Sentence], options: Mapping[str, Any]
    ) -> Iterator[Sentence]:
        if self._workers is None:
            return self.model.annotate_all(sentences, **options)
        return spread.annotate_all(self._workers, self._whole, sentences, options)

    def _counted(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            self.sentences += 1
            self.words += len(sentence)
            yield sentence

    def report(self) -> str:
        """Return a one-line report."""
        seconds = time.monotonic() - self._begin
        own = {name: v for name, v in self._options.items() if name != ALTERNATIVES}
        return (
            f"{pace(self.sentences, self.words, seconds=seconds)}; "
            f"{self._parser.parse_protocol(**own)}"
        )


def read_sentences(
    model: Model,
    input: str,
    format: str | None,
    roots: Roots | None = "any",
    *,
    checked: bool = False,
) -> Iterator[Sentence]:
    """Yield the sentences in a file. Running text is split if the model can tokenise.

    A text is running text only if the format is ``raw``. Other text has one sentence per line. With
    `checked`, the whole file is read and checked before the first sentence is yielded.
    """
    if format != "raw" or not TOKENISE.is_of(model):
        sentences = read if checked else iter_sentences
        yield from sentences(input, format, roots=roots, partial=roots == "any")
        return
    number = 0
    with opened(input) as (stream, path):
        text = checked_text(stream, path) if checked else decoded(stream, path)
        for number, sentence in enumerate(TOKENISE.of(model).tokenise(text), 1):
            yield sentence.to_sentence(number)
        if not number:
            raise TreebankError("the file is empty: expected at least one sentence", path=path)


def checked_text(stream: PeekedStream, path: str | None) -> Iterator[str]:
    """Yield the text of a stream in pieces, after all its bytes have been checked."""
    stream.mark()
    for _ in decoded(stream, path):
        pass
    stream.rewind()
    yield from decoded(stream, path)


def decoded(stream: Readable, path: str | None) -> Iterator[str]:
    """Yield the text of a stream in pieces. Raise an error for bytes that are not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    while True:
        piece = stream.read(BYTES_AT_ONCE)
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            raise TreebankError(
                f"the file is not valid UTF-8 (byte 0x{error.object[error.start]:02X} after "
                f"{error.start:,} bytes of the current block): convert it, for example with "
                "iconv -f latin1 -t utf-8",
                path=path,
                line=line,
            ) from None
        if "\0" in text:
            raise TreebankError(
                "the file contains a NUL character: check that it is a text file in UTF-8",
                path=path,
                line=line + text[: text.index("\0")].count("\n"),
            )
        line += piece.count(b"\n")
        if text:
            yield text
        if not piece:
            return
