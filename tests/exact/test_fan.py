"""One dish under every first element of a context: the numbers of plain look-ups, bit by bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from twins import stream

from bistro import _core

WIDTH = 12
DISHES = 60
ROOMY = 1 << 24


def trained(base: _core.Base) -> _core.Frozen:
    """A franchise of three context elements; the first of them is below WIDTH."""
    rng = np.random.default_rng(3)
    first = rng.integers(WIDTH - 2, size=2000)  # two values never occur
    rest = rng.zipf(1.5, (2000, 2)) % 15
    contexts = np.column_stack([first, rest]).astype(np.int32)
    dishes = ((first * 3 + rest[:, 0] + rng.zipf(1.6, 2000)) % (DISHES - 5)).astype(np.int32)
    core = _core.Franchise(base, 4, "gibbs")
    core.add(core.resolve(contexts, dishes), stream(0))
    samples = _core.PredictiveSum()
    samples.add(core)
    return _core.Frozen(**samples.freeze(core), dishes=DISHES)


def questions(n: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Contexts known in part, at times not at all; dishes change and come back."""
    rng = np.random.default_rng(4)
    contexts = rng.integers(18, size=(n, 3)).astype(np.int32)
    return contexts, np.repeat(rng.integers(DISHES, size=n // 3), 3).astype(np.int32)


def plainly(
    frozen: _core.Frozen, contexts: npt.NDArray[np.int32], dishes: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """Each dish by the distribution of each whole context."""
    out = np.empty((len(dishes), WIDTH))
    for i, (context, dish) in enumerate(zip(contexts, dishes, strict=True)):
        for v in range(WIDTH):
            whole = np.array([v, *context[1:]], dtype=np.int32)
            out[i, v] = frozen.distribution(whole)[dish]
    return out


@pytest.mark.parametrize("most_bytes", [ROOMY, 6000, 0])
def test_a_fan_gives_what_plain_look_ups_give(most_bytes: int) -> None:
    """Also where what is remembered is forgotten now and then, or before every question."""
    frozen = trained(_core.UniformBase(DISHES))
    contexts, dishes = questions(600)
    found = frozen.fan_probabilities(contexts, dishes, width=WIDTH, most_bytes=most_bytes).reshape(
        -1, WIDTH
    )
    expected = plainly(frozen, contexts, dishes)
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(expected)) > 100  # not one number everywhere


def test_contexts_of_the_first_element_alone() -> None:
    frozen = trained(_core.UniformBase(DISHES))
    contexts, dishes = questions(60)
    found = frozen.fan_probabilities(contexts[:, :1].copy(), dishes, width=WIDTH, most_bytes=ROOMY)
    expected = plainly(frozen, contexts[:, :1], dishes)
    np.testing.assert_array_equal(found.reshape(-1, WIDTH), expected)


def test_groups_of_first_elements() -> None:
    """Contexts begin with the group of the first element, as words with the kind of a tag."""
    rng = np.random.default_rng(5)
    groups = np.array([v % 4 for v in range(WIDTH)], np.int32)
    first = rng.integers(WIDTH - 3, size=2000)
    contexts = np.column_stack([groups[first], first, rng.zipf(1.5, 2000) % 9]).astype(np.int32)
    dishes = ((first * 5 + rng.zipf(1.6, 2000)) % (DISHES - 5)).astype(np.int32)
    core = _core.Franchise(_core.UniformBase(DISHES), 4, "gibbs")
    core.add(core.resolve(contexts, dishes), stream(0))
    samples = _core.PredictiveSum()
    samples.add(core)
    frozen = _core.Frozen(**samples.freeze(core), dishes=DISHES)
    asked, about = questions(300)
    found = frozen.fan_probabilities(
        asked, about, width=WIDTH, most_bytes=6000, groups=groups.tolist()
    )
    expected = [
        frozen.distribution(np.array([groups[v], v, last], np.int32))[dish]
        for last, dish in zip(asked[:, 2], about, strict=True)
        for v in range(WIDTH)
    ]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="must have a group"):
        frozen.fan_probabilities(asked, about, width=WIDTH, most_bytes=ROOMY, groups=[0])


def test_questions_that_do_not_fit_are_refused() -> None:
    frozen = trained(_core.UniformBase(DISHES))
    contexts, dishes = questions(6)
    with pytest.raises(ValueError, match="as many contexts"):
        frozen.fan_probabilities(contexts, dishes[:3].copy(), width=WIDTH, most_bytes=ROOMY)
    with pytest.raises(ValueError, match="first element"):
        frozen.fan_probabilities(contexts, dishes, width=0, most_bytes=ROOMY)
