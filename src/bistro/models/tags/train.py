"""Training of a tagger with unbounded contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bistro.models.runs import Run
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.model import TagsModel
from bistro.models.unbounded.train import train_unbounded


def train_tags(data: Sequence[Any], config: TagsConfig, run: Run) -> TagsModel:
    """Train a tagger."""
    return train_unbounded(TagsModel, data, config, run)
