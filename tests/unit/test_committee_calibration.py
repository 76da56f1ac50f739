"""How sure a committee is of its heads when there was no development set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.evaluate.calibration import Calibration, calibration_of
from bistro.inference.chains import Session
from bistro.models.committee.held_out import LEAST_WORDS, MOST_WORDS, stretches
from bistro.models.committee.mixture import USUAL_SHARPNESS
from bistro.models.committee.model import CommitteeModel
from bistro.treebank.sentence import Sentence

TREEBANK = bistro.builtin(sentences=900, seed=1)
SETTINGS: dict[str, Any] = {
    "stack": {"folds": 0},
    "members": ["left"],
    "sampler": {"sweeps": 6, "samples": 3},
}


def calibration(model: CommitteeModel, sentences: list[Sentence]) -> Calibration:
    pairs = []
    for sentence, parse in zip(sentences, model.parse_all(sentences, marginals=True), strict=True):
        assert parse.marginals is not None
        for head, gold, row in zip(parse.heads, sentence.heads, parse.marginals.heads, strict=True):
            pairs.append((dict(row).get(head, 0.0), head == gold))
    return calibration_of(pairs)


def test_sharpness_is_fitted_on_a_part_of_the_training_data() -> None:
    train, unseen = list(TREEBANK[:600]), list(TREEBANK[600:])
    model = bistro.train("committee", train, seed=1, **SETTINGS)
    before = bistro.train("committee", train, seed=1, calibrate=False, **SETTINGS)
    assert {fit.sharpness for fit in before.fits.values()} == {USUAL_SHARPNESS}
    assert all(fit.sharpness != USUAL_SHARPNESS for fit in model.fits.values())
    assert all(fit.heads == before.fits[way].heads for way, fit in model.fits.items())
    fitted, usual = calibration(model, unseen), calibration(before, unseen)
    assert abs(fitted.confidence - fitted.accuracy) < abs(usual.confidence - usual.accuracy)
    for one, other in zip(model.members, before.members, strict=True):
        assert one.to_bytes() == other.to_bytes()


@pytest.mark.data
def test_heads_of_a_small_treebank_are_calibrated(data_dir: Path) -> None:
    """At the sharpness that other treebanks want, the error was 5.2 % on its development part."""
    parts = [
        bistro.read(data_dir / f"fr_partut/fr_partut-ud-{p}.conllu") for p in ("train", "test")
    ]
    model = bistro.train("committee", parts[0], seed=1)
    found = calibration(model, list(parts[1]))
    assert found.expected_calibration_error < 0.03


def test_the_result_does_not_depend_on_threads() -> None:
    few = list(TREEBANK[:500])
    models = [
        bistro.train("committee", few, seed=1, session=Session(threads=n), **SETTINGS)
        for n in (1, 3)
    ]
    assert models[0].fits == models[1].fits


@pytest.mark.parametrize(("sentences", "words"), [(40, 100), (400, 10), (2000, 20)])
def test_stretches(sentences: int, words: int) -> None:
    given = [
        Sentence.from_columns(["word"] * words, comments=[f"# sent_id = {i}"])
        for i in range(sentences)
    ]
    rest, held_out = stretches(given)
    names = [sentence.sent_id for sentence in given]
    assert sorted((s.sent_id for s in [*rest, *held_out]), key=names.index) == names
    total = sum(map(len, held_out))
    assert total == 0 or LEAST_WORDS <= total <= MOST_WORDS + 5 * words
    assert bool(total) == (sentences * words * 0.2 >= LEAST_WORDS)
