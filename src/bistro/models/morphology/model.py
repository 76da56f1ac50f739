"""Morphology models for written words and for utterances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin
from bistro.models.kinds import resolve

UNITS = {
    "word": "bistro.models.morphology.words:WordsModel",
    "utterance": "bistro.models.morphology.utterances:UtteranceModel",
}
"""The model class for each unit of analysis."""


class MorphologyModel(Model):
    """Base class of the morphology models for written words and for utterances."""

    kind: ClassVar[str] = "morphology"

    @classmethod
    def from_parts(
        cls, config: Any, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file, according to its unit of analysis."""
        model: Self = resolve(UNITS[config.unit]).from_parts(config, header, arrays, origin)
        return model
