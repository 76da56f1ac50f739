"""Word segmentation of a sentence whose spaces or cells are evidence for boundaries.

Sentences may be given as running text (*She's sure they don't.*), with the spaces of a treebank
(*She 's sure they do n't .*), or in the cells of a table, with one or several words in each. The
resulting words must be the same in all three forms of input. The characters between two spaces are
a *chunk*.

1. No word crosses the edge of a cell. A chunk is divided in the same way as running text.
2. If a chunk is one word, nothing changes, so tokenised text stays the same. If a chunk has several
   parts, the space before or after it may be absent in running text. For example, *'s* alone looks
   like a quotation mark followed by *s*. The space is removed if the chunk is then one word and the
   text is more probable without the space:

    p(text without the space) p(a word ends there | text without the space) > p(text)

3. After these spaces are removed, the text is divided again. A word ends at the position of every
   removed space.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bistro.models.results.tokens import CutToken, TextSentence

_CHUNK = re.compile(r"[^\s\ufeff]+")
_LEFT, _RIGHT = 3, 2
"""How many chunks to the left and right of a space are used to compute its probability."""
_LONGEST_CHUNK = 100
"""Maximum length of a chunk whose adjacent spaces may be removed."""

Cut = Callable[[str], list[TextSentence]]
"""A function that returns the sentences of a text."""
Measure = Callable[[str], float]
"""A function that returns the log-probability of a text."""
WordEnd = Callable[[str, int], float]
"""A function that returns the probability that a word ends before a position in a text. The result
is 0 if no word ends at that position in the best division of the text."""


class _Chunk(NamedTuple):
    text: str
    cell: int


@dataclass(frozen=True)
class CellCutter:
    """A segmenter that divides the cells of one sentence into words."""

    cut: Cut
    log_prob: Measure
    word_end: WordEnd

    def tokens(self, cells: Sequence[str]) -> list[list[CutToken]]:
        """Return the tokens of each cell, with their words."""
        chunks = [_Chunk(match[0], i) for i, c in enumerate(cells) for match in _CHUNK.finditer(c)]
        laid = self._laid_out(chunks, [" "] * len(chunks))
        doubtful = [not _is_one_word(tokens) for _, tokens in laid]
        if any(doubtful) and len(chunks) > 1:
            gaps = self._gaps(chunks, doubtful)
            if "" in gaps:
                laid = self._laid_out(chunks, gaps)
        by_cell: list[list[CutToken]] = [[] for _ in cells]
        for cell, tokens in laid:
            by_cell[cell] += tokens
        return by_cell

    def _gaps(self, chunks: Sequence[_Chunk], doubtful: Sequence[bool]) -> list[str]:
        """Return the space (" " or "") that follows each chunk in running text."""
        gaps = [" "] * len(chunks)
        for i, (now, after) in enumerate(itertools.pairwise(doubtful)):
            window = slice(max(0, i + 1 - _LEFT), i + 1 + _RIGHT)
            beside = [place - window.start for place, d in ((i, now), (i + 1, after)) if d]
            if beside and self._is_extra(chunks[window], gaps[window], i - window.start, beside):
                gaps[i] = ""
        return gaps

    def _is_extra(
        self, chunks: Sequence[_Chunk], gaps: Sequence[str], place: int, doubtful: Sequence[int]
    ) -> bool:
        """Return whether the space after a chunk would be missing in running text."""
        if any(len(chunk.text) > _LONGEST_CHUNK for chunk in chunks):
            return False
        joined = [*gaps[:place], "", *gaps[place + 1 :]]
        written = [chunk.text + gap for chunk, gap in zip(chunks, joined, strict=True)]
        left, right = "".join(written[: place + 1]), "".join(written[place + 1 :]).rstrip()
        end = self.word_end(left + right, len(left))
        if end <= 0:
            return False
        if self.log_prob(left + right) + math.log(end) <= self.log_prob(f"{left} {right}"):
            return False
        laid = self._laid_out(chunks, joined)
        return any(_is_one_word(laid[i][1]) for i in doubtful)

    def _laid_out(
        self, chunks: Sequence[_Chunk], gaps: Sequence[str]
    ) -> list[tuple[int, list[CutToken]]]:
        """Return the cell and the tokens of each chunk. A shared token belongs to its first chunk.

        Two chunks can share a token only if they are in the same cell and the space between them is
        kept.
        """
        text = "".join(chunk.text + gap for chunk, gap in zip(chunks, gaps, strict=True))
        sizes = [len(chunk.text) + len(gap) for chunk, gap in zip(chunks, gaps, strict=True)]
        begins = list(itertools.accumulate(sizes, initial=0))[:-1]
        edges = [
            place
            for place, (one, gap, two) in zip(
                begins[1:], zip(chunks, gaps, chunks[1:], strict=False), strict=True
            )
            if not gap or one.cell != two.cell
        ]
        laid: list[tuple[int, list[CutToken]]] = [(chunk.cell, []) for chunk in chunks]
        for start, token in self._pieces(text, edges):
            laid[bisect_right(begins, start) - 1][1].append(token)
        return laid

    def _pieces(self, text: str, edges: Sequence[int]) -> Iterator[tuple[int, CutToken]]:
        """Yield the tokens of a text with their positions. No token crosses a cell edge."""
        for sentence in self.cut(text):
            for start, form, words in zip(
                sentence.starts, sentence.forms, sentence.words, strict=True
            ):
                first, last = bisect_right(edges, start), bisect_left(edges, start + len(form))
                inside = [edge - start for edge in edges[first:last]]
                yield from _divided(start, CutToken(form, words), inside)


def _is_one_word(tokens: Sequence[CutToken]) -> bool:
    return len(tokens) == 1 and len(tokens[0].words) == 1


def _divided(start: int, token: CutToken, edges: Sequence[int]) -> Iterator[tuple[int, CutToken]]:
    """Split a token at the cell edges, and yield each part with its words.

    If the words do not end at the edges, each part is one word.
    """
    if not edges:
        yield start, token
        return
    spelled = set(edges) <= inner_ends(token.form, token.words)
    ends = list(itertools.accumulate(map(len, token.words)))
    for begin, end in itertools.pairwise((0, *edges, len(token.form))):
        words = tuple(w for w, stop in zip(token.words, ends, strict=True) if begin < stop <= end)
        # The space before the edge of a cell is part of a token that crosses it.
        form = token.form[begin:end].strip()
        yield start + begin, CutToken(form, words if spelled else (form,))


def inner_ends(form: str, words: Sequence[str]) -> set[int]:
    """Return the word ends inside a token, or an empty set if the words do not spell the token.

    >>> inner_ends("don't", ["do", "n't"]), inner_ends("du", ["de", "le"])
    ({2}, set())
    """
    if "".join(words) != form:
        return set()
    return set(itertools.accumulate(map(len, words[:-1])))
