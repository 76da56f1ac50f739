"""Arrays of a latent-variable parser that no training writes: refused, or harmless."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bistro
from bistro.models.isbn.model import IsbnModel


@pytest.fixture(scope="module", params=["feed-forward", "mean-field"])
def model(request: pytest.FixtureRequest) -> IsbnModel:
    trained = bistro.train(
        "isbn",
        bistro.builtin(sentences=40, seed=1),
        seed=1,
        hidden=8,
        approximation=request.param,
        learning={"passes": 2},
    )
    assert isinstance(trained, IsbnModel)
    return trained


def altered(model: IsbnModel, **changes: Any) -> IsbnModel:
    """Make the model again with other arrays."""
    arrays = {**model.arrays(), **{name.replace("__", "."): a for name, a in changes.items()}}
    return IsbnModel.from_parts(model.config, model.header(), arrays, model.origin)


def test_a_tag_without_clusters_is_refused(model: IsbnModel) -> None:
    tag_of = model.symbols.tag_of.copy()
    tag_of[tag_of == tag_of.max()] = 0
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, symbols__tag_of=tag_of)


@pytest.mark.parametrize("size", [3e38, -3e38, 1e30, 1.1e6])
def test_huge_weights_are_refused(model: IsbnModel, size: float) -> None:
    with pytest.raises(ValueError, match="too large"):
        altered(model, weights=np.full_like(model.weights, size))


@pytest.mark.parametrize("size", [1e6, -1e6, 80.0, 1e-38])
@pytest.mark.parametrize("random_signs", [False, True])
def test_large_weights_give_finite_answers(
    model: IsbnModel, size: float, random_signs: bool
) -> None:
    signs = np.random.default_rng(1).choice([-1, 1], model.weights.size) if random_signs else 1
    odd = altered(model, weights=(signs * np.full_like(model.weights, size)).astype(np.float32))
    assert np.isfinite(odd.parse(["The", "dog", "sleeps", "."]).log_prob)
    rows = odd.surprisal(["The", "dog"], particles=5).rows
    assert all(np.isfinite(row.surprisal) for row in rows)
    for prefix in ([], ["The", "zyzzyva"]):
        assert len(list(odd.generate(3, seed=1, prefix=prefix))) == 3


def test_frequencies_that_cancel_leave_a_distribution(model: IsbnModel) -> None:
    """All but nothing falls to a listed word: the others still share an outcome of their own."""
    begin, words = model.symbols.word_begin, model.symbols.word_list
    cluster = int(np.argmax(np.diff(begin)))
    frequency = np.full_like(model.symbols.frequency, 1e-3)
    frequency[words[begin[cluster]]] = 1e15
    odd = altered(model, symbols__frequency=frequency)
    assert np.isfinite(odd.parse(["The", "dog", "zyzzyva", "."]).log_prob)
    assert len(list(odd.generate(20, seed=1))) == 20


@pytest.mark.parametrize("frequency", [1e-9, 1e300, np.inf, np.nan, 0.0])
def test_impossible_frequencies_are_refused(model: IsbnModel, frequency: float) -> None:
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, symbols__frequency=np.full_like(model.symbols.frequency, frequency))


def test_a_word_listed_twice_is_refused(model: IsbnModel) -> None:
    """A list with duplicates could be as long as the vocabulary and still lack words."""
    begin = model.symbols.word_begin
    cluster = int(np.argmax(np.diff(begin)))
    words = model.symbols.word_list.copy()
    words[begin[cluster] + 1] = words[begin[cluster]]
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, symbols__word_list=words)


@pytest.mark.parametrize("count", [1e-9, 1e300, np.nan, 0.0, -1.0])
def test_impossible_counts_of_other_words_are_refused(model: IsbnModel, count: float) -> None:
    assert model.symbols.other_count.size
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, symbols__other_count=np.full_like(model.symbols.other_count, count))


def test_other_words_are_not_listed(model: IsbnModel) -> None:
    symbols = model.symbols
    cluster = int(np.argmax(np.diff(symbols.word_begin)))
    begin = symbols.other_begin.copy()
    begin[cluster + 1 :] += 1
    place, word = begin[cluster], symbols.word_list[symbols.word_begin[cluster]]
    changes = {
        "symbols__other_begin": begin,
        "symbols__other_list": np.insert(symbols.other_list, place, word),
        "symbols__other_count": np.insert(symbols.other_count, place, 1.0),
    }
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, **changes)
    with pytest.raises(ValueError, match="symbols of the model are damaged"):
        altered(model, symbols__other_begin=begin)


def test_a_model_of_an_earlier_version_shares_by_frequency() -> None:
    """It has no counts of other words, and gives them the figures that it always gave."""
    small: dict[str, Any] = {"hidden": 4, "unknown_below": 1, "listed": 4}
    trees = bistro.builtin(sentences=40, seed=1)
    model = bistro.train("isbn", trees, seed=1, learning={"passes": 1}, **small)
    assert isinstance(model, IsbnModel)
    kept = {n: a for n, a in model.arrays().items() if not n.startswith("symbols.other_")}
    old = IsbnModel.from_parts(model.config, model.header(), kept, model.origin)
    assert not old.symbols.other_begin.size
    s = model.symbols
    alone = np.flatnonzero(np.diff(s.seen_begin) == 1)
    word = next(int(w) for w in alone if w in s.other_list)
    cluster = int(s.seen_list[s.seen_begin[word]])
    own = slice(*s.other_begin[cluster : cluster + 2])
    counts = dict(zip(s.other_list[own].tolist(), s.other_count[own].tolist(), strict=True))
    listed = s.word_list[slice(*s.word_begin[cluster : cluster + 2])]
    by_frequency = s.frequency[word] / (s.frequency.sum() - s.frequency[listed].sum())
    share = (counts[word] + len(counts) * by_frequency) / (sum(counts.values()) + len(counts))
    text = [model.vocabulary.decode([word])]
    gain = model.score(text).log_probs[0] - old.score(text).log_probs[0]
    assert gain == pytest.approx(np.log(share / by_frequency), abs=1e-5)
