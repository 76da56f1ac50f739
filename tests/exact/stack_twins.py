"""The stack in plain Python: features of a candidate, its probability, and one step of learning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MASK = (1 << 64) - 1
FORMS = 8
LOWER, SUFFIX3, SHAPE, PUNCTUATION = 1, 2, 6, 7
ROOT, END, NONE = -1, -2, -3
VOTE_NAMES = 10_000
Feature = tuple[int, float]


def place(bits: int, *parts: int) -> int:
    """Return the place of a feature in the table of weights."""
    h = 0
    for part in parts:
        h = ((h ^ (int(part) & MASK)) * 0x9E3779B97F4A7C15) & MASK
        h ^= h >> 29
    return h >> (64 - bits)


@dataclass
class View:
    """A sentence with its tree; words count from 1."""

    forms: Sequence[Sequence[int]]
    tags: Sequence[int]
    heads: Sequence[int]
    labels: Sequence[int]

    def at(self, i: int) -> int:
        return min(max(i, 0), len(self.tags) + 1)

    def form(self, i: int, what: int) -> int:
        i = self.at(i)
        if i in (0, len(self.tags) + 1):
            return 1 if i == 0 else 2
        return self.forms[i - 1][what]

    def tag(self, i: int) -> int:
        i = self.at(i)
        if i in (0, len(self.tags) + 1):
            return ROOT if i == 0 else END
        return self.tags[i - 1]

    def label(self, i: int) -> int:
        return NONE if i == 0 else self.labels[i - 1]

    def head(self, i: int) -> int:
        return -1 if i == 0 else self.heads[i - 1]

    def head_tag(self, i: int) -> int:
        return NONE if i == 0 else self.tag(self.head(i))

    def children(self, h: int) -> list[int]:
        return [i for i, head in enumerate(self.heads, start=1) if head == h]

    def left(self, h: int) -> list[int]:
        return [i for i in self.children(h) if i < h]

    def right(self, h: int) -> list[int]:
        return [i for i in self.children(h) if i > h]

    def leftmost(self, h: int) -> int:
        return self.tag(self.left(h)[0]) if self.left(h) else NONE

    def rightmost(self, h: int) -> int:
        return self.tag(self.right(h)[-1]) if self.right(h) else NONE

    def with_label(self, h: int, label: int, without: int) -> int:
        found = [i for i in self.children(h) if self.label(i) == label and i != without]
        return min(len(found), 2)

    def between(self, a: int, b: int) -> range:
        return range(min(a, b) + 1, max(a, b))

    def with_tag_between(self, a: int, b: int, tag: int) -> int:
        return min(2, sum(self.tag(i) == tag for i in self.between(a, b)))

    def punctuation_between(self, a: int, b: int) -> int:
        return min(3, sum(self.form(i, PUNCTUATION) == 1 for i in self.between(a, b)))


def distance(i: int, h: int) -> int:
    if h == 0:
        return 40
    a = abs(i - h)
    limits = [(5, a), (7, 6), (10, 7), (15, 8), (25, 9)]
    number = next((number for limit, number in limits if a <= limit), 10)
    return number + 16 if i < h else number


def side(i: int, h: int) -> int:
    return 2 if h == 0 else int(h < i)


def head_features(v: View, i: int, h: int, lb: int, first: int) -> list[tuple[int, ...]]:
    ti, th, wi, wh = v.tag(i), v.tag(h), v.form(i, LOWER), v.form(h, LOWER)
    d, s = distance(i, h), side(i, h)
    before_h, after_h = (v.tag(h - 1), v.tag(h + 1)) if h else (-5, -5)
    bi, bh = v.with_tag_between(i, h, ti), v.with_tag_between(i, h, th)
    bp, same, grand = v.punctuation_between(i, h), v.with_label(h, lb, i), v.head_tag(h)
    nl, nr = min(len(v.left(h)), 3), min(len(v.right(h)), 3)
    return [
        *[(1, first), (2, first, ti), (3, first, d), (4, first, ti, th), (5, first, lb)],
        *[(6, first, bp, bh), (7, ti, th, d), (8, ti, th, s, v.tag(i - 1), after_h)],
        *[(9, ti, th, s, v.tag(i + 1), before_h), (10, ti, th, s, v.tag(i - 1), before_h)],
        *[
            (11, ti, th, s, v.tag(i + 1), after_h),
            (12, wi, th, s),
            (13, wh, ti, s),
            (14, wi, wh, s),
        ],
        *[(15, wi, d), (16, wh, d), (17, lb, ti, th, s), (18, lb, wi, s), (19, lb, wh, s)],
        *[(20, lb, wi, wh), (21, ti, th, s, bi, bh), (22, ti, th, s, bp), (23, grand, th, ti, s)],
        *[(24, v.label(h), th, ti, s), (25, v.label(h), lb, th), (26, lb, same, th)],
        *[(27, lb, same, wh), (28, v.head(h) == i, ti, th), (29, th, s, nl, nr, lb)],
        *[(30, v.head(i) == h, ti), (31, v.leftmost(i), v.rightmost(i), ti, th, s)],
        *[(32, v.leftmost(h), v.rightmost(h), ti, th, s), (33, v.form(i, SUFFIX3), th, s)],
        *[(34, v.form(h, SUFFIX3), ti, s), (35, wi, grand, th)],
        *[(36, wi, v.form(i + 1, LOWER), s, th), (37, wi, v.form(i - 1, LOWER), s, th)],
    ]


def label_features(v: View, i: int, lb: int, h: int, first: int) -> list[tuple[int, ...]]:
    ti, th, wi, wh = v.tag(i), v.tag(h), v.form(i, LOWER), v.form(h, LOWER)
    d, s, same = distance(i, h), side(i, h), v.with_label(h, lb, i)
    nl, nr = min(len(v.left(h)), 3), min(len(v.right(h)), 3)
    seen = [
        *[(ti, th, s), (wi, th, s), (wh, ti, s), (wi, wh), (wi,), (d, ti)],
        *[(v.leftmost(i), v.rightmost(i), ti), (v.form(i, SUFFIX3), ti, s), (v.tag(i - 1), ti, th)],
        *[(v.tag(i + 1), ti, th), (v.form(i - 1, LOWER), ti), (v.label(h), th, ti), (same, th)],
        *[(same, wh), (first,), (first, ti), (v.form(h, SUFFIX3), ti, s), (wi, v.leftmost(i))],
        *[(nl, nr, th, s), (wi, ti, s)],
    ]
    return [(401 + k, lb, *parts) for k, parts in enumerate(seen)]


def tag_features(v: View, i: int, t: int, first: int) -> list[tuple[int, ...]]:
    w, lb, before, after = v.form(i, LOWER), v.label(i), v.tag(i - 1), v.tag(i + 1)
    w_before, w_after, end = v.form(i - 1, LOWER), v.form(i + 1, LOWER), v.form(i, SUFFIX3)
    seen: list[tuple[int, ...]] = [
        *[(v.form(i, what),) for what in range(7)],
        *[(before,), (after,), (before, after), (before, v.tag(i - 2)), (after, v.tag(i + 2))],
        *[(w_before,), (w_after,), (w, w_before), (w, w_after), (w, before), (w, after)],
        *[(v.head_tag(i), lb), (w, lb), (lb,), (v.form(v.head(i), LOWER), lb)],
        *[(v.leftmost(i), v.rightmost(i)), (w, v.head_tag(i)), (end, before), (end, after)],
        *[(first,), (first, w), (v.form(i, SHAPE), i == 1), (end, lb), (v.form(i - 2, LOWER),)],
        *[(v.form(i + 2, LOWER),), (w_before, w_after)],
    ]
    return [(201 + k, t, *parts) for k, parts in enumerate(seen)]


def bit(number: int) -> int:
    return 1 << ((number & 0xFFFFFFFF) % 62)


def siblings(v: View, i: int, h: int) -> tuple[int, int]:
    """Return the nearest other children of h on the side of i: between the two, and beyond i."""
    same = [c for c in v.children(h) if c != i and (c < h) == (i < h)]
    inner = [c for c in same if (c < i) == (h < i)]
    outer = [c for c in same if c not in inner]

    def nearest(places: list[int]) -> int:
        return min(places, key=lambda c: (abs(c - i), c), default=0)

    return nearest(inner), nearest(outer)


def relation(v: View, h: int, t: int) -> int:
    """Return how a candidate relates to the head in the tree."""
    if h == t:
        return 0
    if t > 0 and v.head(t) == h:
        return 1
    if h > 0 and v.head(h) == t:
        return 2
    return 3 if h > 0 and t > 0 and v.head(h) == v.head(t) else 4


def roles(v: View, i: int, h: int) -> dict[str, int | None]:
    """Return the place of each role; none for those that nobody has."""
    inner, outer = siblings(v, i, h)

    def near(place: int, by: int) -> int | None:
        return v.at(place + by) if place else None

    return {
        "i": i,
        "h": h,
        "i-1": near(i, -1),
        "i+1": near(i, 1),
        "i-2": near(i, -2),
        "i+2": near(i, 2),
        "h-1": near(h, -1),
        "h+1": near(h, 1),
        "g": v.head(h) if h else None,
        "t": v.head(i),
        "i.l": next(iter(v.left(i)), None),
        "i.r": next(iter(v.right(i)[::-1]), None),
        "h.l": next(iter(v.left(h)), None),
        "h.r": next(iter(v.right(h)[::-1]), None),
        "inner": inner or None,
        "outer": outer or None,
    }


def facts(v: View, i: int, h: int, label: int, candidate: tuple[int, int, int]) -> dict[str, int]:
    """Return what is known of a candidate as a whole."""
    between = {v.tag(k) for k in v.between(i, h)}
    labels = {v.label(c) for c in v.children(h) if c != i}
    return {
        **dict(zip(("what", "with", "first"), candidate, strict=True)),
        "distance": distance(i, h),
        "side": side(i, h),
        "like-word": v.with_tag_between(i, h, v.tag(i)),
        "like-head": v.with_tag_between(i, h, v.tag(h)),
        "punctuation": v.punctuation_between(i, h),
        "same": v.with_label(h, label, i),
        "lefts": min(len(v.left(h)), 3),
        "rights": min(len(v.right(h)), 3),
        "own-lefts": min(len(v.left(i)), 3),
        "own-rights": min(len(v.right(i)), 3),
        "is-arc": int(v.head(i) == h),
        "is-reverse": int(v.head(h) == i),
        "tags-between": sum(map(bit, {t % 62 for t in between})),
        "labels-of-head": sum(map(bit, {n % 62 for n in labels})),
        "relation": relation(v, h, v.head(i)),
        "is-first": int(i == 1),
    }


@dataclass
class Templates:
    """Lists of elements, and the attributes of words that they name."""

    own: Sequence[Sequence[str]]
    of_votes: Sequence[Sequence[str]]
    columns: Sequence[str]
    words: Sequence[Sequence[int]]

    def features(
        self,
        v: View,
        i: int,
        h: int,
        label: int,
        candidate: tuple[int, int, int],
        bits: int,
        votes: Sequence[float],
    ) -> list[Feature]:
        known, places = facts(v, i, h, label, candidate), roles(v, i, h)

        def value(name: str) -> int:
            if name in known:
                return known[name]
            role, _, column = name.rpartition(".")
            place = places[role]
            if place is None or place in (0, len(v.tags) + 1):
                return {None: NONE, 0: ROOT}.get(place, END)
            row = [*self.words[place - 1], v.tag(place), v.label(place)]
            return row[self.columns.index(column)]

        found = [
            (place(bits, number, *map(value, template)), 0.5)
            for number, template in enumerate(self.own)
        ]
        for voter, vote in enumerate(votes):
            for k, template in enumerate(self.of_votes):
                name = VOTE_NAMES + voter * len(self.of_votes) + k
                found.append((place(bits, name, *map(value, template)), strength(vote)))
        return found


def strength(vote: float) -> float:
    return 3 * (math.log(max(vote, 1e-3)) / math.log(1e3) + 1)


def vote_contexts(task: str, v: View, i: int, what: int, context: int) -> list[tuple[int, ...]]:
    if task == "heads":
        far, th = distance(i, what), (v.tag(what), side(i, what))
        return [(), (v.tag(i),), (far,), (context,), th]
    if task == "labels":
        return [(), (what,), (v.tag(i),)]
    return [(), (what,), (v.form(i, LOWER),)]


BASES = {"heads": (100, 8), "labels": (500, 8), "tags": (300, 4)}


def features(
    task: str,
    v: View,
    i: int,
    what: int,
    context: int,
    votes: Sequence[float],
    first: int,
    bits: int,
    templates: Templates | None = None,
) -> list[Feature]:
    """Return places and values of all features of a candidate."""
    if templates:
        heads = {"heads": (what, context), "labels": (context, what)}
        h, label = heads.get(task, (v.head(i), v.label(i)))
        return templates.features(v, i, h, label, (what, context, first), bits, votes)
    if task == "heads":
        named = head_features(v, i, what, context, first)
    elif task == "labels":
        named = label_features(v, i, what, context, first)
    else:
        named = tag_features(v, i, what, first)
    found = [(place(bits, *parts), 0.5) for parts in named]
    base, step = BASES[task]
    for voter, vote in enumerate(votes):
        for k, parts in enumerate(vote_contexts(task, v, i, what, context)):
            found.append((place(bits, base + step * voter + k, *parts), strength(vote)))
    return found


def first_choices(table: Sequence[Sequence[float]]) -> list[int]:
    """Return for each candidate the voters, but the last, whose likeliest it is, as bits."""
    bits = [0] * len(table)
    for voter in range(len(table[0]) - 1):
        most = max(row[voter] for row in table)
        for c, row in enumerate(table):
            if most > 0 and row[voter] == most:
                bits[c] |= 1 << voter
    return bits


def softmax(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]
