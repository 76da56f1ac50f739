"""Settings of a morphology model with unbounded contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.models.unbounded.config import UnboundedConfig


@dataclass(frozen=True)
class MorphologyConfig(UnboundedConfig):
    """Settings of a morphology model with unbounded contexts."""

    unit: Literal["utterance", "word"] = setting(
        "word", "Unit of analysis: an utterance, given as morphemes, or a written word."
    )
    utterance: Literal["clause", "sentence", "paragraph"] = setting(
        "clause",
        "Extent of an utterance: a sentence, a paragraph, or the words between two punctuation "
        "marks.",
    )
    rare: int = setting(
        2,
        "In utterances, morphemes seen at most this many times are represented by the type of "
        "their first letter (vowel or consonant).",
    )
    bad_words: float = setting(
        0.001, "Maximum share of words that may be left out because of invalid annotation."
    )

    def validate(self) -> None:
        """Raise an error if a count or share is out of range."""
        super().validate()
        if self.rare < 0 or not 0 <= self.bad_words < 1:
            raise ConfigError("rare must be at least 0, and bad_words must lie in [0, 1)")
