"""The latent-variable parser, an incremental sigmoid belief network."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="isbn",
    help="latent-variable arc-eager parser and language model",
    about="a latent-variable parser: its states are vectors, linked by the tree so far",
    model="bistro.models.isbn.model:IsbnModel",
    config="bistro.models.isbn.config:IsbnConfig",
    trainer="bistro.models.isbn.train:train_isbn",
    needs_annotation=True,
    abilities=("parse", "vote", "tag", "score", "generate", "generate_trees"),
    text_trainer="bistro.models.isbn.raw_text:train_with_text",
    dev="stops when it is best there",
    judged_by="parse",
    draws=False,
)
