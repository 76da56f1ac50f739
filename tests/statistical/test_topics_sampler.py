"""The sampler of syntactic topics: draws of known laws, the exact posterior, Geweke's test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from laws import SUSPICIOUS, batch_means, p_value
from scipy import stats

from bistro._core import Stream, TopicSampler, beta_draws, gamma_draws
from bistro.reference.topics import States, state_law
from bistro.rng import purpose_key

PARENTS = np.array([0, 0, 0, 1, 1], dtype=np.int32)
WORDS = np.array([0, 1, 1, 0, 2], dtype=np.int32)
STRENGTH, SMOOTHING, GAMMA = 1.5, 0.4, 0.8
PARAMETERS = {"strength": STRENGTH, "smoothing": SMOOTHING, "gamma": GAMMA}
Step = Callable[[TopicSampler, int], None]


def stream(purpose: str, index: int = 0) -> Stream:
    return Stream(1, purpose_key(f"test.topics.{purpose}"), index)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 4.5])
def test_gamma_draws_follow_their_law(shape: float) -> None:
    drawn = gamma_draws(shape, 20_000, stream("gamma"))
    assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > SUSPICIOUS
    assert stats.kstest(drawn, stats.gamma(1.1 * shape).cdf).pvalue < SUSPICIOUS


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.8), (0.3, 2.0)])
def test_beta_draws_follow_their_law(a: float, b: float) -> None:
    drawn = beta_draws(a, b, 20_000, stream("beta"))
    assert stats.kstest(drawn, stats.beta(a, b).cdf).pvalue > SUSPICIOUS
    assert stats.kstest(drawn, stats.beta(1.1 * a, b).cdf).pvalue < SUSPICIOUS


def canonical(states: States) -> States:
    """Name states by the order in which they appear."""
    names: dict[int, int] = {}
    return tuple(names.setdefault(k, len(names)) for k in states)


def sampler(states: int | None, words: np.ndarray = WORDS) -> TopicSampler:
    return TopicSampler(
        PARENTS,
        words,
        num_parents=2,
        num_words=3,
        slots=states or 2,
        open=states is None,
        **PARAMETERS,
    )


def restored(topics: TopicSampler, source: TopicSampler, **changed: float) -> None:
    """Put the state of one sampler into another, with some parameters changed."""
    own = dict(zip(PARAMETERS, source.parameters, strict=True))
    topics.restore(source.states, source.weights, unseen=source.unseen, **(own | changed))


def right_step(topics: TopicSampler, i: int) -> None:
    topics.sweep(stream("sweep", i))
    topics.draw_weights(stream("weights", i))


def frozen_weights(topics: TopicSampler, i: int) -> None:
    """Forget that the weights are unknown too."""
    topics.sweep(stream("sweep", i))


def half_words(topics: TopicSampler, i: int) -> None:
    """Sweep under a smoothing that is not the model's."""
    restored(topics, topics, smoothing=SMOOTHING / 2)
    right_step(topics, i)
    restored(topics, topics, smoothing=SMOOTHING)


def p_of(step: Step, states: int | None) -> float:
    law = state_law(
        PARENTS.tolist(),
        WORDS.tolist(),
        num_words=3,
        states=states,
        strength=STRENGTH,
        smoothing=SMOOTHING,
        gamma=GAMMA,
    )
    merged: dict[States, float] = {}
    for chosen, probability in law.items():
        merged[canonical(chosen)] = merged.get(canonical(chosen), 0.0) + probability
    names = sorted(merged, key=lambda name: -merged[name])
    rows = {name: i for i, name in enumerate(names)}
    topics = sampler(states)
    topics.seat(stream("seat"))
    chain = np.zeros((16_000, len(names)))
    for i in range(len(chain)):
        step(topics, i)
        chain[i, rows[canonical(tuple(topics.states.tolist()))]] = 1
    return p_value(batch_means(chain), [merged[name] for name in names])


@pytest.mark.parametrize("states", [2, 3, None])
def test_posterior_of_states_is_exact(states: int | None) -> None:
    assert p_of(right_step, states) > SUSPICIOUS


# With an open number the sticks of new states are drawn as they open: frozen weights are no error.
@pytest.mark.parametrize(
    ("wrong", "states"), [(frozen_weights, 3), (half_words, 3), (half_words, None)]
)
def test_wrong_samplers_are_noticed(wrong: Step, states: int | None) -> None:
    assert p_of(wrong, states) < SUSPICIOUS


def redrawn_words(topics: TopicSampler, words: np.ndarray, i: int) -> np.ndarray:
    """Draw each word again given the states and the other words."""
    rng = np.random.default_rng((7, i))
    words = words.copy()
    smoothing = topics.parameters[1]
    for n in range(len(words)):
        same = (topics.states == topics.states[n]) & (np.arange(len(words)) != n)
        counts = np.bincount(words[same], minlength=3) + smoothing
        words[n] = rng.choice(3, p=counts / counts.sum())
    return words


def geweke_p(states: int | None, rate: float) -> float:
    """Return how well the chain's parameters fit the prior Gamma(2, 2), if it assumes `rate`."""
    words = WORDS
    topics = sampler(states)
    topics.seat(stream("geweke.seat"))
    chain = []
    for i in range(8_000):
        right_step(topics, i)
        topics.draw_parameters(2.0, rate, stream("geweke.parameters", i))
        chain.append([f for x in topics.parameters for f in (x, np.log(x))])
        words = redrawn_words(topics, words, i)
        again = sampler(states, words)
        restored(again, topics)
        topics = again
    prior = stats.gamma(2.0, scale=0.5)
    mean_log = prior.expect(np.log)
    return p_value(batch_means(chain), [prior.mean(), mean_log] * 3)


@pytest.mark.parametrize("states", [3, None])
def test_parameters_and_data_have_their_joint_law(states: int | None) -> None:
    assert geweke_p(states, 2.0) > SUSPICIOUS


def test_joint_law_notices_another_prior() -> None:
    assert geweke_p(3, 2.6) < SUSPICIOUS


def test_log_joint_is_that_of_the_formula() -> None:
    topics = sampler(3)
    topics.seat(stream("joint"))
    states, weights = topics.states, topics.weights
    expected = 0.0
    for n in range(5):
        before = np.arange(5) < n
        own = before & (PARENTS[n] == PARENTS)
        prior = np.sum(states[own] == states[n]) + STRENGTH * weights[states[n]]
        expected += np.log(prior / (own.sum() + STRENGTH))
        same = before & (states == states[n])
        seen = np.sum(WORDS[same] == WORDS[n]) + SMOOTHING
        expected += np.log(seen / (same.sum() + 3 * SMOOTHING))
    assert topics.log_joint() == pytest.approx(expected, abs=1e-9)


def test_more_states_than_slots_find_room() -> None:
    words = np.arange(400, dtype=np.int32)
    topics = TopicSampler(
        np.zeros(400, np.int32),
        words,
        num_parents=1,
        num_words=400,
        slots=1,
        open=True,
        strength=50.0,
        smoothing=0.001,
        gamma=50.0,
    )
    topics.seat(stream("room"))
    assert topics.live > 8
    assert topics.slots >= topics.live
    counts = np.bincount(topics.states, minlength=topics.slots)
    assert np.count_nonzero(counts) == topics.live
    assert topics.weights.sum() + topics.unseen == pytest.approx(1.0)


def test_same_stream_same_states_also_after_a_restore() -> None:
    one, other = sampler(None), sampler(None)
    one.seat(stream("same"))
    for i in range(5):
        right_step(one, i)
    restored(other, one)
    for i in range(5, 10):
        right_step(one, i)
        right_step(other, i)
    assert one.states.tolist() == other.states.tolist()
    assert one.weights.tolist() == other.weights.tolist()


@pytest.mark.parametrize(
    ("parents", "words", "message"),
    [([0, 9], [0, 1], "parent"), ([0, 1], [0, 9], "word"), ([0], [0, 1], "as many")],
)
def test_bad_tokens_are_refused(parents: list[int], words: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TopicSampler(
            np.array(parents, np.int32),
            np.array(words, np.int32),
            num_parents=2,
            num_words=3,
            slots=2,
            open=False,
            **PARAMETERS,
        )
