"""A model that predicts the tags, features and lemmas of words."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="columns",
    help="tags, features and lemmas of words",
    about="tags, features and lemmas, each given the others, the tree and the spelling of the word",
    model="bistro.models.columns.model:ColumnsModel",
    config="bistro.models.columns.config:ColumnsConfig",
    trainer="bistro.models.columns.train:train_columns",
    needs_annotation=True,
    abilities=("fill", "figures"),
    judged_by="figures",
)
