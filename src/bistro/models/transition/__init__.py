"""The generative transition parser, tagger and language model."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="transition",
    help="generative arc-standard parser, tagger and language model",
    about="a generative transition parser: trees and words built from left to right, four "
    "hierarchical Pitman-Yor processes (actions, labels, tags, words)",
    model="bistro.models.transition.model:TransitionModel",
    config="bistro.models.transition.config:TransitionConfig",
    trainer="bistro.models.transition.train:train_transition",
    needs_annotation=True,
    abilities=("parse", "vote", "tag", "score", "generate", "generate_trees", "follow", "explain"),
    preset_for="bistro.models.transition.fitting:preset_for",
    text_trainer="bistro.models.transition.raw_text:train_with_text",
    prior="bistro.models.transition.prior:simulate_transition",
)
