"""Morphology models with unbounded contexts."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="morphology",
    help="morphemes of words, with unbounded contexts",
    about="a model of morphemes with unbounded contexts: each sees all morphemes before it",
    model="bistro.models.morphology.model:MorphologyModel",
    config="bistro.models.morphology.config:MorphologyConfig",
    trainer="bistro.models.morphology.train:train_morphology",
    abilities=("segment", "parse_trees", "figures"),
    items="paragraphs of segmented words",
    reader="bistro.models.morphology.reader:READER",
    judged_by="figures",
)
