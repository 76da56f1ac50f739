"""Draws of tagged sentences from the prior, for simulation-based calibration."""

from __future__ import annotations

from functools import cache

from bistro.inference.simulated import Simulated
from bistro.models.tags.config import TagsConfig
from bistro.models.tags.task import TagsTask
from bistro.models.unbounded.prior import simulate_trees
from bistro.treebank.sentence import Sentence

TAGS, WORDS = ("X", "Y"), ("a", "b", "c")


def simulate_tags(config: TagsConfig, seed: int) -> Simulated:
    """Draw hyper-parameters and tagged sentences, and return a chain over the sentences."""
    return simulate_trees(_task(), config, seed)


@cache
def _task() -> TagsTask:
    """Return a small tagging task in which every tag can generate every word."""
    every = [Sentence.from_columns([word] * 2, upos=TAGS) for word in WORDS]
    task, _ = TagsTask.learn(every, TagsConfig(unknown="single"))
    return task
