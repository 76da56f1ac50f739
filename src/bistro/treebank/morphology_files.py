"""Files of segmented words with one word per line, read and written back byte for byte.

The columns of a line, separated by tabs, are word, morphemes, lemma and tag. The columns after the
morphemes are optional. A line with one column contains only morphemes, whose letters together form
the word. A plain list of segmented words is the simplest form of annotation. Blank lines and lines
such as ``<LINE# 12>`` begin a new paragraph. For the notation, see `bistro.treebank.morphology`.

>>> import io
>>> lines = b"un-break-able\\n\\nkwephrojekthi\\tkwa[Poss]-i[Pre]-phrojekthi[Stem]\\tphrojekthi\\n"
>>> first, second = iter_paragraphs(io.BytesIO(lines))
>>> first[0].form, [m.form for m in second[0].morphemes]
('unbreakable', ['kwa', 'i', 'phrojekthi'])
>>> (str(first) + str(second)).encode() == lines
True
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath

from bistro.errors import TreebankError
from bistro.files import write_text
from bistro.treebank.blocks import Readable
from bistro.treebank.detect import choose_format
from bistro.treebank.examples import Examples
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
from bistro.treebank.text import iter_lines
from bistro.treebank.treebank import Source, opened

FORMAT = "morphemes"
COLUMNS = ("word", "morphemes", "lemma", "tag")
_HEAD = re.compile(r"<LINE#[^\t<>]*>")
OnProblem = Callable[[TreebankError], None]


def read_segmented(
    source: Source, format: str | None = None, *, tolerance: float = 0.0
) -> Examples[Paragraph]:
    """Read a whole file of segmented words.

    Words with an invalid annotation are left out and listed in ``problems`` if their share is at
    most `tolerance`. Otherwise, the first invalid word causes an error.
    """
    with opened(source) as (stream, path):
        if format is not None:
            choose_format(path, stream, format, (FORMAT,))
        stream.mark()
        _check_words(stream, path, tolerance)
        stream.rewind()
        problems: list[TreebankError] = []
        paragraphs = list(iter_paragraphs(stream, path, problems.append))
        name = PurePath(path).name if path else "unnamed"
        return Examples(paragraphs, name=name, sha256=stream.sha256.hexdigest(), problems=problems)


def _check_words(stream: Readable, path: str | None, tolerance: float) -> None:
    """Raise an error if too many words are invalid. Only the first problem is kept."""
    first: TreebankError | None = None
    words = problems = 0
    for lead, rest, _, line in iter_lines(stream, path):
        content = (lead[len(lead.rstrip(" \t")) :] + rest).rstrip("\r")
        if _HEAD.fullmatch(content):
            continue
        words += 1
        try:
            _word(content, line, "")
        except TreebankError as error:
            first = first or TreebankError(error.reason, path=path, line=line)
            problems += 1
    if first and problems > tolerance * words:
        raise first


def iter_paragraphs(
    stream: Readable, path: str | None = None, on_problem: OnProblem | None = None
) -> Iterator[Paragraph]:
    """Yield the paragraphs of segmented words in a stream.

    A word that cannot be read is reported to `on_problem`. Without `on_problem`, an invalid word
    causes an error.
    """
    current = Paragraph([])
    empty = True
    for lead, rest, end, line in iter_lines(stream, path):
        # A tab before the first line belongs to that line, whose word is missing.
        before = lead.rstrip(" \t")
        text = lead[len(before) :] + rest
        content, whole = text.rstrip("\r"), text + end
        current.head += before
        if _HEAD.fullmatch(content):
            if current.words:
                yield current
                current = Paragraph([], line=line)
            current.head += whole
            continue
        empty = False
        try:
            current.words.append(_word(content, line, whole))
        except TreebankError as error:
            problem = TreebankError(error.reason, path=path, line=line)
            if on_problem is None:
                raise problem from None
            on_problem(problem)
            _keep(current, whole)
        if end.count("\n") > 1 and current.words:
            yield current
            current = Paragraph([], line=line + end.count("\n"))
    if empty:
        raise TreebankError("the file has no words: expected one word per line", path=path)
    if current.words:
        yield current


def iter_words(stream: Readable, path: str | None = None) -> Iterator[str]:
    """Yield the words of a text, a word list or an annotated file, without annotation.

    A line with tabs is annotated and begins with its word. Other lines consist of words separated
    by spaces. Lines that mark the start of a paragraph do not contain words.
    """
    empty = True
    for _, text, _, line in iter_lines(stream, path):
        content = text.strip(" \r")
        empty = False
        if _HEAD.fullmatch(content):
            continue
        form, tab, _ = content.partition("\t")
        if tab and not form.strip():
            raise TreebankError("the word is empty", path=path, line=line)
        yield from [form] if tab else content.split()
    if empty:
        raise TreebankError("the file is empty: expected words", path=path)


def _keep(paragraph: Paragraph, text: str) -> None:
    """Keep a line without words, so that the file can be written back unchanged."""
    if not paragraph.words:
        paragraph.head += text
        return
    last = paragraph.words[-1]
    paragraph.words[-1] = replace(last, text=last.text + text)


def write_segmented(paragraphs: Iterable[Paragraph], path: str | os.PathLike[str]) -> None:
    """Write paragraphs. Unchanged paragraphs are written as they were read."""
    write_text(path, map(str, paragraphs))


def _word(content: str, line: int, text: str) -> SegmentedWord:
    columns = content.split("\t")
    if len(columns) > len(COLUMNS):
        raise TreebankError(
            f"the line has {len(columns)} columns, but there can be at most {len(COLUMNS)}: "
            f"{', '.join(COLUMNS)}"
        )
    if len(columns) == 1:
        morphemes = parse_morphemes(content)
        form = "".join(morpheme.form for morpheme in morphemes)
        if not form:
            raise TreebankError(f"the morphemes '{content}' have no letters")
        return SegmentedWord(form, morphemes, (), line, text, has_form=False)
    form, annotation, *more = columns
    if not form.strip():
        raise TreebankError("the word is empty")
    return SegmentedWord(form, parse_morphemes(annotation), tuple(more), line, text)
