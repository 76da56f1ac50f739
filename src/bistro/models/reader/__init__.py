"""The reader, a word-by-word mixture of several language models."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="reader",
    help="several language models mixed word by word (the recommended language model)",
    about="a reader: several language models of one treebank, mixed word by word",
    model="bistro.models.reader.model:ReaderModel",
    config="bistro.models.reader.config:ReaderConfig",
    trainer="bistro.models.reader.train:train_reader",
    text_trainer="bistro.models.reader.train:train_with_text",
    abilities=("score", "remember", "generate", "explain"),
    has_members=True,
    dev="fits the weights of its members",
    draws=False,  # Only its members draw, each in separate chains.
)
