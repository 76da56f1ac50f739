"""Training of the layers of a pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from bistro.errors import BistroError
from bistro.inference.chains import fingerprint_of
from bistro.models import kinds
from bistro.models.base import Model
from bistro.models.columns.train import train_columns
from bistro.models.defaults import OptionValue, own_defaults
from bistro.models.nested import trained_in_turn
from bistro.models.pipeline.config import PipelineConfig
from bistro.models.pipeline.model import PipelineModel
from bistro.models.runs import Run
from bistro.models.settings import chosen_settings
from bistro.models.tokens.text import has_spaces
from bistro.models.tokens.train import train_tokens
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

NO_SPACES = (
    "the treebank does not mark which words have no space after them (SpaceAfter=No or # text): "
    "the pipeline will not find words in running text"
)
QUICK: dict[str, dict[str, OptionValue]] = {"transition": {"size": 300}}
"""Default parsing options of a pipeline, which the parser's settings can override. A transition
parser with 300 instead of 1,000 particles is nearly twice as fast, and loses less than 0.1 points
of attachment on the development part of EWT."""

COSTS = {"tokens": 4.0, "columns": 1.0, "parser": 2.0}
"""Relative training times of the layers."""
COMMITTEE = 7.0
"""Factor by which the training time is multiplied if the parser has several members."""


def train_pipeline(
    data: Sequence[Sentence],
    config: PipelineConfig,
    run: Run,
    dev: Sequence[Sentence] | None = None,
    text: RawText | None = None,
) -> PipelineModel:
    """Train all layers on a treebank.

    The parser may also learn from a development set and from raw text.
    """
    if not all(isinstance(sentence, Sentence) for sentence in data):
        raise BistroError("a pipeline is trained on a treebank, but lists of words were given")
    family, settings = chosen_settings(config.parser, config.parser_config or None)
    if not family.can("parse") or family.can("annotate"):
        able = " or ".join(n for n in kinds.able("parse") if n not in kinds.able("annotate"))
        raise BistroError(f"parser = '{config.parser}' does not name a parser: choose {able}")
    if quick := QUICK.get(config.parser):
        searching = {**quick, **own_defaults(settings, "parse")}
        settings = replace(settings, defaults=replace(settings.defaults, parse=searching))
    fitting = {} if dev is None or not family.dev else {"dev": dev}
    layers: dict[str, Callable[[Run], Model]] = {
        "columns": lambda own: train_columns(data, config.columns, own),
        "parser": lambda own: (
            family.train_with_text(data, settings, own, text, **fitting)
            if text
            else family.train(data, settings, own, **fitting)
        ),
    }
    if has_spaces(data):
        layers = {"tokens": lambda own: train_tokens(data, config.tokens, own), **layers}
    else:
        run.session.on_note(NO_SPACES)
    content = hashlib.sha256("".join(map(str, [*data, *(dev or ())])).encode()).hexdigest()
    digests = [content, *(text.digests() if text else ())]
    fingerprint = fingerprint_of(PipelineModel.kind, config, run.seed, digests)
    costs = {**COSTS, "parser": COSTS["parser"] * (COMMITTEE if family.has_members else 1)}
    trained = trained_in_turn(layers, run, fingerprint, costs)
    return PipelineModel(config, trained, run.origin([]))


def train_with_text(
    data: Sequence[Sentence],
    config: PipelineConfig,
    run: Run,
    text: RawText,
    dev: Sequence[Sentence] | None = None,
) -> PipelineModel:
    """Train a pipeline whose parser also learns from raw text."""
    return train_pipeline(data, config, run, dev, text)
