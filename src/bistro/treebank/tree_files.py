"""Read constituency trees for training, and sentences for parsing.

>>> trees = read_examples("wsj.mrg")                             # doctest: +SKIP
>>> len(trees), trees.label                                      # doctest: +SKIP
(3262, 'wsj.mrg')
>>> import io
>>> list(iter_words(io.BytesIO(b"((S (NP (-NONE- *)) (VP (VB Go))))")))
[['Go']]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from bistro.errors import TreebankError
from bistro.treebank.brackets import SourceTree, Tree, iter_trees, memory_of_tree
from bistro.treebank.constituents import INTERMEDIATE, TRACE, is_intermediate
from bistro.treebank.detect import FORMATS, choose_format
from bistro.treebank.examples import Examples
from bistro.treebank.keeping import read_all
from bistro.treebank.treebank import Source, opened, parse


def read_examples(source: Source, format: str | None = None) -> Examples[Tree]:
    """Read all training trees in a file. Each tree must have words and must not be binarised."""
    with opened(source) as (stream, path):
        choose_format(path, stream, format, ("brackets",))

        def checked_trees() -> Iterator[SourceTree]:
            for tree in iter_trees(stream, path):
                _check(tree, path)
                yield tree

        trees = read_all(stream, checked_trees, memory_of_tree)
        name = PurePath(path).name if path else "unnamed"
        return Examples(trees, name=name, sha256=stream.sha256.hexdigest())


def iter_words(source: Source, format: str | None = None) -> Iterator[list[str]]:
    """Yield the words of each sentence in a file.

    The file contains bracketed trees, CoNLL-U, CoNLL-X, or text with one sentence per line.
    """
    with opened(source) as (stream, path):
        input_format = choose_format(path, stream, format, FORMATS)
        if input_format == "brackets":
            for tree in iter_trees(stream, path):
                yield _check(tree, path)
        else:
            for sentence in parse(stream, path, input_format, "any", partial=True):
                yield list(sentence.forms)


def _check(tree: SourceTree, path: str | None) -> list[str]:
    """Return the words of a tree. Raise an error if the tree cannot be used."""
    words = []
    for node in tree.nodes():
        if is_intermediate(node):
            raise TreebankError(
                f"the label '{node.label}' begins with '{INTERMEDIATE}', which is reserved for "
                "symbols that binarisation inserts: give trees that are not binarised",
                path=path,
                line=tree.line,
            )
        if node.word is not None and node.label != TRACE:
            words.append(node.word)
    if not words:
        raise TreebankError(
            "the tree has no words: it contains only traces", path=path, line=tree.line
        )
    return words
