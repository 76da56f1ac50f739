"""Projective trees, and a method that lets projective parsers learn non-projective trees.

An arc from head h to dependent d is projective if h dominates every word between them. A tree is
projective if all its arcs are projective. The artificial root 0 precedes the first word and
dominates all words. The function `projectivize` lifts arcs until the tree is projective (Nivre &
Nilsson 2005). The shortest non-projective arc is lifted first, and arcs of equal length are lifted
from left to right. The dependent of a lifted arc is attached to the head of its head. The lifts are
encoded in the labels, and `deprojectivize` decodes them.

    scheme       lifted arc    arcs on the path from the new head down to the old one
    head         d↑h           p          h: the label of the old head's own arc
    path         d↑            p↓
    head+path    d↑h           p↓

Words are numbered from 1, and ``heads[i - 1]`` is the head of word i. A head of 0 means that the
word is the root, and -1 means that the head is missing.

>>> heads, labels = [3, 4, 0, 3], ["det", "obj", "root", "case"]
>>> is_projective(heads)
False
>>> projectivize(heads, labels, "head")
Projectivized(heads=[3, 3, 0, 3], labels=['det', 'obj↑case', 'root', 'case'], lifted=1)
>>> deprojectivize([3, 3, 0, 3], ["det", "obj↑case", "root", "case"], "head").heads
[3, 4, 0, 3]
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from bistro.errors import ConfigError, TreebankError, nearest

Scheme = Literal["head", "path", "head+path"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

# The arrows of the paper: no label of Universal Dependencies or of the CoNLL-X treebanks has them.
LIFTED = "↑"
ON_PATH = "↓"

REMEMBERED, LONGEST_REMEMBERED = 1 << 14, 100
"""Maximum number of cached results of `is_projective`, and maximum length of the trees concerned.
Training checks the same trees repeatedly, for each member of a committee and in each fold."""


class Projectivized(NamedTuple):
    """A projective tree whose labels encode the original tree."""

    heads: list[int]
    labels: list[str]
    lifted: int
    """The number of words with a new head."""


class Deprojectivized(NamedTuple):
    """A tree with plain labels, in which lifted words are moved back according to their labels."""

    heads: list[int]
    labels: list[str]
    restored: int
    """The number of lifted words whose original head was found."""
    failed: int
    """The number of lifted words that were not moved, because their original head was not found."""


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether no two arcs cross, including arcs from the root. O(n log n).

    A complete tree without crossing arcs is projective. A word whose head is missing has no arc.
    """
    if len(heads) > LONGEST_REMEMBERED:
        return _has_no_crossing(heads)
    return _remembered(tuple(heads))


def _has_no_crossing(heads: Sequence[int]) -> bool:
    arcs = [(min(h, d), -max(h, d)) for d, h in enumerate(heads, start=1) if h >= 0]
    open_ends: list[int] = []
    for left, negative_right in sorted(arcs):
        while open_ends and open_ends[-1] <= left:
            open_ends.pop()
        if open_ends and -negative_right > open_ends[-1]:
            return False
        open_ends.append(-negative_right)
    return True


@lru_cache(REMEMBERED)
def _remembered(heads: tuple[int, ...]) -> bool:
    return _has_no_crossing(heads)


def projectivize(heads: Sequence[int], labels: Sequence[str], scheme: Scheme) -> Projectivized:
    """Return a projective tree with few lifts, whose labels encode how to undo the lifts."""
    _check_arguments(heads, labels, scheme)
    for word, label in enumerate(labels, start=1):
        if LIFTED in label or ON_PATH in label:
            raise TreebankError(
                f"the label '{label}' of word {word} contains {LIFTED} or {ON_PATH}, which mark "
                "lifted arcs: give a tree that is not yet pseudo-projective, or rename the label"
            )
    _check_tree(heads)
    if is_projective(heads):
        return Projectivized(list(heads), list(labels), 0)
    lifting = _Lifting(heads)
    lifting.run()
    marked = list(labels)
    for word, (old, new) in enumerate(zip(heads, lifting.heads, strict=True), start=1):
        if old != new:
            marked[word - 1] += LIFTED + (labels[old - 1] if scheme != "path" else "")
    if scheme != "head":
        for word in lifting.passed:
            marked[word - 1] += ON_PATH
    changed = sum(old != new for old, new in zip(heads, lifting.heads, strict=True))
    return Projectivized(lifting.heads, marked, changed)


def deprojectivize(heads: Sequence[int], labels: Sequence[str], scheme: Scheme) -> Deprojectivized:
    """Move lifted words back, from the top of the tree down and from left to right.

    The search for the old head is breadth-first below the current head, but never enters the word's
    own subtree. The result is therefore a tree whenever the input is a tree. The function
    `_find_old_head` determines the target of a move.
    """
    _check_arguments(heads, labels, scheme)
    marks = [_parse(label) for label in labels]
    new_heads = list(heads)
    if not any(mark.lifted for mark in marks):
        return Deprojectivized(new_heads, [mark.label for mark in marks], 0, 0)
    children = _children(heads)
    restored = failed = 0
    for word in _breadth_first(children, [0, -1]):
        if not marks[word - 1].lifted:
            continue
        head = new_heads[word - 1]
        target = _find_old_head(word, head, children, marks, scheme)
        if target is None:
            failed += 1
            continue
        new_heads[word - 1] = target
        children[head].remove(word)
        insort(children[target], word)
        restored += 1
    return Deprojectivized(new_heads, [mark.label for mark in marks], restored, failed)


class _Lifting:
    """The projectivization of one tree.

    Lifting d from h to the head of h changes only the words that h dominates. A non-projective arc
    therefore remains non-projective until it is itself lifted. After a lift, only the other arcs of
    h need to be checked again. The words that a word dominates are stored as a bit set in one
    integer, so checking an arc takes a single `and` operation.
    """

    def __init__(self, heads: Sequence[int]) -> None:
        self.heads = list(heads)
        self.passed: set[int] = set()
        self._children = _children(heads)
        self._dominated: dict[int, int] = {}
        self._waiting: set[int] = set()
        self._queue: list[tuple[int, int, int]] = []

    def run(self) -> None:
        """Lift arcs until all arcs are projective."""
        self._enqueue(range(1, len(self.heads) + 1))
        while self._queue:
            word = heapq.heappop(self._queue)[2]
            self._waiting.remove(word)
            self._lift(word)

    def _lift(self, word: int) -> None:
        old = self.heads[word - 1]
        new = self.heads[old - 1]
        self.heads[word - 1] = new
        self.passed.add(old)
        self._children[old].remove(word)
        self._children[new].append(word)
        self._dominated[old] &= ~self._dominated_by(word)
        self._enqueue([word, *self._children[old]])

    def _enqueue(self, words: Iterable[int]) -> None:
        """Queue the words whose arcs are not projective, ordered by arc length and position."""
        for word in words:
            if word not in self._waiting and not self._has_projective_arc(word):
                self._waiting.add(word)
                head = self.heads[word - 1]
                heapq.heappush(self._queue, (abs(head - word), min(head, word), word))

    def _has_projective_arc(self, word: int) -> bool:
        head = self.heads[word - 1]
        left, right = min(head, word), max(head, word)
        if head == 0 or right - left == 1:
            return True
        between = (1 << right) - (2 << left)
        return not between & ~self._dominated_by(head)

    def _dominated_by(self, word: int) -> int:
        """Return the bit set of the words below `word`, including `word` itself."""
        if word not in self._dominated:
            bits = bytearray(len(self.heads) // 8 + 1)
            for below in [word, *_breadth_first(self._children, [word])]:
                bits[below >> 3] |= 1 << (below & 7)
            self._dominated[word] = int.from_bytes(bits, "little")
        return self._dominated[word]


class _Mark(NamedTuple):
    """The parts of a label that may encode a lift."""

    label: str
    lifted: bool
    head_label: str
    on_path: bool


@lru_cache(100_000)
def _parse(label: str) -> _Mark:
    rest = label.replace(ON_PATH, "")
    plain, arrow, head_label = rest.partition(LIFTED)
    return _Mark(plain, bool(arrow), head_label, rest != label)


def _find_old_head(
    word: int, head: int, children: list[list[int]], marks: list[_Mark], scheme: Scheme
) -> int | None:
    """Search breadth-first for the old head, below `head` but outside the subtree of `word`.

    head: the first word whose label is the one after the arrow. path: follow marked arcs to the
    first word from which no marked arc continues. head+path: follow marked arcs to the first word
    that satisfies both, otherwise to the first word with the label.
    """

    def next_words(above: int) -> list[int]:
        below = children[above]
        return [w for w in below if w != word and (scheme == "head" or marks[w - 1].on_path)]

    queue = deque(next_words(head))
    second_choice = None
    while queue:
        candidate = queue.popleft()
        onward = next_words(candidate)
        has_label = scheme == "path" or marks[candidate - 1].label == marks[word - 1].head_label
        if has_label and (scheme == "head" or not onward):
            return candidate
        if has_label and scheme == "head+path" and second_choice is None:
            second_choice = candidate
        queue.extend(onward)
    return second_choice


def _children(heads: Sequence[int]) -> list[list[int]]:
    """Return the dependents of the root and of every word, followed by the words without a head."""
    children: list[list[int]] = [[] for _ in range(len(heads) + 2)]
    for word, head in enumerate(heads, start=1):
        if not -1 <= head <= len(heads):
            raise TreebankError(f"head {head} of word {word} is outside the sentence")
        children[head].append(word)
    return children


def _breadth_first(children: list[list[int]], starts: list[int]) -> list[int]:
    """Return all descendants of `starts` in breadth-first order."""
    descendants: list[int] = []
    level = starts
    while level:
        level = [word for above in level for word in children[above]]
        descendants.extend(level)
    return descendants


def _check_arguments(heads: Sequence[int], labels: Sequence[str], scheme: str) -> None:
    if scheme not in SCHEMES:
        hint = nearest(scheme, SCHEMES)
        raise ConfigError(f"unknown scheme '{scheme}'{hint}; choose one of {', '.join(SCHEMES)}")
    if len(heads) != len(labels):
        raise TreebankError(
            f"the numbers of heads ({len(heads)}) and labels ({len(labels)}) must be the same"
        )


def _check_tree(heads: Sequence[int]) -> None:
    if -1 in heads:
        word = list(heads).index(-1) + 1
        raise TreebankError(
            f"word {word} has no head, but only complete trees can be projectivized"
        )
    reached = _breadth_first(_children(heads), [0])
    if len(reached) < len(heads):
        word = min(set(range(1, len(heads) + 1)) - set(reached))
        raise TreebankError(
            f"word {word} is part of a cycle or below a cycle: the heads do not form a tree"
        )
