"""A graph of very few nodes may lose all analyses: an error, never an infinite surprisal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError

SENTENCES = [list(s.forms) for s in bistro.builtin(sentences=40, seed=7)]
QUICK: dict[str, Any] = {"sampler": {"sweeps": 1, "samples": 1}}


@pytest.fixture(scope="module")
def model() -> Any:
    return bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1, **QUICK)


def test_lost_analyses_are_reported(model: Any) -> None:
    told = r"sentence \d+: no analysis is left after word \d+; particles = 1 is too small, use 100"
    for seed in range(1, 4):
        with pytest.raises(BistroError, match=told):
            model.score(SENTENCES, particles=1, seed=seed)


def test_the_sentence_is_counted_from_the_first_of_the_text(model: Any) -> None:
    with pytest.raises(BistroError) as whole:
        model.score(SENTENCES, particles=1, part=(0, 140))
    first = int(str(whole.value).split()[1].rstrip(":"))
    with pytest.raises(BistroError, match=rf"sentence {100 + first}: "):
        for seed in range(1, 30):  # random choices depend on the position in the text
            model.score(
                SENTENCES[first - 1 : first], particles=1, seed=seed, part=(99 + first, 140)
            )


def test_a_run_that_loses_them_leaves_the_others(model: Any) -> None:
    """One run of a single node loses some sentence (above); the mean of ten is finite."""
    found = model.score(SENTENCES, particles=1, repeats=10)
    for name in ("log_probs", "lexical", "entropy"):
        assert np.isfinite(getattr(found, name)).all()


def test_no_text_has_no_analysis_to_lose(model: Any) -> None:
    assert model.score([]).log_probs.size == 0
