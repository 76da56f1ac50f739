"""Regions of a sentence: sequences of words that share one row with their summed surprisal.

A region is marked by square brackets or by a column in a table with one word per row. In the
surprisal table, a region is treated like a multiword token. The row of a region contains the sum of
the surprisals of its words and the standard error of this sum.

>>> bracketed("The horse [raced past the barn] [fell] .")
[('The horse', None), ('raced past the barn', '1'), ('fell', '2'), ('.', None)]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bistro.errors import TreebankError
from bistro.models.results.surprisal import Token, numbered_tokens
from bistro.models.results.tokens import words_in
from bistro.tasks.cutting import Cutting, visible_text
from bistro.tasks.stimuli import MISSING, Stimulus, Table

COLUMN = "region"
Parts = list[tuple[str, str | None]]
"""Parts of a text, each with the name of its region, or None if it is in no region."""
_MARK = re.compile(r"[][]")


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

    The cell contains the words of the region, or the position of a word. Words are separated by
    spaces and counted from 1. An empty cell means that there is no region.

    >>> critical_parts("The horse raced past the barn fell.", "fell")
    [('The horse raced past the barn', None), ('fell', '1'), ('.', None)]
    >>> critical_parts("When he ran, it was.", "5")
    [('When he ran, it', None), ('was.', '1')]
    """
    cell = cell.strip()
    if not cell or cell == MISSING:
        return [(text, None)] if text else []
    if cell.isdecimal():
        places = [match.span() for match in re.finditer(r"\S+", text)]
        if not 1 <= int(cell) <= len(places):
            raise _error(f"there is no word at position {cell}", text, path, line)
        begin, end = places[int(cell) - 1]
    else:
        spans = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(cell)}(?!\w)", text)]
        if not spans:
            raise _error(f"the critical region '{cell}' does not occur", text, path, line)
        if len(spans) > 1:
            problem = f"the critical region '{cell}' occurs {len(spans)} times (mark it with "
            raise _error(problem + "brackets, or give its position)", text, path, line)
        [(begin, end)] = spans
    parts: Parts = [(text[:begin], None), (text[begin:end], "1"), (text[end:], None)]
    return [(part.strip(), region) for part, region in parts if part.strip()]


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

    def parts_of_rows() -> Iterator[tuple[list[str], Parts]]:
        for line, cells in table.rows:
            shown = visible_text(cells[place], table.path, line)
            if marks is None:
                parts = bracketed(shown, table.path, line)
            else:
                parts = critical_parts(shown, cells[marks], table.path, line)
            if not parts:
                raise TreebankError(f"column '{text}' has no word", path=table.path, line=line)
            yield cells, parts

    for _ in parts_of_rows():  # All errors are raised before the first stimulus is kept.
        pass
    for number, (cells, parts) in enumerate(parts_of_rows(), start=1):
        tokens, words = region_rows(parts, cut)
        called = str(number) if names is None else cells[names]
        rows = [[*cells, region or MISSING] for region in (*(r for _, r in parts), None)]
        yield Stimulus(called, tokens, words, rows)


def joined_regions(stimulus: Stimulus, place: int) -> Stimulus:
    """Merge adjacent rows of a stimulus that have the same cell in column `place`.

    A merged row has the cells of its first row.
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
    """Yield the region of each row in bracketed sentences, including rows for sentence ends."""
    for sentence in parts:
        yield from (region or MISSING for _, region in sentence)
        if eos:
            yield MISSING


def _error(reason: str, text: str, path: str | None, line: int | None) -> TreebankError:
    return TreebankError(f"{reason} in '{text[:60]}'", path=path, line=line)
