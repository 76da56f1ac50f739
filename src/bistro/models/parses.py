"""What a parser returns for one sentence: trees with probabilities.

A `Parse` is the same thing whether one sentence was parsed or many. Heads count from 1 with 0 for
the root; `log_prob` is the natural logarithm of the joint probability of words, tags, tree and
labels; `posterior` is the tree's share among the analyses found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module

from bistro.treebank.sentence import Sentence


@dataclass(frozen=True)
class Marginals:
    """For every word its possible heads, labels and tags with probabilities, likeliest first."""

    heads: list[list[tuple[int, float]]]
    labels: list[list[tuple[str, float]]]
    tags: list[list[tuple[str, float]]]


@dataclass(frozen=True)
class Analysis:
    """One tree of a sentence."""

    heads: list[int]
    labels: list[str]
    tags: list[str]
    log_prob: float
    """Not a number for trees of a committee, which has no joint probability of its own."""
    posterior: float
    expected_uas: float | None = None
    """The mean probability of its heads, for trees of a committee."""


@dataclass(frozen=True)
class Parse:
    """The analyses of one sentence, the best first."""

    sentence: Sentence
    analyses: list[Analysis]
    samples: list[Analysis] = field(default_factory=list)
    marginals: Marginals | None = None
    log_total: float = 0.0
    """Natural logarithm of the probability of all analyses found, a bound on p(words)."""
    relaxed: bool = False
    """True if no tree agrees with the given heads, so that they were not used."""

    @property
    def heads(self) -> list[int]:
        """Heads of the best tree."""
        return self.analyses[0].heads

    @property
    def labels(self) -> list[str]:
        """Labels of the best tree."""
        return self.analyses[0].labels

    @property
    def tags(self) -> list[str]:
        """Tags of the best analysis."""
        return self.analyses[0].tags

    @property
    def log_prob(self) -> float:
        """Log-probability of the best analysis, a natural logarithm."""
        return self.analyses[0].log_prob

    def _repr_svg_(self) -> str:
        """Draw the tree in a notebook."""
        # By name, because pictures stand to the right of models in the flow of the code.
        arcs = import_module("bistro.report.arcs")
        picture: str = arcs.draw_arcs(self.sentence.forms, self.heads, self.labels, self.tags)
        return picture
