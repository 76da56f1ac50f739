"""Folds: every sentence held out once, by a model that has not seen it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError
from bistro.evaluate.crossval import cross_validate
from bistro.evaluate.held_out import judge
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.tasks.folds import Recipe, Split, Unit, make_folds, run_splits, shuffled
from bistro.treebank.sentence import Sentence

QUICK: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 1}}
TREEBANK = bistro.builtin(sentences=60, seed=1)


def documents(*lengths: int) -> list[Sentence]:
    sentences, number = [], 0
    for document, length in enumerate(lengths):
        for place in range(length):
            comments = [f"# newdoc id = {document}"] if place == 0 else []
            sentences.append(TREEBANK[number].replace(comments=comments))
            number += 1
    return sentences


@pytest.mark.parametrize("k", [2, 7, 60])
def test_every_sentence_is_held_out_once(k: int) -> None:
    splits = make_folds(TREEBANK, k, seed=1)
    assert sorted(place for split in splits for place in split.held_out) == list(range(60))
    sizes = [len(split.held_out) for split in splits]
    assert max(sizes) - min(sizes) <= 1
    for split in splits:
        assert sorted(split.train + split.held_out) == list(range(60))


def test_the_seed_decides() -> None:
    assert make_folds(TREEBANK, 5, seed=1) == make_folds(TREEBANK, 5, seed=1)
    assert make_folds(TREEBANK, 5, seed=1) != make_folds(TREEBANK, 5, seed=2)


def test_shuffling_gives_every_order_alike() -> None:
    orders = [tuple(shuffled("abc", seed, "test")) for seed in range(3000)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    # Six orders, 500 each; five standard errors of a binomial count are 102.
    assert len(counts) == 6
    assert max(abs(count - 500) for count in counts) < 102


def test_documents_stay_together() -> None:
    sentences = documents(5, 9, 2, 12, 7, 3)
    splits = make_folds(sentences, 3, seed=1, by="document")
    borders = [0, 5, 14, 16, 28, 35, 38]
    for first, last in pairwise(borders):
        holders = {n for n, s in enumerate(splits) for i in s.held_out if first <= i < last}
        assert len(holders) == 1
    assert sorted(place for split in splits for place in split.held_out) == list(range(38))


@pytest.mark.parametrize(
    ("k", "by", "told"),
    [
        (1, "sentence", "60 sentences cannot be divided into 1 folds: choose 2 to 60 folds"),
        (61, "sentence", "60 sentences cannot be divided into 61 folds"),
        (5, "document", "no '# newdoc' comments"),
        (5, "page", "not by 'page'"),
    ],
)
def test_impossible_folds(k: int, by: Unit, told: str) -> None:
    with pytest.raises(BistroError, match=told):
        make_folds(TREEBANK, k, seed=1, by=by)


def test_too_few_sentences() -> None:
    with pytest.raises(BistroError, match="at least two sentences, but there is only one"):
        make_folds(TREEBANK[:1], 2, seed=1)


def test_a_model_has_not_seen_what_it_is_asked_about() -> None:
    odd = [[*sentence.forms, f"only{place}"] for place, sentence in enumerate(TREEBANK)]
    recipe = Recipe("ngram", {"order": 2, "unknown_below": 1, **QUICK})

    def unknown(model: Model, unseen: list[list[str]]) -> list[bool]:
        return [bool(SCORE.of(model).score([words]).is_oov[-2]) for words in unseen]

    splits = make_folds(odd, 4, seed=1)
    assert all(all(fold) for fold in run_splits(recipe, odd, splits, unknown))
    seen = [Split(tuple(range(60)), (0, 1, 2))]
    assert not any(next(run_splits(recipe, odd, seen, unknown)))


def test_sentences_beside_are_learned_from_too() -> None:
    recipe = Recipe("ngram", {"order": 2, **QUICK}, beside=[["beside", "beside"]])
    assert "beside" in SCORE.of(recipe.trained([["one"]])).vocabulary.words


@pytest.mark.parametrize("kind", ["transition", "eisner", "committee", "ngram"])
def test_any_number_of_threads_gives_the_same(kind: str) -> None:
    one, two = (
        cross_validate(kind, TREEBANK, k=3, threads=threads, **QUICK).to_tsv() for threads in (1, 2)
    )
    assert one == two


def test_figures_are_those_of_models_made_by_hand() -> None:
    found = cross_validate("eisner", TREEBANK, k=3, seed=5, keep=True, **QUICK)
    for split, fold in zip(found.splits, found.folds, strict=True):
        model = bistro.train("eisner", [TREEBANK[i] for i in split.train], seed=5, **QUICK)
        held_out = [TREEBANK[i] for i in split.held_out]
        assert judge(model, held_out).figures == fold.figures
    values = [fold.figures["las"] for fold in found.folds]
    mean = sum(values) / 3
    assert found.mean("las") == pytest.approx(mean)
    variance = sum((value - mean) ** 2 for value in values) / 2
    assert found.standard_error("las") == pytest.approx((variance / 3) ** 0.5)
    assert [parse.sentence for parse in found.parses()] == list(TREEBANK)
    assert all(parse.marginals is not None for parse in found.parses())


def test_taggers_and_language_models() -> None:
    tagger = cross_validate("tags", TREEBANK, k=2, **QUICK)
    assert tagger.names == ["tags"]
    assert tagger.mean("tags") > 50
    ngram = cross_validate("ngram", TREEBANK, k=2, **QUICK)
    assert ngram.names == ["perplexity", "bits_per_word"]
    assert ngram.mean("perplexity") > 1
