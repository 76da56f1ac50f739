"""The n-gram models of words, characters and bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin
from bistro.models.kinds import resolve
from bistro.models.scoring import Scoring

UNITS = {
    "words": "bistro.models.ngram.model:NgramModel",
    "characters": "bistro.models.ngram.text_model:TextModel",
    "bytes": "bistro.models.ngram.text_model:TextModel",
}
"""The model class for each unit."""


class AnyNgramModel(Scoring, Model):
    """The base class of all n-gram models."""

    kind: ClassVar[str] = "ngram"
    longest_generated: ClassVar[float] = 1000

    @classmethod
    def from_parts(
        cls, config: Any, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore a model from the content of a file, using the class for its units."""
        model: Self = resolve(UNITS[config.units]).from_parts(config, header, arrays, origin)
        return model
