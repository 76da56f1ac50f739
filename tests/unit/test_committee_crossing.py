"""Crossing arcs of a committee: patterns against counting by hand, and words that move."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import ConfigError
from bistro.models.committee.crossing import (
    Crossing,
    Pattern,
    candidates,
    with_crossing_arcs,
    with_lifted_votes,
)
from bistro.models.committee.mixture import Mixture, Symbols
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.votes import ArcCode, gathered
from bistro.models.results.parses import Analysis
from bistro.treebank.projectivity import is_projective, projectivize
from bistro.treebank.sentence import Sentence

FORMS = ["it", "is", "good", "that", "works"]
TAGS = ["PRON", "AUX", "ADJ", "SCONJ", "VERB"]
HEADS = [2, 0, 2, 5, 1]
LABELS = ["subj", "root", "pred", "mark", "ccomp"]
CROSSING = Pattern("VERB", "PRON", "subj", "AUX", "thw")


def tree(heads: list[int] = HEADS, forms: list[str] = FORMS) -> Sentence:
    return Sentence.from_columns(forms, heads=heads, deprels=LABELS, upos=TAGS)


def mixture(votes: dict[int, dict[tuple[int, str], float]]) -> Mixture:
    """Return the votes of a committee on one sentence; words without any have their gold arc."""
    labels = sorted({*LABELS, "ccomp↑subj", "subj↑ccomp"})
    names = {label: i for i, label in enumerate(labels)}
    code = ArcCode(len(labels))
    entries = []
    for word in range(1, 6):
        arc = (2 if word == 5 else HEADS[word - 1], LABELS[word - 1])
        for (head, label), probability in votes.get(word, {arc: 1.0}).items():
            joined = code.join(np.array([head]), np.array([names[label]]))[0]
            entries.append((word - 1, int(joined), probability))
    row, what, shares = (np.array(column) for column in zip(*entries, strict=True))
    tags = gathered(np.arange(5), np.arange(5), np.ones(5), 5)
    symbols = Symbols(labels, TAGS, "upos", "head", [], [], {})
    arcs = gathered(row, what, shares, 5)
    return Mixture(arcs, tags, code, symbols, np.array([0, 5]), np.zeros(1, dtype=bool), {})


def moved(votes: dict[int, dict[tuple[int, str], float]], crossing: Crossing) -> Analysis:
    before = Analysis([2, 0, 2, 5, 2], list(LABELS), TAGS, math.nan, math.nan)
    return with_crossing_arcs(before, mixture(votes), 0, FORMS, crossing, weight=5.0)


VOTES = {5: {(2, "pred"): 0.7, (2, "ccomp↑subj"): 0.3}}


def test_votes_for_crossing_arcs_count_more_where_the_treebank_has_them() -> None:
    found = moved(VOTES, Crossing.learn([tree()] * 5, "upos"))
    assert (found.heads, found.labels[4]) == (HEADS, "ccomp")
    assert not is_projective(found.heads)
    unknown = Crossing.learn([tree([2, 0, 2, 5, 2])] * 5, "upos")
    assert moved(VOTES, unknown).heads == [2, 0, 2, 5, 2]
    few = {5: {(2, "pred"): 0.9, (2, "ccomp↑subj"): 0.1}}
    assert moved(few, Crossing.learn([tree()] * 5, "upos")).heads == [2, 0, 2, 5, 2]


def test_a_word_does_not_move_below_itself() -> None:
    votes = {
        1: {(2, "subj"): 0.5, (2, "subj↑ccomp"): 0.5},
        5: {(2, "ccomp"): 0.5, (2, "ccomp↑subj"): 0.5},
    }
    both = Crossing({
        CROSSING: (True, frozenset()),
        Pattern("PRON", "VERB", "ccomp", "AUX", "whr"): (True, frozenset()),
        Pattern("PRON", "VERB", "ccomp", "AUX", "wht"): (True, frozenset()),
    })  # fmt: skip
    heads = moved(votes, both).heads
    Sentence.from_columns(FORMS, heads=heads)  # refuses what is no tree
    assert heads.count(2) < [2, 0, 2, 5, 2].count(2)


def test_forms_that_differ_from_the_others_of_their_pattern() -> None:
    plain = [2, 0, 2, 5, 2]
    treebank = [tree()] * 10 + [tree(plain, ["he", *FORMS[1:]])] * 100
    crossing = Crossing.learn(treebank, "upos")
    assert crossing.is_open(CROSSING, "It")
    assert not crossing.is_open(CROSSING, "he")
    assert Crossing.from_list(crossing.to_list()) == crossing


def test_candidates_are_the_siblings_whose_arc_would_cross() -> None:
    """Against the definition: a word between the two that neither dominates, or their head."""
    for sentence in bistro.builtin(sentences=150, seed=1):
        heads = projectivize(sentence.heads, sentence.deprels, "head").heads
        found = set(candidates(heads))
        expected = set()
        for word, head in enumerate(heads, start=1):
            for target, other in enumerate(heads, start=1):
                if other == head and target != word:
                    moved = [target if w == word else h for w, h in enumerate(heads, start=1)]
                    if not is_projective(moved):
                        expected.add((word, target))
        assert found == expected


def test_sentences_with_votes_for_crossing_arcs() -> None:
    assert with_lifted_votes(mixture(VOTES)) == [True]
    assert with_lifted_votes(mixture({})) == [False]


def test_patterns_are_saved_and_given_heads_stay(tmp_path: Path) -> None:
    treebank = [*bistro.builtin(sentences=100, seed=1), *[tree()] * 5]
    quick: dict[str, Any] = {"members": ["left"], "sampler": {"sweeps": 3, "samples": 1}}
    model = bistro.train("committee", treebank, seed=1, **quick)
    assert model.crossing.patterns
    model.save(tmp_path / "model.bistro")
    again = bistro.load(tmp_path / "model.bistro")
    assert isinstance(again, CommitteeModel)
    assert again.crossing == model.crossing
    texts = [sentence.forms for sentence in treebank[:40]]
    assert [p.heads for p in model.parse_all(texts)] == [p.heads for p in again.parse_all(texts)]
    given = next(s for s in treebank if is_projective(s.heads))
    assert model.parse(given, partial=True).heads == given.heads
    without = bistro.train("committee", treebank, seed=1, crossing=0, **quick)
    assert not without.crossing.patterns
    with pytest.raises(ConfigError, match="must not be negative"):
        bistro.train("committee", treebank, crossing=-1.0, **quick)
