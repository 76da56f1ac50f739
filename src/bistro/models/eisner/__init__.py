"""Eisner's generative dependency model with Pitman-Yor priors."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="eisner",
    help="Eisner's generative dependency model, with an exact chart",
    about="Eisner's generative model: children generated outward from their heads, with an exact "
    "chart over all projective trees",
    model="bistro.models.eisner.model:EisnerModel",
    config="bistro.models.eisner.config:EisnerConfig",
    trainer="bistro.models.eisner.train:train_eisner",
    needs_annotation=True,
    abilities=("parse", "vote", "tag", "explain"),
    judged_by="parse",
    reading=0.085,
)
