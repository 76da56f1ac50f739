"""A grammar whose symbols are annotated with their parents gives better proposals than the PCFG.

Metropolis-Hastings draws whole trees from a grammar, and accepts few of them if the grammar differs
greatly from the model. The PCFG ignores all ancestors. The symbols of this grammar are
annotated with their parents, as in Johnson (1998): ``NP^S -> DT^NP NN^NP``. The grammar generates
exactly the same trees as the PCFG, and contains every rule once for each possible parent of its
left-hand side.

    q(rule | A, P) = (n - d) / (N + c) + (c + d T) / (N + c) q(rule | A)       N, T: of A under P

The distribution q(rule | A) is computed in the same way from the numbers of parents under which a
rule was seen. Children depend only on their own parent A, so the chart sums over each pair of
children once for all parents of A. Filling this chart takes only slightly longer than filling the
chart of the PCFG.

>>> from bistro.models.unbounded.rules import RuleBuilder
>>> builder = RuleBuilder()
>>> tree = [builder.unary("S", "N"), builder.lexical("N", "go")]
>>> parents = ParentCounts.of(builder.table(top="S"), [np.array(tree, np.int32)])
>>> parents.parent.tolist(), parents.rule.tolist(), parents.count.tolist()
([-1, 0], [0, 1], [1, 1])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import FinerGrammar, RuleGrammar
from bistro.errors import BistroError
from bistro.modelfile import Arrays
from bistro.models.checks import Expected, check_arrays
from bistro.models.unbounded.rules import Derivation, RuleTable

DISCOUNT = 0.75
STRENGTH = 0.5
NO_PARENT = -1
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ParentCounts:
    """Rule counts, by the parent of the rule's left-hand side."""

    parent: Ints
    """Index of the parent of the rewritten symbol, or -1 if it has no parent."""
    rule: Ints
    count: Ints

    @classmethod
    def of(cls, rules: RuleTable, derivations: Sequence[Derivation]) -> Self:
        """Count the rules of trees."""
        seen = [np.zeros((2, 0), dtype=np.int32)]
        for tree in derivations:
            above = rules.parents(tree)
            symbols = np.where(above < 0, NO_PARENT, rules.left[tree[above]])
            seen.append(np.stack([symbols.astype(np.int32), tree]))
        pairs, count = np.unique(np.concatenate(seen, axis=1), axis=1, return_counts=True)
        return cls(
            np.ascontiguousarray(pairs[0]),
            np.ascontiguousarray(pairs[1]),
            count.astype(np.int32),
        )

    def arrays(self) -> Arrays:
        """Return the arrays by name."""
        return {f"parents_{name}": column for name, column in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Restore the counts from the result of `arrays`."""
        names = [f"parents_{name}" for name in ("parent", "rule", "count")]
        check_arrays(arrays, {name: Expected("i", (None,)) for name in names})
        return cls(*(arrays[name] for name in names))

    def check(self, rules: RuleTable) -> None:
        """Raise an error if symbols or rules are not in the table."""
        good = self.parent.size == self.rule.size == self.count.size
        good = good and bool(
            (self.parent >= NO_PARENT).all()
            and (self.parent < len(rules.symbols)).all()
            and (self.rule >= 0).all()
            and (self.rule < len(rules)).all()
            and (self.count > 0).all()
        )
        if not good:
            raise BistroError("the counts of rules by parent are damaged")


@dataclass(frozen=True, eq=False)
class ParentGrammar:
    """A grammar with parent annotation, and a mapping of its symbols and rules to the table."""

    grammar: RuleGrammar
    symbol_of: Ints
    rule_of: Ints

    def over(self, coarser: RuleGrammar) -> FinerGrammar:
        """Return the grammar as a refinement of the `coarser` grammar, for use in searches."""
        return FinerGrammar(self.grammar, coarser, symbol_of=self.symbol_of, rule_of=self.rule_of)

    @classmethod
    def build(cls, rules: RuleTable, pcfg: NDArray[np.float64], counts: ParentCounts) -> Self:
        """Build the grammar from counts, with back-off to `pcfg`."""
        counts.check(rules)
        symbols, parents = _symbols_with_parents(rules)
        pairs = zip(symbols.tolist(), parents.tolist(), strict=True)
        number = {pair: i for i, pair in enumerate(pairs)}
        of_symbol = [np.flatnonzero(rules.left == a) for a in range(len(rules.symbols))]
        own = np.repeat(np.arange(symbols.size), [of_symbol[a].size for a in symbols.tolist()])
        rule_of = np.concatenate([of_symbol[a] for a in symbols.tolist()]).astype(np.int32)

        def annotated(children: Ints) -> Ints:
            below = zip(children[rule_of].tolist(), rules.left[rule_of].tolist(), strict=True)
            return np.array([c if c < 0 else number[c, a] for c, a in below], dtype=np.int32)

        shares = _shares(rules, pcfg, counts, parents[own], rule_of)
        with np.errstate(divide="ignore"):
            log_prob = np.minimum(np.log(shares), 0.0)
        grammar = RuleGrammar(
            num_symbols=symbols.size,
            num_words=len(rules.words),
            root=number[rules.top, NO_PARENT],
            left=own.astype(np.int32),
            first=annotated(rules.first),
            second=annotated(rules.second),
            log_prob=log_prob,
        )
        return cls(grammar, symbols, rule_of)


def _symbols_with_parents(rules: RuleTable) -> tuple[Ints, Ints]:
    """Return all pairs of a symbol and one of its possible parents."""
    pairs = {(rules.top, NO_PARENT)}
    for children in (rules.first, rules.second):
        inner = children >= 0
        pairs |= set(zip(children[inner].tolist(), rules.left[inner].tolist(), strict=True))
    symbols, parents = np.array(sorted(pairs), dtype=np.int32).T
    return np.ascontiguousarray(symbols), np.ascontiguousarray(parents)


def _shares(
    rules: RuleTable, pcfg: NDArray[np.float64], counts: ParentCounts, parents: Ints, rule_of: Ints
) -> NDArray[np.float64]:
    """Return q(rule | left-hand side, parent) for each pair of rule and parent."""
    size = len(rules.symbols) + 1
    seen = np.bincount(counts.rule, minlength=len(rules))
    below = _smoothed(seen, rules.left, pcfg)
    # Row -1 is the last one, for no parent.
    used = np.zeros((size, len(rules)), dtype=np.int64)
    used[counts.parent, counts.rule] = counts.count
    group = (rules.left[rule_of].astype(np.int64) + 1) * size + parents
    return _smoothed(used[parents, rule_of], group, below[rule_of])


def _smoothed(
    count: NDArray[np.int64], group: NDArray[np.integer[Any]], below: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return discounted relative frequencies within groups, with back-off to `below`."""
    total = np.bincount(group, count)[group]
    kinds = np.bincount(group, count > 0)[group]
    own = np.maximum(count - DISCOUNT, 0.0)
    shares: NDArray[np.float64] = (own + (STRENGTH + DISCOUNT * kinds) * below) / (total + STRENGTH)
    return shares
