"""What a constituency parser returns for one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.pictures.constituents import draw_constituents
from bistro.treebank.brackets import Tree


@dataclass(frozen=True, eq=False)
class FoundTree:
    """A tree with the natural logarithm of P(tree, words)."""

    tree: Tree
    log_prob: float


@dataclass(frozen=True, eq=False)
class TreeParse:
    """What was found for one sentence: its tree, and more of them by request."""

    words: list[str]
    trees: list[FoundTree]
    """The tree; or the k best ones that were drawn, or draws."""
    is_found: bool = True
    """Whether the grammar has a tree for the words; if not, they stand side by side."""
    accepted: float = 1.0
    """The share of the trees proposed by mcmc that were accepted."""
    is_complete: bool = True
    """Whether A* came to an end."""

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0].tree

    @property
    def log_prob(self) -> float:
        """That of the first tree."""
        return self.trees[0].log_prob

    def _repr_svg_(self) -> str:
        """Draw the tree in a notebook."""
        return draw_constituents(self.tree)
