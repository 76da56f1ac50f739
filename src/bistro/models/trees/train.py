"""Training of a constituency parser with unbounded contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bistro.models.runs import Run
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.model import TreesModel
from bistro.models.unbounded.train import train_unbounded


def train_trees(data: Sequence[Any], config: TreesConfig, run: Run) -> TreesModel:
    """Train a constituency parser."""
    return train_unbounded(TreesModel, data, config, run)
