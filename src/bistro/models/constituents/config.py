"""Settings of a committee of constituency parsers, its members and their training."""

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
"""The label marks selected by the ending of a member's name. If a name has no such
ending, the labels contain marks for heads."""
DEPTH = 10


@dataclass(frozen=True)
class ConstituentsConfig:
    """Settings of a committee of constituency parsers."""

    members: tuple[Member, ...] = setting(
        ("head-left", "head-right", "left", "head-left-verbs", "head-right-verbs"),
        "The members. The name of a member determines how it binarises trees. Labels contain marks "
        "for heads unless the name ends in -plain or -verbs. Members with the same name have "
        "different chains.",
    )
    contexts: Literal["symbols", "rules"] = setting(
        "rules", "Whether contexts contain the symbols or the rules above a node."
    )
    weights: Literal["likely", "equal"] = setting(
        "likely",
        "How to weight the members. The weights maximise the probability of the constituents in "
        "the development set (likely) or are all equal (equal). Without a development set, all "
        "weights are equal.",
    )
    unknown: Literal["markers", "classes", "single"] = setting(
        "markers",
        "How to represent unknown words: by markers for English, by learned classes, or by a "
        "single <unk>.",
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
            raise ConfigError("a committee must have at least one member")
        self.of_member(self.members[0]).validate()

    def of_member(self, member: Member) -> TreesConfig:
        """Return the settings of one member."""
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
