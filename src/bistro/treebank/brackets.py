"""Bracketed constituency trees, as in the Penn Treebank, read and written without loss.

A leaf consists of a tag and a word, as in ``(NN dog)``. Labelled brackets enclose leaves, as in
``(NP (DT the) (NN dog))``. The outermost bracket may have no label, as in ``((S ...))``. A tree may
span several lines, and several trees may share a line. Brackets, spaces, tabs and newlines are
separators. Every other character belongs to a word or label. A tree that was read keeps its text,
including the white space around it. Unless a tree is changed, it is written byte for byte as it was
read. The functions in this module do not use recursion, so trees can be deeply nested.

>>> tree = parse_tree("((S (NP (NN  time)) (VP (VBZ flies))))")
>>> tree.leaves(), tree.tags(), tree.children[0].label
(['time', 'flies'], ['NN', 'VBZ'], 'S')
>>> format_tree(tree)
'((S (NP (NN time)) (VP (VBZ flies))))'
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bistro.config import LARGEST
from bistro.errors import TreebankError
from bistro.files import STANDARD_STREAM, open_binary, writing
from bistro.treebank.blocks import BYTE_ORDER_MARK, Readable, split_into_blocks
from bistro.treebank.fields import MOST_WORDS
from bistro.treebank.treebank import opened

_SPACES = b" \t\r\n\f\v"
_SPACE = r"[ \t\r\n\f\v]"
_NAME = r"[^ \t\r\n\f\v()]"
_TOKEN = re.compile(
    rf"\({_SPACE}*+(?P<tag>{_NAME}++){_SPACE}++(?P<word>{_NAME}++){_SPACE}*+\)"
    rf"|\({_SPACE}*+(?P<label>{_NAME}*+)"
    rf"|\)|(?P<stray>{_NAME}++)"
)
_LEAD = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n\f\v]*")
DEEPEST = 100_000
"""Maximum nesting depth of brackets. The limit prevents a file of opening brackets from exhausting
memory."""
MOST_BRACKETS = 2 * MOST_WORDS
"""Maximum number of opening brackets in a tree, including those around its words."""
_WHOLE_NAME = re.compile(rf"{_NAME}+")


class Tree:
    """A node in a constituency tree, with either a label and children or a tag and a word."""

    __slots__ = ("children", "label", "word")

    def __init__(
        self, label: str, children: list[Tree] | None = None, word: str | None = None
    ) -> None:
        self.label = label
        self.children: list[Tree] = [] if children is None else children
        self.word = word

    def nodes(self) -> Iterator[Tree]:
        """Yield this node and its descendants, from left to right, with parents before children."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def leaves(self) -> list[str]:
        """Return the words of the tree, from left to right."""
        return [node.word for node in self.nodes() if node.word is not None]

    def tags(self) -> list[str]:
        """Return the tags of the words, from left to right."""
        return [node.label for node in self.nodes() if node.word is not None]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = zip_longest(self.nodes(), other.nodes())
        return all(a and b and a._own() == b._own() for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = f"{len(self.children)} children" if self.word is None else repr(self.word)
        return f"<{type(self).__name__} {self.label!r}: {inside}>"

    def _own(self) -> tuple[str, str | None, int]:
        return self.label, self.word, len(self.children)


class SourceTree(Tree):
    """The root of a tree that was read from a file, with its original text."""

    __slots__ = ("end", "is_first", "lead", "line", "raw")

    lead: str
    """The text before the first tree in the file, or an empty string for other trees."""
    raw: str
    """The text of the tree, from the first to the last bracket."""
    end: str
    """The white space after the tree."""
    line: int
    """The line number at which the tree begins."""
    is_first: bool
    """True for the first tree in a file."""

    def __str__(self) -> str:
        """Return the text as it was read, or the formatted tree if the tree has been changed."""
        unchanged = _parse(self.raw) == self
        return self.lead + (self.raw if unchanged else format_tree(self)) + self.end


def parse_tree(text: str) -> SourceTree:
    """Read the single tree in `text`."""
    trees = list(iter_trees(io.BytesIO(text.encode())))
    if len(trees) > 1:
        raise TreebankError(f"expected one tree, found {len(trees)}")
    return trees[0]


def read_trees(path: str | os.PathLike[str]) -> list[SourceTree]:
    """Read all trees of a file."""
    from bistro.treebank.keeping import read_all  # not needed to read tree by tree

    with opened(path) as (stream, label):
        return read_all(stream, lambda: iter_trees(stream, label), memory_of_tree)


def memory_of_tree(tree: SourceTree) -> int:
    """Estimate the memory use of a tree, in bytes."""
    return 300 + 220 * tree.raw.count("(")


def iter_trees(
    source: str | os.PathLike[str] | Readable, path: str | None = None
) -> Iterator[SourceTree]:
    """Yield the trees from a file, standard input (``-``) or a binary stream.

    `path` is the name of the source in error messages.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        label = path or ("<stdin>" if name == STANDARD_STREAM else name)
        with open_binary(name) as stream:
            yield from _iter_stream(stream, label)
    else:
        yield from _iter_stream(source, path)


def write_trees(trees: Iterable[Tree], path: str | os.PathLike[str]) -> None:
    """Write trees.

    Unchanged trees are written byte for byte, and changed trees are written one per line.
    """
    with writing(path) as stream:
        before = ""
        for tree in trees:
            if isinstance(tree, SourceTree):
                text, goes_on = str(tree), not tree.is_first
            else:
                text, goes_on = format_tree(tree) + "\n", False
            if before:
                text = text.removeprefix(BYTE_ORDER_MARK)
            if before and not goes_on and not before[-1].isspace():
                text = "\n" + text
            stream.write(text.encode())
            before = text


def format_tree(tree: Tree) -> str:
    """Return the tree on one line.

    Empty nodes and names with spaces or brackets raise an error.
    """
    parts: list[str] = []
    todo: list[Tree | str] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.word is not None:
            parts.append(f" ({_checked(node.label)} {_checked(node.word)})")
        elif not node.children:
            raise TreebankError(f"the node '{node.label}' has neither children nor a word")
        else:
            label = _checked(node.label) if node.label or node is not tree else ""
            parts.append(f" ({label}")
            todo += [")", *reversed(node.children)]
    text = "".join(parts)[1:]
    return text if tree.label else "(" + text[2:]


def _checked(name: str) -> str:
    if not _WHOLE_NAME.fullmatch(name):
        raise TreebankError(
            f"'{name}' cannot be written in a bracketed tree: labels and words cannot be empty or "
            "contain spaces or brackets (the Penn Treebank writes brackets as -LRB- and -RRB-)"
        )
    return name


def _iter_stream(stream: Readable, path: str | None) -> Iterator[SourceTree]:
    empty = True
    for block in split_into_blocks(stream, path, _last_tree_start, _LEAD, _split):
        try:
            tree = _parse(block.text)
        except _FaultError as fault:
            line = block.line + block.text.count("\n", 0, fault.place)
            raise TreebankError(fault.reason, path=path, line=line) from None
        tree.lead, tree.raw, tree.end, tree.line = block
        tree.is_first, empty = empty, False
        yield tree
    if empty:
        raise TreebankError("the file is empty: expected at least one tree", path=path)


def _tree_starts(text: bytes) -> tuple[NDArray[np.intp], int | None]:
    """Return the start of each tree, and the position of an unmatched closing bracket, if any."""
    characters = np.frombuffer(text, dtype=np.uint8)
    opening = characters == ord("(")
    closing = characters == ord(")")
    width = "i4" if len(text) <= LARGEST else "i8"
    steps = opening.view(np.int8) - closing.view(np.int8)
    depth: NDArray[Any] = np.cumsum(steps, dtype=np.dtype(width))
    below = np.flatnonzero(depth < 0)
    return np.flatnonzero(opening & (depth == 1)), int(below[0]) if below.size else None


def _last_tree_start(held: bytes) -> int:
    starts, too_many = _tree_starts(held)
    if too_many is not None:
        # The rest of the file would count as one tree: report it now, not at the end of the file.
        return too_many + 1
    return int(starts[-1]) if starts.size > 1 else 0


def _split(piece: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield each tree with the white space after it.

    Text outside brackets becomes part of the preceding tree.
    """
    starts = _tree_starts(piece)[0].tolist()
    for begin, end in pairwise([0, *starts[1:], len(piece)]):
        item = piece[begin:end]
        body = item.rstrip(_SPACES)
        if body:
            yield body, item[len(body) :].decode()


class _FaultError(Exception):
    """An error in a text, and the index of the character where it occurs."""

    def __init__(self, reason: str, place: int) -> None:
        self.reason = reason
        self.place = place
        super().__init__(reason)


def _parse(text: str) -> SourceTree:
    """Parse a text that contains exactly one tree."""
    root: SourceTree | None = None
    is_too_large = text.count("(") > MOST_BRACKETS
    above: list[Tree] = []
    for match in _TOKEN.finditer(text):
        tag, word, label, stray = match.groups()
        if label is None and word is None:
            if stray is not None or not above:
                raise _FaultError(_misplaced(stray, above), match.start())
            _check_filled(above.pop(), match.start())
            continue
        if root is None:
            node: Tree = SourceTree(tag or label, word=word)
            root = cast(SourceTree, node)
        else:
            node = Tree(tag or label, word=word)
            _check_label(node.label, match.start())
            if is_too_large:  # Only its first error is of interest: do not keep the nodes.
                above[-1].children.clear()
            above[-1].children.append(node)
        if word is None:
            above.append(node)
            if len(above) > DEEPEST:
                reason = f"brackets are nested more than {DEEPEST:,} deep"
                raise _FaultError(reason, match.start())
    if root is None or above:
        missing = f"{len(above)} closing bracket{'s' * (len(above) > 1)}"
        raise _FaultError(f"the tree that begins here lacks {missing}", 0)
    if is_too_large:
        raise _FaultError(
            f"the tree has {text.count('('):,} opening brackets, but at most {MOST_BRACKETS:,} are "
            "allowed: divide it into smaller trees",
            0,
        )
    return root


def _check_label(label: str, place: int) -> None:
    if not label:
        raise _FaultError(
            "a bracket inside a tree has no label: a closing bracket may be missing before it",
            place,
        )


def _check_filled(node: Tree, place: int) -> None:
    if node.children:
        return
    if node.label:
        reason = f"'{node.label}' is alone: a word needs a tag, and a non-terminal needs children"
    else:
        reason = "the tree has no words"
    raise _FaultError(reason, place)


def _misplaced(stray: str | None, above: list[Tree]) -> str:
    if stray is None:
        return "a closing bracket too many"
    if above:
        return f"the word '{stray}' has no tag: expected a bracket such as (NN {stray})"
    return f"'{stray}' is outside a tree"
