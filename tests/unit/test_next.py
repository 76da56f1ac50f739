"""What to annotate next."""

from __future__ import annotations

import math
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.tasks.next_sentences import NEAR, STRATEGIES, _near_copies, rank_next
from bistro.treebank.sentence import Sentence

QUICK: Any = {"kind": "eisner", "sampler": {"sweeps": 3, "samples": 1}}


def bare(sentence: Sentence) -> Sentence:
    size = len(sentence)
    return sentence.replace(heads=[-1] * size, deprels=["_"] * size)


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    whole = list(bistro.builtin(sentences=80, seed=3))
    return [*whole[:50], *map(bare, whole[50:])]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_orders_what_lacks_heads(treebank: list[Sentence], strategy: str) -> None:
    ranking = rank_next(treebank, strategy=strategy, **QUICK)
    places = [item.sentence for item in ranking.sentences]
    assert sorted(places) == list(range(50, 80))
    for copies in (False, True):
        scores = [item.score for item in ranking.sentences if item.is_near_copy == copies]
        assert scores == sorted(scores, reverse=True)
    assert ranking.sentences == rank_next(treebank, strategy=strategy, **QUICK).sentences


def test_doubts_are_those_of_the_marginals(treebank: list[Sentence]) -> None:
    model = bistro.train("eisner", treebank[:50], seed=1, sampler={"sweeps": 3, "samples": 1})
    ranking = rank_next(treebank, model)
    item = ranking.sentences[0]
    [parse] = model.parse_all(
        [treebank[item.sentence]], seed=1, tags="given", partial=True, marginals=True
    )
    assert parse.marginals is not None
    expected = [
        1 - max(p for _, p in heads) * max(p for _, p in labels)
        for heads, labels in zip(parse.marginals.heads, parse.marginals.labels, strict=True)
    ]
    assert item.doubts == pytest.approx(expected)
    assert item.expected_corrections == pytest.approx(sum(expected))
    doubts = [word.doubt for word in ranking.words]
    assert doubts == sorted(doubts, reverse=True) and max(doubts) <= 1


def test_gain_weighs_doubts_by_the_words_that_are_left(treebank: list[Sentence]) -> None:
    ranking = rank_next(treebank, strategy="gain", **QUICK)
    left = [form.lower() for sentence in treebank[50:] for form in sentence.forms]
    for item in ranking.sentences[:5]:
        forms = [form.lower() for form in treebank[item.sentence].forms]
        learned = sum(
            doubt * math.log(1 + left.count(form))
            for doubt, form in zip(item.doubts, forms, strict=True)
        )
        assert item.score == item.gain == pytest.approx(learned / len(forms))


def test_words_with_a_head_are_not_asked_for(treebank: list[Sentence]) -> None:
    half = treebank[60].replace(heads=[-1, *bistro.builtin(sentences=80, seed=3)[60].heads[1:]])
    ranking = rank_next([*treebank[:50], half], **QUICK)
    assert [(word.sentence, word.word) for word in ranking.words] == [(50, 1)]


def test_near_copies_come_last() -> None:
    rows = ["a b c d e", "a b c d e f", "x y z", "a b c x y z", "X Y Z", "a b"]
    sentences = [Sentence.from_columns(row.split()) for row in rows]
    slow: list[bool] = []
    for number, sentence in enumerate(sentences):
        own = {form.lower() for form in sentence.forms}
        earlier = [
            {form.lower() for form in sentences[o].forms} for o in range(number) if not slow[o]
        ]
        slow.append(any(len(own & o) / len(own | o) >= NEAR for o in earlier))
    assert _near_copies(sentences) == slow == [False, True, False, False, True, False]


def test_complaints(treebank: list[Sentence]) -> None:
    with pytest.raises(ConfigError, match=r"no strategy 'doubts' \(did you mean 'doubt'"):
        rank_next(treebank, strategy="doubts", **QUICK)
    with pytest.raises(BistroError, match="nothing left to annotate"):
        rank_next(treebank[:50], **QUICK)
    with pytest.raises(BistroError, match="complete a few sentences by hand"):
        rank_next(treebank[50:], **QUICK)
