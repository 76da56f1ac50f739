"""Settings of the committee, its members and their training."""

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
"""Settings of a latent-variable parser that takes half a minute to train. In a committee, a parser
with these settings is almost as useful as a parser that is trained for 15 minutes."""
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
"""Maximum width of the beam. A latent-variable member keeps its whole beam in memory."""


@dataclass(frozen=True)
class StackSettings:
    """Settings of the stack, a model that is trained on held-out sentences to weight the votes."""

    folds: int = setting(
        2,
        "Number of folds into which the training data is divided. The votes on each fold come "
        "from members that are trained on the other folds. With 0 folds, no stack is trained, and "
        "votes are mixed with fixed weights.",
        most=1_000,
    )
    passes: int = setting(6, "Passes over the votes.")
    rate: float = setting(0.04, "Step size (AdaGrad).")
    rounds: int = setting(
        1,
        "Number of decision rounds, either 1 or 2. The second round uses the tree from the "
        "first round.",
        most=2,
    )
    classes: bool = setting(
        True,
        "Use word classes, which group words that have similar neighbours in the training data "
        "and in --text.",
    )
    bits: int = setting(
        22, "Base-2 logarithm of the number of weights per decision. Features are hashed."
    )
    dropout: float = setting(
        0.5,
        "Proportion of the features that are dropped in each training step. With fewer than "
        "100,000 words of training data, all features are used.",
    )

    def validate(self) -> None:
        """Raise an error if training is impossible with these settings."""
        if self.folds < 0 or self.folds == 1:
            raise ConfigError(f"stack.folds is {self.folds}, but must be 0 or at least 2")
        if self.passes < 1 or not self.rate > 0:
            raise ConfigError("stack.passes and stack.rate must be positive")
        if self.rounds not in (1, 2):
            raise ConfigError(f"stack.rounds is {self.rounds}, but must be 1 or 2")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"stack.dropout is {self.dropout}, but must lie in [0, 1)")
        if not 8 <= self.bits <= MOST_BITS:
            raise ConfigError(f"stack.bits is {self.bits}, but must lie between 8 and {MOST_BITS}")


@dataclass(frozen=True)
class CommitteeConfig:
    """Settings of the committee."""

    members: tuple[Member, ...] = setting(
        ("left", "right-other-tags", "eisner", "isbn"),
        "The members of the committee. Possible members are transition parsers that read from "
        "left to right (left) or from right to left (right), Eisner's model (eisner), and the "
        "latent-variable parser in both directions (isbn, isbn-right). Transition parsers and "
        "Eisner's model have variants whose contexts contain labels (-labels) and variants that "
        "use the other tag column (-other-tags). Transition parsers also have a variant with the "
        "contexts of the preset table1 (-table1). If the treebank has only one tag column, "
        "right-other-tags is replaced by right, or by left-labels if right is already a member. "
        "Duplicate members are left out.",
    )
    preset: str = setting(
        AUTO,
        "Preset or file with the settings of the transition parsers. With auto, the first "
        "preset whose tag features exist in the treebank is used.",
    )
    spelled: tuple[Member, ...] = setting(
        ("left", "right", "left-labels"),
        "Transition parsers that spell out unknown words (unknown = 'spelling') regardless of the "
        "preset. Parsers that spell out unknown words and parsers that assign them to classes "
        "make different tagging errors.",
    )
    label_actions: tuple[str, ...] = setting(
        elements("s1.tag s2.tag s1.rc1.label s2.rc1.label s1.lc1.label distance s1.word s2.word"),
        "Context for predicting the next action in members whose contexts contain labels.",
    )
    weights: Literal["accurate", "likely", "equal"] = setting(
        "accurate",
        "How to weight the members. The weights maximise the number of correct heads and tags in "
        "the development set (accurate), maximise the probability of the gold heads and tags by "
        "EM (likely), or are all equal (equal).",
    )
    stack: StackSettings = setting(
        StackSettings(), "Settings of the stack, a model that learns how much each vote counts."
    )
    calibrate: bool = setting(
        True,
        "If there is no development set, fit the sharpness of the mixture on held-out training "
        "sentences. For this purpose, the members are trained on the remaining sentences for a "
        "few sweeps.",
    )
    crossing: float = setting(
        10.0,
        "Factor by which a vote for a crossing arc is multiplied if the arc's pattern has a "
        "crossing arc in half of its occurrences in the training data. With 0, an arc crosses only "
        "if the members consider a crossing arc most probable.",
    )
    particles: int = setting(
        40, "Default number of particles per member for parsing.", most=MOST_PARTICLES
    )
    beam: int = setting(
        4, "Number of derivations that a latent-variable member keeps after each word."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "Settings for learning the distributions."
    )
    isbn: IsbnConfig = setting(
        QUICK,
        "Settings of the latent-variable parser. Tags, labels, roots and crossing arcs are "
        "handled as in the other members.",
    )

    def validate(self) -> None:
        """Raise an error if there are no members or a context does not exist."""
        if not self.members:
            raise ConfigError("a committee must have at least one member")
        if len(set(self.members)) < len(self.members):
            raise ConfigError(
                "the members of a committee must be different, but one is named twice"
            )
        if self.particles < 1:
            raise ConfigError(f"particles is {self.particles}, but must be at least 1")
        if not 1 <= self.beam <= MOST_BEAM:
            raise ConfigError(f"beam is {self.beam}, but must lie between 1 and {MOST_BEAM:,}")
        if self.crossing < 0:
            raise ConfigError(f"crossing is {self.crossing}, but must not be negative")
        check_context(self.label_actions)
