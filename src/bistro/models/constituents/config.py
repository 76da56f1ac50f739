"""Settings of a committee of constituency parsers: its members, and how they are trained."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults
from bistro.models.trees.config import TreesConfig
from bistro.treebank.phrase_marks import Marks

Member = Literal[
    "head-left",
    "head-right",
    "left",
    "right",
    "head-left-verbs",
    "head-right-verbs",
    "left-verbs",
    "right-verbs",
    "head-left-plain",
    "head-right-plain",
    "left-plain",
    "right-plain",
]
MARKS: dict[str, Marks] = {"plain": "none", "verbs": "verbs"}
"""Endings of member names, and what the labels of these members show; by default, heads."""
DEPTH = 10


@dataclass(frozen=True)
class ConstituentsConfig:
    """Settings of a committee of constituency parsers."""

    members: tuple[Member, ...] = setting(
        ("head-left", "head-right", "left", "head-left-verbs", "head-right-verbs"),
        "How each member splits its trees (binarisation of trees), and what its labels show "
        "(marks): heads, or as the end of the name says. A repeated name adds another chain.",
    )
    contexts: Literal["symbols", "rules"] = setting(
        "rules", "Elements of contexts: the symbols above a node, or the rules above it."
    )
    weights: Literal["likely", "equal"] = setting(
        "likely",
        "Weights of the members: weights that make the constituents of the development set most "
        "probable, or equal weights. Without a development set they are equal.",
    )
    unknown: Literal["markers", "classes", "single"] = setting(
        "markers", "Unknown words: markers for English, learned classes, or one <unk>."
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    gibbs_depth: int = setting(DEPTH, "Maximum length of a context.")
    sampler: SamplerSettings = setting(
        SamplerSettings(seating="gibbs", hyper="slice", sweeps=30, samples=10),
        "Settings for learning the distributions.",
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Raise an error if there are no members or their settings are invalid."""
        if not self.members:
            raise ConfigError("a committee needs at least one member")
        self.of_member(self.members[0]).validate()

    def of_member(self, member: Member) -> TreesConfig:
        """Return the settings of a member."""
        way, _, end = member.rpartition("-")
        shown = MARKS.get(end, "heads")
        binarisation: Any = way if end in MARKS else member
        settings = TreesConfig(
            binarisation=binarisation,
            marks=shown,
            contexts=self.contexts,
            unknown=self.unknown,
            unknown_below=self.unknown_below,
            gibbs_depth=self.gibbs_depth,
        )
        return replace(settings, sampler=self.sampler)
