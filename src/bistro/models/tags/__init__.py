"""Tagging with unbounded contexts."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="tags",
    help="tagger with unbounded contexts",
    about="a tagger with unbounded contexts: every tag sees all tags before it",
    model="bistro.models.tags.model:TagsModel",
    config="bistro.models.tags.config:TagsConfig",
    trainer="bistro.models.tags.train:train_tags",
    abilities=("tag", "figures"),
    reader="bistro.models.tags.task:READER",
    judged_by="figures",
    prior="bistro.models.tags.prior:simulate_tags",
)
