"""Evaluation of `bistro doctor` on real corrections made between two versions of a treebank.

The older version of the treebank is examined. A finding is correct if annotators later changed the
value.

    precision among the first n = changed values among them / n
    recall in the first 5 %     = changed values among them / all changed values

Annotators do not find every mistake, and some changes follow new guidelines, so a precision of 100
% is out of reach. These scores are meant only for comparing different rankings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bistro.errors import BistroError
from bistro.evaluate.doctor import Finding, arc_names
from bistro.treebank.sentence import Sentence

Place = tuple[int, int]
"""The index of a sentence in the older version (from 0) and the position of a word (from 1)."""
FIRST = (10, 50, 100)
TOP = 0.05


@dataclass(frozen=True)
class Changes:
    """The values in the older version that annotators changed."""

    arcs: dict[Place, str]
    """The new value of each changed arc."""
    tags: dict[Place, str]
    matched: list[int]
    """Indices of the sentences that have the same words in both versions."""

    def new_value(self, finding: Finding) -> str | None:
        """Return the new value if annotators changed the value of a finding, otherwise None."""
        changed = self.tags if finding.what == "tag" else self.arcs
        return changed.get((finding.sentence, finding.word))


@dataclass(frozen=True)
class Hits:
    """Precision and recall of changed values at the top of a ranking."""

    values: int
    changed: int
    precision: dict[int, float]
    """Share of changed values among the first n findings, for several n."""
    recall: float
    """Share of all changed values that are among the first 5 % of findings."""
    restored: float
    """Among changed values in the first 100 findings, the share whose new value was suggested."""

    def __str__(self) -> str:
        first = ", ".join(f"{100 * p:.0f} % of the first {n}" for n, p in self.precision.items())
        return (
            f"{self.changed:,} of {self.values:,} values were changed later, including {first}; "
            f"the first {TOP:.0%} contain {100 * self.recall:.1f} % of all changes; of the changed "
            f"values among the first {FIRST[-1]}, the alternative is the new value in "
            f"{100 * self.restored:.0f} %"
        )


def changes(
    older: Sequence[Sentence], newer: Sequence[Sentence], tag_column: str = "upos"
) -> Changes:
    """Return the values that differ between two versions of a treebank.

    Sentences with the same words are matched by their `sent_id`, or by their position if they have
    no `sent_id`.
    """
    by_id = {sentence.sent_id or str(place): sentence for place, sentence in enumerate(newer)}
    arcs: dict[Place, str] = {}
    tags: dict[Place, str] = {}
    matched = []
    for place, old in enumerate(older):
        new = by_id.get(old.sent_id or str(place))
        if new is None or new.forms != old.forms:
            continue
        matched.append(place)
        for column, before, after in (
            (arcs, arc_names(old), arc_names(new)),
            (tags, getattr(old, tag_column), getattr(new, tag_column)),
        ):
            for word, (was, is_) in enumerate(zip(before, after, strict=True), start=1):
                if was != is_:
                    column[place, word] = is_
    if not matched:
        raise BistroError("the two files have no sentences with the same words")
    return Changes(arcs, tags, matched)


def hits(ranked: Sequence[Finding], corrections: Changes) -> Hits:
    """Return the precision and recall of the ranking for the matched sentences."""
    matched = set(corrections.matched)
    ranked = [finding for finding in ranked if finding.sentence in matched]
    new = [corrections.new_value(finding) for finding in ranked]
    is_changed = [value is not None for value in new]
    total = sum(is_changed)
    looked = [n for n in FIRST if n <= len(ranked)]
    top = is_changed[: max(1, round(TOP * len(ranked)))]
    first = [(f, v) for f, v in zip(ranked[: FIRST[-1]], new, strict=False) if v is not None]
    return Hits(
        len(ranked),
        total,
        {n: sum(is_changed[:n]) / n for n in looked},
        sum(top) / total if total else 0.0,
        sum(finding.alternative == value for finding, value in first) / max(1, len(first)),
    )
