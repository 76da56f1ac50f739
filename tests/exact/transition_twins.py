"""Tiny transition models, and the same models in plain Python."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np

import bistro
from bistro import _core
from bistro.models.results.parses import Analysis as FoundAnalysis
from bistro.models.results.parses import Parse
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.pace import Pace
from bistro.reference.arc_standard import Analysis, ArcStandard, read_off
from bistro.reference.transition_model import GenerativeParser
from bistro.treebank.sentence import Sentence

WORDS = ["a", "b", "c", "d"]
TAGS = ["X", "Y", "Z"]
WITH_FEATURES = ["X", "Y", "Y|F=z"]
"""The same tags for models that see the kinds of tags."""
TAG_KINDS = [0, 1, 1]
LABELS = ["k", "l"]
HUGE = {
    "search": "beam",
    "size": 10**7,
    "tags_per_word": 100,
    "labels_per_arc": 100,
    "temperature": 1.0,
}
SHORT = {"sweeps": 4, "samples": 2}
# Spelt out, so that other defaults change nothing here.
TABLE_1 = [
    "s1.tag",
    "s2.tag",
    "s1.rc1.tag",
    "s1.lc1.tag",
    "s3.tag",
    "s2.rc1.tag",
    "s1.word",
    "s2.word",
]
SEES_NO_LABELS = {
    "actions": TABLE_1,
    "labels": ["action", "s1.tag", "s2.tag", "s1.lc1.tag", "s1.word", "s2.word"],
    "tags": TABLE_1,
    "words": ["b.tag", "s1.tag", "s1.rc1.tag", "s1.lc1.tag", "s1.word", "s2.word"],
}
SEES_LABELS = {
    "actions": ["s1.tag", "s2.tag", "s1.lc1.label", "s2.rc1.label", "distance", "s1.word"],
    "labels": ["action", "s2.tag", "s1.tag", "s1.rc1.label", "s1.lval"],
    "tags": ["s1.tag", "s1.rc1.label", "p1.tag", "s2.word"],
    "words": ["b.tag", "p1.word", "s1.tag", "s1.lc1.label"],
}


SEES_KINDS = {
    "actions": ["s1.kind", "s2.kind", "s1.tag", "s2.rc1.kind", "s1.lc1.kind", "s1.word"],
    "labels": ["action", "s1.kind", "s2.tag", "s1.tag"],
    "tags": ["s1.kind", "s1.tag", "s2.kind", "s3.kind", "s1.word"],
    "words": ["b.kind", "b.tag", "s1.kind", "s1.tag", "s2.lc1.kind"],
}


@dataclass(frozen=True)
class Kind:
    """One way to build the model."""

    root: Literal["first", "last"] = "first"
    roots: Literal["one", "several"] = "one"
    labels: Literal["joint", "two-step", "none"] = "two-step"
    direction: Literal["left-to-right", "right-to-left"] = "left-to-right"
    lexical: Literal["full", "outcomes", "none"] = "full"
    sees_labels: bool = False
    sees_kinds: bool = False
    paced: bool = False

    def __str__(self) -> str:
        parts = [self.root, self.roots, self.labels, self.direction[:4], self.lexical]
        marks = {"sees": self.sees_labels, "kinds": self.sees_kinds, "paced": self.paced}
        return "-".join([*parts, *(name for name, is_so in marks.items() if is_so)])

    @property
    def system(self) -> ArcStandard:
        return ArcStandard(self.root == "first", self.roots == "one")


ROOT_PLACES: tuple[Literal["first", "last"], ...] = ("first", "last")
ROOT_NUMBERS: tuple[Literal["one", "several"], ...] = ("one", "several")
LABELLINGS: tuple[Literal["joint", "two-step", "none"], ...] = ("joint", "two-step", "none")
DIRECTIONS: tuple[Literal["left-to-right", "right-to-left"], ...] = (
    "left-to-right",
    "right-to-left",
)
SYSTEMS = [Kind(root, roots) for root in ROOT_PLACES for roots in ROOT_NUMBERS]
KINDS = [
    Kind(root, roots, labels, direction)
    for root in ROOT_PLACES
    for roots in ROOT_NUMBERS
    for labels in LABELLINGS
    for direction in DIRECTIONS
]
SPECIAL = [
    Kind("first", "several", "two-step", sees_labels=True),
    Kind("first", "one", "joint", "right-to-left", sees_labels=True),
    Kind("last", "one", "two-step", sees_labels=True),
    Kind("first", "one", "two-step", sees_kinds=True),
    Kind("last", "several", "joint", "right-to-left", sees_kinds=True),
    Kind("last", "several", "joint", lexical="none"),
    Kind("first", "one", "two-step", lexical="outcomes"),
]
PACED = [Kind("first", "one", paced=True), Kind("last", "several", "joint", paced=True)]
PACE = Pace(begin=1.5, exponent=1.2)
"""Of the kinds that are paced: a factor of 0.71 after two words, 0.44 after three."""


def random_analysis(system: ArcStandard, size: int, rng: random.Random) -> Analysis:
    """The tree of a random derivation, with random tags and labels."""
    now = system.start()
    while not system.is_final(now):
        actions = system.actions(now)
        if len(now.words) == size:
            actions = [action for action in actions if action != "shift"]
        else:
            actions = [action for action in actions if action != "end"]
            if system.root_first and system.single_root and len(now.stack) == 2:
                actions = ["shift"]
        made = {"tag": rng.randrange(len(TAGS)), "label": rng.randrange(len(LABELS))}
        now = system.apply(now, rng.choice(actions), **made)
    return read_off(now)


def sentence_of(analysis: Analysis, words: Sequence[str], names: Sequence[str] = TAGS) -> Sentence:
    heads, labels, tags = analysis
    return Sentence.from_columns(
        words,
        heads=heads,
        deprels=[LABELS[label] for label in labels],
        upos=[names[tag] for tag in tags],
    )


def random_sentences(kind: Kind, number: int, longest: int, seed: int) -> list[Sentence]:
    rng = random.Random(seed)
    sentences = []
    for i in range(number):
        size = 2 if i == 0 else rng.randint(1, longest)
        analysis = random_analysis(kind.system, size, rng)
        names = WITH_FEATURES if kind.sees_kinds else TAGS
        sentences.append(sentence_of(analysis, rng.choices(WORDS, k=size), names))
    return sentences


@lru_cache
def trained(kind: Kind, seed: int = 1, number: int = 25) -> TransitionModel:
    model = bistro.train(
        "transition", random_sentences(kind, number, 5, seed), seed=seed, **settings(kind)
    )
    assert isinstance(model, TransitionModel)
    return replace(model, pace=PACE) if kind.paced else model


def settings(kind: Kind) -> dict[str, Any]:
    return {
        "root": kind.root,
        "roots": kind.roots,
        "labels": kind.labels,
        "direction": kind.direction,
        "lexical": kind.lexical,
        "nonprojective": "lift",
        "unknown": "single",
        "unknown_below": 1,
        "contexts": SEES_LABELS
        if kind.sees_labels
        else SEES_KINDS
        if kind.sees_kinds
        else SEES_NO_LABELS,
        "sampler": SHORT,
    }


def frozen_predictor(model: TransitionModel) -> Callable[[str, tuple[int, ...], int], float]:
    """p(outcome | context) from the arrays that the model would save."""
    arrays: dict[str, dict[str, Any]] = {}
    for name, array in model.arrays().items():
        owner, _, part = name.partition(".")
        arrays.setdefault(owner, {})[part] = array
    kinds = 1 if model.config.labels != "joint" else len(model.codec.labels)
    outcomes = {
        "actions": 2 + 2 * kinds,
        "labels": len(model.codec.labels),
        "tags": len(model.codec.tags),
        "words": len(model.codec.vocabulary),
    }
    frozen = {
        name: _core.Frozen(**arrays[name], dishes=number)
        for name, number in outcomes.items()
        if name in arrays
    }

    @cache
    def distribution(name: str, context: tuple[int, ...]) -> list[float]:
        row = frozen[name].distribution(np.array(context, dtype=np.int32))
        # Saved in single precision; labels are made to sum to 1 so that an arc can stand for all.
        return cast("list[float]", (row / row.sum() if name == "labels" else row).tolist())

    return lambda name, context, outcome: distribution(name, context)[outcome]


class Twin:
    """A trained model as the plain parser, with sentences and results turned into its numbers."""

    def __init__(self, kind: Kind, model: TransitionModel | None = None) -> None:
        self._tables: dict[tuple[object, ...], dict[Analysis, float]] = {}
        self.kind = kind
        self.model = trained(kind) if model is None else model
        self.mirrored = kind.direction == "right-to-left"
        codec = self.model.codec
        contexts = self.model.config.contexts
        keep_words = kind.lexical == "full"
        self.plain = GenerativeParser(
            kind.system,
            len(codec.tags),
            len(codec.vocabulary),
            len(codec.labels),
            kind.labels,
            {
                name: [e for e in getattr(contexts, name) if keep_words or ".word" not in e]
                for name in ("actions", "labels", "tags", "words")
            },
            frozen_predictor(self.model),
            lexicalised=kind.lexical != "none",
            kinds=TAG_KINDS if kind.sees_kinds else (),
            shift_factor=self.model.pace.factor,
        )
        begin, tags = (self.model.arrays()[f"word_tags.{part}"] for part in ("begin", "list"))
        self.every_tag = list(range(len(codec.tags)))
        seen = [tags[a:b].tolist() for a, b in pairwise(begin)]
        if kind.sees_kinds:  # then a tag may have other features than in training
            every = [{TAG_KINDS[tag] for tag in of_word} for of_word in seen]
            seen = [[t for t in self.every_tag if TAG_KINDS[t] in kinds] for kinds in every]
        self.dictionary = [of_word or self.every_tag for of_word in seen]

    def words(self, forms: Sequence[str]) -> list[int]:
        ids: list[int] = self.model.codec.vocabulary.encode(forms).tolist()
        return ids[::-1] if self.mirrored else ids

    def analyses(
        self,
        forms: Sequence[str],
        tags: Sequence[str] | None = None,
        *,
        factor: float = 1.0,
        most_tags: int | None = None,
    ) -> dict[Analysis, float]:
        """Probabilities of all analyses that are tried, in the order of the written sentence.

        With the factor 0 of unseen tags the dictionary is hard, with 1 there is none.
        """
        known = tuple(forms), tuple(tags or ()), factor, most_tags
        if known not in self._tables:
            words = self.words(forms)
            given = [[self.model.codec.tags.index(t)] for t in tags or ()]
            if self.mirrored:
                given.reverse()
            allowed = [self.tags_of(word, factor) for word in words]
            tried = [dict.fromkeys(one, 1.0) for one in given] or allowed
            found = self.plain.analyses(words, tried, most_tags)
            self._tables[known] = {self.turned(analysis): p for analysis, p in found.items()}
        return self._tables[known]

    def tags_of(self, word: int, factor: float) -> dict[int, float]:
        """The tags that a word is tried with, and their factors.

        Where words are not generated the dictionary is hard; so it is for a word whose unseen tags
        could only make it a ten-thousandth as probable as its own do.
        """
        seen = self.dictionary[word]
        if self.kind.lexical == "none" or factor == 0 or self.is_closed(word, factor):
            return dict.fromkeys(seen, 1.0)
        return {tag: 1.0 if tag in seen else factor for tag in self.every_tag}

    def is_closed(self, word: int, factor: float) -> bool:
        """Whether unseen tags are not worth trying, by p(word | tag) without more context."""
        fronts = [(TAG_KINDS[t], t) if self.kind.sees_kinds else (t,) for t in self.every_tag]
        of_tags = [self.plain.predict("words", front, word) for front in fronts]
        seen = set(self.dictionary[word])
        unseen = max((p for t, p in enumerate(of_tags) if t not in seen), default=0.0)
        return 0 < factor < 1 and unseen * factor < 1e-4 * max(of_tags[t] for t in seen)

    def unseen(self, forms: Sequence[str], analysis: Analysis) -> int:
        """How many words have a tag that they never had in training."""
        ids = self.model.codec.vocabulary.encode(forms).tolist()
        return sum(t not in self.dictionary[w] for w, t in zip(ids, analysis[2], strict=True))

    def turned(self, analysis: Analysis) -> Analysis:
        """The analysis of the mirrored sentence, for models that generate from the right."""
        if not self.mirrored:
            return analysis
        heads, labels, tags = analysis
        size = len(heads)
        return (
            tuple(size + 1 - head if head else 0 for head in reversed(heads)),
            labels[::-1],
            tags[::-1],
        )

    def key(self, found: FoundAnalysis) -> Analysis:
        """A result of the parser in numbers; labels are 0 where the model has none."""
        codec = self.model.codec
        labels = tuple(codec.labels.index(label) for label in found.labels)
        return tuple(found.heads), labels, tuple(codec.tags.index(tag) for tag in found.tags)

    def named(self, analysis: Analysis, forms: Sequence[str]) -> Sentence:
        heads, labels, tags = analysis
        codec = self.model.codec
        return Sentence.from_columns(
            forms,
            heads=heads,
            deprels=[codec.labels[label] for label in labels],
            upos=[codec.tags[tag] for tag in tags],
        )

    def parse(self, sentence: Sentence | Sequence[str], **options: Any) -> Parse:
        return self.model.parse(sentence, **{**HUGE, "mbr": False, "threads": 1, **options})


@cache
def twin_of(kind: Kind) -> Twin:
    """The twin of the model of a kind, which remembers what it has enumerated."""
    return Twin(kind)


def summed(table: dict[Analysis, float], part: Callable[[Analysis], object]) -> dict[object, float]:
    """Probabilities of what `part` sees of an analysis."""
    totals: dict[object, float] = {}
    for analysis, p in table.items():
        totals[part(analysis)] = totals.get(part(analysis), 0.0) + p
    return totals


def assert_same_marginals(parse: Parse, table: dict[Analysis, float], twin: Twin) -> None:
    """Heads, labels and tags of every word as enumerated; small labels may be left out."""
    total = sum(table.values())
    assert parse.marginals is not None
    codec = twin.model.codec
    found: list[tuple[Iterable[Iterable[tuple[Any, float]]], list[str] | None, int, float]] = [
        (parse.marginals.heads, None, 0, 1e-9),
        (parse.marginals.tags, codec.tags, 2, 1e-9),
    ]
    if twin.kind.labels != "none":
        found.append((parse.marginals.labels, codec.labels, 1, 1.1e-6))
    for rows, names, column, most_missing in found:
        for word, row in enumerate(rows):
            expected = summed(table, lambda a, w=word, c=column: a[c][w])  # type: ignore[misc]
            got = {names.index(what) if names else what: p for what, p in row}
            for what, p in expected.items():
                limit = 1e-9 if what in got else most_missing
                assert math.isclose(got.get(what, 0.0), p / total, rel_tol=0, abs_tol=limit)
            assert set(got) <= set(expected)
