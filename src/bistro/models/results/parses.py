"""A parser's result for one sentence: trees with their probabilities.

Heads are numbered from 1, with 0 for the root. `log_prob` is the natural logarithm of the joint
probability of words, tags, tree and labels. `posterior` is the tree's share of the probability of
all analyses found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bistro.treebank.projectivity import LIFTED, ON_PATH
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Marginals:
    """Probabilities of the heads, labels and tags of every word, most probable first."""

    heads: list[list[tuple[int, float]]]
    labels: list[list[tuple[str, float]]]
    tags: list[list[tuple[str, float]]]
    other_tags: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)
    """Probabilities of tags in other columns, by column, if committee members predict them."""


@dataclass(frozen=True)
class Analysis:
    """One tree of a sentence."""

    heads: list[int]
    labels: list[str]
    tags: list[str]
    log_prob: float
    """Joint log-probability of words, tags, tree and labels, or NaN for a committee's trees."""
    posterior: float
    expected_uas: float | None = None
    """The mean probability of the heads, for trees found by a committee."""


@dataclass(frozen=True)
class Parse:
    """The analyses of one sentence, best first."""

    sentence: Sentence
    analyses: list[Analysis]
    samples: list[Analysis] = field(default_factory=list)
    marginals: Marginals | None = None
    log_total: float = 0.0
    """Natural logarithm of the total probability of all analyses found. This probability is a lower
    bound on p(words)."""
    relaxed: bool = False
    """Whether the given heads were ignored because no tree is consistent with them."""

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
        """The natural log-probability of the best analysis."""
        return self.analyses[0].log_prob

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame of the best tree, with one row per word.

        The columns are ``word_id, form, tag, head, label``.

        If the parse has marginals, ``p_tag``, ``p_head`` and ``p_label`` are the marginal
        probabilities of the tag, head and label. A probability is NaN if it is unknown, for
        example because the head was restored from a label.
        """
        from bistro.data_frames import pandas

        return pandas().DataFrame(self.columns())

    def __str__(self) -> str:
        from bistro.data_frames import aligned

        return aligned(self.columns())

    def columns(self) -> dict[str, Sequence[object]]:
        """Return the columns of the data frame that `to_pandas` creates, by name."""
        best = self.analyses[0]
        columns: dict[str, Sequence[object]] = {
            "word_id": range(1, len(best.heads) + 1),
            "form": self.sentence.forms,
            "tag": best.tags,
            "head": best.heads,
            "label": best.labels,
        }
        if self.marginals is not None:
            for name, values, rows in (
                ("p_tag", best.tags, self.marginals.tags),
                ("p_head", best.heads, self.marginals.heads),
                ("p_label", best.labels, self.marginals.labels),
            ):
                columns[name] = [
                    float(dict(row).get(value, math.nan))  # type: ignore[call-overload]
                    for value, row in zip(values, rows, strict=True)
                ]
        return columns

    def _repr_svg_(self) -> str:
        """Return an SVG drawing of the tree, for notebooks."""
        from bistro.pictures.arcs import draw_arcs  # only notebooks need it

        return draw_arcs(self.sentence.forms, self.heads, self.labels, self.tags)


def plain_label(label: str) -> str:
    """Return a label without the marks that pseudo-projective encoding adds."""
    return label.partition(LIFTED)[0].partition(ON_PATH)[0]


def head_probability(heads: list[int], word: int, head: int, marginals: Marginals) -> float:
    """Return the probability of an arc.

    If a word was moved back to a lower head (pseudo-projective trees), the result is the
    probability of the lifted arc. The head of the lifted arc is an ancestor of the current head.
    """
    listed = dict(marginals.heads[word])
    if head not in listed and any(LIFTED in label for label, _ in marginals.labels[word]):
        while head > 0 and head not in listed:
            head = heads[head - 1]
    return listed.get(head, 0.0)
