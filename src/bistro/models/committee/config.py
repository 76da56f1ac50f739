"""Settings of the committee: its members, and the training of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.encoding.contexts import check_context, elements
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings
from bistro.models.isbn.config import IsbnConfig, LearningSettings
from bistro.models.parsing.settings import MOST_PARTICLES

QUICK = IsbnConfig(
    hidden=80,
    learning=LearningSettings(passes=30, reads=75_000, patience=2, rate=0.1, dropout=0.15),
)
"""A latent-variable parser that trains in half a minute: in a committee it is almost as useful as
one that trains for a quarter of an hour."""
AUTO = "auto"
Member = Literal[
    "left",
    "right",
    "left-labels",
    "right-labels",
    "left-table1",
    "right-table1",
    "left-other-tags",
    "right-other-tags",
    "eisner",
    "eisner-labels",
    "eisner-other-tags",
    "isbn",
    "isbn-right",
]


MOST_BITS = 24
MOST_BEAM = 10_000
"""Maximum width of the beam; a latent-variable member keeps its whole beam in memory."""


@dataclass(frozen=True)
class StackSettings:
    """Settings of the stack, a model that weights votes and is trained on held-out votes."""

    folds: int = setting(
        2,
        "Number of parts of the training data; members trained on the other parts vote on each. 0: "
        "no stack, votes are mixed with fixed weights.",
        most=1_000,
    )
    passes: int = setting(6, "Passes over the votes.")
    rate: float = setting(0.04, "Step size (AdaGrad).")
    rounds: int = setting(
        1, "Rounds of decisions, 1 or 2: the second round sees the tree of the first.", most=2
    )
    classes: bool = setting(
        True, "Use classes of words with similar neighbours in the training data and in --text."
    )
    bits: int = setting(22, "Number of weights per decision, as a power of 2: features are hashed.")
    dropout: float = setting(
        0.5,
        "Share of the features that are left out in each step; with fewer than 100,000 words of "
        "training data, none are left out.",
    )

    def validate(self) -> None:
        """Raise an error if training is impossible with these settings."""
        if self.folds < 0 or self.folds == 1:
            raise ConfigError(f"stack.folds = {self.folds} must be 0 or at least 2")
        if self.passes < 1 or not self.rate > 0:
            raise ConfigError("stack.passes and stack.rate must be positive")
        if self.rounds not in (1, 2):
            raise ConfigError(f"stack.rounds = {self.rounds} must be 1 or 2")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"stack.dropout = {self.dropout} must lie in [0, 1)")
        if not 8 <= self.bits <= MOST_BITS:
            raise ConfigError(f"stack.bits = {self.bits} must lie between 8 and {MOST_BITS}")


@dataclass(frozen=True)
class CommitteeConfig:
    """Settings of the committee."""

    members: tuple[Member, ...] = setting(
        ("left", "right-other-tags", "eisner", "isbn"),
        "Transition parsers from left to right and from right to left, Eisner's model, and the "
        "latent-variable parser in both directions (isbn, isbn-right); transition parsers and "
        "Eisner's model plain, with contexts that see labels, with those of the preset table1, or "
        "with the other column of tags. On a treebank without such a column, right takes the place "
        "of right-other-tags, or left-labels where right is a member. Members that cannot differ "
        "on a treebank are left out.",
    )
    preset: str = setting(
        AUTO,
        "Settings of the transition parsers: a preset or a file; auto: the first preset "
        "whose tag features the treebank has.",
    )
    spelled: tuple[Member, ...] = setting(
        ("left", "right", "left-labels"),
        "Transition parsers that spell unknown words (unknown = 'spelling'), whatever the preset "
        "says: they make other tagging errors than parsers with classes of words.",
    )
    label_actions: tuple[str, ...] = setting(
        elements("s1.tag s2.tag s1.rc1.label s2.rc1.label s1.lc1.label distance s1.word s2.word"),
        "Context of the next action, for members that see labels.",
    )
    weights: Literal["accurate", "likely", "equal"] = setting(
        "accurate",
        "Weights of the members: fitted on the development set for the most correct heads and "
        "tags, or for the highest probability of gold heads and tags (EM), or all equal.",
    )
    stack: StackSettings = setting(
        StackSettings(), "Settings of the stack, a model that learns how much each vote counts."
    )
    calibrate: bool = setting(
        True,
        "Without a development set: fit the sharpness of the mixture on held-out sentences of the "
        "training data, with members trained on the others in a few sweeps.",
    )
    crossing: float = setting(
        10.0,
        "Factor on a vote for a crossing arc if half of the patterns of its kind cross in the "
        "training data; 0: arcs cross only where that is most probable.",
    )
    particles: int = setting(
        50, "Default number of particles per member in parsing.", most=MOST_PARTICLES
    )
    beam: int = setting(
        5, "Number of derivations that a latent-variable member keeps after each word."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "Settings for learning the distributions."
    )
    isbn: IsbnConfig = setting(
        QUICK,
        "Settings of the latent-variable parser; tags, labels, roots and crossing arcs are as in "
        "the other members.",
    )

    def validate(self) -> None:
        """Raise an error if there are no members, or a context does not exist."""
        if not self.members:
            raise ConfigError("a committee needs at least one member")
        if len(set(self.members)) < len(self.members):
            raise ConfigError("a member of the committee is named twice")
        if self.particles < 1:
            raise ConfigError(f"particles = {self.particles} must be at least 1")
        if not 1 <= self.beam <= MOST_BEAM:
            raise ConfigError(f"beam = {self.beam} must lie between 1 and {MOST_BEAM:,}")
        if self.crossing < 0:
            raise ConfigError(f"crossing = {self.crossing} must not be negative")
        check_context(self.label_actions)
