"""Tiny models of Eisner's kind, and all their analyses of a sentence by enumeration."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from typing import Any, Literal, TypeVar

import numpy as np

import bistro
from bistro import _core
from bistro.models.eisner.model import EisnerModel, outcomes_of, shape_of
from bistro.reference.arc_standard import projective_trees
from bistro.reference.eisner import EisnerTwin
from bistro.treebank.sentence import Sentence

WORDS, TAGS, LABELS = ["a", "b", "c", "d"], ["X", "Y", "Z"], ["k", "l"]
EXACT: dict[str, Any] = {"tags_per_word": 100, "least_candidate": 0.0, "temperature": 1.0}
"""Every candidate, and the model's own posterior."""
GENERATED = {
    "labels": ["direction", "parent.tag", "sibling.label", "parent.label", "parent.word"],
    "tags": ["label", "direction", "parent.tag", "sibling.tag", "parent.label"],
    "words": ["tag", "label", "parent.word"],
}
Analysis = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Heads, tags, labels."""
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Kind:
    """One way to build the model."""

    labels: Literal["arcs", "generated", "none"] = "arcs"
    roots: Literal["one", "several"] = "one"

    def __str__(self) -> str:
        return f"{self.labels}-{self.roots}"


LABELLINGS: tuple[Literal["arcs", "generated", "none"], ...] = ("arcs", "generated", "none")
ROOTS: tuple[Literal["one", "several"], ...] = ("one", "several")
KINDS = [Kind(labels, roots) for labels in LABELLINGS for roots in ROOTS]


def random_sentence(kind: Kind, size: int, rng: random.Random) -> Sentence:
    heads = rng.choice(projective_trees(size, single_root=kind.roots == "one"))
    return Sentence.from_columns(
        rng.choices(WORDS, k=size),
        heads=list(heads),
        deprels=rng.choices(LABELS, k=size),
        upos=rng.choices(TAGS, k=size),
    )


@dataclass(frozen=True)
class Tiny:
    """A model and its twin."""

    kind: Kind
    model: EisnerModel
    twin: EisnerTwin

    def candidates(self, words: Sequence[int]) -> list[list[tuple[int, int]]]:
        """Tags, with labels where they are generated, that the words were seen with."""
        states = self.model.states
        rows = [range(states.begin[w], states.begin[w + 1]) for w in words]
        every = list(range(len(states.tag)))
        numbers = [[int(states.list[i]) for i in row] or every for row in rows]
        return [[(int(states.tag[s]), int(states.label[s])) for s in row] for row in numbers]

    def analyses(self, sentence: Sentence) -> dict[Analysis, float]:
        """All analyses that agree with what the sentence gives, and their log-probabilities."""
        words = self.model.codec.vocabulary.encode(sentence.forms).tolist()
        single = self.kind.roots == "one"
        found = {}
        for heads in projective_trees(len(words), single_root=single):
            if any(g not in (-1, h) for g, h in zip(sentence.heads, heads, strict=True)):
                continue
            for tags, labels in self._annotations(words, sentence):
                found[heads, tags, labels] = self.twin.log_prob(words, heads, tags, labels)
        return found

    def _annotations(
        self, words: Sequence[int], sentence: Sentence
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        choices = []
        for i, row in enumerate(self.candidates(words)):
            given = [TAGS.index(t) if t != "_" else -1 for t in sentence.upos][i]
            label = [LABELS.index(la) if la != "_" else -1 for la in sentence.deprels][i]
            pairs = {
                (given if given >= 0 else tag, other)
                for tag, own in row
                for other in ([own] if self.kind.labels == "generated" else self._labels())
                if given < 0 or tag == given or self.kind.labels != "generated"
            }
            open_label = label < 0 or self.kind.labels == "none"
            choices.append([pair for pair in sorted(pairs) if open_label or pair[1] == label])
        return [
            (tuple(tag for tag, _ in chosen), tuple(label for _, label in chosen))
            for chosen in product(*choices)
        ]

    def _labels(self) -> list[int]:
        return [-1] if self.kind.labels == "none" else list(range(len(LABELS)))


@lru_cache
def tiny(kind: Kind, number: int = 40) -> Tiny:
    rng = random.Random(7)
    sentences = [random_sentence(kind, 1 + i % 4, rng) for i in range(number)]
    settings: dict[str, Any] = {"contexts": GENERATED} if kind.labels == "generated" else {}
    model = bistro.train(
        "eisner",
        sentences,
        seed=1,
        labels=kind.labels,
        roots=kind.roots,
        unknown="single",
        sampler={"sweeps": 4, "samples": 2},
        **settings,
    )
    assert isinstance(model, EisnerModel)
    return Tiny(kind, model, twin_of(model, kind))


def twin_of(model: EisnerModel, kind: Kind) -> EisnerTwin:
    shape = shape_of(model.config, model.codec, single_root=model.single_root)
    outcomes = outcomes_of(shape, model.codec, model.states)
    frozen = {
        name: _core.Frozen(**arrays, dishes=outcomes[name])
        for name, arrays in model.distributions.items()
    }

    @cache
    def log_predict(name: str, context: tuple[int, ...], outcome: int) -> float:
        row = np.array(context, np.int32)
        distribution = frozen[name].distribution(row)
        total = distribution.sum() if name == "labels" and kind.labels == "arcs" else 1.0
        return math.log(distribution[outcome] / total)

    contexts = model.config.contexts
    return EisnerTwin(
        len(model.codec.tags),
        len(model.codec.vocabulary),
        len(model.codec.labels),
        kind.labels,
        model.single_root,
        {name: getattr(contexts, name) for name in ("tags", "words", "labels")},
        log_predict,
    )


@dataclass
class Sums:
    """Marginals by enumeration."""

    heads: list[dict[int, float]] = field(default_factory=list)
    tags: list[dict[str, float]] = field(default_factory=list)
    labels: list[dict[str, float]] = field(default_factory=list)

    @classmethod
    def of(cls, analyses: dict[Analysis, float], size: int) -> Sums:
        words = range(size)
        sums = cls([{} for _ in words], [{} for _ in words], [{} for _ in words])
        total = math.fsum(math.exp(w) for w in analyses.values())
        for (heads, tags, labels), weight in analyses.items():
            share = math.exp(weight) / total
            for i in words:
                _add(sums.heads[i], heads[i], share)
                _add(sums.tags[i], TAGS[tags[i]], share)
                _add(sums.labels[i], LABELS[labels[i]] if labels[i] >= 0 else "_", share)
        return sums


def _add(table: dict[Outcome, float], outcome: Outcome, share: float) -> None:
    table[outcome] = table.get(outcome, 0.0) + share
