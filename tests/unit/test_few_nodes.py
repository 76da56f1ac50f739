"""A graph of very few nodes loses no sentence; lost analyses would be an error, not infinite."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError
from bistro.models.parsing.language import _check_analyses

SENTENCES = [list(s.forms) for s in bistro.builtin(sentences=40, seed=7)]
QUICK: dict[str, Any] = {"sampler": {"sweeps": 1, "samples": 1}}
OFFSETS = np.array([0, 3, 5])
"""Two sentences, of two words and of one word, with their ends."""


class Chosen(NamedTuple):
    particles: int = 1
    part: tuple[int, int] | None = None


@pytest.fixture(scope="module")
def model() -> Any:
    return bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1, **QUICK)


@pytest.mark.parametrize("particles", [1, 2])
@pytest.mark.parametrize("method", ["graph", "smc", "search"])
def test_no_sentence_is_lost(model: Any, method: str, particles: int) -> None:
    for seed in range(1, 4):
        found = model.score(SENTENCES, method=method, particles=particles, repeats=1, seed=seed)
        for name in ("log_probs", "lexical", "entropy"):
            assert np.isfinite(getattr(found, name)).all()


def test_lost_analyses_are_reported() -> None:
    prefix = np.array([-1.0, -2.0, -3.0, -1.0, -np.inf])
    told = "sentence 2: no analysis is left after word 2; particles = 1 is too small, use 100"
    with pytest.raises(BistroError, match=told):
        _check_analyses(prefix, OFFSETS, Chosen())
    with pytest.raises(BistroError, match="sentence 102: "):
        _check_analyses(prefix, OFFSETS, Chosen(part=(100, 140)))


def test_a_run_that_loses_them_leaves_the_others() -> None:
    lost, kept = np.array([-1.0, -2.0, -np.inf, -1.0, -2.0]), -np.arange(1.0, 6.0)
    _check_analyses(np.concatenate([lost, kept]), OFFSETS, Chosen())


def test_no_text_has_no_analysis_to_lose(model: Any) -> None:
    assert model.score([]).log_probs.size == 0
