"""Binarisation of constituency trees, after which nodes have at most two children.

By default, nodes with more than two children are split from the left, so that the remaining
children are on the right. For example, ``NP -> DT JJ NN`` becomes ``NP -> DT @NP`` and ``@NP -> JJ
NN``. The new symbol contains the label of the phrase but not the labels of its children (no
horizontal memory, h = 0 in Klein and Manning, 2003). Other ways to split nodes are listed in
`Binarisation`. With ``head-left``, the innermost pair contains the head. The function
`bistro.treebank.constituents.unbinarised` is the exact inverse of all methods. The functions in
this module do not use recursion, so trees can be deeply nested.

>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> tree = parse_tree("(VP (RB not) (VB see) (NP (PRP it)) (ADVP (RB now)))")
>>> format_tree(binarised(tree))
'(VP (RB not) (@VP (VB see) (@VP (NP (PRP it)) (ADVP (RB now)))))'
>>> format_tree(binarised(tree, "head-left"))
'(VP (RB not) (@>VP (@<VP (VB see) (NP (PRP it))) (ADVP (RB now))))'
>>> unbinarised(binarised(tree, "head-left")) == tree
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from bistro.errors import TreebankError
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import (
    INTERMEDIATE,
    is_intermediate,
    rebuilt,
    unbinarised,
    unmarked,
)
from bistro.treebank.phrase_heads import head_child

__all__ = ["Binarisation", "binarised", "unbinarised"]
RIGHT_OF_HEAD, LEFT_OF_HEAD = INTERMEDIATE + "<", INTERMEDIATE + ">"
"""The prefixes of inserted symbols if nodes are split from the head outwards. The prefix shows
whether the child next to the inserted node is to the right or to the left of the head."""
Binarisation = Literal["right", "left", "head-left", "head-right"]
"""The method for splitting nodes with more than two children. With "right" or "left", the children
that remain after each split are on that side. The other methods split from the head outwards
(`bistro.treebank.phrase_heads`). With "head-left", the children to the left of the head are split
off first. With "head-right", the children to the right of the head are split off first."""


def binarised(tree: Tree, binarisation: Binarisation = "right") -> Tree:
    """Return the tree with at most two children per node, binarised by the given method."""
    pairs = _SPLITS[binarisation]

    def split(node: Tree, children: list[Tree]) -> list[Tree]:
        if node.word is not None:
            return [node]
        if is_intermediate(node):
            raise TreebankError(
                f"the label '{node.label}' begins with '{INTERMEDIATE}', which is reserved for "
                "symbols that binarisation inserts: give a tree that is not binarised"
            )
        return [Tree(node.label, pairs(node.label, children))]

    return rebuilt(tree, split)[0]


def _rest_right(label: str, children: list[Tree]) -> list[Tree]:
    while len(children) > 2:
        children[-2:] = [Tree(INTERMEDIATE + label, children[-2:])]
    return children


def _rest_left(label: str, children: list[Tree]) -> list[Tree]:
    while len(children) > 2:
        children[:2] = [Tree(INTERMEDIATE + label, children[:2])]
    return children


def _left_first(label: str, children: list[Tree]) -> list[Tree]:
    head = _head(label, children)
    inner = _with_right(label, [children[head]], children[head + 1 :])
    return _with_left(label, inner, children[:head])


def _right_first(label: str, children: list[Tree]) -> list[Tree]:
    head = _head(label, children)
    inner = _with_left(label, [children[head]], children[:head])
    return _with_right(label, inner, children[head + 1 :])


def _head(label: str, children: list[Tree]) -> int:
    return head_child(unmarked(label), [unmarked(child.label) for child in children])


def _with_right(label: str, inner: list[Tree], children: list[Tree]) -> list[Tree]:
    """Attach children to the right of `inner` one by one, beginning with the nearest child."""
    for child in children:
        inner = [_one(RIGHT_OF_HEAD, label, inner), child]
    return inner


def _with_left(label: str, inner: list[Tree], children: list[Tree]) -> list[Tree]:
    for child in reversed(children):
        inner = [child, _one(LEFT_OF_HEAD, label, inner)]
    return inner


def _one(mark: str, label: str, nodes: list[Tree]) -> Tree:
    return nodes[0] if len(nodes) == 1 else Tree(mark + label, nodes)


_SPLITS: dict[Binarisation, Callable[[str, list[Tree]], list[Tree]]] = {
    "right": _rest_right,
    "left": _rest_left,
    "head-left": _left_first,
    "head-right": _right_first,
}
