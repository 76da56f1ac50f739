"""Settings of the committee: who is in it, and how each member is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.encoding.contexts import check_context, elements
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings
from bistro.models.isbn.config import IsbnConfig, LearningSettings

QUICK = IsbnConfig(
    hidden=80,
    learning=LearningSettings(passes=30, reads=75_000, patience=2, rate=0.1, dropout=0.15),
)
"""A latent-variable parser that learns in half a minute: beside others it is worth almost as much
as one that learns for a quarter of an hour."""
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
"""A latent-variable member keeps all that it can: a wider beam would fill the memory."""


@dataclass(frozen=True)
class StackSettings:
    """How votes are judged: a model of them that learns from votes on folds of the treebank."""

    folds: int = setting(
        2,
        "Parts of the training data on which members vote that have learned from the others; 0: no "
        "stack, votes are mixed with fixed weights.",
    )
    passes: int = setting(6, "Passes over the votes.")
    rate: float = setting(0.04, "Size of the steps (AdaGrad).")
    classes: bool = setting(
        True, "See classes of words, by their neighbours in the training data and in --text."
    )
    bits: int = setting(22, "Weights of each decision, as a power of 2: features are hashed.")
    dropout: float = setting(0.5, "Share of the features that are left out in each step.")

    def validate(self) -> None:
        """Refuse what cannot be learned with."""
        if self.folds < 0 or self.folds == 1:
            raise ConfigError(f"stack.folds = {self.folds} must be 0 or at least 2")
        if self.passes < 1 or not self.rate > 0:
            raise ConfigError("stack.passes and stack.rate must be positive")
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
        "Settings of the transition parsers: a preset or a file of theirs; auto: the first preset "
        "whose tag features the treebank has.",
    )
    spelled: tuple[Member, ...] = setting(
        ("left", "right", "left-labels"),
        "Transition parsers that spell unknown words (unknown = 'spelling'), whatever the preset "
        "says: beside classes of words, they find other tags right.",
    )
    label_actions: tuple[str, ...] = setting(
        elements("s1.tag s2.tag s1.rc1.label s2.rc1.label s1.lc1.label distance s1.word s2.word"),
        "What the next action of the members that see labels is conditioned on.",
    )
    weights: Literal["accurate", "likely", "equal"] = setting(
        "accurate",
        "Fitted on the development set so that most heads and tags come out right, so that the "
        "gold ones are most probable (EM), or all the same.",
    )
    stack: StackSettings = setting(
        StackSettings(), "How a model of the votes learns what each is worth, and where."
    )
    calibrate: bool = setting(
        True,
        "Without a development set: fit how sharp the mixture is made on held-out sentences of the "
        "training data, with members that learn from the others in a few sweeps.",
    )
    crossing: float = setting(
        10.0,
        "How many times a vote for a crossing arc counts where every second pattern of this kind "
        "crosses in the training data; 0: arcs cross only where that is the likeliest.",
    )
    particles: int = setting(50, "Default number of particles per member in parsing.")
    beam: int = setting(5, "Derivations that a latent-variable member keeps after each word.")
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "How the distributions are learned."
    )
    isbn: IsbnConfig = setting(
        QUICK,
        "The latent-variable parser; column of tags, labels, roots and crossing arcs are those of "
        "the other members.",
    )

    def validate(self) -> None:
        """Refuse a committee without members, and contexts that do not exist."""
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
