"""Wallach, Sutton & McCallum (2008): the tables of the paper."""

from __future__ import annotations

from experiments.papers import wallach_2008_eisner, wallach_2008_topics
from experiments.papers.table import Paper

PAPER = Paper(
    key="wallach-2008",
    citation="Wallach, Sutton & McCallum (2008), Bayesian Modeling of Dependency Trees Using "
    "Hierarchical Pitman-Yor Priors",
    presets=("wallach-2008-eisner", "wallach-2008-topics"),
    tables=(*wallach_2008_eisner.tables(), *wallach_2008_topics.tables()),
)
