"""Generative models of word order, which linearize dependency trees."""

from __future__ import annotations

from bistro.models.kinds import Kind

KIND = Kind(
    name="linearize",
    help="word order, from unordered trees to sentences",
    about="a model of word order: the orders of an unordered tree, with probabilities",
    model="bistro.models.linearize.model:LinearizeModel",
    config="bistro.models.linearize.config:LinearizeConfig",
    trainer="bistro.models.linearize.train:train_linearize",
    needs_annotation=True,
    abilities=("linearize",),
    dev="fits the weights of its parts",
    judged_by="linearize",
)
