"""Settings of the generative transition parser; the contexts are data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.encoding.contexts import check_context, elements, is_lexical, sees_labels
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings, SpellingSettings
from bistro.models.parsing.settings import MOST_PARTICLES, ParserSettings

DISTRIBUTIONS = ("actions", "labels", "tags", "words")


@dataclass(frozen=True)
class ContextSettings:
    """The context of each distribution, the most informative element first.

    The defaults were found by `bistro tune` on the English Web Treebank; the contexts of Buys &
    Blunsom (2015) are the preset ``table1``.
    """

    actions: tuple[str, ...] = setting(
        elements(
            "s1.tag s2.tag s1.rc1.tag s1.lc1.tag s3.tag s2.rc1.tag s2.lc1.tag s1.word s2.word"
        ),
        "Context of the next action.",
    )
    labels: tuple[str, ...] = setting(
        elements("action s1.tag s2.tag s1.lc1.tag s2.rc1.tag s1.lc1.word s2.word s1.word"),
        "Context of the label of an arc (two-step labels).",
    )
    tags: tuple[str, ...] = setting(
        elements("s1.tag s2.tag s1.rc1.tag s1.lc1.tag s2.rc1.tag s1.word s2.word s2.lc1.word"),
        "Context of the next tag.",
    )
    words: tuple[str, ...] = setting(
        elements("b.tag s1.tag s1.rc1.tag s1.lc1.tag s2.tag s1.word s2.word p1.word"),
        "Context of the next word.",
    )

    @property
    def see_labels(self) -> bool:
        """True if any context contains the label of an earlier arc."""
        return sees_labels((*self.actions, *self.labels, *self.tags, *self.words))

    def validate(self) -> None:
        """Raise an error if an element does not exist or is not available in its context."""
        for name in ("actions", "labels", "tags", "words"):
            seen = getattr(self, name)
            check_context(seen)
            for element, owner in (("b.tag", "words"), ("action", "labels")):
                if element in seen and name != owner:
                    raise ConfigError(f"'{element}' is available only in the contexts of {owner}")


@dataclass(frozen=True)
class UnsupervisedSettings:
    """A second stage of training on words only, which starts from the model of the treebank."""

    sweeps: int = setting(0, "Sweeps of the second stage, in which each analysis is resampled.")
    samples: int = setting(10, "Number of last sweeps of the second stage that are averaged.")
    particles: int = setting(20, "Particles per sentence in the second stage.", most=MOST_PARTICLES)
    latent: Literal["both", "trees", "tags"] = setting(
        "both", "Latent variables: trees (with their labels) and tags, or one of them."
    )
    tags: Literal["all", "seen"] = setting(
        "seen", "Tags a word may get: all, or its tags in the treebank (several times faster)."
    )

    def validate(self) -> None:
        """Raise an error if a number is impossible."""
        if self.sweeps < 0 or self.samples < 1 or self.particles < 2:
            raise ConfigError(
                "the unsupervised stage needs sweeps >= 0, samples >= 1 and particles >= 2: "
                "with one particle nothing would ever change"
            )


@dataclass(frozen=True)
class RawTextSettings:
    """Settings for learning from raw text, if any is given."""

    rounds: int = setting(1, "Number of times the text is parsed, each time with the newest model.")
    particles: int = setting(100, "Particles in the search for best parses.", most=MOST_PARTICLES)
    learns: tuple[Literal["words", "tags", "actions"], ...] = setting(
        ("words", "tags", "actions"),
        "Distributions that learn from the parses; the others use only the treebank.",
    )

    def validate(self) -> None:
        """Raise an error if the stage would do nothing."""
        if self.rounds < 1 or self.particles < 1:
            raise ConfigError("raw_text.rounds and raw_text.particles must be at least 1")
        if not self.learns:
            raise ConfigError("raw_text.learns is empty: name words, tags or actions")


@dataclass(frozen=True)
class TransitionConfig(ParserSettings):
    """Settings of the transition parser."""

    labels: Literal["two-step", "joint", "none"] = setting(
        "two-step", "Labels after the action, jointly with it, or none."
    )
    lexical: Literal["full", "outcomes", "none"] = setting(
        "full", "Words in outcomes and contexts, words in outcomes only, or tags only."
    )
    root: Literal["first", "last"] = setting("first", "Position of the root.")
    direction: Literal["left-to-right", "right-to-left"] = setting(
        "left-to-right", "Direction in which sentences are generated."
    )
    spelling: SpellingSettings = setting(SpellingSettings(), "For unknown = spelling.")
    derivations: Literal["oracle", "sampled"] = setting(
        "oracle", "Train on one derivation per tree, or sample among all of them in every sweep."
    )
    particles: int = setting(
        20, "Particles per sentence if derivations are sampled.", most=MOST_PARTICLES
    )
    lengths: Literal["free", "matched"] = setting(
        "free",
        "Lengths of the sentences that the model generates: not adjusted, or matched to the "
        "lengths in the treebank.",
    )
    contexts: ContextSettings = setting(ContextSettings(), "Context of each distribution.")
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=20, samples=10), "Settings for learning the distributions."
    )
    unsupervised: UnsupervisedSettings = setting(
        UnsupervisedSettings(), "A second stage of training on words only."
    )
    raw_text: RawTextSettings = setting(RawTextSettings(), "Settings for learning from raw text.")

    def validate(self) -> None:
        """Raise an error if the model cannot have this second stage."""
        if not self.unsupervised.sweeps:
            return
        if self.sampler.seating != "gibbs":
            raise ConfigError("unsupervised sweeps need seating = 'gibbs'")
        if self.lexical == "none" and self.unsupervised.latent != "trees":
            raise ConfigError(
                "tags cannot be latent if there are no words: set unsupervised.latent = 'trees'"
            )


def elements_of(config: TransitionConfig) -> dict[str, list[str]]:
    """Return the context of each distribution; words are removed if the settings require it."""
    return {
        name: [
            element
            for element in getattr(config.contexts, name)
            if config.lexical == "full" or not is_lexical(element)
        ]
        for name in DISTRIBUTIONS
    }
