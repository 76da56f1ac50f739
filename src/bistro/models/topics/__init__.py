"""Syntactic topics are latent states between words and their dependents."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="topics",
    help="latent states between words and their dependents",
    about="syntactic topics: latent states between words and their dependents",
    model="bistro.models.topics.model:TopicsModel",
    config="bistro.models.topics.config:TopicsConfig",
    trainer="bistro.models.topics.train:train_topics",
    needs_annotation=True,
    abilities=("parse", "top_states"),
    judged_by="parse",
    prior="bistro.models.topics.prior:simulate_topics",
)
