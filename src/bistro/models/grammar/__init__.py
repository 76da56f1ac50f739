"""The rules of the treebank grammar are read from constituency trees."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="grammar",
    help="grammar read off constituency trees, with exact surprisal",
    about="a grammar read off constituency trees, with Pitman-Yor back-off",
    model="bistro.models.grammar.model:GrammarModel",
    config="bistro.models.grammar.config:GrammarConfig",
    trainer="bistro.models.grammar.train:train_grammar",
    abilities=("score", "generate"),
    items="constituency trees",
    reader="bistro.models.data:TREES",
    draws=False,
)
