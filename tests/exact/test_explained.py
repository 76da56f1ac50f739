"""Explanations against enumeration, against counted seatings, and against exact charts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from transition_twins import (
    KINDS,
    PACED,
    SPECIAL,
    WORDS,
    Kind,
    Twin,
    random_sentences,
    trained,
    twin_of,
)

import bistro
from bistro.reference.arc_standard import derivations
from bistro.treebank.sentence import Sentence

SEATED: dict[str, Any] = {"seating": "minimal", "hyper": "fixed", "discount": 0.4, "strength": 0.7}


# ---- the parser: all derivations of a tree -----------------------------------------------------
def best_by_enumeration(twin: Twin, sentence: Sentence) -> float:
    """log p of the likeliest derivation of a sentence's tree, its tags and labels given."""
    codec = twin.model.codec
    labels: tuple[int, ...] = (0,) * len(sentence)
    if twin.kind.labels != "none":
        labels = tuple(codec.labels.index(name) for name in sentence.deprels)
    tags = tuple(codec.tags.index(name) for name in sentence.upos)
    analysis = twin.turned((tuple(sentence.heads), labels, tags))
    words = twin.words(sentence.forms)
    ways = derivations(twin.plain.system, analysis[0])
    return math.log(max(twin.plain.replay(way, words, analysis)[0] for way in ways))


@pytest.mark.parametrize("kind", [*KINDS, *SPECIAL, *PACED], ids=str)
def test_the_likeliest_derivation_of_a_tree_is_explained_step_by_step(kind: Kind) -> None:
    twin = twin_of(kind)
    known = set(twin.model.codec.labels)
    checked = 0
    for sentence in random_sentences(kind, 12, 4, seed=5):
        if kind.labels != "none" and not set(sentence.deprels) <= known:
            continue
        explanation = twin.model.explain(sentence)
        expected = best_by_enumeration(twin, sentence)
        assert explanation.log_prob == pytest.approx(expected, abs=1e-9)
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[5], SPECIAL[0]], ids=str)
def test_the_decisions_are_the_events_of_the_derivation(kind: Kind) -> None:
    """In the core's counting, an oracle's derivation teaches what an explanation lists."""
    model = trained(kind)
    sentences = random_sentences(kind, 25, 5, seed=1)
    explanation = model.explain(sentences[3], training=sentences)
    for decision in explanation.decisions:
        for level in decision.levels[1:]:
            assert level.count is not None and level.total is not None
            assert 0 <= level.count <= level.total
            assert level.known == (level.total > 0)
            if level.count:
                assert level.own > 0
    words = [d for d in explanation.decisions if d.distribution == "words"]
    assert [d.token for d in sorted(words, key=lambda d: d.word)] == sentences[3].forms
    assert set(sentences[3].forms) <= set(WORDS)


# ---- the n-gram model: a seating that can be counted -------------------------------------------
def customers(text: Sequence[list[str]], order: int) -> dict[tuple[str, ...], Counter[str]]:
    """By context: how many customers of each word, where every word has one table a context."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for sentence in text:
        words = ["<s>"] * (order - 1) + sentence + ["</s>"]
        for at in range(order - 1, len(words)):
            context = tuple(reversed(words[at - order + 1 : at]))
            found.setdefault(context, Counter())[words[at]] += 1
    for depth in range(order - 2, -1, -1):
        for context in [c for c in found if len(c) == depth + 1]:
            for word in found[context]:
                found.setdefault(context[:depth], Counter())[word] += 1
    return found


def test_every_level_of_an_ngram_is_the_formula_of_its_counts() -> None:
    text = [list("abab"), list("abc"), list("bca"), list("aab"), list("cab")]
    settings: dict[str, Any] = {"order": 3, "unknown_below": 1, "unknown": "single"}
    model = bistro.train(
        "ngram", text, seed=1, sampler={**SEATED, "sweeps": 1, "samples": 1}, **settings
    )
    seated = customers(text, 3)
    d, strength = SEATED["discount"], SEATED["strength"]
    for sentence in (list("abc"), list("ccb"), list("ba")):
        for decision in model.explain(sentence).decisions:
            context: tuple[str, ...] = ()
            for level in decision.levels[1:]:
                context += (level.value,) if level.depth else ()
                here = seated.get(context)
                assert level.known == (here is not None)
                if here is None:
                    continue
                c, t = sum(here.values()), len(here)
                own = max(0.0, here[decision.outcome] - d * (decision.outcome in here))
                assert level.own == pytest.approx(own / (c + strength), abs=1e-6)
                assert level.backoff == pytest.approx((strength + d * t) / (c + strength), abs=1e-6)
                assert level.kinds == t
                if len(context) < 2:
                    assert level.ways == here[decision.outcome]


def test_contributions_of_an_ngram_sum_to_its_scores() -> None:
    treebank = bistro.builtin(sentences=200, seed=1)
    quick = {"sampler": {"sweeps": 6, "samples": 3}}
    sentence = ["The", "dog", "zyzzyva", "sleeps", "."]
    choices: list[dict[str, Any]] = [{}, {"unknown": "spelling"}, {"order": 1}]
    for settings in choices:
        model = bistro.train("ngram", treebank, seed=1, **quick, **settings)
        explanation = model.explain(sentence)
        expected = [math.exp(x) for x in model.score([sentence]).log_probs]
        assert [d.token for d in explanation.decisions] == [*sentence, "</s>"]
        for decision, p in zip(explanation.decisions, expected, strict=True):
            total = sum(level.contribution for level in decision.levels)
            assert total == pytest.approx(p, rel=1e-9, abs=0)
            assert decision.probability == pytest.approx(p, rel=1e-9, abs=0)
            last = decision.levels[-1]
            assert last.probability * decision.scale == pytest.approx(p, rel=1e-9, abs=0)


def test_counts_are_those_of_the_training_data() -> None:
    treebank = bistro.builtin(sentences=100, seed=1)
    model = bistro.train("ngram", treebank, seed=1, order=3, sampler={"sweeps": 3, "samples": 1})
    sentence = treebank[0].forms[:4]
    for place, decision in enumerate(model.explain(sentence, training=treebank).decisions[:4]):
        seen = model.vocabulary.decode(model.vocabulary.encode(sentence))
        before = ["<s>", "<s>", *seen][place:]
        for level in decision.levels[1:]:
            wanted = before[2 - level.depth : 2]
            total = count = 0
            for other in treebank:
                words = model.vocabulary.decode(model.vocabulary.encode(other.forms))
                words = ["<s>", "<s>", *words, "</s>"]
                for at in range(2, len(words)):
                    if words[at - level.depth : at] == wanted:
                        total += 1
                        count += words[at] == decision.outcome
            assert (level.count, level.total) == (count, total)


# ---- Eisner's model: the chart -----------------------------------------------------------------
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"labels": "none", "roots": "several"},
        {
            "labels": "generated",
            "contexts": {
                "tags": ["label", "direction", "parent.tag", "parent.label"],
                "labels": ["direction", "parent.tag", "sibling.tag"],
            },
        },
    ],
    ids=["arcs", "none", "generated"],
)
def test_decisions_of_a_chart_multiply_to_its_trees(settings: dict[str, Any]) -> None:
    treebank = bistro.builtin(sentences=150, seed=1)
    model = bistro.train(
        "eisner", treebank, seed=1, sampler={"sweeps": 3, "samples": 1}, **settings
    )
    words = ["The", "dog", "that", "I", "saw", "sleeps", "."]
    best = model.parse(words, mbr=False)
    explanation = model.explain(words, training=treebank)
    assert explanation.heads == best.heads
    assert explanation.log_prob == pytest.approx(best.log_prob, abs=1e-9)
    assert all(level.total is not None for d in explanation.decisions for level in d.levels[1:])
    gold = treebank[7]
    given = model.parse(gold, mbr=False, partial=True, tags="given")
    assert model.explain(gold).log_prob == pytest.approx(given.log_prob, abs=1e-9)
