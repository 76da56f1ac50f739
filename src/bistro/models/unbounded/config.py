"""Settings of models with unbounded contexts: what all tasks share, and a table for each task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings

TaskName = Literal["tags", "trees", "morphology"]
ContextElements = Literal["symbols", "rules"]


@dataclass(frozen=True)
class TagsSettings:
    """The task of tagging."""

    tagset: Literal["upos", "xpos"] = setting("upos", "Which column holds the tags.")
    unknown: Literal["classes", "single"] = setting(
        "classes", "Unknown words: classes by shape and suffix, or one <unk>."
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(100, "How many suffixes tell classes of unknown words apart.")


@dataclass(frozen=True)
class TreesSettings:
    """The task of constituency parsing."""

    unknown: Literal["markers", "classes", "single"] = setting(
        "markers", "Unknown words: markers for English, learned classes, or one <unk>."
    )
    unknown_suffixes: int = setting(100, "How many suffixes tell learned classes apart.")
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")


@dataclass(frozen=True)
class MorphologySettings:
    """The task of morphology."""

    unit: Literal["utterance", "word"] = setting(
        "word", "What is analysed: an utterance of morphemes, or a written word."
    )
    utterance: Literal["clause", "sentence", "paragraph"] = setting(
        "clause",
        "What an utterance is: words between punctuation marks, or up to . ? or !, or all.",
    )
    rare: int = setting(
        2, "Morphemes of utterances seen at most this often are known by their first letter only."
    )
    bad_words: float = setting(
        0.001, "Which share of the words may be left out because their annotation is impossible."
    )

    def validate(self) -> None:
        """Refuse counts and shares that mean nothing."""
        if self.rare < 0 or not 0 <= self.bad_words < 1:
            raise ConfigError("rare must be at least 0, and bad_words lie in [0, 1)")


@dataclass(frozen=True)
class InfiniteConfig:
    """Settings of a model with unbounded contexts."""

    task: TaskName = setting("tags", "What is learned.")
    contexts: Literal["auto", "symbols", "rules"] = setting(
        "auto",
        "What a context is made of: the symbols above a node, or its own symbol and the rules "
        "above it; auto: what suits the task.",
    )
    depth: int | None = setting(
        None, "How much of a context is seen, the node's own symbol counted; none: all of it."
    )
    base: Literal["pcfg", "uniform"] = setting(
        "pcfg", "What the shortest contexts back off to: rule frequencies, or all rules alike."
    )
    base_smoothing: float = setting(
        0.0, "Added to the frequency of every rule of a symbol, in the base."
    )
    shared_from: int = setting(
        8, "Contexts of this length and longer share one discount and one strength."
    )
    fit: Literal["left-out", "seating"] = setting(
        "left-out",
        "What maximised hyper-parameters make probable, under minimal seating: blocks of trees "
        "left out in turn, or the seating (as in the paper).",
    )
    blocks: int = setting(10, "How many blocks, each of neighbouring trees, are left out in turn.")
    gibbs_depth: int = setting(
        6, "How much of a context is seen where sampler.seating = gibbs, which stores all of it."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(seating="minimal", hyper="map", sweeps=1, samples=1),
        "How the distributions are learned; minimal or gibbs seating.",
    )
    tags: TagsSettings = setting(TagsSettings(), "Where task = tags.")
    trees: TreesSettings = setting(TreesSettings(), "Where task = trees.")
    morphology: MorphologySettings = setting(MorphologySettings(), "Where task = morphology.")

    @property
    def home(self) -> str:
        """The name of the model's class among the `HOMES` of tasks."""
        return f"{self.task}.{self.morphology.unit}" if self.task == "morphology" else self.task

    def validate(self) -> None:
        """Refuse what no such model has."""
        for name in ("depth", "shared_from", "gibbs_depth"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise ConfigError(f"{name} = {value} must be at least 1")
        if self.blocks < 2:
            raise ConfigError(f"blocks = {self.blocks} must be at least 2")
        if not self.base_smoothing >= 0:
            raise ConfigError(f"base_smoothing = {self.base_smoothing} must be at least 0")
        sampler = self.sampler
        if sampler.seating == "maximal" or sampler.hyper == "sequential":
            raise ConfigError(
                "unbounded contexts are learned with minimal seating (hyper = 'map' or 'fixed') "
                "or with gibbs seating (hyper = 'slice', 'map' or 'fixed')"
            )
        if sampler.seating == "minimal" and sampler.hyper == "slice":
            raise ConfigError("with minimal seating hyper is 'map' or 'fixed'")
