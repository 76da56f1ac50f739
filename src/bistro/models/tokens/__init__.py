"""A model that finds the words and sentences in running text."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="tokens",
    help="words and sentences of running text",
    about="a model of characters with hidden ends of words and sentences: running text into words",
    model="bistro.models.tokens.model:TokensModel",
    config="bistro.models.tokens.config:TokensConfig",
    trainer="bistro.models.tokens.train:train_tokens",
    needs_annotation=True,
    abilities=("tokenise", "figures"),
    judged_by="figures",
)
