"""The frequency of crossing arcs in a treebank, given the words and the surrounding tree.

A crossing arc is lifted in training and encoded in the label (`bistro.treebank.projectivity`).
Lifting attaches a word w to an ancestor h of its true head t. The pattern of w, t and h predicts
whether a word that is attached to h really depends on t. A pattern of words consists of the
following elements.

    tags of w, t and h, the label of t, the order of the three, whether t is a child of h, whether
    t has children, and whether another child of h has the most frequent label of words like w

The last element is for fronted objects, as in "That I can do". Usually, a word before a finite verb
is its subject, but in this example, the verb already has another subject. `Crossing` counts how
often each pattern has a crossing arc, for all words and for particular forms of t and of w. The
counts of particular forms are smoothed with the counts of all words.

>>> heads, labels = [2, 0, 2, 5, 1], ["subj", "root", "pred", "mark", "ccomp"]
>>> tags = ["PRON", "AUX", "ADJ", "SCONJ", "VERB"]
>>> words = "it is good that works".split()
>>> tree = Sentence.from_columns(words, heads=heads, deprels=labels, upos=tags)
>>> crossing = Crossing.learn([tree] * 5, "upos")
>>> projective = Tree([2, 0, 2, 5, 2], labels, tags)
>>> [(target, pattern)] = crossing.candidates(projective, 5, 2)
>>> target, pattern.order, round(crossing.share(pattern, "it", "works"), 2)
(1, 'thw', 0.99)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

from bistro.treebank.projectivity import projectivize
from bistro.treebank.sentence import Sentence

LEAST_SHARE = 0.05
"""Minimum proportion of crossing arcs among the occurrences of a pattern. Patterns with a lower
proportion are ignored."""
PRIOR_SHARE = 0.003
STRENGTHS = (3.0, 1.0, 1.0)
"""Weight of each prior, expressed as a number of occurrences. Each level estimates how often a
pattern has a crossing arc. The levels are all forms, a particular form of t, and particular forms
of t and w. The estimate of each level is the prior of the next level. The prior of the first level
is `PRIOR_SHARE`. The weights of the priors and the votes were chosen on the development parts of
the Danish and Basque treebanks and on a part of the Danish training data."""
MOST_STEPS = 3
"""Maximum number of arcs on the path from h down to t."""

Side = tuple[str, str, bool]
"""The tag of a word, the tag of its head (empty for the root), and whether the word precedes its
head."""
Counts = dict[tuple[str, ...], tuple[int, int]]
"""The number of crossing arcs and the number of occurrences of a pattern. The key () stands for
all forms, (t,) for a form of t, and (t, w) for forms of t and w."""


class Pattern(NamedTuple):
    """A word w, its head h in a projective tree, and a descendant t of h."""

    tag: str
    target_tag: str
    target_label: str
    head_tag: str
    """Empty for the root."""
    order: str
    """The letters w, t and h, ordered by the positions of these words in the sentence."""
    is_child: bool
    """Whether t is a child of h."""
    is_leaf: bool
    """Whether t has no children."""
    is_taken: bool
    """Whether another child of h already has the label that is most frequent for words like w."""


@dataclass(frozen=True)
class Tree:
    """A dependency tree with labels and tags. Words are numbered from 1."""

    heads: Sequence[int]
    labels: Sequence[str]
    tags: Sequence[str]

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of the root and of every word."""
        children: list[list[int]] = [[] for _ in range(len(self.heads) + 1)]
        for word, head in enumerate(self.heads, start=1):
            children[head].append(word)
        return children

    def side(self, word: int, head: int) -> Side:
        """Return the tags of a word and its head, and whether the word precedes the head."""
        return self.tags[word - 1], self.tags[head - 1] if head else "", word < head

    def below(self, head: int, word: int) -> Iterator[tuple[int, bool]]:
        """Yield descendants of `head` outside `word`'s subtree, and whether each is its child."""
        level = [child for child in self.children[head] if child != word]
        for step in range(MOST_STEPS):
            yield from ((target, step == 0) for target in level)
            level = [w for target in level for w in self.children[target] if w != word]

    def would_cross(self, word: int, target: int) -> bool:
        """Return whether an arc from `target` to `word` would cross another arc of the tree."""
        return not all(
            self._is_below(between, word, target)
            for between in range(min(word, target) + 1, max(word, target))
        )

    def _is_below(self, one: int, word: int, target: int) -> bool:
        while one not in (0, word, target):
            one = self.heads[one - 1]
        return one != 0


@dataclass(frozen=True)
class Crossing:
    """Statistics on how often each pattern of words has a crossing arc in a treebank."""

    counts: dict[Pattern, Counts] = field(default_factory=dict)
    """The counts of all patterns that have a crossing arc at least once in the treebank."""
    frequent: dict[Side, str] = field(default_factory=dict)
    """The most frequent label, given the tags and the order of a word and its head."""

    @classmethod
    def learn(cls, sentences: Iterable[Sentence], column: str) -> Crossing:
        """Count the crossing arcs for each pattern, using tags from the given column."""
        trees = [_Lifted.of(sentence, column) for sentence in sentences]
        labels: Counter[tuple[Side, str]] = Counter()
        for one in trees:
            for word, head in enumerate(one.tree.heads, start=1):
                labels[one.tree.side(word, head), one.tree.labels[word - 1]] += 1
        frequent: dict[Side, str] = {}
        for (side, label), _ in sorted(labels.items(), key=lambda item: (-item[1], item[0])):
            frequent.setdefault(side, label)
        known = {p for one in trees for p in one.crossing_patterns(frequent)}
        sides = {(p.tag, p.head_tag, p.order.index("w") < p.order.index("h")) for p in known}
        counting = cls({pattern: {} for pattern in known}, {s: frequent[s] for s in sides})
        for one in trees:
            counting._count(one)
        return cls(
            {p: _with_effect(c) for p, c in sorted(counting.counts.items())}, counting.frequent
        )

    def _count(self, one: _Lifted) -> None:
        for word, head in enumerate(one.tree.heads, start=1):
            for target, pattern in self.candidates(one.tree, word, head):
                counts = self.counts[pattern]
                for key in _keys(one.forms[target - 1], one.forms[word - 1]):
                    crossed, seen = counts.get(key, (0, 0))
                    counts[key] = crossed + (one.heads[word - 1] == target), seen + 1

    def candidates(self, tree: Tree, word: int, head: int) -> Iterator[tuple[int, Pattern]]:
        """Yield the words that could replace `head` as the head of `word` through a crossing
        arc."""
        frequent = self.frequent.get(tree.side(word, head))
        if frequent is None:
            return
        for target, is_child in tree.below(head, word):
            pattern = _pattern(tree, word, head, target, is_child, frequent)
            if pattern in self.counts and tree.would_cross(word, target):
                yield target, pattern

    def share(self, pattern: Pattern, target_form: str, form: str) -> float:
        """Return the estimated probability of a crossing arc, given a pattern and two forms."""
        counts = self.counts.get(pattern)
        if counts is None:
            return 0.0
        return _share(counts, _keys(target_form, form))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON-serialisable dictionary."""
        return {
            "usual": [[*side, label] for side, label in sorted(self.frequent.items())],
            "patterns": [
                [list(pattern), [[*numbers, *forms] for forms, numbers in sorted(counts.items())]]
                for pattern, counts in self.counts.items()
            ],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Restore the counts."""
        return cls(
            {
                Pattern(*pattern): {tuple(forms): _checked(c, seen) for c, seen, *forms in rows}
                for pattern, rows in stored["patterns"]
            },
            {(tag, head, before): label for tag, head, before, label in stored["usual"]},
        )


class _Lifted(NamedTuple):
    """A sentence with its true heads, its plain labels, and a projective tree with lifted arcs."""

    tree: Tree
    heads: Sequence[int]
    forms: list[str]

    @classmethod
    def of(cls, sentence: Sentence, column: str) -> Self:
        lifted = projectivize(sentence.heads, sentence.deprels, "head").heads
        tree = Tree(lifted, sentence.deprels, getattr(sentence, column))
        return cls(tree, sentence.heads, [form.lower() for form in sentence.forms])

    def crossing_patterns(self, frequent: Mapping[Side, str]) -> Iterator[Pattern]:
        """Yield the patterns of the lifted arcs."""
        for word, (head, real) in enumerate(zip(self.tree.heads, self.heads, strict=True), start=1):
            if head != real:
                label = frequent[self.tree.side(word, head)]
                for target, is_child in self.tree.below(head, word):
                    if target == real:
                        yield _pattern(self.tree, word, head, target, is_child, label)


def _pattern(
    tree: Tree, word: int, head: int, target: int, is_child: bool, frequent: str
) -> Pattern:
    order = "".join(letter for _, letter in sorted([(word, "w"), (target, "t"), (head, "h")]))
    tag, head_tag, _ = tree.side(word, head)
    return Pattern(
        tag,
        tree.tags[target - 1],
        tree.labels[target - 1],
        head_tag,
        order,
        is_child,
        not any(child != word for child in tree.children[target]),
        any(tree.labels[w - 1] == frequent for w in tree.children[head] if w != word),
    )


def _checked(crossed: Any, seen: Any) -> tuple[int, int]:
    if not (type(crossed) is type(seen) is int and 0 <= crossed <= seen):
        raise ValueError(f"a pattern of crossing arcs has impossible counts: {crossed} of {seen}")
    return crossed, seen


def _keys(target_form: str, form: str) -> tuple[tuple[str, ...], ...]:
    return (), (target_form,), (target_form, form)


def _share(counts: Counts, keys: Iterable[tuple[str, ...]]) -> float:
    share = PRIOR_SHARE
    for key, strength in zip(keys, STRENGTHS, strict=False):
        crossed, seen = counts.get(key, (0, 0))
        share = (crossed + strength * share) / (seen + strength)
    return share


def _with_effect(counts: Counts) -> Counts:
    """Remove forms without crossing arcs, unless their pattern often has crossing arcs."""

    def has_effect(key: tuple[str, ...]) -> bool:
        above = [key[:length] for length in range(len(key))]
        return counts[key][0] > 0 or not key or _share(counts, above) >= LEAST_SHARE

    return {key: counts[key] for key in sorted(counts) if has_effect(key)}
