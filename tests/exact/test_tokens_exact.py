"""Words in running text: automaton and sums over hidden events against plain enumeration."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bistro._core import Automaton, Frozen, UniformBase
from bistro.encoding.characters import BREAK, HIDDEN, SPACE
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.models.tokens.events import allowed_events
from bistro.models.tokens.text import window_events

ORDER = 4
SYMBOLS = 9  # three events, break, space, four letters


def frozen(seed: int, length: int = 400) -> Frozen:
    """Return a small model learned from random symbols in which events follow what they may."""
    rng = np.random.default_rng(seed)
    stream = [BREAK]
    while len(stream) < length:
        stream.append(int(rng.choice([SPACE, 5, 6, 7, 8], p=[0.2, 0.3, 0.3, 0.1, 0.1])))
        if rng.random() < 0.25:
            stream.append(int(rng.integers(3)))
    settings = SamplerSettings(sweeps=3, samples=2)
    events = window_events(np.array(stream, np.int32), ORDER)
    chain = Chain("characters", events, UniformBase(SYMBOLS), settings, seed)
    chain.seat()
    for sweep in range(3):
        chain.step(sweep, keep=sweep > 0)
    return Frozen(**chain.frozen(), dishes=SYMBOLS)


def log_prob(model: Frozen, stream: list[int]) -> float:
    """Return log p of symbols after a break, each looked up from scratch."""
    padded = [BREAK] * ORDER + stream
    contexts = [padded[i - 1 : i - ORDER : -1] for i in range(ORDER, len(padded))]
    logs = model.log_probabilities(np.array(contexts, np.int32), np.array(stream, np.int32))
    return float(logs.sum())


def enumerated(model: Frozen, text: NDArray[np.int32]) -> tuple[NDArray[np.float64], float]:
    """Return the probabilities of events after each symbol, and log p, by trying everything."""
    allowed = allowed_events(text)
    choices = [
        ([-1] if bits & 1 else []) + [e for e in HIDDEN if bits & (2 << e)]
        for bits in allowed.tolist()
    ]
    total, by_place = 0.0, np.zeros((text.size, len(HIDDEN)))
    for events in product(*choices):
        stream = []
        for symbol, event in zip(text.tolist(), events, strict=True):
            stream += [symbol] if event < 0 else [symbol, event]
        p = math.exp(log_prob(model, [*stream, BREAK]))
        total += p
        for place, event in enumerate(events):
            if event >= 0:
                by_place[place, event] += p
    return by_place / total, math.log(total)


def found(model: Frozen, text: NDArray[np.int32], **options: Any) -> tuple[Any, float]:
    exact = {"least_event": 0.0, "least_share": 0.0, "most": 100_000}
    start = np.full(ORDER, BREAK, np.int32)
    probabilities, log_total = Automaton(model, HIDDEN).boundaries(
        text, allowed_events(text), before=start, after=BREAK, **{**exact, **options}
    )
    return probabilities.reshape(-1, len(HIDDEN)), log_total


@pytest.mark.parametrize("seed", range(6))
def test_boundaries_are_sums_over_all_ways_to_cut_a_text(seed: int) -> None:
    model = frozen(seed)
    rng = np.random.default_rng(100 + seed)
    text = rng.choice([SPACE, 5, 6, 7, 8], size=7).astype(np.int32)
    text[[0, -1]] = 5
    expected, log_total = enumerated(model, text)
    probabilities, found_total = found(model, text)
    assert probabilities == pytest.approx(expected, abs=2e-6)
    assert found_total == pytest.approx(log_total, abs=1e-6)


def test_a_text_whose_histories_meet_is_settled_piece_by_piece() -> None:
    """With at most one history alive every place is settled at once, and the sums are none."""
    model = frozen(1)
    text = np.array([5, 6, SPACE, 7, 5, 5, 6], np.int32)
    probabilities, _ = found(model, text, most=1)
    assert set(np.unique(np.round(probabilities, 6))) <= {0.0, 1.0}
    exact, _ = found(model, text)
    assert not np.allclose(probabilities, exact)


def test_pruning_changes_little() -> None:
    model = frozen(2)
    text = np.random.default_rng(5).choice([SPACE, 5, 6, 7, 8], size=200).astype(np.int32)
    text[text == SPACE] = np.where(np.arange((text == SPACE).sum()) % 2, SPACE, 5)
    text[[0, -1]] = 6
    text = text[~((text == SPACE) & (np.append(text[1:], 0) == SPACE))]
    exact, _ = found(model, text)
    pruned, _ = found(model, text, least_event=1e-5, least_share=1e-5, most=30)
    assert np.abs(exact - pruned).max() < 0.02


def test_the_automaton_reads_an_unknown_symbol() -> None:
    """A symbol that training never had leaves nothing of the context, and its base probability."""
    model = frozen(3)
    text = np.array([5, 8, 8, 8, 8, 5], np.int32)
    expected, log_total = enumerated(model, text)
    probabilities, found_total = found(model, text)
    assert probabilities == pytest.approx(expected, abs=2e-6)
    assert found_total == pytest.approx(log_total, abs=1e-6)


def test_an_unequal_number_of_events_is_refused() -> None:
    text = np.array([5, 6], np.int32)
    with pytest.raises(ValueError, match="every character"):
        Automaton(frozen(1), HIDDEN).boundaries(
            text, np.zeros(1, np.uint8), before=text, after=BREAK, least_event=0.0,
            least_share=0.0, most=4,
        )  # fmt: skip
