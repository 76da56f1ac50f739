"""Settings of a tagger with unbounded contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.models.unbounded.config import UnboundedConfig


@dataclass(frozen=True)
class TagsConfig(UnboundedConfig):
    """Settings of a tagger with unbounded contexts."""

    tagset: Literal["upos", "xpos"] = setting("upos", "Column with the tags.")
    unknown: Literal["classes", "single"] = setting(
        "classes",
        "How to represent unknown words: by classes based on shape and suffix, or by a single "
        "<unk>.",
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(
        100, "Number of suffixes that distinguish classes of unknown words."
    )
