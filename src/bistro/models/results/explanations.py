"""Explanations of probabilities in terms of elementary decisions and chains of back-off contexts.

In a context u of depth k, the probability of x is the context's own contribution plus a share of
the probability in the next shorter context u'.

    p_k(x) = own_k(x) + backoff_k · p_{k-1}(x)     own_k(x): (c_x - d t_x) / (c + θ), on average

The recursion ends at the base distribution. Expanding the recursion from the longest
context gives the probability as a sum.

    p(x) = Σ_k reach_k · own_k(x)             reach_k = backoff_{k+1} · ... · backoff_longest

The sum has one contribution per level.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)
>>> explanation = model.explain(["The", "dog", "sleeps", "."])
>>> word = explanation.decisions[1]
>>> word.outcome, [level.value for level in word.levels][:3]
('dog', ['', '', 'The'])
>>> abs(sum(level.contribution for level in word.levels) - word.probability) < 1e-12
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from bistro.sums import added

if TYPE_CHECKING:
    import pandas as pd

BASE = -1
"""The depth of the base distribution, one less than the depth of the empty context."""
MEMBER = "member"
"""The element name for a level that represents a mixture member rather than a context. At this
level, the value is the name of the member, `reach` is the member's weight, and `contribution` is
the weight times the member's probability."""


@dataclass(frozen=True)
class Level:
    """One context in a back-off chain, which adds one element to the previous context."""

    depth: int
    """Number of elements in the context. The base distribution has depth -1."""
    element: str
    """The element that this context adds to the shorter context. It is empty at depth 0."""
    value: str
    known: bool
    """Whether the context occurred in training. An unseen context contributes nothing."""
    kinds: int
    """Number of distinct outcomes seen in the context."""
    ways: int
    """Number of contexts that have one more element and in which the outcome was seen."""
    probability: float
    """Probability of the outcome at this level."""
    backoff: float
    """The weight of the next shorter context."""
    own: float
    """The part of `probability` that comes from this level and not from shorter contexts."""
    reach: float
    """The share of the probability that the longer contexts pass on to this level."""
    contribution: float
    """The level's contribution to the probability of the decision. The contributions of all levels
    sum to the probability of the decision."""
    discount: float | None = None
    """The mean discount over the saved samples, or None if the model file does not contain it."""
    strength: float | None = None
    count: int | None = None
    """Number of times the outcome was seen in this context, if training data is given."""
    total: int | None = None
    """Number of times the context was seen, if training data is given."""


@dataclass(frozen=True)
class Decision:
    """One decision in the generation of a sentence: an outcome drawn from a distribution."""

    step: int
    """Position of the decision in the order of generation, counted from 1."""
    word: int
    """The position of the current or next word. For the sentence end, it is the position
    after the last word."""
    token: str
    distribution: str
    outcome: str
    detail: str
    """The two words connected by an arc, if the decision concerns an arc or its label."""
    probability: float
    scale: float
    """Factor by which the probability of the chain is multiplied, as explained by `reason`."""
    reason: str
    levels: list[Level]
    """The levels from the base to the longest context. If only one outcome is possible, there are
    no levels."""

    @property
    def bits(self) -> float:
        """Surprisal of the outcome in bits."""
        return -math.log2(self.probability) if self.probability > 0 else math.inf


@dataclass(frozen=True)
class Explanation:
    """All decisions that generate a sentence and, for parsers, its tree."""

    kind: str
    words: list[str]
    decisions: list[Decision]
    protocol: str
    """A description of what is explained and of the meaning of the numbers."""
    heads: list[int] | None = None
    labels: list[str] | None = None
    tags: list[str] | None = None

    @property
    def log_prob(self) -> float:
        """Natural logarithm of the product of all decision probabilities."""
        probabilities = [d.probability for d in self.decisions]
        return added(map(math.log, probabilities)) if min(probabilities) > 0 else -math.inf

    def of_word(self, place: int) -> list[Decision]:
        """Return the decisions that generate the word at a given position, counted from 1."""
        return [decision for decision in self.decisions if decision.word == place]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per level of every decision. A decision without levels has one row."""
        rows = []
        for decision in self.decisions:
            own = {name: getattr(decision, name) for name in DECISION_COLUMNS}
            empty = dict.fromkeys(LEVEL_COLUMNS)
            levels = [_level_row(level) for level in decision.levels] or [empty]
            rows += [{**own, **level} for level in levels]
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame."""
        from bistro.data_frames import pandas

        pd = pandas()

        return pd.DataFrame(self.rows(), columns=[*DECISION_COLUMNS, *LEVEL_COLUMNS])


DECISION_COLUMNS = tuple(field.name for field in fields(Decision) if field.name != "levels")
LEVEL_COLUMNS = tuple(
    "level_probability" if field.name == "probability" else field.name for field in fields(Level)
)


def _level_row(level: Level) -> dict[str, Any]:
    values = (getattr(level, field.name) for field in fields(Level))
    return dict(zip(LEVEL_COLUMNS, values, strict=True))


def meaning_of_numbers(decisions: list[Decision]) -> str:
    """Describe the meaning of the numbers in the chains."""
    text = (
        "Probabilities and weights are means over the training samples that the model keeps. "
        "`kinds` and `ways` count types, not tokens."
    )
    levels = [level for decision in decisions for level in decision.levels]
    if any(level.discount is not None for level in levels):
        text += " Discounts and strengths are means over the same samples."
    if any(level.count is not None for level in levels):
        text += " `count` and `total` are numbers of tokens in the given training data."
    return text
