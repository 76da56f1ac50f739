"""Algorithm 1 of Buys & Blunsom (2015) against the compiled search, particle by particle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transition_twins import SEES_NO_LABELS, Kind, Twin, trained

import bistro
from bistro import _core
from bistro.models.transition.model import ParseOptions
from bistro.reference import particles as plain
from bistro.reference.arc_standard import Action
from bistro.rng import Stream, purpose_key
from bistro.treebank.sentence import Sentence

ACTIONS: tuple[Action, ...] = ("shift", "left-arc", "right-arc", "end")
Row = tuple[tuple[tuple[Action, int, int], ...], int, float, float]
"""Steps, particles, weight and importance of one derivation."""

SEEN: dict[str, Any] = {"tag_dictionary": "hard", "tags_per_word": 3}
AS_PRINTED: dict[str, Any] = {
    "selection": "paper",
    "both_reduces": False,
    "tag_dictionary": "none",
    "tags_per_word": 1,
}
WAYS: dict[str, dict[str, Any]] = {
    "as printed": AS_PRINTED,
    "as printed, by weight": {**AS_PRINTED, "selection": "weight"},
    "three tags, one reduce": {**AS_PRINTED, "tags_per_word": 3},
    "three tags seen, both reduces": {**SEEN, "selection": "paper"},
    "three tags seen, both reduces, by weight": {**SEEN, "selection": "weight"},
    "arcs with all labels": {**SEEN, "selection": "paper", "ranking": "trees"},
}


def compiled(
    twin: Twin, words: Sequence[str], options: ParseOptions, draws: str = "none", seed: int = 1
) -> list[list[Row]]:
    """What the compiled search has before and after each selection, and at the end."""
    batch = twin.model.codec.encode([Sentence.from_columns(list(words))], None)
    rng = _core.Stream(seed, purpose_key("particles"), 0)
    found = twin.model._parser.particles(batch, options.request(), draws=draws, rng=rng)
    steps = found["steps"].reshape(-1, 3).tolist()
    begins = [0, *found["step_ends"].tolist()]
    rows: list[Row] = [
        (
            tuple((ACTIONS[a], t, la) for a, t, la in steps[begins[i] : begins[i + 1]]),
            int(found["particles"][i]),
            float(found["log_weight"][i]),
            float(found["log_importance"][i]),
        )
        for i in range(len(begins) - 1)
    ]
    ends = [0, *found["set_ends"].tolist()]
    sets = [rows[a:b] for a, b in pairwise(ends)]
    # After the last word there is one more selection, of nothing.
    assert not any(sets[-3:-1])
    return [*sets[:-3], sets[-1]]


def twin_search(
    twin: Twin, words: Sequence[str], options: ParseOptions, **more: Any
) -> plain.ParticleSearch:
    numbers = twin.words(words)
    return plain.ParticleSearch(
        twin.plain,
        numbers,
        [list(twin.tags_of(number, options.unseen_weight)) for number in numbers],
        options.size,
        selection=options.selection,
        tags_per_word=options.tags_per_word,
        one_reduce=not options.both_reduces,
        best_labels=options.ranking == "derivations",
        **more,
    )


def assert_same(ours: list[list[Row]], theirs: Sequence[Sequence[plain.Derivation]]) -> None:
    """The same derivations with the same particles and weights at every step, in any order."""
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        expected = {d.steps: d for d in other}
        assert len(expected) == len(other)
        assert {steps: k for steps, k, _, _ in mine} == {
            s: d.particles for s, d in expected.items()
        }
        for steps, _, log_weight, log_importance in mine:
            d = expected[steps]
            assert math.isclose(log_weight, math.log(d.weight), rel_tol=1e-9, abs_tol=1e-9)
            assert math.isclose(log_importance, math.log(d.importance), abs_tol=1e-9)


@pytest.fixture(scope="module", params=["joint", "two-step", "none"])
def english(request: pytest.FixtureRequest) -> tuple[Twin, list[list[str]]]:
    """A model of the built-in treebank, and other sentences of it."""
    kind = Kind(labels=request.param)
    treebank = bistro.builtin(sentences=150, seed=1)
    model = bistro.train(
        "transition",
        treebank,
        seed=1,
        labels=kind.labels,
        contexts=SEES_NO_LABELS,
        sampler={"sweeps": 4, "samples": 1},
    )
    return Twin(kind, model), [s.forms for s in bistro.builtin(sentences=3, seed=2)]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_particles_as_the_plain_algorithm(
    english: tuple[Twin, list[list[str]]], way: str
) -> None:
    twin, sentences = english
    if twin.kind.labels == "none" and way == "arcs with all labels":
        pytest.skip("there are no labels")
    for words in sentences:
        for size in (1, 60):
            chosen: dict[str, Any] = {"ranking": "derivations", "labels_per_arc": 1, **WAYS[way]}
            options = ParseOptions(size=size, mbr=False, **chosen)
            theirs = list(twin_search(twin, words, options).run())
            ours = compiled(twin, words, options)
            if options.ranking == "trees":  # where labels belong to no derivation
                ours = [[(_unlabelled(s), k, w, i) for s, k, w, i in rows] for rows in ours]
                theirs = [[replace(d, steps=_unlabelled(d.steps)) for d in beam] for beam in theirs]
            assert_same(ours, theirs)
            best = max(theirs[-1], key=lambda d: d.weight)
            found = twin.model.parse(words, **vars(options))
            if options.ranking == "derivations":
                heads = {arc.dependent: arc.head for arc in best.now.arcs}
                assert found.heads == [heads[i + 1] for i in range(len(words))]


def _unlabelled(steps: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((action, tag, -1) for action, tag, _ in steps)


@pytest.mark.parametrize("draws", ["independent", "systematic"])
def test_the_same_particles_for_the_same_draws(
    english: tuple[Twin, list[list[str]]], draws: str
) -> None:
    twin, sentences = english
    every: dict[str, Any] = {"tag_dictionary": "hard", "tags_per_word": 1000}
    options = ParseOptions(size=20, ranking="derivations", labels_per_arc=1, **every)
    for seed, words in enumerate(sentences):
        stream = Stream(seed, "particles")
        draw = getattr(plain, draws)(stream.uniform)
        theirs = list(twin_search(twin, words, options, draw=draw).run())
        assert_same(compiled(twin, words, options, draws, seed), theirs)


def test_the_two_rules_differ(english: tuple[Twin, list[list[str]]]) -> None:
    """A twin with the other selection rule, or with both reduces, is caught."""
    twin, sentences = english
    options = ParseOptions(size=50, ranking="derivations", labels_per_arc=1, **AS_PRINTED)
    ours = [compiled(twin, words, options) for words in sentences]
    other = ParseOptions(**{**vars(options), "selection": "weight"})
    for wrong in (other, ParseOptions(**{**vars(options), "both_reduces": True})):
        theirs = [list(twin_search(twin, words, wrong).run()) for words in sentences]
        with pytest.raises(AssertionError):
            for mine, beams in zip(ours, theirs, strict=True):
                assert_same(mine, beams)


def test_real_sentences(data_dir: Path) -> None:
    """The first sentences of the WSJ sample, by the preset of the paper's contexts."""
    train = bistro.read(data_dir / "ptb_sample" / "wsj-train.conll")[:300]
    dev = bistro.read(data_dir / "ptb_sample" / "wsj-dev.conll")
    kind = Kind(labels="none")
    sampler = {"sweeps": 3, "samples": 1}
    model = bistro.train(
        "transition", train, seed=1, labels="none", contexts=SEES_NO_LABELS, sampler=sampler
    )
    twin = Twin(kind, model)
    sentences = [s.forms for s in dev if 8 <= len(s) <= 15][:3]
    for way in ("as printed", "as printed, by weight", "three tags seen, both reduces"):
        options = ParseOptions(
            size=100, mbr=False, **{"ranking": "derivations", "labels_per_arc": 1, **WAYS[way]}
        )
        for words in sentences:
            assert_same(
                compiled(twin, words, options), list(twin_search(twin, words, options).run())
            )


def test_a_model_with_several_roots() -> None:
    twin = Twin(Kind("first", "several"), trained(Kind("first", "several")))
    options = ParseOptions(size=40, ranking="derivations", labels_per_arc=1, **SEEN)
    for words in ("abcd", "ddab", "a"):
        theirs = list(twin_search(twin, list(words), options).run())
        ours = compiled(twin, list(words), options)
        assert_same(ours, theirs)
        assert np.isclose(sum(d.weight for d in theirs[-1]), sum(math.exp(r[2]) for r in ours[-1]))
