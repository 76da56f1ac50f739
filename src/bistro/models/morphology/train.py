"""Training of morphology models for written words or for utterances."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.model import MorphologyModel
from bistro.models.morphology.train_words import train_words
from bistro.models.morphology.utterances import UtteranceModel
from bistro.models.runs import Run
from bistro.models.unbounded.train import train_unbounded
from bistro.treebank.morphology import Paragraph


def train_morphology(
    data: Sequence[Paragraph], config: MorphologyConfig, run: Run
) -> MorphologyModel:
    """Train a model for written words or for utterances, as the configuration specifies."""
    if config.unit == "word":
        return train_words(data, config, run)
    return train_unbounded(UtteranceModel, data, config, run)
