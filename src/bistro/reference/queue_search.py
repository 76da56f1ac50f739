"""A* search over partial trees in plain Python (Shareghi and colleagues 2015, section 5.1).

A partial tree is a set of rewritten nodes, each with its rule. Each round expands the best tree T
in the queue. The leftmost open node of T, or every open node, is rewritten in every possible way.
The value of a new tree is the sum of three terms:

    log P(T) + log P(rule | context) + h      h, full frontier (10): inside sums of all open nodes
                                              h, local frontier (11): of the rule's children only

>>> from bistro.reference.pcfg import Rule
>>> rules = [Rule(0, 0, 0), Rule(0, -1, -1)]
>>> grammar = PCFG(rules, [math.log(0.3), math.log(0.7)], root=0)
>>> search = QueueSearch(grammar, lambda context, rule: grammar.log_prob[rule], [0, 0], beam=9)
>>> search.run(completions=1, expansions=99)
(0, 1, 1)
>>> search.rounds, search.completions
(3, 1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from bistro.reference.node_search import Node, SentenceWays, Way
from bistro.reference.pcfg import PCFG as PCFG


class Partial(NamedTuple):
    """A partial tree with the rules of its rewritten nodes, its probability, and its open nodes."""

    ways: dict[Node, Way]
    log_prob: float
    frontier: tuple[Node, ...]

    @property
    def identity(self) -> frozenset[tuple[Node, Way]]:
        """A key that identifies a partial tree, regardless of the order in which it was built."""
        return frozenset(self.ways.items())


@dataclass
class QueueSearch(SentenceWays):
    """A search that expands one partial tree at a time to find the best tree for a sentence."""

    local: bool = True
    everywhere: bool = False
    rounds: int = 0
    completions: int = 0
    closest: float = math.inf
    """The smallest difference between the values of two neighbouring trees in the queue. A
    difference of 0 means a tie."""
    queue: list[tuple[float, Partial]] = field(default_factory=list)
    reached: set[frozenset[tuple[Node, Way]]] = field(default_factory=set)
    best: Partial | None = None

    def run(self, completions: int, expansions: int) -> tuple[int, ...] | None:
        """Return the rules of the best tree, or None if no tree was completed."""
        self._expand(Partial({}, 0.0, (self.top,)))
        while self.queue and self.completions < completions and self.rounds < expansions:
            self._expand(self.queue.pop(0)[1])
        return None if self.best is None else self._rules(self.top, self.best.ways)

    def _expand(self, tree: Partial) -> None:
        self.rounds += 1
        for place in range(len(tree.frontier) if self.everywhere else 1):
            for way in self.ways(tree.frontier[place]):
                self._add(tree, place, way)

    def _add(self, tree: Partial, place: int, way: Way) -> None:
        node = tree.frontier[place]
        frontier = (*tree.frontier[:place], *way.children, *tree.frontier[place + 1 :])
        made = Partial({**tree.ways, node: way}, tree.log_prob + way.log_prob, frontier)
        open_nodes = way.children if self.local else frontier
        score = made.log_prob + math.fsum(self.inside(item) for item, _ in open_nodes)
        is_full = len(self.queue) >= self.beam
        if frontier and is_full and score <= self.queue[-1][0]:
            return
        if self.everywhere and made.identity in self.reached:
            return
        self.reached.add(made.identity)
        if frontier:
            self.queue.append((score, made))
            self.queue.sort(key=lambda pair: -pair[0])
            gaps = (a - b for (a, _), (b, _) in pairwise(self.queue))
            self.closest = min(self.closest, min(gaps, default=math.inf))
            del self.queue[self.beam :]
            return
        self.completions += 1
        if self.best is None or made.log_prob > self.best.log_prob:
            self.best = made

    def _rules(self, node: Node, ways: dict[Node, Way]) -> tuple[int, ...]:
        way = ways[node]
        return (way.rule, *(rule for child in way.children for rule in self._rules(child, ways)))
