"""The sampler of syntactic topics: draws of known laws, the exact posterior, Geweke's test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from laws import SUSPICIOUS, batch_means, p_value
from scipy import stats

from bistro._core import Stream, TopicSampler, beta_draws, gamma_draws
from bistro.reference.topics import STOP, States, state_law
from bistro.rng import purpose_key

PARENTS = np.array([0, 0, 0, 1, 1], dtype=np.int32)
WORDS = np.array([0, 1, 1, 0, 2], dtype=np.int32)
NO_STOPS = np.zeros(0, dtype=np.int32)
STOPS = np.array([1, 2], dtype=np.int32)
READINGS = [NO_STOPS, STOPS]
STRENGTH, SMOOTHING, GAMMA = 1.5, 0.4, 0.8
PARAMETERS = {"strength": STRENGTH, "smoothing": SMOOTHING, "gamma": GAMMA}
NONE = -2
"""In place of a state that is being drawn."""
RARE = 0.001
"""Assignments less probable than this are counted together."""
Step = Callable[[TopicSampler, int], None]
Weights = tuple[np.ndarray, float]
"""Those of the states, and that of all states not yet seen."""


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


def sampler(
    states: int | None,
    words: np.ndarray = WORDS,
    stops: np.ndarray = NO_STOPS,
    parents: np.ndarray = PARENTS,
) -> TopicSampler:
    return TopicSampler(
        parents,
        words,
        stops,
        num_parents=2,
        num_words=3,
        slots=states or 2,
        open=states is None,
        **PARAMETERS,
    )


def restored(topics: TopicSampler, source: TopicSampler, **changed: float) -> None:
    """Put the state of one sampler into another, with some parameters changed."""
    own = dict(zip(PARAMETERS, source.parameters, strict=True))
    topics.restore(
        source.states,
        source.weights,
        unseen=source.unseen,
        stop_weight=source.stop_weight,
        **(own | changed),
    )


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


def p_of(
    step: Step,
    states: int | None,
    stops: np.ndarray = NO_STOPS,
    counted: np.ndarray | None = None,
) -> float:
    """Return how well the chain fits the exact law; `counted` are the stops that it counts."""
    law = state_law(
        PARENTS.tolist(),
        WORDS.tolist(),
        num_words=3,
        states=states,
        strength=STRENGTH,
        smoothing=SMOOTHING,
        gamma=GAMMA,
        stops=np.repeat([0, 1], stops).tolist() if stops.size else (),
    )
    merged: dict[States, float] = {}
    for chosen, probability in law.items():
        merged[canonical(chosen)] = merged.get(canonical(chosen), 0.0) + probability
    names = [name for name in merged if merged[name] > RARE]
    rows = {name: i for i, name in enumerate(names)}
    truth = [merged[name] for name in names]
    topics = sampler(states, stops=stops if counted is None else counted)
    topics.seat(stream("seat"))
    chain = np.zeros((16_000, len(names) + 1))
    for i in range(len(chain)):
        step(topics, i)
        chain[i, rows.get(canonical(tuple(topics.states.tolist())), -1)] = 1
    return p_value(batch_means(chain), [*truth, 1 - sum(truth)])


@pytest.mark.parametrize("stops", READINGS, ids=["no-stops", "stops"])
@pytest.mark.parametrize("states", [2, 3, None])
def test_posterior_of_states_is_exact(states: int | None, stops: np.ndarray) -> None:
    assert p_of(right_step, states, stops) > SUSPICIOUS


@pytest.mark.parametrize("states", [3, None])
def test_stops_that_are_not_counted_are_noticed(states: int | None) -> None:
    many = np.array([1, 30], dtype=np.int32)
    assert p_of(right_step, states, many) > SUSPICIOUS
    assert p_of(right_step, states, many, counted=NO_STOPS) < SUSPICIOUS


# With an open number the sticks of new states are drawn as they open: frozen weights are no error.
@pytest.mark.parametrize(
    ("wrong", "states"), [(frozen_weights, 3), (half_words, 3), (half_words, None)]
)
def test_wrong_samplers_are_noticed(wrong: Step, states: int | None) -> None:
    assert p_of(wrong, states) < SUSPICIOUS


@dataclass
class Choices:
    """What each parent chose: states, each with its word, or stops."""

    parents: np.ndarray
    states: np.ndarray
    words: np.ndarray

    def sampler(self, states: int | None, *, stops: bool) -> TopicSampler:
        """Return a sampler of these choices, without states."""
        chosen = self.states != STOP
        counts = np.bincount(self.parents[~chosen], minlength=2).astype(np.int32)
        return sampler(
            states,
            self.words[chosen],
            counts if stops else NO_STOPS,
            parents=self.parents[chosen],
        )


def redrawn(choices: Choices, topics: TopicSampler, i: int, *, is_open: bool) -> Weights:
    """Draw each choice and its word again from their law given all others; return the weights."""
    rng = np.random.default_rng((7, i))
    weights, unseen = list(topics.weights), topics.unseen
    strength, smoothing, gamma = topics.parameters
    states, words = choices.states, choices.words
    for n, parent in enumerate(choices.parents):
        left, states[n] = states[n], NONE
        if is_open and left != STOP and left not in states:
            unseen, weights[left] = unseen + weights[left], 0.0
        own = states[choices.parents == parent].tolist()
        urn = [own.count(k) + strength * weight for k, weight in enumerate(weights)]
        urn += [strength * unseen, own.count(STOP) + strength * topics.stop_weight]
        drawn = rng.choice(len(urn), p=np.array(urn) / sum(urn))
        if drawn == len(weights) + 1:
            states[n] = STOP
            continue
        if drawn == len(weights):
            if 0.0 not in weights:
                weights.append(0.0)
            drawn = weights.index(0.0)
            weights[drawn] = unseen * rng.beta(1.0, gamma / (1 + topics.stops.size // 2))
            unseen -= weights[drawn]
        states[n] = drawn
        same = (states == drawn) & (np.arange(len(states)) != n)
        counts = np.bincount(words[same], minlength=3) + smoothing
        words[n] = rng.choice(3, p=counts / counts.sum())
    return np.array(weights), unseen


def geweke_p(states: int | None, rate: float, *, stops: bool = False) -> float:
    """Return how well the chain's parameters fit the prior Gamma(2, 2), if it assumes `rate`."""
    parents = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    choices = Choices(parents, np.zeros(8, np.int32), np.zeros(8, np.int32))
    topics = choices.sampler(states, stops=stops)
    topics.seat(stream("geweke.seat"))
    choices.states[:] = topics.states
    chain = []
    for i in range(8_000):
        right_step(topics, i)
        topics.draw_parameters(2.0, rate, stream("geweke.parameters", i))
        chain.append([f for x in topics.parameters for f in (x, np.log(x))])
        choices.states[choices.states != STOP] = topics.states
        weights, unseen = redrawn(choices, topics, i, is_open=states is None)
        again = choices.sampler(states, stops=stops)
        again.restore(
            choices.states[choices.states != STOP],
            weights,
            unseen=unseen,
            stop_weight=topics.stop_weight,
            **dict(zip(PARAMETERS, topics.parameters, strict=True)),
        )
        topics = again
    prior = stats.gamma(2.0, scale=0.5)
    mean_log = prior.expect(np.log)
    return p_value(batch_means(chain), [prior.mean(), mean_log] * 3)


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("states", [3, None])
def test_parameters_and_data_have_their_joint_law(states: int | None, stops: bool) -> None:
    assert geweke_p(states, 2.0, stops=stops) > SUSPICIOUS


@pytest.mark.parametrize("stops", [False, True])
def test_joint_law_notices_another_prior(stops: bool) -> None:
    assert geweke_p(3, 2.6, stops=stops) < SUSPICIOUS


@pytest.mark.parametrize("stops", READINGS, ids=["no-stops", "stops"])
def test_log_joint_is_that_of_the_formula(stops: np.ndarray) -> None:
    topics = sampler(3, stops=stops)
    topics.seat(stream("joint"))
    states, weights = topics.states, topics.weights
    expected = 0.0
    # The stops of each parent come first: the order does not matter.
    for number in stops:
        for n in range(number):
            expected += np.log((n + STRENGTH * topics.stop_weight) / (n + STRENGTH))
    for n in range(5):
        before = np.arange(5) < n
        own = before & (PARENTS[n] == PARENTS)
        prior = np.sum(states[own] == states[n]) + STRENGTH * weights[states[n]]
        before_it = own.sum() + (stops[PARENTS[n]] if stops.size else 0)
        expected += np.log(prior / (before_it + STRENGTH))
        same = before & (states == states[n])
        seen = np.sum(WORDS[same] == WORDS[n]) + SMOOTHING
        expected += np.log(seen / (same.sum() + 3 * SMOOTHING))
    assert topics.log_joint() == pytest.approx(expected, abs=1e-9)


def test_more_states_than_slots_find_room() -> None:
    words = np.arange(400, dtype=np.int32)
    topics = TopicSampler(
        np.zeros(400, np.int32),
        words,
        NO_STOPS,
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
    ("parents", "words", "stops", "message"),
    [
        ([0, 9], [0, 1], [], "parent"),
        ([0, 1], [0, 9], [], "word"),
        ([0], [0, 1], [], "as many"),
        ([0, 1], [0, 1], [1], "stops for each parent"),
        ([0, 1], [0, 1], [1, -1], "is negative"),
    ],
)
def test_bad_tokens_are_refused(
    parents: list[int], words: list[int], stops: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        TopicSampler(
            np.array(parents, np.int32),
            np.array(words, np.int32),
            np.array(stops, np.int32),
            num_parents=2,
            num_words=3,
            slots=2,
            open=False,
            **PARAMETERS,
        )
