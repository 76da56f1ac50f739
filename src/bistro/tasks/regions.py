"""Regions of a sentence: sequences of words that share one row, which gives their summed surprisal.

A region is marked by square brackets or by a column in a table with one word per row. In the
surprisal table, a region is treated like a multiword token. The row for a region contains the
summed surprisal of its words, and the standard error of this sum.

>>> bracketed("The horse [raced past the barn] [fell] .")
[('The horse', None), ('raced past the barn', '1'), ('fell', '2'), ('.', None)]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from bistro.errors import TreebankError, first_few
from bistro.models.results.surprisal import Token, numbered_tokens
from bistro.models.results.tokens import words_in
from bistro.tasks.cutting import Cutting, visible_text
from bistro.tasks.stimuli import MISSING, Row, Stimulus, Table

COLUMN = "region"
_SHOWN = 60
"""The maximum number of characters to show from a text in a message."""
Parts = list[tuple[str, str | None]]
"""Parts of a text, each with the name of its region, or None if it is in no region."""
_MARK = re.compile(r"[][]")
_POSITIONS = re.compile(r"(?P<first>\d{1,9})(-(?P<last>\d{1,9}))?")
"""The position of a word, or the first and last position of several words."""


def bracketed(text: str, path: str | None = None, line: int | None = None) -> Parts:
    """Return the parts of a text in which regions are marked by brackets.

    The regions are numbered from 1.
    """
    parts: Parts = []
    inside, number, at = False, 0, 0
    for mark in [*_MARK.finditer(text), None]:
        part = text[at : mark.start() if mark else len(text)].strip()
        opens = mark is not None and mark[0] == "["
        if mark is None and inside:
            raise _error("a bracket '[' is not closed", text, path, line)
        if mark is not None and opens == inside:
            problem = "is inside another region" if opens else "closes nothing"
            raise _error(f"a bracket '{mark[0]}' {problem}", text, path, line)
        if inside and not part:
            raise _error("a region has no word", text, path, line)
        number += inside
        if part:
            parts.append((part, str(number) if inside else None))
        inside, at = opens, mark.end() if mark else len(text)
    return parts


def critical_parts(text: str, cell: str, path: str | None = None, line: int | None = None) -> Parts:
    """Return the parts of a text whose critical region is given by a cell in the table.

    The cell contains the words of the region, the position of a word, or the first and the last
    position of several words. Words are separated by spaces and counted from 1. A cell such as
    ``7-8`` is read as positions unless it occurs in the text. An empty cell means that there is no
    region.

    >>> critical_parts("The horse raced past the barn fell.", "fell")
    [('The horse raced past the barn', None), ('fell', '1'), ('.', None)]
    >>> critical_parts("When he ran, it was.", "5")
    [('When he ran, it', None), ('was.', '1')]
    >>> critical_parts("When he ran, it was.", "3-4")
    [('When he', None), ('ran, it', '1'), ('was.', None)]
    """
    cell = cell.strip()
    if not cell or cell == MISSING:
        return [(text, None)] if text else []
    try:
        begin, end = _critical_span(text, cell)
    except TreebankError as error:
        raise _error(error.reason, text, path, line) from None
    parts: Parts = [(text[:begin], None), (text[begin:end], "1"), (text[end:], None)]
    return [(part.strip(), region) for part, region in parts if part.strip()]


def _critical_span(text: str, cell: str) -> tuple[int, int]:
    """Return the start and end offsets of the critical region in the text."""
    spans = _occurrences(text, cell)
    positions = _POSITIONS.fullmatch(cell)
    if positions and (positions["last"] is None or not spans):
        return _span_at(text, int(positions["first"]), int(positions["last"] or positions["first"]))
    if not spans:
        hint = _other_case(text, cell)
        raise TreebankError(f"the critical region '{cell[:_SHOWN]}'{hint} does not occur")
    if len(spans) > 1:
        problem = f"the critical region '{cell[:_SHOWN]}' occurs {len(spans)} times (mark it with "
        raise TreebankError(problem + "brackets, or give its position)")
    return spans[0]


def _span_at(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the words from position `first` to position `last`."""
    places = [match.span() for match in re.finditer(r"\S+", text)]
    if first > last:
        raise TreebankError(f"the positions {first}-{last} are in the wrong order")
    for position in (first, last):
        if not 1 <= position <= len(places):
            raise TreebankError(f"there is no word at position {position}")
    return places[first - 1][0], places[last - 1][1]


def _occurrences(text: str, words: str, flags: int = 0) -> list[tuple[int, int]]:
    """Return the spans in a text where the words occur, except inside longer words."""
    return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, flags)]


def _other_case(text: str, words: str) -> str:
    """Return a hint if the words occur in the text, but with different capitalisation."""
    spans = _occurrences(text, words, re.IGNORECASE)
    return f" (did you mean '{text[slice(*spans[0])][:_SHOWN]}'?)" if spans else ""


def region_rows(parts: Parts, cut: Cutting) -> tuple[list[Token], list[str]]:
    """Return one token for each part of a text, and the list of all words in the sentence."""
    cells = cut([text for text, _ in parts])
    words = [words_in(cell) for cell in cells]
    sizes = zip((text for text, _ in parts), map(len, words), strict=True)
    return numbered_tokens(sizes), list(itertools.chain(*words))


def region_stimuli(
    table: Table, text: str, *, name: str | None, cut: Cutting, critical: str | None = None
) -> Iterator[Stimulus]:
    """Yield the sentences in a table with one sentence per row, and their regions.

    Regions are marked by brackets or by the column `critical` (see `critical_parts`). The cells of
    a row are followed by the name of the region.
    """
    place = table.column(text)
    names = None if name is None else table.column(name)
    marks = None if critical is None else table.column(critical)

    def parts_of(row: Row) -> Parts:
        line, cells = row
        shown = visible_text(cells[place], table.path, line)
        if marks is None:
            parts = bracketed(shown, table.path, line)
        else:
            parts = critical_parts(shown, cells[marks], table.path, line)
        if not parts:
            raise TreebankError(f"column '{text}' has no word", path=table.path, line=line)
        return parts

    _check_rows(table, parts_of)  # All errors are raised before the first stimulus is kept.
    for number, row in enumerate(table.rows, start=1):
        cells, parts = row[1], parts_of(row)
        tokens, words = region_rows(parts, cut)
        called = str(number) if names is None else cells[names]
        rows = [[*cells, region or MISSING] for region in (*(r for _, r in parts), None)]
        yield Stimulus(called, tokens, words, rows)


def _check_rows(table: Table, parts_of: Callable[[Row], Parts]) -> None:
    """Raise one error for all rows whose regions cannot be found.

    The message describes the first few of these rows and counts the others.
    """
    errors = _row_errors(table, parts_of)
    for first in errors:
        others = (f"line {error.line}: {error.reason}" for error in errors)
        reasons = first_few(itertools.chain([first.reason], others), "; ")
        raise TreebankError(reasons, path=first.path, line=first.line)


def _row_errors(table: Table, parts_of: Callable[[Row], Parts]) -> Iterator[TreebankError]:
    """Yield the errors in a table, one for each faulty row.

    Errors are not collected in a list, since a table can have many rows.
    """
    for row in table.rows:
        try:
            parts_of(row)
        except TreebankError as error:
            yield error


def joined_regions(stimulus: Stimulus, place: int) -> Stimulus:
    """Merge adjacent rows of a stimulus that have the same cell in column `place`.

    A merged row has the cells of the first of the original rows.
    """
    rows = list(zip(stimulus.tokens, stimulus.cells, strict=False))
    tokens: list[tuple[str, int]] = []
    cells = []
    for _, group in itertools.groupby(rows, key=lambda row: row[1][place]):
        members = list(group)
        form = " ".join(token.form for token, _ in members)
        tokens.append((form, sum(token.size for token, _ in members)))
        cells.append(members[0][1])
    return replace(stimulus, tokens=numbered_tokens(tokens), cells=[*cells, stimulus.cells[-1]])


def region_names(parts: Sequence[Parts], *, eos: bool) -> Iterator[str]:
    """Yield the region of each row in bracketed sentences, including end-of-sentence rows."""
    for sentence in parts:
        yield from (region or MISSING for _, region in sentence)
        if eos:
            yield MISSING


def _error(reason: str, text: str, path: str | None, line: int | None) -> TreebankError:
    return TreebankError(f"{reason} in '{text[:_SHOWN]}'", path=path, line=line)
