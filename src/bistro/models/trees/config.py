"""Settings of a constituency parser with unbounded contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.models.unbounded.config import UnboundedConfig


@dataclass(frozen=True)
class TreesConfig(UnboundedConfig):
    """Settings of a constituency parser with unbounded contexts."""

    unknown: Literal["markers", "classes", "single"] = setting(
        "markers", "Unknown words: markers for English, learned classes, or one <unk>."
    )
    unknown_suffixes: int = setting(100, "Number of suffixes that distinguish learned classes.")
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
