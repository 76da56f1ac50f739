"""Phrase labels such as ``VP~VBD`` and ``NP~base``, with marks that describe a phrase's content.

In a grammar with plain labels, the positions in which a phrase can occur do not depend on its
content, for example on the finiteness of a clause or the preposition of a prepositional phrase.
Klein and Manning (2003) showed that parsers become more accurate if labels contain information
about the content of phrases. The following marks are used.

    VP, S, SINV, SQ   the tag of the head word (`bistro.treebank.phrase_heads`)
    SBAR              the same
    PP                the head word itself, if it is a common one
    NP                ``base`` if all its children are words

Other phrases have no marks. The setting ``verbs`` uses the marks on the first line, and ``heads``
uses all marks. The phrase labels are the labels of the Penn Treebank.

>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> tree = parse_tree("(S (NP (PRP it)) (VP (VBD fell) (PP (IN on) (NP (DT the) (NN floor)))))")
>>> format_tree(marked(tree, "heads", {"on"}))
'(S~VBD (NP~base (PRP it)) (VP~VBD (VBD fell) (PP~on (IN on) (NP~base (DT the) (NN floor)))))'
>>> format_tree(marked(tree, "verbs"))
'(S~VBD (NP (PRP it)) (VP~VBD (VBD fell) (PP (IN on) (NP (DT the) (NN floor)))))'
>>> without_marks(marked(tree, "verbs")) == tree
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from bistro.errors import TreebankError
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import MARK, rebuilt, unmarked
from bistro.treebank.phrase_heads import head_child

Marks = Literal["none", "verbs", "heads"]
WITH_HEAD_TAG: dict[Marks, frozenset[str]] = {
    "none": frozenset(),
    "verbs": frozenset({"VP", "S", "SINV", "SQ"}),
    "heads": frozenset({"VP", "S", "SINV", "SQ", "SBAR"}),
}
PREPOSITIONAL, NOMINAL, BASE = "PP", "NP", "base"
COMMON = 20
"""Minimum number of phrases that a preposition must head to count as common."""


def marked(tree: Tree, marks: Marks, prepositions: Collection[str] = ()) -> Tree:
    """Return the tree with marks added to its phrase labels.

    `prepositions` contains the common prepositions in lower case.
    """
    if marks == "none":
        return tree
    heads: dict[int, Tree] = {}

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        head = _note_head(node, heads)
        if node.word is not None:
            return [node]
        if MARK in node.label:
            raise TreebankError(
                f"the label '{node.label}' contains '{MARK}', which is reserved for separating "
                "labels from marks: train with marks = 'none'"
            )
        mark = _mark(node, head, marks, prepositions)
        return [Tree(f"{node.label}{MARK}{mark}" if mark else node.label, children)]

    return rebuilt(tree, change)[0]


def without_marks(tree: Tree) -> Tree:
    """Undo `marked`."""

    def change(node: Tree, children: list[Tree]) -> list[Tree]:
        return [node] if node.word is not None else [Tree(unmarked(node.label), children)]

    return rebuilt(tree, change)[0]


def common_prepositions(trees: Iterable[Tree], least: int = COMMON) -> frozenset[str]:
    """Return the words, in lower case, that head at least `least` prepositional phrases."""
    counts = Counter(word for tree in trees for word in _prepositions(tree))
    return frozenset(word for word, count in counts.items() if count >= least)


def _prepositions(tree: Tree) -> Iterator[str]:
    heads: dict[int, Tree] = {}
    for node in reversed(list(tree.nodes())):
        head = _note_head(node, heads)
        if node.label == PREPOSITIONAL and node.word is None:
            yield _lower(head)


def _note_head(node: Tree, heads: dict[int, Tree]) -> Tree:
    """Record and return the head leaf of a node, whose children must already be in `heads`."""
    head = node
    if node.word is None:
        place = head_child(node.label, [child.label for child in node.children])
        head = heads[id(node.children[place])]
    heads[id(node)] = head
    return head


def _mark(node: Tree, head: Tree, marks: Marks, prepositions: Collection[str]) -> str:
    if node.label in WITH_HEAD_TAG[marks]:
        return head.label
    if marks != "heads":
        return ""
    if node.label == PREPOSITIONAL:
        return word if (word := _lower(head)) in prepositions else ""
    is_base = node.label == NOMINAL and all(child.word is not None for child in node.children)
    return BASE if is_base else ""


def _lower(leaf: Tree) -> str:
    return (leaf.word or "").lower()
