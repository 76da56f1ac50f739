"""Training data other than a treebank of sentences, such as bracketed trees and segmented words.

The training data for a task consist of a sequence of items of the same kind. The sequence records
its origin, like a `Treebank`.

>>> words = Examples(["a-ba-ntu", "u-mu-ntu"], name="zulu.tsv", sha256="5f1c")
>>> len(words), words.label
(2, 'zulu.tsv')
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar, overload

from bistro.errors import TreebankError

Item = TypeVar("Item")


class Examples(Sequence[Item], Generic[Item]):
    """Training examples of one kind, with the name, hash and licence of their file."""

    def __init__(
        self,
        items: Iterable[Item],
        *,
        name: str = "unnamed",
        sha256: str = "",
        license: str | None = None,
        problems: Iterable[TreebankError] = (),
    ) -> None:
        self.items = list(items)
        self.label = name
        self.sha256 = sha256
        self.license = license
        self.problems = list(problems)
        """The errors in items that were left out."""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Examples[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Examples[Item]:
        if isinstance(index, int):
            return self.items[index]
        return Examples(self.items[index], name=self.label, license=self.license)

    def __repr__(self) -> str:
        return f"<{len(self)} examples: {self.label}>"


def joined(parts: Sequence[Examples[Item]]) -> Examples[Item]:
    """Combine the items of several files, with a hash computed from the files' hashes."""
    if len(parts) == 1:
        return parts[0]
    hashes = "".join(part.sha256 for part in parts)
    whole = Examples(
        (item for part in parts for item in part),
        name=" + ".join(part.label for part in parts),
        sha256=hashlib.sha256(hashes.encode()).hexdigest(),
    )
    whole.problems = [problem for part in parts for problem in part.problems]
    return whole
