"""Constituency trees for grammars, without traces and with plain labels.

A treebank contains information that a context-free grammar cannot express, such as words that are
not spoken (``-NONE-``), the function of a phrase (``NP-SBJ``), and its link to a trace
(``NP-SBJ-1``). The function `simplified` removes traces and function tags, and gives every tree the
same root, ``TOP``. A phrase that is the only child of a phrase with the same label is also removed,
since it usually had a trace as its sibling.

Binarised trees (`bistro.treebank.binarisation`) have inserted symbols, which begin with ``@``. The
function `unbinarised` removes inserted symbols. The functions in this module do not use recursion,
so trees can be deeply nested.

>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> tree = simplified(parse_tree(
...     "((S (NP-SBJ-1 (DT the) (JJ old) (NN man)) (VP (VBD sat) (NP (-NONE- *-1)))))"))
>>> format_tree(tree)
'(TOP (S (NP (DT the) (JJ old) (NN man)) (VP (VBD sat))))'
>>> format_tree(unbinarised(parse_tree("(NP (DT the) (@NP (JJ old) (NN man)))")))
'(NP (DT the) (JJ old) (NN man))'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from bistro.errors import TreebankError
from bistro.treebank.brackets import SourceTree, Tree

ROOT = "TOP"
ROOT_NAMES = frozenset({"", ROOT, "ROOT", "S1"})
"""Uninformative labels that treebanks and parsers give to the outermost bracket."""
TRACE = "-NONE-"
INTERMEDIATE = "@"
"""The prefix of the symbols that binarisation inserts."""
MARK = "~"
"""Separator between a label and the mark that `bistro.treebank.phrase_marks` adds to it."""
_PLAIN = re.compile(r"[^-=|]+")


@lru_cache(maxsize=1 << 14)
def plain_label(label: str) -> str:
    """Return a label without function tags, indices and alternatives (``ADVP|PRT``).

    A label that begins with one of the separators, such as the tag ``-LRB-``, is not changed.

    >>> [plain_label(label) for label in ("NP-SBJ-1", "NP=2", "ADVP|PRT", "-LRB-", "PRP$")]
    ['NP', 'NP', 'ADVP', '-LRB-', 'PRP$']
    """
    match = _PLAIN.match(label)
    return match.group() if match else label


def without_traces(tree: Tree) -> Tree | None:
    """Return the tree without traces or empty phrases, or None if nothing remains."""

    def kept(node: Tree, children: list[Tree]) -> list[Tree]:
        if node.word is not None:
            return [] if node.label == TRACE else [Tree(node.label, word=node.word)]
        return [Tree(node.label, children)] if children else []

    return next(iter(rebuilt(tree, kept)), None)


def simplified(tree: Tree) -> Tree:
    """Return the tree under ``TOP`` without traces, function tags or repeated labels."""

    def plain(node: Tree, children: list[Tree]) -> list[Tree]:
        label = plain_label(node.label)
        if node.word is not None:
            return [Tree(label, word=node.word)]
        if len(children) == 1 and children[0].word is None and children[0].label == label:
            return children
        return [Tree(label, children)]

    spoken = without_traces(tree)
    if spoken is None:
        line = tree.line if isinstance(tree, SourceTree) else None
        raise TreebankError("the tree has no words: it contains only traces", line=line)
    return under_root(rebuilt(spoken, plain)[0])


def under_root(tree: Tree) -> Tree:
    """Return the tree with ``TOP`` as its outermost bracket."""
    if tree.word is None and tree.label in ROOT_NAMES:
        return Tree(ROOT, tree.children)
    return Tree(ROOT, [tree])


def unbinarised(tree: Tree) -> Tree:
    """Undo binarisation by attaching the children of inserted nodes to the original phrase."""

    def joined(node: Tree, children: list[Tree]) -> list[Tree]:
        if node.word is not None:
            return [node]
        return children if is_intermediate(node) else [Tree(node.label, children)]

    return rebuilt(tree, joined)[0]


def unmarked(label: str) -> str:
    """Return a label without the mark that `bistro.treebank.phrase_marks` added.

    >>> unmarked("VP~VBD")
    'VP'
    """
    return label.partition(MARK)[0]


def is_intermediate(node: Tree) -> bool:
    """Return whether a node was inserted by binarisation."""
    return node.word is None and node.label.startswith(INTERMEDIATE)


def flat_tree(words: Sequence[str], tags: Sequence[str]) -> Tree:
    """Return a flat tree with all words and their tags directly under ``TOP``."""
    return Tree(ROOT, [Tree(tag, word=word) for word, tag in zip(words, tags, strict=True)])


def rebuilt(tree: Tree, change: Callable[[Tree, list[Tree]], list[Tree]]) -> list[Tree]:
    """Replace all nodes in a tree, starting at the leaves, and return the replacements for the
    root.

    `change` receives a node and its new children, and returns the nodes that replace it.
    """
    new: list[Tree] = []
    # Parents come first in nodes(); in reversed order, a node finds its children last in `new`,
    # also reversed. `shares` holds the number of replacements of each old child.
    shares: list[int] = []
    for node in reversed(list(tree.nodes())):
        count = sum(shares.pop() for _ in node.children)
        children = new[len(new) - count :][::-1]
        del new[len(new) - count :]
        made = change(node, children)
        new += reversed(made)
        shares.append(len(made))
    return new[::-1]
