"""A kind of model outside Bistro: trees in brackets that are binary already.

Its task has none of the work of a task, so that what is tested is what all tasks share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from bistro.modelfile import Arrays
from bistro.models.data import ExampleReader
from bistro.models.kinds import Kind
from bistro.models.runs import Run
from bistro.models.unbounded.config import UnboundedConfig
from bistro.models.unbounded.model import UnboundedModel
from bistro.models.unbounded.rules import Derivation, RuleBuilder, RuleTable
from bistro.models.unbounded.task import Task, Terminals
from bistro.models.unbounded.train import train_unbounded
from bistro.treebank.brackets import Tree, parse_tree
from bistro.treebank.examples import Examples

TREES = [
    "(S (N time) (VP (V flies)))",
    "(S (N time) (VP (V flies) (PP (P like) (N time))))",
    "(S (N flies) (VP (V like) (N time)))",
    "(S (NP (N time) (N flies)) (VP (V like) (NP (N time) (PP (P like) (NP (N flies) (N time))))))",
]


def rules_of(tree: Tree, builder: RuleBuilder) -> Derivation:
    """The rules of a tree, parents first."""
    numbers = []
    for node in tree.nodes():
        if node.word is not None:
            numbers.append(builder.lexical(node.label, node.word))
        elif len(node.children) == 2:
            numbers.append(builder.binary(node.label, *(child.label for child in node.children)))
        else:
            numbers.append(builder.unary(node.label, node.children[0].label))
    return np.array(numbers, np.int32)


class ToyTask(Task[Tree]):
    """Brackets in, brackets out."""

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules

    @classmethod
    def learn(cls, items: Sequence[Tree], config: UnboundedConfig) -> tuple[Self, list[Derivation]]:
        builder = RuleBuilder()
        derivations = [rules_of(tree, builder) for tree in items]
        return cls(builder.table("S")), derivations

    def words_of(self, item: Tree) -> Sequence[str]:
        return item.leaves()

    def derivation(self, item: Tree) -> Derivation | None:
        builder = RuleBuilder()
        derivation = rules_of(item, builder)
        own, names = builder.table("S"), self.rules
        numbers = {self._name(names, rule): rule for rule in range(len(names))}
        found = [numbers.get(self._name(own, rule)) for rule in derivation.tolist()]
        return None if None in found else np.array(found, np.int32)

    @staticmethod
    def _name(table: RuleTable, rule: int) -> tuple[str, ...]:
        left, first, second = table.left[rule], table.first[rule], table.second[rule]
        behind = ("", table.word_of(rule)) if first < 0 else (table.symbols[first],)
        return (table.symbols[left], *behind, *([table.symbols[second]] if second >= 0 else []))

    def terminals(self, words: Sequence[str]) -> Terminals:
        return Terminals.sequence(self.rules.word_numbers[word] for word in words)

    def output(self, words: Sequence[str], derivation: Derivation | None) -> Any:
        return None if derivation is None else self.rules.show(derivation)

    def header(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: UnboundedConfig
    ) -> Self:
        return cls(rules)


class ToyModel(UnboundedModel):
    """A model of it."""

    kind = "toy"
    task_class = ToyTask


def train_toy(data: Sequence[Tree], config: UnboundedConfig, run: Run) -> ToyModel:
    return train_unbounded(ToyModel, data, config, run)


def read_toy(path: str, config: UnboundedConfig, format: str | None) -> Examples[Tree]:
    lines = Path(path).read_text().splitlines()
    return Examples(map(parse_tree, lines), name="toy", sha256="0" * 64)


READER = ExampleReader(read_toy)
KIND = Kind(
    name="toy",
    help="brackets that are binary already",
    about="a model for tests",
    model="toy_kind:ToyModel",
    config="bistro.models.unbounded.config:UnboundedConfig",
    trainer="toy_kind:train_toy",
    abilities=("figures",),
    reader="toy_kind:READER",
    items="binary trees",
    judged_by="figures",
)
