"""Settings of a constituency parser with unbounded contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.models.unbounded.config import UnboundedConfig
from bistro.treebank.binarisation import Binarisation
from bistro.treebank.phrase_marks import Marks


@dataclass(frozen=True)
class TreesConfig(UnboundedConfig):
    """Settings of a constituency parser with unbounded contexts."""

    binarisation: Binarisation = setting(
        "right",
        "How to binarise nodes with more than two children: by branching to the right or to the "
        "left, or from the head outwards, starting with the children on its left or right.",
    )
    marks: Marks = setting(
        "none",
        "Marks added to the label of a phrase to show information about its words. With verbs, the "
        "label of a clause or verb phrase shows the tag of the head (VP~VBD). With heads, labels "
        "also show the preposition (PP~of) and whether a noun phrase contains other phrases. These "
        "marks are designed for the labels of the Penn Treebank.",
    )
    unknown: Literal["markers", "classes", "single"] = setting(
        "markers",
        "How to represent unknown words: by markers for English, by learned classes, or by a "
        "single <unk>.",
    )
    unknown_suffixes: int = setting(
        100, "Number of suffixes that distinguish learned classes of unknown words."
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
