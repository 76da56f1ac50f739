"""Constituency parsing with unbounded contexts."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="trees",
    help="constituency parser with unbounded contexts",
    about="a constituency parser with unbounded contexts: every rule sees everything above it",
    model="bistro.models.trees.model:TreesModel",
    config="bistro.models.trees.config:TreesConfig",
    trainer="bistro.models.trees.train:train_trees",
    abilities=("parse_trees", "vote_spans", "figures"),
    items="constituency trees",
    reader="bistro.models.data:TREES",
    judged_by="figures",
)
