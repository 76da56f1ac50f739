"""A choice among names: the best outcomes against the whole distribution."""

from __future__ import annotations

import numpy as np
import pytest

from bistro.errors import ModelFileError
from bistro.inference.choices import Choice, ChoiceLearner, Names
from bistro.inference.settings import SamplerSettings


def learned(outcomes: int = 40, seed: int = 1) -> tuple[Choice, list[tuple[str, ...]]]:
    rng = np.random.default_rng(seed)
    contexts = [tuple(rng.choice(list("abcd"), size=3).tolist()) for _ in range(500)]
    chosen = [f"o{int(rng.zipf(1.5)) % outcomes}" for _ in contexts]
    settings = SamplerSettings(sweeps=4, samples=2)
    learner = ChoiceLearner("c", contexts, chosen, settings, seed)
    learner.seat()
    for sweep in range(4):
        learner.step(sweep, keep=sweep > 1)
    return learner.choice(), contexts


@pytest.mark.parametrize("most", [1, 2, 5, 100])
def test_ranked_outcomes_are_the_largest_of_the_distribution(most: int) -> None:
    choice, contexts = learned()
    asked = [*contexts[:40], ("a", "z", "b"), ("z", "z", "z")]
    numbers, probabilities = choice.ranked(asked, most)
    names = choice.outcomes.names
    for context, found, weights in zip(
        asked, numbers.tolist(), probabilities.tolist(), strict=True
    ):
        logs = choice.log_probabilities([context] * len(names), names)
        order = sorted(range(len(names)), key=lambda i: (-np.float32(np.exp(logs[i])), i))
        expected = np.exp(logs[order[:most]])
        size = min(most, len(names))
        assert weights[:size] == pytest.approx(expected[:size].tolist(), rel=1e-5)
        assert sum(weights) <= 1 + 1e-5
        assert all(number >= 0 for number in found[:size])


def test_an_unknown_outcome_has_no_probability() -> None:
    choice, contexts = learned()
    logs = choice.log_probabilities(contexts[:2], ["nothing", choice.outcomes.names[0]])
    assert logs[0] == -np.inf and np.isfinite(logs[1])


def test_no_contexts_give_no_answers() -> None:
    choice, _ = learned()
    numbers, probabilities = choice.ranked([], 3)
    assert numbers.shape == probabilities.shape == (0, 3)


def test_names_are_distinct_strings() -> None:
    assert Names(["a", "b"]).encode([["b", "c"]]).tolist() == [[1, 2**31 - 1]]
    for damaged in (["a", "a"], ["a", 1]):
        with pytest.raises(ModelFileError):
            Names(damaged)  # type: ignore[arg-type]
