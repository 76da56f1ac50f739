"""What the core sees of a configuration, and the oracle's derivation, against the plain twin."""

from __future__ import annotations

import random
from typing import Literal

import numpy as np
import pytest
from transition_twins import LABELS, SYSTEMS, TAG_KINDS, TAGS, Kind, random_analysis

from bistro._core import SentenceBatch, TransitionShape, oracle_events
from bistro.encoding.contexts import NUMBERS
from bistro.reference.arc_standard import Analysis, derivations, is_projective_tree, oracle
from bistro.reference.transition_model import Event, GenerativeParser

NUM_WORDS = 7
DISTRIBUTIONS = ("actions", "labels", "tags", "words")
# Elements that are known to one distribution only, and what is left, in two contexts of 31.
EVERYWHERE = [name for name in NUMBERS if name not in ("b.tag", "b.kind", "action")]
HALVES = (EVERYWHERE[:29], EVERYWHERE[29:])


def batch(words: list[int], analysis: Analysis) -> SentenceBatch:
    heads, labels, tags = (np.array(column, dtype=np.int32) for column in analysis)
    offsets = np.array([0, len(words)], dtype=np.int64)
    return SentenceBatch(
        np.array(words, dtype=np.int32),
        offsets,
        tags=tags,
        heads=heads,
        labels=labels,
        spelled=np.zeros(0, np.int32),
        spellings=np.zeros(0),
    )


def core_events(
    shape: TransitionShape, words: list[int], analysis: Analysis
) -> dict[str, list[Event]]:
    recorded = oracle_events(shape, batch(words, analysis))
    assert not recorded["failed"].size
    return {
        name: [
            Event(name, tuple(row), outcome)
            for row, outcome in zip(*(array.tolist() for array in recorded[name]), strict=True)
        ]
        for name in DISTRIBUTIONS
    }


def both(kind: Kind, contexts: dict[str, list[str]]) -> tuple[TransitionShape, GenerativeParser]:
    shape = TransitionShape(
        num_tags=len(TAGS),
        num_words=NUM_WORDS,
        num_labels=len(LABELS),
        root_first=kind.root == "first",
        single_root=kind.roots == "one",
        labelled=kind.labels != "none",
        joint_labels=kind.labels == "joint",
        lexicalised=kind.lexical != "none",
        contexts=contexts,
        kinds=TAG_KINDS,
    )
    plain = GenerativeParser(
        kind.system,
        len(TAGS),
        NUM_WORDS,
        len(LABELS),
        kind.labels,
        contexts,
        lambda *_: 1.0,
        lexicalised=kind.lexical != "none",
        kinds=TAG_KINDS,
    )
    return shape, plain


@pytest.mark.parametrize("labels", ["joint", "two-step", "none"])
@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_all_elements_and_oracle_events(
    system: Kind, labels: Literal["joint", "two-step", "none"]
) -> None:
    kind = Kind(system.root, system.roots, labels)
    rng = random.Random(5)
    for case in range(25):
        size = rng.randint(1, 14)
        words = [rng.randrange(NUM_WORDS) for _ in range(size)]
        heads, some_labels, tags = random_analysis(kind.system, size, rng)
        analysis = heads, some_labels if labels != "none" else (0,) * size, tags
        done = oracle(kind.system, heads)
        for half in HALVES:
            shape, plain = both(
                kind,
                {
                    "actions": half,
                    "labels": [*half, "action"],
                    "tags": half,
                    "words": [*half, "b.tag", "b.kind"],
                },
            )
            _, expected, _ = plain.replay(done, words, analysis)
            got = core_events(shape, words, analysis)
            for name in DISTRIBUTIONS:
                assert got[name] == [event for event in expected if event.distribution == name], (
                    case
                )


def test_the_oracle_is_one_of_the_derivations() -> None:
    rng = random.Random(6)
    for case in range(200):
        system = SYSTEMS[case % len(SYSTEMS)].system
        heads, _, _ = random_analysis(system, rng.randint(1, 6), rng)
        every = list(derivations(system, heads))
        assert oracle(system, heads) == every[0]
        assert len(set(every)) == len(every)


def test_trees_that_no_derivation_makes_are_reported() -> None:
    """Trees of four words, one in two not projective or with a cycle: the core says which."""
    everywhere = {key: list[str]() for key in DISTRIBUTIONS}
    rng = random.Random(7)
    for kind in SYSTEMS:
        shape, _ = both(kind, everywhere)
        for _ in range(300):
            heads = tuple(rng.randint(0, 4) for _ in range(4))
            roots = heads.count(0)
            good = is_projective_tree(heads) and (roots == 1 or kind.roots == "several")
            failed = oracle_events(shape, batch([0] * 4, (heads, (0,) * 4, (0,) * 4)))["failed"]
            assert failed.tolist() == ([] if good else [0]), heads
