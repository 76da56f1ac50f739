"""The mean-field update of the latent-variable parser against the bound that it raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from isbn_twins import Tiny, Tree

from bistro.reference.isbn import means_of
from bistro.reference.isbn_history import History


def bound(tiny: Tiny, potentials: Any, means: Any, group: int, outcome: int) -> float:
    """What mean-field means maximise once an outcome is known."""
    matrix, bias = tiny.twin.groups[group]
    entropy = -np.sum(means * np.log(means) + (1 - means) * np.log(1 - means))
    factors = np.log(1 - means[:, None] + means[:, None] * np.exp(matrix))
    total = np.logaddexp.reduce(bias + factors.sum(axis=0))
    return float(entropy + means @ (potentials + matrix[:, outcome]) - total)


def cases() -> list[tuple[int, int]]:
    return [(group, outcome) for group in range(4) for outcome in range(2)]


@pytest.mark.parametrize(("group", "outcome"), cases())
def test_a_move_raises_the_bound(group: int, outcome: int) -> None:
    tiny, rng = Tiny.make(50), np.random.default_rng(1)
    among = range(tiny.symbols.sizes[group])
    for _ in range(50):
        before = rng.normal(0, 1, 7)
        after = tiny.twin.moved(before, group, outcome, among)
        gain = bound(tiny, before, means_of(after), group, outcome) - bound(
            tiny, before, means_of(before), group, outcome
        )
        assert gain > 0
        # What another outcome would have told is not what this one tells.
        other = means_of(tiny.twin.moved(before, group, 1 - outcome, among))
        assert bound(tiny, before, other, group, outcome) < bound(
            tiny, before, means_of(after), group, outcome
        )


@pytest.mark.parametrize(("group", "outcome"), cases())
def test_the_means_that_a_move_leaves_alone_are_those_of_the_highest_bound(
    group: int, outcome: int
) -> None:
    tiny, among = Tiny.make(51), range(Tiny.make(51).symbols.sizes[group])
    potentials = np.random.default_rng(2).normal(0, 1, 7)
    now = potentials
    for _ in range(400):
        # The move from means that are not those of the potentials themselves.
        step = tiny.twin.moved(now, group, outcome, among) - now
        now = 0.5 * now + 0.5 * (potentials + step)
    assert potentials + step == pytest.approx(now, abs=1e-9)
    highest = bound(tiny, potentials, means_of(now), group, outcome)
    for i in range(7):
        for change in (-1e-3, 1e-3):
            moved = means_of(now)
            moved[i] += change
            assert bound(tiny, potentials, moved, group, outcome) < highest


def test_a_decision_without_choice_moves_nothing() -> None:
    tiny, history = Tiny.make(52, mean_field=True), History()
    tiny.twin.make_state(history, [])
    before = history.potentials[-1]
    assert tiny.twin.decide(history, 0, 3, [3]) == 0
    assert history.potentials[-1] is before
    tiny.twin.decide(history, 0, 3, [1, 3])
    assert history.potentials[-1] is not before


def test_moved_means_are_seen_by_the_next_decision() -> None:
    logs = []
    for mean_field in (False, True):
        tiny = Tiny.make(53, mean_field=mean_field)
        data = tiny.derivations([Tree([0], [0], [0], [0])])
        logs.append(tiny.trainer().log_probs(data))
    assert logs[0] != pytest.approx(logs[1], abs=1e-3)
