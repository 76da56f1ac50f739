"""The frozen form: the numbers of the trainable one, for one sample and for the mean of many."""

from __future__ import annotations

import itertools
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from twins import FLAT, Context, contexts, dishes, stream

from bistro import _core
from bistro.reference.hpyp import Seating

Matrix: TypeAlias = npt.NDArray[np.int32]


def text_events(num_dishes: int, n: int, seed: int) -> tuple[Matrix, Matrix]:
    """Trigram events of a random text; few dishes give small regions, many give hashed ones."""
    words = (np.random.default_rng(seed).zipf(1.4, n) % num_dishes).astype(np.int32)
    windows = np.lib.stride_tricks.sliding_window_view(words, 2)[:-1, ::-1]
    return windows, words[2:].copy()


def every_query(num_dishes: int) -> tuple[Matrix, Matrix]:
    """All dishes after all contexts of two elements, one element of which never occurs."""
    rows = list(itertools.product(range(num_dishes + 1), repeat=2))
    return (
        np.repeat(contexts(rows), num_dishes, axis=0),
        np.tile(np.arange(num_dishes, dtype=np.int32), len(rows)),
    )


class Trained:
    """A trained franchise with the frozen mean of its last samples."""

    def __init__(
        self,
        num_dishes: int,
        samples: int,
        base: _core.Base | None = None,
        seating: Seating = "gibbs",
        n: int = 1_500,
    ) -> None:
        self.num_dishes = num_dishes
        base = base or _core.UniformBase(num_dishes)
        self.core = _core.Franchise(base, 3, seating)
        self.events, self.outcomes = text_events(num_dishes, n, num_dishes)
        ids = self.core.resolve(self.events, self.outcomes)
        self.core.add(ids, stream(0))
        queries, asked = every_query(num_dishes)
        self.sum = _core.PredictiveSum()
        self.predictions = []
        for sample in range(samples):
            self.core.sweep(ids, stream(2 * sample + 1))
            self.core.slice_hyperparameters(FLAT, dirichlet=False, rng=stream(2 * sample + 2))
            self.sum.add(self.core)
            self.predictions.append(self.core.probabilities(queries, asked))
        self.arrays = self.sum.freeze(self.core)
        self.frozen = _core.Frozen(**self.arrays, dishes=num_dishes)
        self.probabilities = np.exp(self.frozen.log_probabilities(queries, asked))
        self.exact = np.mean(self.predictions, axis=0)


SMALL, LARGE = 4, 25  # dishes: at most 8 keys a region, or many more


@pytest.mark.parametrize("seating", ["gibbs", "minimal", "maximal"])
@pytest.mark.parametrize("num_dishes", [SMALL, LARGE])
def test_one_sample_equals_the_trainable_form(num_dishes: int, seating: Seating) -> None:
    trained = Trained(num_dishes, samples=1, seating=seating)
    np.testing.assert_allclose(trained.probabilities, trained.exact, rtol=1e-6)


def test_regions_of_both_kinds_are_there() -> None:
    for num_dishes, hashed in [(SMALL, False), (LARGE, True)]:
        arrays = Trained(num_dishes, samples=1).arrays
        widest_children = int(np.diff(arrays["child_begin"].astype(np.int64)).max())
        widest_entries = int(np.diff(arrays["entry_begin"].astype(np.int64)).max())
        assert (widest_children > 8, widest_entries > 8) == (hashed, hashed)


@pytest.mark.parametrize("kind", ["vector", "franchise"])
def test_other_bases(kind: str) -> None:
    vector = _core.VectorBase((np.arange(1, LARGE + 1) / (LARGE * (LARGE + 1) / 2)).tolist())
    below = _core.Franchise(vector, 1)
    base = _core.FranchiseBase(below, []) if kind == "franchise" else vector
    trained = Trained(LARGE, samples=1, base=base)
    np.testing.assert_allclose(trained.probabilities, trained.exact, rtol=1e-6)


@pytest.mark.parametrize("num_dishes", [SMALL, LARGE])
def test_mean_of_samples(num_dishes: int) -> None:
    """Exact where the restaurant knows the dish; elsewhere a product of means stands for a mean."""
    trained = Trained(num_dishes, samples=8)
    expected = np.exp(trained.frozen.log_probabilities(trained.events, trained.outcomes))
    queries, asked = every_query(num_dishes)
    seen = {
        (*c, x) for c, x in zip(trained.events.tolist(), trained.outcomes.tolist(), strict=True)
    }
    rows = zip(queries.tolist(), asked.tolist(), strict=True)
    is_seen = np.array([(*c, x) in seen for c, x in rows])
    assert is_seen.any()
    np.testing.assert_allclose(trained.probabilities[is_seen], trained.exact[is_seen], rtol=2e-7)
    assert expected.min() > 0
    frozen, exact = (p.reshape(-1, num_dishes) for p in (trained.probabilities, trained.exact))
    assert np.abs(frozen.sum(axis=1) - 1).max() < 1e-6
    divergence = (exact * np.log(exact / frozen)).sum(axis=1)
    assert divergence.max() < 1e-3  # in nats, at the worst context
    assert np.abs(frozen / exact - 1).max() < 0.1


def test_mean_is_not_the_last_sample() -> None:
    """The tolerance above tells the mean from any single sample."""
    trained = Trained(LARGE, samples=8)
    for single in trained.predictions:
        assert np.abs(single / trained.probabilities - 1).max() > 0.1


def test_events_may_come_between_samples() -> None:
    """What was made later counts, in earlier samples, as the unseen thing it was."""
    core = _core.Franchise(_core.UniformBase(LARGE), 3)
    events, outcomes = text_events(LARGE, 1_500, 7)
    queries, asked = every_query(LARGE)
    total, predictions, ids = _core.PredictiveSum(), [], np.empty(0, dtype=np.uint32)
    for sample, part in enumerate(np.array_split(np.arange(len(outcomes)), 6)):
        new = core.resolve(events[part], outcomes[part])
        ids = np.concatenate([ids, new])
        core.add(new, stream(2 * sample))
        core.sweep(ids, stream(2 * sample + 1))
        total.add(core)
        predictions.append(core.probabilities(queries, asked))
    frozen = _core.Frozen(**total.freeze(core), dishes=LARGE)
    mean = np.mean(predictions, axis=0).reshape(-1, LARGE)
    probabilities = np.exp(frozen.log_probabilities(queries, asked)).reshape(-1, LARGE)
    # Where a restaurant has seen every dish, no weight of the parent is left to make up the sum.
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 1e-3
    divergence = (mean * np.log(mean / probabilities)).sum(axis=1)
    assert divergence.max() < 0.02  # the samples differ far more here than those of one data set
    last = (mean * np.log(mean / predictions[-1].reshape(-1, LARGE))).sum(axis=1)
    assert last.max() > 0.1


def test_samples_of_other_events_do_not_mix() -> None:
    large, small = Trained(LARGE, samples=1), Trained(SMALL, samples=1)
    with pytest.raises(ValueError, match="another set of events"):
        large.sum.add(small.core)
    with pytest.raises(ValueError, match="another set of events"):
        large.sum.freeze(small.core)
    with pytest.raises(ValueError, match="another set of events"):
        _core.PredictiveSum().freeze(small.core)


def test_sums_survive_saving() -> None:
    trained = Trained(LARGE, samples=3)
    copy = _core.PredictiveSum()
    copy.restore(*trained.sum.state())
    assert copy.samples == 3
    for name, array in copy.freeze(trained.core).items():
        assert (array == trained.arrays[name]).all()


@pytest.mark.parametrize("num_dishes", [SMALL, LARGE])
def test_distribution_equals_single_queries(num_dishes: int) -> None:
    trained = Trained(num_dishes, samples=3)
    rows = list(itertools.product(range(num_dishes + 1), repeat=2))
    for context, expected in zip(rows, trained.probabilities.reshape(-1, num_dishes), strict=True):
        distribution = trained.frozen.distribution(dishes(context))
        np.testing.assert_allclose(distribution, expected, rtol=1e-12)
    shorter: list[Context] = [(), (1,), (num_dishes,)]
    for context in shorter:
        distribution = trained.frozen.distribution(dishes(context))
        queries = contexts([context] * num_dishes)
        logs = trained.frozen.log_probabilities(queries, dishes(range(num_dishes)))
        np.testing.assert_allclose(distribution, np.exp(logs), rtol=1e-12)
        assert abs(distribution.sum() - 1) < 1e-6


@pytest.mark.parametrize("samples", [1, 6])
@pytest.mark.parametrize("context", [(0, 1), (1, 0), (3, 2), (LARGE, LARGE), (2,), ()])
def test_draws_follow_the_distribution(samples: int, context: Context) -> None:
    trained = Trained(LARGE, samples=samples)
    law = trained.frozen.distribution(dishes(context))
    start, rng, n = dishes(context), stream(99), 20_000
    draws = [
        trained.frozen.sample_sequence(start, end=-1, max_length=1, rng=rng)[0] for _ in range(n)
    ]
    counts = np.bincount(draws, minlength=LARGE)
    statistic = float(((counts - n * law) ** 2 / (n * law)).sum())
    assert stats.chi2.sf(statistic, LARGE - 1) > 1e-4
    other = trained.frozen.distribution(dishes((5, 5) if context != (5, 5) else ()))
    statistic = float(((counts - n * other) ** 2 / (n * other)).sum())
    assert stats.chi2.sf(statistic, LARGE - 1) < 1e-4  # the test has teeth


def test_sequences_feed_their_own_context() -> None:
    """Pairs of neighbours in long sequences follow p(next | the two before)."""
    trained = Trained(SMALL, samples=1)
    text = trained.frozen.sample_sequence(dishes([0, 0]), end=-1, max_length=60_000, rng=stream(98))
    for before in [(0, 1), (1, 2), (3, 0)]:
        following = text[2:][(text[1:-1] == before[0]) & (text[:-2] == before[1])]
        law = trained.frozen.distribution(dishes(before))
        counts = np.bincount(following, minlength=SMALL)
        n = counts.sum()
        statistic = float(((counts - n * law) ** 2 / (n * law)).sum())
        assert stats.chi2.sf(statistic, SMALL - 1) > 1e-4


def test_sequences_end() -> None:
    trained = Trained(SMALL, samples=1)
    for index in range(50):
        text = trained.frozen.sample_sequence(
            dishes([0, 0]), end=2, max_length=10, rng=stream(index)
        )
        assert len(text) <= 10
        assert 2 not in text
    assert (
        trained.frozen.sample_sequence(dishes([0, 0]), end=2, max_length=0, rng=stream(0)).size == 0
    )


def test_what_is_not_a_dish_is_impossible() -> None:
    trained = Trained(LARGE, samples=2)
    for context in [(0, 1), (LARGE, 0), (-1, -1)]:
        for dish in [-1, LARGE, 2**31 - 1, -(2**31)]:
            assert (
                trained.frozen.log_probabilities(contexts([context]), dishes([dish]))[0] == -np.inf
            )


def test_contexts_are_read_through_their_strides() -> None:
    trained = Trained(LARGE, samples=1)
    copied = trained.frozen.log_probabilities(trained.events.copy(), trained.outcomes)
    assert (trained.frozen.log_probabilities(trained.events, trained.outcomes) == copied).all()
