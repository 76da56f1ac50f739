"""Tiny latent-variable parsers with random weights, in the core and as their plain twin."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from bistro import _core
from bistro.models.isbn.config import DECISIONS, LOCAL, NAMES
from bistro.reference.arc_standard import projective_trees
from bistro.reference.isbn import IsbnTwin
from bistro.reference.isbn_history import TwinSymbols

WORDS, LABELS = 5, 3
ELEMENTS = {
    "local": list(LOCAL),
    "local, decisions": [*LOCAL, *DECISIONS],
    "all": list(NAMES),
}


def tiny_symbols(*, single_root: bool, root_labels: int = 2) -> TwinSymbols:
    """Three clusters of two tags; one of them lists all words, so that it has no others."""
    return TwinSymbols(
        words=WORDS,
        tags=2,
        labels=LABELS,
        components=3,
        tag_of=[0, 0, 1],
        components_of=[[0, 1], [], [2]],
        words_of=[[0, 2], [0, 1, 2, 3, 4], []],
        counts_of=[{1: 1.0, 4: 2.0}, {}, {}],
        frequency=[3.0, 1.5, 2.5, 0.5, 1.0],
        root_labels=list(range(root_labels)),
        single_root=single_root,
        coarse_of=[1, 0, 1],
        lemma_of=[0, 2, 1, 1, 3],
        coarse_tags=2,
        lemmas=4,
    )


def _ragged(name: str, rows: list[list[int]]) -> dict[str, Any]:
    begin = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    values = np.array([x for row in rows for x in row], np.int32)
    return {f"{name}_begin": begin, f"{name}_list": values}


@dataclass(frozen=True)
class Tiny:
    """One model, twice."""

    symbols: TwinSymbols
    shape: Any
    weights: Any
    twin: IsbnTwin

    @classmethod
    def make(
        cls,
        seed: int,
        *,
        elements: str = "local",
        single_root: bool = True,
        linked: bool = True,
        mean_field: bool = False,
        root_labels: int = 2,
        hidden: int = 7,
    ) -> Tiny:
        """Draw weights for a model."""
        s = tiny_symbols(single_root=single_root, root_labels=root_labels)
        shape = _core.IsbnShape(
            num_words=s.words,
            num_tags=s.tags,
            num_labels=s.labels,
            num_components=s.components,
            tag_of=np.array(s.tag_of, np.int32),
            **_ragged("component", s.components_of),
            **_ragged("word", s.words_of),
            frequency=np.array(s.frequency),
            single_root=single_root,
            root_labels=np.array(s.root_labels, np.int32),
            num_coarse_tags=s.coarse_tags,
            coarse_of=np.array(s.coarse_of, np.int32),
            num_lemmas=s.lemmas,
            lemma_of=np.array(s.lemma_of, np.int32),
            **_ragged("other", [sorted(counts) for counts in s.counts_of]),
            other_count=np.array([n for c in s.counts_of for _, n in sorted(c.items())]),
            hidden=hidden,
            features=ELEMENTS[elements],
            linked=linked,
            mean_field=mean_field,
        )
        weights = np.random.default_rng(seed).normal(0, 0.7, shape.parameters)
        kind = {"linked": linked, "mean_field": mean_field}
        twin = IsbnTwin(s, weights, hidden, ELEMENTS[elements], **kind)
        return cls(s, shape, weights, twin)

    def parser(self) -> Any:
        """Return the core's parser with these weights, every cluster possible for every word."""
        return _core.IsbnParser(
            self.shape,
            self.weights.astype(np.float32),
            seen_begin=np.zeros(WORDS + 1, np.int32),
            seen_list=np.zeros(0, np.int32),
            seen_share=np.zeros(0, np.float32),
        )

    def derivations(self, trees: list[Tree], *, early: bool = False) -> Any:
        """Return the core's derivations of trees."""
        return _core.IsbnDerivations(self.shape, batch(trees), early_reduce=early)

    def trainer(self, kind: Any = _core.IsbnTrainer64) -> Any:
        """Return the core's trainer with these weights."""
        real = np.float64 if kind is _core.IsbnTrainer64 else np.float32
        return kind(self.shape, self.weights.astype(real), np.zeros(self.shape.parameters, real))


@dataclass(frozen=True)
class Tree:
    """A sentence with its tree, in numbers; None where something is not given."""

    words: list[int]
    clusters: list[int]
    heads: list[int]
    labels: list[int]


def batch(trees: list[Tree], *, clusters: bool = True, arcs: bool = True) -> Any:
    """Return trees, or parts of them, as the core takes them."""

    def column(name: str, given: bool = True) -> Any:
        return np.array([x for t in trees for x in getattr(t, name)] if given else [], np.int32)

    offsets = np.cumsum([0, *(len(t.words) for t in trees)]).astype(np.int64)
    return _core.SentenceBatch(
        column("words"),
        offsets,
        tags=column("clusters", clusters),
        heads=column("heads", arcs),
        labels=column("labels", arcs),
        spelled=np.zeros(0, np.int32),
        spellings=np.zeros(0),
    )


def random_tree(rng: random.Random, n: int, symbols: TwinSymbols) -> Tree:
    """Draw a projective tree that the model can have."""
    heads = list(rng.choice(projective_trees(n, single_root=symbols.single_root)))
    labels = [
        rng.choice(symbols.root_labels) if head == 0 else rng.randrange(symbols.labels)
        for head in heads
    ]
    words = [rng.randrange(symbols.words) for _ in heads]
    return Tree(words, [rng.randrange(3) for _ in heads], heads, labels)
