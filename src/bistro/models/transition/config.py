"""Settings of the generative transition parser, including its contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.encoding.contexts import check_context, elements, is_lexical, sees_labels
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings, SpellingSettings
from bistro.models.parsing.settings import MOST_PARTICLES, ParserSettings

DISTRIBUTIONS = ("actions", "labels", "tags", "words")
OWNERS = {"b.tag": "words", "b.kind": "words", "action": "labels"}
"""Elements that are available in the contexts of only one distribution."""


@dataclass(frozen=True)
class ContextSettings:
    """The context elements of each distribution, starting with the most informative element.

    The defaults were found by `bistro tune` on the English Web Treebank. The contexts of Buys &
    Blunsom (2015) are in the preset ``table1``.
    """

    actions: tuple[str, ...] = setting(
        elements(
            "s1.tag s2.tag s1.rc1.tag s1.lc1.tag s3.tag s2.rc1.tag s2.lc1.tag s1.word s2.word"
        ),
        "Context for predicting the next action.",
    )
    labels: tuple[str, ...] = setting(
        elements("action s1.tag s2.tag s1.lc1.tag s2.rc1.tag s1.lc1.word s2.word s1.word"),
        "Context for predicting the label of an arc, if labels = 'two-step'.",
    )
    tags: tuple[str, ...] = setting(
        elements("s1.tag s2.tag s1.rc1.tag s1.lc1.tag s2.rc1.tag s1.word s2.word s2.lc1.word"),
        "Context for predicting the next tag.",
    )
    words: tuple[str, ...] = setting(
        elements("b.tag s1.tag s1.rc1.tag s1.lc1.tag s2.tag s1.word s2.word p1.word"),
        "Context for predicting the next word.",
    )

    @property
    def see_labels(self) -> bool:
        """Whether any context contains the label of an earlier arc."""
        return sees_labels((*self.actions, *self.labels, *self.tags, *self.words))

    def validate(self) -> None:
        """Raise an error if a context element does not exist or is not available."""
        for name in ("actions", "labels", "tags", "words"):
            seen = getattr(self, name)
            check_context(seen)
            for element, owner in OWNERS.items():
                if element in seen and name != owner:
                    raise ConfigError(f"'{element}' is available only in the contexts of {owner}")


@dataclass(frozen=True)
class UnsupervisedSettings:
    """Settings of the second training stage, in which trees, tags or both are latent."""

    sweeps: int = setting(
        0,
        "Number of sweeps of the second stage. Each sweep resamples the analyses of all sentences.",
    )
    samples: int = setting(
        10, "Number of final sweeps whose samples are averaged in the second stage."
    )
    particles: int = setting(
        20, "Number of particles per sentence in the second stage.", most=MOST_PARTICLES
    )
    latent: Literal["both", "trees", "tags"] = setting(
        "both",
        "The variables that are latent in the second stage: trees with their labels, tags, "
        "or both.",
    )
    tags: Literal["all", "seen"] = setting(
        "seen",
        "The tags that a word may have: all tags, or only the tags that it has in the treebank. "
        "Trying only these tags is several times faster than trying all tags.",
    )

    def validate(self) -> None:
        """Raise an error if a setting is out of range."""
        if self.sweeps < 0 or self.samples < 1 or self.particles < 2:
            raise ConfigError(
                "the unsupervised stage needs sweeps >= 0, samples >= 1 and particles >= 2; with "
                "one particle, the trees would never change"
            )


@dataclass(frozen=True)
class RawTextSettings:
    """Settings for learning from raw text."""

    rounds: int = setting(
        1,
        "Number of times that the raw text is parsed, each time with the latest model.",
    )
    particles: int = setting(
        100, "Number of particles for parsing the raw text.", most=MOST_PARTICLES
    )
    learns: tuple[Literal["words", "tags", "actions"], ...] = setting(
        ("words", "tags", "actions"),
        "Distributions that are trained on the treebank and on the parses of the raw text. The "
        "other distributions are trained only on the treebank.",
    )

    def validate(self) -> None:
        """Raise an error if a setting is out of range."""
        if self.rounds < 1 or self.particles < 1:
            raise ConfigError("raw_text.rounds and raw_text.particles must be at least 1")
        if not self.learns:
            raise ConfigError(
                "raw_text.learns is empty: list at least one of words, tags and actions"
            )


@dataclass(frozen=True)
class TransitionConfig(ParserSettings):
    """Settings of the transition parser."""

    labels: Literal["two-step", "joint", "none"] = setting(
        "two-step",
        "Whether labels are generated after the action, together with the action, or not at all.",
    )
    lexical: Literal["full", "outcomes", "none"] = setting(
        "full", "Whether words are used in outcomes and contexts, only in outcomes, or not at all."
    )
    root: Literal["first", "last"] = setting(
        "first", "Position of the root: before the first word or after the last word."
    )
    direction: Literal["left-to-right", "right-to-left"] = setting(
        "left-to-right", "Direction in which sentences are generated."
    )
    spelling: SpellingSettings = setting(
        SpellingSettings(), "Settings of the spelling model, used if unknown = spelling."
    )
    derivations: Literal["oracle", "sampled"] = setting(
        "oracle",
        "Whether to train on one derivation per tree or to sample among all derivations in "
        "every sweep.",
    )
    particles: int = setting(
        20, "Number of particles per sentence if derivations are sampled.", most=MOST_PARTICLES
    )
    lengths: Literal["free", "matched"] = setting(
        "free",
        "Whether the lengths of generated sentences are free or matched to the lengths in the "
        "treebank.",
    )
    contexts: ContextSettings = setting(ContextSettings(), "Context elements of each distribution.")
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "Settings for learning the distributions."
    )
    unsupervised: UnsupervisedSettings = setting(
        UnsupervisedSettings(),
        "Settings of an optional second training stage, in which trees, tags or both are latent.",
    )
    raw_text: RawTextSettings = setting(RawTextSettings(), "Settings for learning from raw text.")

    def validate(self) -> None:
        """Raise an error if the settings of the second training stage are not supported."""
        if not self.unsupervised.sweeps:
            return
        if self.sampler.seating != "gibbs":
            raise ConfigError(
                "unsupervised training requires sampled seating: set seating = 'gibbs'"
            )
        if self.lexical == "none" and self.unsupervised.latent != "trees":
            raise ConfigError(
                "tags cannot be latent in an unlexicalised model: set unsupervised.latent = 'trees'"
            )


def elements_of(config: TransitionConfig) -> dict[str, list[str]]:
    """Return the context elements of each distribution, without words if `lexical` is not full."""
    return {
        name: [
            element
            for element in getattr(config.contexts, name)
            if config.lexical == "full" or not is_lexical(element)
        ]
        for name in DISTRIBUTIONS
    }
