"""The models used by the tables of Buys & Blunsom (2015), each trained once per run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import bistro
from bistro.config import apply_overrides, read_toml
from bistro.models.presets import file_or_preset
from bistro.models.tags.config import TagsConfig
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence
from experiments.treebanks import Split, evaluate, load_split

PRESET = "buys-blunsom-2015"
TREEBANKS = {"wsj": "wsj", "ewt": "ud"}
"""The treebanks, with Bistro's preset for each."""
ON_TREES = ("derivations=oracle", "sampler.hyper_every=1")
"""Settings without latent structure: one derivation per tree, and hyper-parameters resampled in
every sweep."""
SEED = 1
SENTENCES = 3262


@cache
def treebank_of(name: str) -> Split:
    """Read a treebank once, with at most as many training sentences as the WSJ sample.

    Sampling the derivations of the whole of EWT takes hours.
    """
    split = load_split(name)
    return replace(split, train=split.train[:SENTENCES])


@cache
def parser(treebank: str, preset: str, *changes: str) -> TransitionModel:
    """Train the parser of a preset with some settings changed, each as ``key=value``."""
    config = read_toml(file_or_preset(preset), TransitionConfig)
    config = apply_overrides(config, changes)
    return bistro.train("transition", treebank_of(treebank).train, config=config, seed=SEED)


def with_elements(count: int) -> list[str]:
    """Return the settings that keep only the first `count` elements of the contexts of Table 1."""
    contexts = read_toml(file_or_preset(PRESET), TransitionConfig).contexts
    kept = contexts.actions[:count]
    words = [e for e in contexts.words if e == "b.tag" or e in kept]
    return [
        f"contexts.{name}={json.dumps(elements)}"
        for name, elements in (("actions", kept), ("tags", kept), ("words", words))
    ]


@cache
def tagged(treebank: str, part: str, column: str) -> Sequence[Sentence]:
    """Return a part of a treebank with predicted tags in one column."""
    split = treebank_of(treebank)
    config = apply_overrides(read_toml(file_or_preset("tagger"), TagsConfig), [f"tagset={column}"])
    tagger = bistro.train("tags", split.train, config=config, seed=SEED)
    return [
        tagging.sentence.replace(**{column: tagging.tags})
        for tagging in tagger.tag_all(getattr(split, part), threads=1)
    ]


def accuracy(
    treebank: str,
    model: TransitionModel,
    tags: str,
    *,
    part: Literal["dev", "test"] = "dev",
    speed: bool = False,
    **options: Any,
) -> str:
    """Return UAS, and LAS if there are labels, of words that are not punctuation.

    `tags` is "joint", "given", or "tagger" for the tags of a separate tagger.
    """
    gold = getattr(treebank_of(treebank), part)
    given = tagged(treebank, part, model.config.tagset) if tags == "tagger" else gold
    way = "joint" if tags == "joint" else "given"
    outcome = evaluate(model, given, gold=gold, tags=way, **options)
    scores = outcome.scores.no_punct
    figures = f"{scores.uas:.2f}"
    if scores.las is not None:
        figures += f" / {scores.las:.2f}"
    return f"{outcome.sentences_a_second:,.0f}: {figures}" if speed else figures
