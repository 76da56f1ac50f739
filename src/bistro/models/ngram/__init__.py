"""The hierarchical Pitman-Yor n-gram language model."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="ngram",
    help="hierarchical Pitman-Yor n-gram language model",
    about="a hierarchical Pitman-Yor n-gram model: words given the words before them",
    model="bistro.models.ngram.base:AnyNgramModel",
    config="bistro.models.ngram.config:NgramConfig",
    trainer="bistro.models.ngram.train:train_ngram",
    abilities=("score", "generate", "explain"),
    reading=0.14,
    text_trainer="bistro.models.ngram.train:train_with_text",
    prior="bistro.models.ngram.prior:simulate_ngram",
)
