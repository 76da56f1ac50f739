"""Readers that convert files or Python values to the training items of a family.

>>> items, facts = SENTENCES.items([["to", "be"], [], ["or", "not"]])
>>> len(items), facts
(2, {'sentences': 2, 'words': 4})
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bistro.errors import BistroError
from bistro.treebank.brackets import Tree
from bistro.treebank.examples import Examples, joined
from bistro.treebank.sentence import Sentence
from bistro.treebank.tree_files import read_examples
from bistro.treebank.treebank import Treebank, read
from bistro.treebank.validate import Roots

Data = str | os.PathLike[str] | Iterable[Any]
"""Data for `train`: a treebank, sentences or other items, or the name of a file that contains
them."""


class Reader(Protocol):
    """A reader of training data for a family of models."""

    def read(
        self,
        paths: Sequence[str],
        config: Any,
        format: str | None = None,
        roots: Roots | None = None,
    ) -> Treebank | Examples[Any]:
        """Read several files as one. `roots` limits the number of roots per sentence."""

    def items(self, data: Data, config: Any = None) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the training items and their origin, which is saved with the model."""


class SentenceReader:
    """A reader of treebanks and of texts with one sentence per line."""

    def read(
        self,
        paths: Sequence[str],
        config: Any = None,
        format: str | None = None,
        roots: Roots | None = None,
    ) -> Treebank:
        """Read several files as one treebank.

        The hash of the treebank is the hash of the concatenated file hashes.
        """
        if not paths:
            raise BistroError("there is no data: name a treebank or a text, or use - for stdin")
        parts = [read(path, format=format, roots=roots) for path in paths]
        if len(parts) == 1:
            return parts[0]
        return Treebank(
            [sentence for part in parts for sentence in part],
            name=" + ".join(part.label for part in parts),
            sha256=hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest(),
        )

    def items(self, data: Data, config: Any = None) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the sentences that have words, and their origin."""
        if isinstance(data, str | os.PathLike):
            raise BistroError(
                "training data must be a treebank or a list of sentences, not a file name: read "
                "the file with bistro.read first"
            )
        sentences = [sentence for sentence in listed(data) if _is_sentence(sentence)]
        if not sentences:
            raise BistroError("there is nothing to train on: the treebank or text has no words")
        counted = {"sentences": len(sentences), "words": sum(map(len, sentences))}
        return sentences, provenance(data) | counted


@dataclass(frozen=True)
class ExampleReader:
    """A reader of training items that are not plain sentences, such as constituency trees."""

    read_one: Callable[[str, Any, str | None], Examples[Any]]
    """A function that reads one file, given its path, the configuration and the requested
    format."""
    what: str = "items"
    """Plural name of the items, which is used in error messages."""
    item: type = object
    """Type of an item."""

    def read(
        self,
        paths: Sequence[str],
        config: Any = None,
        format: str | None = None,
        roots: Roots | None = None,
    ) -> Examples[Any]:
        """Read several files as one."""
        if not paths:
            raise BistroError(f"there is no data: name at least one file of {self.what}")
        return joined([self.read_one(path, config, format) for path in paths])

    def items(self, data: Data, config: Any = None) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the training items and their origin. A file name is also accepted as data."""
        if isinstance(data, str | os.PathLike):
            data = self.read([os.fspath(data)], config)
        items = listed(data)
        for item in items:
            if not isinstance(item, self.item):
                raise BistroError(
                    f"training data must be a list of {self.what}, but one item is {item!r:.60}"
                )
        return items, provenance(data)


def listed(data: Iterable[Any]) -> Sequence[Any]:
    """Return the items as a sequence. Raise an error if there are no items."""
    if not isinstance(data, Iterable):
        raise BistroError(f"training data must be a treebank or a list of items, not {data!r:.60}")
    items = data if isinstance(data, Sequence) else list(data)
    if not items:
        raise BistroError("there is nothing to train on: the data has no words")
    return items


def _is_sentence(item: Any) -> bool:
    """Return whether a sentence has words. Raise an error if the value is not a sentence."""
    if isinstance(item, Sentence) or (
        isinstance(item, Sequence) and isinstance(next(iter(item), ""), str)
    ):
        return len(item) > 0
    raise BistroError(
        f"a sentence must be a treebank sentence or a list of words, not {item!r:.60}"
    )


def provenance(data: Any) -> dict[str, Any]:
    """Return the origin of the training data, to be saved with the model."""
    if isinstance(data, Treebank | Examples):
        named = {"name": data.label, "sha256": data.sha256, "license": data.license}
        return {key: value for key, value in named.items() if value}
    return {}


def _trees(path: str, config: Any, format: str | None) -> Examples[Tree]:
    return read_examples(path, format)


SENTENCES = SentenceReader()
TREES = ExampleReader(_trees, "bracketed trees", Tree)
