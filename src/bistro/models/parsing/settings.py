"""The settings that all parsers of projective trees share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.inference.settings import UNKNOWN_HELP, SpellingSettings, UnknownSetting
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults

MOST_PARTICLES = 1_000_000


@dataclass(frozen=True)
class ParserSettings:
    """The settings of a parser that concern tags, roots, words and crossing arcs."""

    tagset: Literal["upos", "xpos"] = setting("upos", "Treebank column that contains the tags.")
    tag_features: tuple[str, ...] = setting(
        (),
        "Features from FEATS or MISC that are added to the tag, such as PronType. UPOS adds the "
        "universal tag to tags from XPOS.",
    )
    roots: Literal["auto", "one", "several"] = setting(
        "auto",
        "How many words of a sentence may depend on the root: only one, or several. With auto, "
        "the number of roots depends on the training data.",
    )
    nonprojective: Literal["head", "path", "head+path", "lift"] = setting(
        "head",
        "Pseudo-projective encoding of crossing arcs. With lift, crossing arcs are attached to "
        "a higher head, and the labels do not encode them.",
    )
    unknown: UnknownSetting = setting("classes", UNKNOWN_HELP)
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(
        100, "Number of suffixes that are used to distinguish classes of unknown words."
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)
    # The following are settings only of families in which they vary.
    labels = "two-step"
    lexical = "full"
    direction = "left-to-right"
    spelling = SpellingSettings()
