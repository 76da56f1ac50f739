"""A* search in plain Python that treats each node separately and does not cache values.

A node consists of a symbol, its span and its ancestors. The value of untried rewrites is estimated
by the inside sum of the node under a grammar. In each round, the search extends the best open tree.
To extend a tree, the search tries the next rewrite of the leftmost node that has untried rewrites.

>>> from bistro.reference.pcfg import Rule
>>> rules = [Rule(0, 0, 0), Rule(0, -1, -1)]
>>> grammar = PCFG(rules, [math.log(0.3), math.log(0.7)], root=0)
>>> search = NodeSearch(grammar, lambda context, rule: grammar.log_prob[rule], [0, 0], beam=9)
>>> search.run(completions=1, expansions=99)
(0, 1, 1)
>>> search.rounds, search.completions
(3, 1)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from bistro.reference.pcfg import PCFG, Context, Item

Node: TypeAlias = tuple[Item, Context]
"""A node: a symbol with its span, and the ancestors of the node, nearest first."""
Model: TypeAlias = Callable[[Context, int], float]
"""A function that returns the log-probability of a rule in a context."""
NOTHING = -math.inf


class Way(NamedTuple):
    """A possible rewrite of a node, with its rule and child nodes."""

    rule: int
    log_prob: float
    guess: float
    children: tuple[Node, ...]


class Worth(NamedTuple):
    """The values of the best incomplete tree and the best complete tree below a node."""

    open: float
    open_way: int
    complete: float
    complete_way: int

    @property
    def best(self) -> float:
        """The value of the incomplete or the complete tree, whichever is larger."""
        return max(self.open, self.complete)


@dataclass
class SentenceWays:
    """The possible rewrites of each node in a sentence, best first, and the inside sums."""

    grammar: PCFG
    model: Model
    words: Sequence[int]
    beam: int
    by: Literal["symbols", "rules"] = "symbols"

    def __post_init__(self) -> None:
        """Cache the inside sums and the possible rewrites, which never change."""
        self.edges = [(i, i + 1, word) for i, word in enumerate(self.words)]
        self.inside = cache(self._inside)
        self.ways = cache(self._ways)
        self.top: Node = ((self.grammar.root, 0, len(self.words)), ())

    def _inside(self, item: Item) -> float:
        total = 0.0
        for r, children in self.grammar.rewrites(item, self.edges):
            total += math.exp(self.grammar.log_prob[r] + sum(map(self.inside, children)))
        return math.log(total) if total else NOTHING

    def _ways(self, node: Node) -> list[Way]:
        """Return the possible rewrites of a node, best first."""
        (symbol, _, _), history = node
        made = []
        for r, items in self.grammar.rewrites(node[0], self.edges):
            guess = sum(map(self.inside, items))
            if guess == NOTHING:
                continue
            below = (symbol if self.by == "symbols" else r, *history)
            children = tuple((item, below) for item in items)
            made.append(Way(r, self.model((symbol, *history), r), guess, children))
        return sorted(made, key=lambda way: -way.log_prob - way.guess)[: self.beam]


@dataclass
class NodeSearch(SentenceWays):
    """A search that proceeds in rounds to find the best tree for a sentence."""

    tried: dict[Node, int] = field(default_factory=dict)
    rounds: int = 0
    completions: int = 0

    def run(self, completions: int, expansions: int) -> tuple[int, ...] | None:
        """Return the rules of the best tree, or None if no tree was completed."""
        while (
            self.worth(self.top).open > NOTHING
            and self.completions < completions
            and self.rounds < expansions
        ):
            self.completions += self._round()
            self.rounds += 1
        return self._best(self.top) if self.worth(self.top).complete > NOTHING else None

    def worth(self, node: Node) -> Worth:
        """Return the values of the best trees below a node, given the rewrites tried so far."""
        if node not in self.tried:
            return Worth(self.inside(node[0]), 0, NOTHING, -1)
        ways, tried = self.ways(node), self.tried[node]
        opens = [(ways[tried].log_prob + ways[tried].guess, -tried)] if tried < len(ways) else []
        completes = []
        for i, way in enumerate(ways[:tried]):
            below = [self.worth(child) for child in way.children]
            completes.append((way.log_prob + sum(w.complete for w in below), -i))
            bests = sum(w.best for w in below)
            opens += [
                (way.log_prob + bests - w.best + w.open, -i) for w in below if w.open > NOTHING
            ]
        (still, open_way), (done, complete_way) = (
            max(some, default=(NOTHING, 1)) for some in (opens, completes)
        )
        return Worth(still, -open_way, done, -complete_way)

    def _round(self) -> bool:
        node, elsewhere = self.top, False
        while (way := self.worth(node).open_way) < self.tried.get(node, 0):
            below = [(self.worth(child), child) for child in self.ways(node)[way].children]
            bests = math.fsum(worth.best for worth, _ in below if worth.best > NOTHING)
            gains = [bests - worth.best + worth.open for worth, _ in below]
            side = 0 if gains[0] >= max(gains) - 1e-9 else 1
            elsewhere |= any(
                worth.open > worth.complete for i, (worth, _) in enumerate(below) if i != side
            )
            node = below[side][1]
        way = self.tried.get(node, 0)
        self.tried[node] = way + 1
        children = self.ways(node)[way].children
        return not elsewhere and all(self.worth(child).complete > NOTHING for child in children)

    def _best(self, node: Node) -> tuple[int, ...]:
        way = self.ways(node)[self.worth(node).complete_way]
        return (way.rule, *(rule for child in way.children for rule in self._best(child)))
