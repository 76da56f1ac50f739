"""Alignment of system words with gold words when the two files may split the text differently.

Files with the same words in the same sentences are aligned word by word. Other files are aligned as
in the CoNLL 2018 shared task. Apart from white space, both files must have the same characters, so
that tokens can be compared as spans of characters.

- A word that is a single token is aligned with the word of the same span.
- Words inside multiword tokens have no span of their own. A *region* is the smallest span that
  contains a multiword token and whose borders are not crossed by a multiword token in either file.
  The words in a region are aligned by a longest common subsequence of their lower-cased forms.

The regions are found by a walk through both files, as in the official scorer. The walk jumps from
one multiword token to the next, and all other words are aligned at once.

>>> from bistro.evaluate.word_arrays import Codes, read_words
>>> from bistro.treebank.sentence import Sentence
>>> codes = Codes()
>>> gold = read_words([Sentence.from_columns(["ca", "n't", "go"])], codes, "gold")
>>> system = read_words([Sentence.from_columns(["can", "'t", "go"])], codes, "system")
>>> align(gold, system, codes).gold.tolist()
[2]
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from bistro.errors import TreebankError
from bistro.evaluate.word_arrays import Codes, Integers, Words, without_spaces
from bistro.treebank.fields import quoted

NOT_ALIGNED = -3
"""A marker for words without an aligned gold word, different from `ROOT` and `NO_HEAD`."""
_SHOWN_CHARACTERS = 20
_SHOWN_TOKENS = 2

AlignedBy = Literal["words", "characters"]


@dataclass(frozen=True)
class Alignment:
    """The pairs of aligned words, as two arrays of indices, and the method of alignment."""

    gold: Integers
    system: Integers
    by: AlignedBy
    same_text: bool
    """True if both files have the same characters, which alignment by characters requires."""


def align(gold: Words, system: Words, codes: Codes) -> Alignment:
    """Align the words of two files.

    If the texts of the files differ, a `TreebankError` reports where they differ.
    """
    texts = "".join(gold.text), "".join(system.text)
    same_text = texts[0] == texts[1]
    if _same_words(gold, system):
        every = np.arange(len(gold))
        return Alignment(every, every, "words", same_text)
    if not same_text:
        raise _text_differs(gold, system, texts)
    _refuse_empty_tokens(gold)
    _refuse_empty_tokens(system)
    one, other = _Side(gold, codes), _Side(system, codes)
    pairs = _align_regions(one, other)
    alone = _align_spans(one, other, len(texts[0]))
    return Alignment(
        np.concatenate([alone[0], pairs[:, 0]]),
        np.concatenate([alone[1], pairs[:, 1]]),
        "characters",
        same_text,
    )


def common_spans(gold: Integers, system: Integers) -> int:
    """Count the spans that two segmentations of the same text share, given their borders."""
    after = np.zeros(int(gold[-1]) + 1, dtype=np.int64)
    after[gold[:-1]] = gold[1:]
    return int(np.count_nonzero(after[system[:-1]] == system[1:]))


def _same_words(gold: Words, system: Words) -> bool:
    return np.array_equal(gold.forms, system.forms) and np.array_equal(
        gold.sentence_starts, system.sentence_starts
    )


class _Side:
    """The words of one file during the walk through both files."""

    def __init__(self, words: Words, codes: Codes) -> None:
        self.starts = words.token_borders[words.tokens]
        self.ends = words.token_borders[words.tokens + 1]
        self.multiword = words.multiword
        self.free = ~words.multiword
        """True for words that are not in any region."""
        self.size = len(words)
        # The walk accesses single words, which is slow in numpy, and lists of numbers are large.
        self.walk_starts = _compact(self.starts)
        self.walk_ends = _compact(self.ends)
        self.is_multiword = words.multiword.tobytes()
        self._multiword_at = _compact(np.flatnonzero(words.multiword))
        self.forms = _compact(words.forms)
        self.token_ends = _compact(np.searchsorted(words.tokens, words.tokens, "right"))
        """For each word, the index of the first word after its token."""
        self._names = codes.forms.names

    def next_multiword(self, word: int) -> int:
        """Return the first word of a multiword token at or after `word`, or the number of words."""
        place = bisect_left(self._multiword_at, word)
        return self._multiword_at[place] if place < len(self._multiword_at) else self.size

    def is_inside(self, word: int, end: int) -> bool:
        """Return whether a word belongs to a region whose current end is the character `end`."""
        if word >= self.size:
            return False
        if self.is_multiword[word]:
            return self.walk_starts[word] < end
        return self.walk_ends[word] <= end

    def keys(self, first: int, last: int) -> list[str]:
        """Return the lower-cased forms to compare.

        Only forms in multiword tokens keep their spaces.
        """
        forms = [self._names[code] for code in self.forms[first:last]]
        return [
            (form if self.is_multiword[word] else without_spaces(form)).lower()
            for word, form in enumerate(forms, start=first)
        ]


def _compact(numbers: Integers) -> array[int]:
    return array("q", numbers.astype(np.int64).tobytes())


def _align_spans(gold: _Side, system: _Side, characters: int) -> tuple[Integers, Integers]:
    """Return the pairs of words that are outside all regions and have the same span."""
    one, other = np.flatnonzero(gold.free), np.flatnonzero(system.free)
    word_at = np.full(characters + 1, NOT_ALIGNED, dtype=np.int64)
    word_at[gold.starts[one]] = one
    matches = word_at[system.starts[other]]
    one, other = matches[matches != NOT_ALIGNED], other[matches != NOT_ALIGNED]
    same = gold.ends[one] == system.ends[other]
    return one[same], other[same]


def _align_regions(gold: _Side, system: _Side) -> Integers:
    """Return the aligned pairs of words in regions, and mark all words in regions as not `free`."""
    pairs: list[tuple[int, int]] = []
    word, other = _next_region(gold, system, 0, 0)
    while word < gold.size and other < system.size:
        first, first_other, end, end_other = _find_region(gold, system, word, other)
        gold.free[word:end] = False
        system.free[other:end_other] = False
        if gold.forms[first:end] == system.forms[first_other:end_other]:
            pairs += zip(range(first, end), range(first_other, end_other), strict=True)
        else:
            forms, other_forms = gold.keys(first, end), system.keys(first_other, end_other)
            for place, other_place in _common_subsequence(forms, other_forms):
                pairs.append((first + place, first_other + other_place))
        word, other = _next_region(gold, system, end, end_other)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _next_region(gold: _Side, system: _Side, word: int, other: int) -> tuple[int, int]:
    """Return the words at which a walk from (word, other) first reaches a multiword token.

    At each step, the walk moves past the word that begins first. If both words begin at the same
    character, it moves past the gold word, or past both words if they also end at the same
    character.
    """
    stop, other_stop = gold.next_multiword(word), system.next_multiword(other)
    if stop == word or other_stop == other:
        return word, other
    if stop == gold.size and other_stop == system.size:
        return stop, other_stop
    # The walk reaches the token when it has passed the word before it.
    last = gold.walk_starts[stop - 1] if stop < gold.size else None
    other_last = system.walk_starts[other_stop - 1] if other_stop < system.size else None
    if last is None or (other_last is not None and other_last < last):
        assert other_last is not None
        return max(word, bisect_right(gold.walk_starts, other_last)), other_stop
    other = max(other, bisect_left(system.walk_starts, last))
    if other < system.size and (system.walk_starts[other], system.walk_ends[other]) == (
        last,
        gold.walk_ends[stop - 1],
    ):
        other += 1
    return stop, other


def _find_region(gold: _Side, system: _Side, word: int, other: int) -> tuple[int, int, int, int]:
    """Return the first words of the current region and the first words after it, in both files."""
    if (
        gold.is_multiword[word]
        and system.is_multiword[other]
        and gold.walk_starts[word] == system.walk_starts[other]
        and gold.walk_ends[word] == system.walk_ends[other]
    ):
        # The most frequent case: both files have this token, and no other token crosses its border.
        return word, other, gold.token_ends[word], system.token_ends[other]
    if gold.is_multiword[word]:
        end = gold.walk_ends[word]
        if not system.is_multiword[other] and system.walk_starts[other] < gold.walk_starts[word]:
            other += 1
    else:
        end = system.walk_ends[other]
        if gold.walk_starts[word] < system.walk_starts[other]:
            word += 1
    first, first_other = word, other
    while gold.is_inside(word, end) or system.is_inside(other, end):
        if word < gold.size and (
            other >= system.size or gold.walk_starts[word] <= system.walk_starts[other]
        ):
            end = max(end, gold.walk_ends[word]) if gold.is_multiword[word] else end
            word += 1
        else:
            end = max(end, system.walk_ends[other]) if system.is_multiword[other] else end
            other += 1
    return first, first_other, word, other


def _common_subsequence(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the indices of a longest common subsequence.

    If several subsequences have the same length, items of `one` are skipped first.
    """
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            both = longest[i + 1][j + 1] + 1 if one[i] == other[j] else 0
            longest[i][j] = max(both, longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1


def _refuse_empty_tokens(words: Words) -> None:
    lengths = np.diff(words.token_borders)
    if lengths.all():
        return
    word = int(np.searchsorted(words.tokens, int(np.argmin(lengths))))
    sentence = int(np.searchsorted(words.sentence_starts, word, side="right")) - 1
    raise TreebankError(
        f"a token of sentence {sentence + 1} contains only spaces, so the words of the sentence "
        "cannot be aligned: give the token a FORM, or write _",
        path=words.name,
        line=int(words.lines[sentence]),
    )


def _text_differs(gold: Words, system: Words, texts: tuple[str, str]) -> TreebankError:
    """Return an error that reports the first difference between two texts."""
    place = _common_prefix(*texts)
    start = min(_token_start(words, place) for words in (gold, system))
    number, line, shown = _show(gold, texts[0], place, start)
    system_number, system_line, system_shown = _show(system, texts[1], place, start)
    return TreebankError(
        f"{system_shown} in sentence {system_number}, but {shown} in sentence {number} at "
        f"{gold.name}:{line}: both files must have the same words or, white space apart, the same "
        f"text; let the system read the text of {gold.name} (`bistro convert --to raw`)",
        path=system.name,
        line=system_line,
    )


def _common_prefix(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _token_start(words: Words, place: int) -> int:
    token = int(np.searchsorted(words.token_borders, place, side="right")) - 1
    return int(words.token_borders[token])


def _show(words: Words, text: str, place: int, start: int) -> tuple[int, int, str]:
    """Return the number and line of the sentence that contains a character, and nearby tokens."""
    if place >= len(text):
        return len(words.text), int(words.lines[-1]), "the end of the text"
    sentence = int(np.searchsorted(words.sentence_borders, place, side="right")) - 1
    start = max(start, place - _SHOWN_CHARACTERS)
    between = words.token_borders[words.token_borders > start]
    end = int(between[between > place][:_SHOWN_TOKENS][-1])
    borders = [start, *between[between <= end].tolist()]
    tokens = " ".join(text[one:other] for one, other in pairwise(borders))
    return sentence + 1, int(words.lines[sentence]), quoted(tokens)
