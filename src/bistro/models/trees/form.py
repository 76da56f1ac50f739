"""Conversion between treebank trees and the binarised, marked trees of a grammar.

>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> tree = parse_tree("(TOP (VP (RB not) (VB see) (NP (PRP it)) (ADVP (RB now))))")
>>> form = TreeForm("head-left", "heads")
>>> format_tree(form.for_grammar(tree))
'(TOP (VP~VB (RB not) (@>VP~VB (@<VP~VB (VB see) (NP~base (PRP it))) (ADVP (RB now)))))'
>>> form.for_people(form.for_grammar(tree)) == tree
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bistro.models.trees.config import TreesConfig
from bistro.models.unbounded.rules import RuleTable
from bistro.treebank.binarisation import Binarisation, binarised
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import INTERMEDIATE, MARK, unbinarised, unmarked
from bistro.treebank.phrase_marks import (
    PREPOSITIONAL,
    Marks,
    common_prepositions,
    marked,
    without_marks,
)


@dataclass(frozen=True)
class TreeForm:
    """The binarisation of trees and the marks on their labels."""

    binarisation: Binarisation = "right"
    marks: Marks = "none"
    prepositions: frozenset[str] = frozenset()
    """The prepositions that may appear in labels."""

    @classmethod
    def learn(cls, trees: Sequence[Tree], config: TreesConfig) -> Self:
        """Return the binarisation and marks for the given training trees and configuration."""
        common = common_prepositions(trees) if config.marks == "heads" else frozenset[str]()
        return cls(config.binarisation, config.marks, common)

    @classmethod
    def of_rules(cls, rules: RuleTable, config: TreesConfig) -> Self:
        """Return the binarisation and marks of a grammar's trees.

        The prepositions are taken from the symbols of the grammar.
        """
        begin = PREPOSITIONAL + MARK
        names = [name for name in rules.symbols if name.startswith(begin)]
        common = frozenset(name.removeprefix(begin) for name in names)
        return cls(config.binarisation, config.marks, common)

    def for_grammar(self, tree: Tree) -> Tree:
        """Convert a treebank tree to the binarised, marked form of the grammar."""
        return binarised(marked(tree, self.marks, self.prepositions), self.binarisation)

    def for_people(self, tree: Tree) -> Tree:
        """Undo `for_grammar`."""
        whole = unbinarised(tree)
        return whole if self.marks == "none" else without_marks(whole)

    def label(self, symbol: str) -> str | None:
        """Return the label of a grammar symbol, or None if binarisation created the symbol.

        >>> TreeForm("right", "heads").label("VP~VBD"), TreeForm().label("@VP")
        ('VP', None)
        """
        if symbol.startswith(INTERMEDIATE):
            return None
        return symbol if self.marks == "none" else unmarked(symbol)
