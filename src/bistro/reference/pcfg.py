"""Grammars in plain Python that enumerate all trees of a sentence, for testing charts.

A rule rewrites a symbol as two symbols, one symbol (`second` is -1) or a word (`first` is -1 minus
the index of the word). A tree is a list of the rules and spans of its nodes in pre-order.

>>> grammar = PCFG([Rule(0, 0, 0), Rule(0, -1, -1)], [math.log(0.3), math.log(0.7)], root=0)
>>> [tree.rules for tree in grammar.trees([0, 0])]
[(0, 1, 1)]
>>> round(math.exp(grammar.log_inside([0, 0])), 6) == round(0.3 * 0.7**2, 6)
True
>>> events([Rule(0, 0, 0), Rule(0, -1, -1)], (0, 1, 1), by="symbols")
[((0,), 0), ((0, 0), 1), ((0, 0), 1)]

Unary rules that would close a cycle are left out, the least probable first: see `without_cycles`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

Item: TypeAlias = tuple[int, int, int]
"""A symbol, and the start and end positions of its words."""
Edge: TypeAlias = tuple[int, int, int]
"""The start and end positions of a word, and the word itself."""
Context: TypeAlias = tuple[int, ...]


class Rule(NamedTuple):
    """A rule that rewrites a symbol as one symbol, two symbols or a word."""

    left: int
    first: int
    second: int

    @property
    def children(self) -> tuple[int, ...]:
        """The symbols on the right-hand side. The tuple is empty for a word."""
        return tuple(s for s in (self.first, self.second) if s >= 0) if self.first >= 0 else ()


class Tree(NamedTuple):
    """A tree, represented by the rules and spans of its nodes in pre-order."""

    rules: tuple[int, ...]
    items: tuple[Item, ...]


def without_cycles(rules: Sequence[Rule], log_prob: Sequence[float]) -> list[int]:
    """Return the indices of the rules that remain when cycles of unary rules are removed."""
    unary = [r for r, rule in enumerate(rules) if len(rule.children) == 1]
    below: dict[int, set[int]] = {}
    left_out = set()

    def reaches(symbol: int, wanted: int) -> bool:
        return symbol == wanted or any(reaches(s, wanted) for s in below.get(symbol, ()))

    for r in sorted(unary, key=lambda r: -log_prob[r]):
        if reaches(rules[r].first, rules[r].left):
            left_out.add(r)
        else:
            below.setdefault(rules[r].left, set()).add(rules[r].first)
    return [r for r in range(len(rules)) if r not in left_out]


@dataclass(frozen=True, eq=False)
class PCFG:
    """A grammar whose rules have log-probabilities."""

    rules: Sequence[Rule]
    log_prob: Sequence[float]
    root: int
    used: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Remove rules that close cycles or have probability 0."""
        used = without_cycles(self.rules, self.log_prob)
        object.__setattr__(self, "used", [r for r in used if self.log_prob[r] > -math.inf])

    def trees(self, words: Sequence[int]) -> list[Tree]:
        """Return all trees for a sentence."""
        return self.lattice_trees(len(words), [(i, i + 1, w) for i, w in enumerate(words)])

    def number_of_trees(self, words: Sequence[int]) -> int:
        """Return the number of trees for a sentence, without building them."""
        edges = [(i, i + 1, w) for i, w in enumerate(words)]

        @cache
        def over(item: Item) -> int:
            return sum(math.prod(map(over, below)) for _, below in self.rewrites(item, edges))

        return over((self.root, 0, len(words))) if words else 0

    def lattice_trees(self, length: int, edges: Sequence[Edge]) -> list[Tree]:
        """Return all trees over a word lattice, whose edges are words between two positions."""

        @cache
        def over(item: Item) -> list[Tree]:
            trees: list[Tree] = []
            for r, items in self.rewrites(item, edges):
                for below in product(*map(over, items)):
                    rules = (x for tree in below for x in tree.rules)
                    trees.append(Tree((r, *rules), (item, *(x for t in below for x in t.items))))
            return trees

        return over((self.root, 0, length)) if length else []

    def rewrites(
        self, item: Item, edges: Collection[Edge]
    ) -> Iterator[tuple[int, tuple[Item, ...]]]:
        """Yield every rule that can rewrite an item, with the resulting child items."""
        symbol, start, end = item
        for r in self.used:
            left, first, second = self.rules[r]
            if left != symbol:
                continue
            if first < 0:
                if (start, end, -1 - first) in edges:
                    yield r, ()
            elif second < 0:
                yield r, ((first, start, end),)
            else:
                for middle in range(start + 1, end):
                    yield r, ((first, start, middle), (second, middle, end))

    def log_weight(self, tree: Tree) -> float:
        """Return the log-probability of a tree and its words."""
        return math.fsum(self.log_prob[r] for r in tree.rules)

    def log_inside(self, words: Sequence[int]) -> float:
        """Return the log-probability of a sentence, summed over all its trees."""
        weights = [self.log_weight(tree) for tree in self.trees(words)]
        top = max(weights, default=-math.inf)
        if top == -math.inf:
            return top
        return top + math.log(math.fsum(math.exp(w - top) for w in weights))


def events(
    rules: Sequence[Rule], tree: Sequence[int], by: Literal["symbols", "rules"]
) -> list[tuple[Context, int]]:
    """Return the context and the rule of every node of a tree.

    A context is the symbol and its ancestors, nearest first.
    """
    made: list[tuple[Context, int]] = []
    waiting: list[tuple[int, Context]] = [(rules[tree[0]].left, ())]
    for r in tree:
        symbol, history = waiting.pop()
        assert symbol == rules[r].left, "these rules do not form a tree"
        made.append(((symbol, *history), r))
        below = (symbol if by == "symbols" else r, *history)
        waiting += [(child, below) for child in reversed(rules[r].children)]
    return made
