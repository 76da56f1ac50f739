"""Crossing arcs of a committee: patterns against counting by hand, and words that move."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import ConfigError
from bistro.models.committee.crossing import LEAST_SHARE, MOST_STEPS, Crossing, Pattern, Tree
from bistro.models.committee.mixture import Mixture, Symbols
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.moves import with_crossing_arcs, with_lifted_votes
from bistro.models.parsing.votes import ArcCode, gathered
from bistro.models.results.parses import Analysis
from bistro.treebank.projectivity import is_projective, projectivize
from bistro.treebank.sentence import Sentence

FORMS = ["it", "is", "good", "that", "works"]
TAGS = ["PRON", "AUX", "ADJ", "SCONJ", "VERB"]
HEADS = [2, 0, 2, 5, 1]
LABELS = ["subj", "root", "pred", "mark", "ccomp"]
PLAIN = [2, 0, 2, 5, 2]
CROSSING = Pattern("VERB", "PRON", "subj", "AUX", "thw", True, True, False)
FRONTED = Pattern("PRON", "VERB", "ccomp", "AUX", "wht", True, False, False)


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
    before = Analysis(PLAIN, list(LABELS), TAGS, math.nan, math.nan)
    return with_crossing_arcs(before, mixture(votes), 0, FORMS, crossing, weight=2.0)


VOTES = {5: {(2, "pred"): 0.7, (2, "ccomp↑subj"): 0.3}}


def test_votes_for_crossing_arcs_count_more_where_the_treebank_has_them() -> None:
    often = Crossing.learn([tree()] * 5, "upos")
    analysis = moved(VOTES, often)
    assert (analysis.heads, analysis.labels[4]) == (HEADS, "ccomp")
    assert not is_projective(analysis.heads)
    assert moved(VOTES, Crossing.learn([tree(PLAIN)] * 5, "upos")).heads == PLAIN
    half = Crossing.learn([tree(), tree(PLAIN)] * 5, "upos")
    assert 0.4 < half.share(CROSSING, "it", "works") < 0.6
    assert moved(VOTES, half).heads == PLAIN
    few = {5: {(2, "pred"): 0.96, (2, "ccomp↑subj"): 0.04}}
    assert moved(few, often).heads == PLAIN


def test_votes_for_other_targets_below_the_head_count_a_little() -> None:
    """0.3 · 0.25 votes, 2 · sqrt(0.987 / 0.013) = 18 times, outweigh 0.75; 0.3 · 0.1 do not."""
    often = Crossing.learn([tree()] * 5, "upos")
    for votes, heads in ((0.25, HEADS), (0.1, PLAIN)):
        other = {5: {(2, "pred"): 1 - votes, (2, "subj↑ccomp"): votes}}
        assert moved(other, often).heads == heads


def test_a_word_does_not_move_below_itself() -> None:
    votes = {
        1: {(2, "subj"): 0.5, (2, "subj↑ccomp"): 0.5},
        5: {(2, "ccomp"): 0.5, (2, "ccomp↑subj"): 0.5},
    }
    usual = {("VERB", "AUX", False): "pred_", ("PRON", "AUX", True): "expl"}
    both = Crossing({CROSSING: {(): (9, 9)}, FRONTED: {(): (9, 9)}}, usual)
    heads = moved(votes, both).heads
    Sentence.from_columns(FORMS, heads=heads)  # refuses what is no tree
    assert heads.count(2) < PLAIN.count(2)


def test_shares_are_smoothed_from_all_words_to_forms() -> None:
    treebank = [tree()] * 10 + [tree(PLAIN, ["he", *FORMS[1:]])] * 100
    crossing = Crossing.learn(treebank, "upos")
    every = (10 + 3 * 0.003) / (110 + 3)
    it = (10 + every) / (10 + 1)
    he = (0 + every) / (100 + 1)
    assert crossing.share(CROSSING, "they", "works") == pytest.approx(every)
    assert crossing.share(CROSSING, "it", "sleeps") == pytest.approx(it)
    assert crossing.share(CROSSING, "it", "works") == pytest.approx((10 + it) / 11)
    assert crossing.share(CROSSING, "he", "sleeps") == pytest.approx(he)
    assert crossing.share(CROSSING._replace(is_leaf=False), "it", "works") == 0
    again = Crossing.from_dict(json.loads(json.dumps(crossing.to_dict())))
    assert again == crossing


def test_counts_that_are_left_out_change_nothing() -> None:
    """A share is the one of all counts, or both are too small to be considered."""
    treebank = [tree()] + [tree(PLAIN, ["he", *FORMS[1:]])] * 9 + [tree(PLAIN)] * 15
    crossing = Crossing.learn(treebank, "upos")
    assert ("he",) not in crossing.counts[CROSSING]
    every = (1 + 3 * 0.003) / (25 + 3)
    assert every < LEAST_SHARE
    assert crossing.share(CROSSING, "he", "works") == pytest.approx(every)


@pytest.mark.parametrize("numbers", [[2, 1], [-1, 3], [1.5, 2], ["1", 2], [1]])
def test_counts_that_cannot_be_are_refused(numbers: list[Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Crossing.from_dict({"usual": [], "patterns": [[list(CROSSING), [numbers]]]})


def test_whether_another_child_has_the_usual_label() -> None:
    """That I can do: the word before the verb is its subject, unless it has one."""
    labels, tags = ["obj", "subj", "root", "comp"], ["PRON", "PRON", "AUX", "VERB"]
    forms = ["that", "I", "can", "do"]
    fronted = Sentence.from_columns(forms, heads=[4, 3, 0, 3], deprels=labels, upos=tags)
    plain = Sentence.from_columns(forms[1:], heads=[2, 0, 2], deprels=labels[1:], upos=tags[1:])
    crossing = Crossing.learn([fronted, plain, plain], "upos")
    (pattern,) = crossing.counts
    assert pattern.is_taken
    assert [*crossing.candidates(Tree([3, 3, 0, 3], labels, tags), 1, 3)] == [(4, pattern)]
    other = ["obj", "mod", "root", "comp"]
    assert not [*crossing.candidates(Tree([3, 3, 0, 3], other, tags), 1, 3)]


def test_candidates_are_the_words_below_whose_arc_would_cross() -> None:
    """Against the definition: the word moves there, and its arc is over a word not below it."""
    treebank = [*bistro.builtin(sentences=150, seed=1), tree()]
    crossing = Crossing.learn(treebank, "upos")
    number = 0
    for sentence in treebank:
        heads = projectivize(sentence.heads, sentence.deprels, "head").heads
        whole = Tree(heads, sentence.deprels, sentence.upos)
        for word, head in enumerate(heads, start=1):
            found = {target for target, _ in crossing.candidates(whole, word, head)}
            for target in range(1, len(heads) + 1):
                expected = target != word and _crosses(heads, word, target)
                assert target not in found or expected
                assert whole.would_cross(word, target) == expected or target == word
            assert all(1 <= _steps(heads, target, head) <= MOST_STEPS for target in found)
            number += len(found)
    assert number > 0


def _steps(heads: Sequence[int], word: int, top: int) -> int:
    steps = 0
    while word not in (0, top):
        word, steps = heads[word - 1], steps + 1
    return steps if word == top else 0


def _crosses(heads: Sequence[int], word: int, target: int) -> bool:
    moved = [target if w == word else h for w, h in enumerate(heads, start=1)]
    between = range(min(word, target) + 1, max(word, target))
    above = [{one, *_path(moved, one)} for one in between]
    return any(target not in path and word not in path for path in above)


def _path(heads: Sequence[int], word: int) -> set[int]:
    found: set[int] = set()
    while word and word not in found:
        found.add(word)
        word = heads[word - 1]
    return found


def test_sentences_with_votes_for_crossing_arcs() -> None:
    assert with_lifted_votes(mixture(VOTES)) == [True]
    assert with_lifted_votes(mixture({})) == [False]


def test_patterns_are_saved_and_given_heads_stay(tmp_path: Path) -> None:
    treebank = [*bistro.builtin(sentences=100, seed=1), *[tree()] * 5]
    quick: dict[str, Any] = {"members": ["left"], "sampler": {"sweeps": 3, "samples": 1}}
    model = bistro.train("committee", treebank, seed=1, **quick)
    assert model.crossing.counts
    model.save(tmp_path / "model.bistro")
    again = bistro.load(tmp_path / "model.bistro")
    assert isinstance(again, CommitteeModel)
    assert again.crossing == model.crossing
    texts = [sentence.forms for sentence in treebank[:40]]
    assert [p.heads for p in model.parse_all(texts)] == [p.heads for p in again.parse_all(texts)]
    given = next(s for s in treebank if is_projective(s.heads))
    assert model.parse(given, partial=True).heads == given.heads
    without = bistro.train("committee", treebank, seed=1, crossing=0, **quick)
    assert not without.crossing.counts
    with pytest.raises(ConfigError, match="must not be negative"):
        bistro.train("committee", treebank, crossing=-1.0, **quick)
