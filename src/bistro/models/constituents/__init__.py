"""A committee of constituency parsers."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="constituents",
    help="several constituency parsers that vote (the recommended constituency parser)",
    about="a committee of constituency parsers with unbounded contexts, whose spans are mixed",
    model="bistro.models.constituents.model:ConstituentsModel",
    config="bistro.models.constituents.config:ConstituentsConfig",
    trainer="bistro.models.constituents.train:train_constituents",
    abilities=("parse_trees", "figures"),
    items="constituency trees",
    reader="bistro.models.data:TREES",
    dev="fits the weights of its members",
    judged_by="figures",
)
