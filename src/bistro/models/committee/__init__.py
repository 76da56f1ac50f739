"""The committee, a model that combines the votes of several generative parsers."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="committee",
    help="several generative parsers that vote (the recommended parser)",
    about="a committee: several generative parsers of one treebank that parse together",
    model="bistro.models.committee.model:CommitteeModel",
    config="bistro.models.committee.config:CommitteeConfig",
    trainer="bistro.models.committee.train:train_committee",
    needs_annotation=True,
    text_trainer="bistro.models.committee.train:train_with_text",
    abilities=("parse", "tag", "explain"),
    has_members=True,
    speeds="config",
    dev="fits the weights of its members",
    judged_by="parse",
)
