"""One small recipe per family: what it learns from and with which settings.

Every recipe trains in a fraction of a second on the built-in treebank, its trees or invented words.
The conformance tests train each; `tools/store_models.py` keeps a file of those that are `stored`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import bistro
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes

SHORT = {"sampler": {"sweeps": 4, "samples": 2}}
GIBBS = {"sampler": {"seating": "gibbs", "hyper": "slice", "sweeps": 4, "samples": 2}}
FEW_CONTEXTS = {
    "actions": ("s1.tag", "s2.tag", "s1.word"),
    "labels": ("action", "s1.tag", "s2.tag"),
    "tags": ("s1.tag", "s2.tag"),
    "words": ("b.tag", "s1.tag", "s1.word"),
}
WITH_LABELS = {
    "labels": ("direction", "parent.tag", "sibling.label", "parent.label"),
    "tags": ("label", "parent.tag", "direction"),
    "words": ("tag", "label"),
}
FEW_ELEMENTS: dict[str, tuple[str, ...]] = {
    "spelling": ("suffix1", "low"),
    "words": (),
    "frame": (),
    "neighbours": ("previous.tag",),
    "lemmas": ("suffix1", "low"),
}
SMALL_NETWORK = {"hidden": 4, "learning": {"passes": 4, "rate": 0.2}}
QUICKLY = "sampler.sweeps=4 sampler.samples=2"
SMALL_PARSER = f"transition:table1 {QUICKLY} " + " ".join(
    f"contexts.{name}={json.dumps(seen, separators=(',', ':'))}"
    for name, seen in FEW_CONTEXTS.items()
)
LOCAL = ("s1.word", "s1.tag", "s1.label", "b.word", "b.tag")
MORPHEMES = [
    "un[Pre]-tie[Stem]",
    "re[Pre]-tie[Stem]",
    "tie[Stem]-s[Suf]",
    "un[Pre]-pack[Stem]-able[Suf]",
    "re[Pre]-pack[Stem]",
    "pack[Stem]-er[Suf]-s[Suf]",
    "lock[Stem]-able[Suf]",
    "un[Pre]-lock[Stem]",
    "lock[Stem]-er[Suf]",
    "re[Pre]-do[Stem]",
    "do[Stem]-able[Suf]",
    "un[Pre]-do[Stem]",
]


@dataclass(frozen=True)
class Recipe:
    """How a model of a family is trained."""

    name: str
    kind: str
    data: str = "sentences"
    """What it learns from, a name of `DATA`."""
    settings: dict[str, Any] = field(default_factory=dict)
    dev: bool = False
    """Whether training has a development set."""
    draws: bool = True
    """Whether another seed gives other arrays."""
    stops: bool = True
    """Whether training takes several sweeps, so that it can be stopped between them."""
    without: tuple[str, ...] = ()
    """Abilities of the family that these settings leave out."""
    stored: bool = False
    """Whether `tests/data/models` has files of it."""
    since: int = 1
    """The first version of the model file in which there were such models."""

    def train(self, seed: int = 1, **options: Any) -> bistro.Model:
        """Train the model; `options` are those of `bistro.train`."""
        if self.dev:
            options = {"dev": data("sentences", 7)[:8], **options}
        return bistro.train(self.kind, data(self.data), seed=seed, **{**self.settings, **options})


RECIPES = (
    Recipe("ngram", "ngram", settings={"order": 3, **SHORT}, stored=True),
    Recipe(
        "ngram-bytes",
        "ngram",
        settings={"units": "bytes", "order": 0, **SHORT},
        stops=False,
        without=("explain",),
        stored=True,
        since=3,
    ),
    Recipe(
        "ngram-characters",
        "ngram",
        settings={"units": "characters", "order": 4, **SHORT},
        without=("explain",),
    ),
    Recipe(
        "ngram-spelling",
        "ngram",
        settings={"order": 2, "unknown": "spelling", "spelling": {"order": 3}, **SHORT},
        stored=True,
    ),
    Recipe("transition", "transition", settings={"contexts": FEW_CONTEXTS, **SHORT}, stored=True),
    Recipe(
        "transition-spelling",
        "transition",
        settings={
            "unknown": "spelling",
            "contexts": FEW_CONTEXTS,
            "unsupervised": {"sweeps": 3, "samples": 1, "particles": 3},
            **SHORT,
        },
    ),
    Recipe(
        "transition-backwards",
        "transition",
        settings={
            "direction": "right-to-left",
            "labels": "joint",
            "unknown": "spelling",
            "contexts": FEW_CONTEXTS,
            **SHORT,
        },
        without=("score", "follow"),
    ),
    Recipe(
        "transition-unlabelled",
        "transition",
        settings={
            "labels": "none",
            "root": "last",
            "roots": "several",
            "lexical": "outcomes",
            "derivations": "sampled",
            **SHORT,
        },
    ),
    Recipe("eisner", "eisner", settings=SHORT, stored=True),
    Recipe(
        "eisner-generated",
        "eisner",
        settings={"labels": "generated", "contexts": WITH_LABELS, **SHORT},
    ),
    Recipe("eisner-unlabelled", "eisner", settings={"labels": "none", **SHORT}),
    Recipe("isbn", "isbn", settings=SMALL_NETWORK, stored=True),
    Recipe(
        "isbn-backwards",
        "isbn",
        settings={
            "direction": "right-to-left",
            "approximation": "mean-field",
            "labels": "none",
            **SMALL_NETWORK,
        },
        without=("score",),
    ),
    Recipe(
        "isbn-published",
        "isbn",
        settings={
            "tagset": "xpos",
            "features": ("malt", "s1.lemma", "b.lemma", "decisions"),
            "approximation": "mean-field",
            **SMALL_NETWORK,
        },
        dev=True,
    ),
    Recipe(
        "isbn-local",
        "isbn",
        settings={"tag_features": (), "features": LOCAL, "reduce": "early", **SMALL_NETWORK},
    ),
    Recipe(
        "committee",
        "committee",
        settings={"members": ("isbn", "eisner"), "isbn": SMALL_NETWORK, **SHORT},
        dev=True,
        stored=True,
    ),
    Recipe(
        "committee-both-ways",
        "committee",
        settings={
            "members": ("left", "right", "left-other-tags", "isbn"),
            "isbn": SMALL_NETWORK,
            **SHORT,
        },
    ),
    Recipe(
        "reader",
        "reader",
        settings={
            "members": (
                f"ngram order=2 {QUICKLY}",
                SMALL_PARSER,
                "isbn hidden=4 learning.passes=4 learning.rate=0.2",
            )
        },
        dev=True,
        stored=True,
        since=3,
    ),
    Recipe(
        "reader-spelling",
        "reader",
        settings={
            "members": (f"ngram order=2 {QUICKLY}", f"ngram order=3 {QUICKLY}", SMALL_PARSER),
            "unknown": "spelling",
        },
    ),
    Recipe("topics", "topics", settings={"states": 4, "sweeps": 6, "samples": 2}, stored=True),
    Recipe(
        "topics-open",
        "topics",
        settings={"states": None, "sweeps": 6, "samples": 2, "chains": 2},
    ),
    Recipe(
        "topics-literal",
        "topics",
        settings={"states": 4, "directed": False, "stops": False, "sweeps": 6, "samples": 2},
    ),
    Recipe("topics-tags", "topics", settings={"source": "upos", "sweeps": 6, "samples": 2}),
    Recipe("linearize", "linearize", settings=SHORT, stored=True),
    Recipe(
        "linearize-counts",
        "linearize",
        settings={"smoothing": "add-k", "models": ("oo", "c", "n3")},
        draws=False,
        stops=False,
    ),
    Recipe("tags", "tags", draws=False, stops=False, stored=True),
    Recipe("tags-gibbs", "tags", settings={"gibbs_depth": 3, **GIBBS}),
    Recipe("trees", "trees", "trees", draws=False, stops=False, stored=True),
    Recipe("trees-gibbs", "trees", "trees", settings={"gibbs_depth": 3, **GIBBS}),
    Recipe(
        "trees-heads",
        "trees",
        "trees",
        settings={"binarisation": "head-left", "marks": "heads", "contexts": "rules"},
        draws=False,
        stops=False,
    ),
    Recipe(
        "constituents",
        "constituents",
        "trees",
        settings={"members": ("head-left", "right-plain"), "gibbs_depth": 3, **GIBBS},
    ),
    Recipe(
        "constituents-one",
        "constituents",
        "trees",
        settings={"members": ("head-left",), "contexts": "symbols", "gibbs_depth": 1, **GIBBS},
        stored=True,
        since=3,
    ),
    Recipe(
        "morphology",
        "morphology",
        "words",
        settings={"fit": "seating"},
        draws=False,
        stops=False,
        without=("parse_trees",),
        stored=True,
    ),
    Recipe(
        "morphology-utterance",
        "morphology",
        "utterances",
        settings={"unit": "utterance", "rare": 1},
        draws=False,
        stops=False,
        without=("segment", "parse_trees"),
        stored=True,
    ),
    Recipe(
        "morphology-utterance-gibbs",
        "morphology",
        "utterances",
        settings={"unit": "utterance", "rare": 1, **GIBBS},
        without=("segment", "parse_trees"),
    ),
    Recipe("grammar", "grammar", "trees", draws=False, stops=False, stored=True),
    Recipe("tokens", "tokens", settings={"order": 4, **SHORT}, stored=True),
    Recipe(
        "columns",
        "columns",
        settings={"columns": ("xpos", "lemmas"), "contexts": FEW_ELEMENTS, **SHORT},
        stored=True,
    ),
    Recipe("columns-all", "columns", settings=SHORT),
    Recipe(
        "pipeline",
        "pipeline",
        "few sentences",
        settings={
            "parser": "eisner",
            "tokens": {"order": 2, **SHORT},
            "columns": {"columns": ("xpos", "lemmas"), "contexts": FEW_ELEMENTS, **SHORT},
        },
        stored=True,
    ),
)
BY_NAME = {recipe.name: recipe for recipe in RECIPES}


@cache
def data(name: str, seed: int = 1) -> Sequence[Any]:
    """Return training data by name; another seed gives other items, for tests."""
    return DATA[name](seed)


def _words(seed: int) -> list[Paragraph]:
    parsed = [parse_morphemes(text) for text in MORPHEMES[seed - 1 :]]
    return [Paragraph(SegmentedWord("".join(m.form for m in word), word) for word in parsed)]


def _utterances(seed: int) -> list[Paragraph]:
    words = _words(seed)[0].words
    return [Paragraph(words[i : i + 3]) for i in range(0, len(words), 3)]


DATA = {
    "sentences": lambda seed: bistro.builtin(sentences=12, seed=seed),
    "few sentences": lambda seed: bistro.builtin(sentences=4, seed=seed),
    "trees": lambda seed: bistro.builtin_trees(sentences=12, seed=seed),
    "words": _words,
    "utterances": _utterances,
}
