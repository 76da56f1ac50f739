"""`bistro diagnose`: chains trained here or before, a table, a page, and a file for ArviZ."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

import bistro
from bistro.report.diagnostics import COLUMNS
from bistro.treebank.treebank import Treebank

from .program import Command, Ended

pytest.importorskip("arviz")
SHORT = ("--set", "sampler.sweeps=16", "--set", "sampler.samples=2", "--set", "order=2")


def table(done: Ended) -> dict[str, dict[str, str]]:
    assert done.code == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert tuple(rows[0]) == COLUMNS
    return {row["quantity"]: row for row in rows}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, english: Treebank) -> list[Path]:
    folder = tmp_path_factory.mktemp("chains")
    sampler = {"sweeps": 16, "samples": 2}
    for seed in (3, 4, 5):
        model = bistro.train("ngram", english[:100], seed=seed, order=2, sampler=sampler)
        model.save(folder / f"{seed}.bistro")
    return [folder / f"{seed}.bistro" for seed in (3, 4, 5)]


def test_chains_are_trained_and_compared(bistro_here: Command, here: Path, files: Path) -> None:
    done = bistro_here("diagnose", "ngram", files / "train.conllu", "--chains", 3, *SHORT)
    rows = table(done)
    assert list(rows) == [
        *("log_likelihood", "words.discount[0]", "words.discount[1]"),
        *("words.strength[0]", "words.strength[1]", "words.tables[0]", "words.tables[1]"),
    ]
    assert "seeds 1 to 3; burn-in: 8 of 16 sweeps left out" in done.err
    assert "independent draws" in done.err
    assert all(float(row["r_hat"]) > 0.5 for row in rows.values())


def test_threads_make_no_difference_and_the_seed_does(
    bistro_here: Command, here: Path, files: Path
) -> None:
    command = ("diagnose", "ngram", files / "train.conllu", "--chains", 2, *SHORT)
    alone = bistro_here(*command, "--threads", 1)
    assert bistro_here(*command, "--threads", 2).out == alone.out
    assert bistro_here(*command, "--seed", 7).out != alone.out


def test_models_that_were_trained_before(
    bistro_here: Command, here: Path, models: list[Path], english: bistro.Treebank
) -> None:
    rows = table(bistro_here("diagnose", *models))
    traces = [bistro.load(model).origin.trace for model in models]
    last = [row["words.tables"][1] for trace in traces for row in trace[8:]]
    assert float(rows["words.tables[1]"]["mean"]) == pytest.approx(sum(last) / len(last), rel=1e-5)
    told = bistro_here("diagnose", *models, "--burn-in", 4)
    assert "burn-in: 4 of 16 sweeps left out" in told.err
    assert told.out != bistro_here("diagnose", *models).out


def test_the_page_and_the_file_for_arviz(
    bistro_here: Command, here: Path, models: list[Path]
) -> None:
    done = bistro_here("diagnose", *models, "-o", "chains.html", "--netcdf", "chains.nc")
    rows = table(done)
    page = (here / "chains.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    for row in rows.values():
        assert f"{float(row['r_hat']):.3f}" in page
    assert "<script" not in page
    assert "seed 4" in page
    assert (here / "chains.nc").stat().st_size > 1000


def test_topics_compare_their_states(bistro_here: Command, here: Path, files: Path) -> None:
    settings = ("--set", "states=none", "--set", "sweeps=16")
    done = bistro_here("diagnose", "topics", files / "train.conllu", "--chains", 2, *settings)
    assert {"log_likelihood", "live_states", "strength", "smoothing"} <= set(table(done))


# ---- what cannot be done --------------------------------------------------------------------
def refused(done: Ended, *phrases: str) -> None:
    assert done.code == 2, done.err
    assert done.out == ""
    for phrase in phrases:
        assert phrase in done.err
    assert done.err.count("\n") == 1, done.err


def test_models_that_do_not_belong_together(
    bistro_here: Command, here: Path, models: list[Path], english: bistro.Treebank
) -> None:
    refused(bistro_here("diagnose", models[0], models[0]), "two models have the same seed, 3")
    refused(bistro_here("diagnose", models[0]), "a single chain")
    sampler = {"sweeps": 16, "samples": 2}
    bistro.train("ngram", english[:100], seed=9, order=3, sampler=sampler).save("other.bistro")
    refused(bistro_here("diagnose", models[0], "other.bistro"), "differ in order")
    bistro.train("ngram", english[:90], seed=9, order=2, sampler=sampler).save("less.bistro")
    refused(bistro_here("diagnose", models[0], "less.bistro"), "training data")
    bistro.train("linearize", english[:50], seed=9).save("order.bistro")
    refused(bistro_here("diagnose", models[0], "order.bistro"), "'linearize'")
    refused(bistro_here("diagnose", *models, "--chains", 2), "--chains")
    refused(bistro_here("diagnose", models[0], "absent.bistro"), "absent.bistro")


def test_kinds_that_draw_nothing(bistro_here: Command, here: Path, files: Path) -> None:
    train = files / "train.conllu"
    refused(bistro_here("diagnose", "isbn", train), "is trained without sampling")
    refused(bistro_here("diagnose", "tags", train), "is trained without sampling")
    refused(bistro_here("diagnose", "nosuch.bistro", "mine.bistro"), "nosuch.bistro: ")
    refused(bistro_here("diagnose", "ngramm", train), "ngram")


def test_places_that_cannot_be_written(
    bistro_here: Command, here: Path, models: list[Path]
) -> None:
    refused(bistro_here("diagnose", *models, "-o", "absent/page.html"), "absent")
    refused(bistro_here("diagnose", *models, "--netcdf", "."), "folder")


def test_too_few_chains_or_draws(
    bistro_here: Command, here: Path, files: Path, models: list[Path]
) -> None:
    refused(bistro_here("diagnose", "ngram", files / "train.conllu", "--chains", 1), "--chains")
    refused(bistro_here("diagnose", *models, "--burn-in", 14), "burn-in", "sampler.sweeps")


def test_without_arviz(
    bistro_here: Command, here: Path, models: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "arviz", None)
    refused(bistro_here("diagnose", *models), "pip install arviz h5netcdf")


# ---- simulation-based calibration --------------------------------------------------------------
def test_a_sampler_is_checked(bistro_here: Command, here: Path) -> None:
    done = bistro_here("diagnose", "ngram", "--sbc", 20, "--set", "order=1", "-o", "ranks.html")
    assert done.code == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [row["quantity"] for row in rows] == [
        *("words.discount[0]", "words.strength[0]", "words.tables[0]", "words.log_likelihood"),
    ]
    assert all(0 < float(row["p_value"]) <= 1 and not row["tendency"] for row in rows)
    assert "ngram: passed: 20 runs, 4 quantities" in done.err
    assert "rejected with probability 0.001 at most" in done.err
    page = (here / "ranks.html").read_text("utf-8")
    assert page.count('class="band"') == 4 and "passed" in page


def test_a_rejected_sampler_has_an_exit_code(bistro_here: Command, here: Path) -> None:
    """With an absurd error rate nearly every sampler is rejected."""
    settings = ("--set", "order=1", "--set", "sampler.hyper=fixed", "--error-rate", 0.99)
    done = bistro_here("diagnose", "ngram", "--sbc", 20, *settings, "--seed", 4)
    assert done.code == 1 and "ngram: rejected" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ngram", "x.conllu", "--sbc", 20), "generates its own data"),
        (("ngram", "--sbc", 20, "--chains", 3), "--chains is for comparing chains"),
        (("ngram", "--sbc", 20, "--error-rate", 2), "must be between 0 and 1"),
        (("ngram", "--error-rate", 0.1), "--error-rate is for --sbc"),
        (("isbn", "--sbc", 20), "an isbn model has no prior to draw from"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    arguments: tuple[object, ...], message: str, bistro_here: Command, here: Path
) -> None:
    done = bistro_here("diagnose", *arguments)
    assert done.code == 2 and message in done.err
