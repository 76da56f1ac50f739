"""Altered model files and checkpoints: a fixed number here, as many as you like by `fuzz.run`."""

from __future__ import annotations

import os
import sys

import pytest

from bistro.errors import ModelFileError

from .cases import damaged, hostile, names, use
from .run import run, try_case

DAMAGED, HOSTILE = 500, 150
MOST_SECONDS = 1200
"""After these it ends, and fails: sanitizers and busy machines are slow."""
PAST_FAILURES = [
    ("topics-3.bistro", 357),
    ("tags-3.bistro", 269),
    ("grammar-3.bistro", 3),
    ("committee-3.bistro", 173),
    ("transition-3.bistro", 358),
    ("transition-3.bistro", 616),
    ("isbn-3.bistro", 5852),
    ("transition-unlabelled.checkpoint", 0),
    ("isbn-local.checkpoint", 0),
    ("topics.checkpoint", 117),
    ("tags-3.bistro", 8826),
    ("tags-3.bistro", 18157),
    ("committee-3.bistro", 12600),
    ("morphology-utterance-3.bistro", 19787),
    ("ngram-spelling-3.bistro", 18346),
    ("committee-3.bistro", 3313),
    ("eisner-3.bistro", 7586),
    ("trees-3.bistro", 8417),
    ("process.bistro", 1227),
    ("process.bistro", 1233),
    ("process-characters.bistro", 289),
    ("process-characters.bistro", 1294),
    ("process-characters.bistro", 1315),
    ("process-unbounded.bistro", 1247),
    ("tags-gibbs.checkpoint", 709954),
]
"""Hostile cases that ended in a traceback once."""


@pytest.fixture(autouse=True)
def in_reach_of_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


def test_damage_is_refused() -> None:
    ends, failures = run(names(), 0, MOST_SECONDS, DAMAGED, is_hostile=False)
    assert failures == []
    assert ends == {"refused": DAMAGED}


def test_hostile_files_are_refused_or_answer() -> None:
    ends, failures = run(names(), 10_000, MOST_SECONDS, HOSTILE, is_hostile=True)
    assert failures == []
    assert ends["refused"] > HOSTILE / 3


@pytest.mark.parametrize(("name", "number"), PAST_FAILURES)
def test_past_failures_stay_mended(name: str, number: int) -> None:
    try_case(name, number, is_hostile=True)


def test_samples_that_no_sweep_kept_are_refused() -> None:
    # The checkpoint claims 2^30 samples before the first was kept.
    with pytest.raises(ModelFileError, match="the file is damaged"):
        use("transition.checkpoint", hostile("transition.checkpoint", 1101654))


def test_a_case_has_always_the_same_bytes() -> None:
    for make in (damaged, hostile):
        assert make("ngram-3.bistro", 7) == make("ngram-3.bistro", 7)
        assert make("ngram-3.bistro", 7) != make("ngram-3.bistro", 8)
