"""Committees on the command line: trained in one command, or put together on the spot."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.model import CommitteeModel
from bistro.models.transition.model import TransitionModel

from .program import Command

SHORT = ("--set", "sampler.sweeps=3", "--set", "sampler.samples=2")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Path:
    folder = tmp_path_factory.mktemp("models")
    treebank = bistro.read(files / "train.conllu")
    for name, settings in (("a", {}), ("b", {"direction": "right-to-left"})):
        sampler = {"sweeps": 3, "samples": 2}
        model = bistro.train("transition", treebank, seed=1, sampler=sampler, **settings)
        model.save(folder / f"{name}.bistro")
    return folder


def test_models_named_one_after_the_other_are_a_committee(
    bistro_here: Command, here: Path, files: Path, models: Path
) -> None:
    test = files / "test.conllu"
    together = "parse", models / "a.bistro", models / "b.bistro"
    done = bistro_here(*together, test, "-o", "out.conllu")
    assert done.code == 0 and "committee of 2" in done.err
    loaded = [bistro.load(models / f"{name}.bistro") for name in "ab"]
    committee = CommitteeModel.of(loaded)
    assert committee.fits["joint"].heads == (0.5, 0.5)
    expected = list(committee.parse_all(bistro.read(test)))
    found = bistro.read("out.conllu")
    assert [s.heads for s in found] == [p.heads for p in expected]
    assert [s.deprels for s in found] == [p.labels for p in expected]
    assert all(any("expected_uas" in c for c in s.comments) for s in found)
    assert not any("log_prob =" in c for s in found for c in s.comments if "derivation" not in c)
    by_stdin = bistro_here(*together, stdin=test.read_bytes())
    assert by_stdin.out == Path("out.conllu").read_text()


def test_what_is_no_model_is_named(
    bistro_here: Command, here: Path, files: Path, models: Path
) -> None:
    test = files / "test.conllu"
    done = bistro_here("parse", models / "a.bistro", test, test)
    assert done.code == 2 and "test.conllu: this is not a model" in done.err
    assert done.err.endswith("at most one input (default: stdin), and the output with -o\n")
    done = bistro_here("parse", models / "a.bistro", files / "english.bistro", test)
    assert done.code == 2 and "an ngram model cannot vote in a committee; use a" in done.err


def test_one_command_one_file(bistro_here: Command, here: Path, files: Path) -> None:
    dev = files / "test.conllu"
    done = bistro_here(
        "train", "committee", files / "train.conllu", "--dev", dev, "-o", "c.bistro", *SHORT
    )
    assert done.code == 0
    assert "right-other-tags" in done.err and "sharpness" in done.err
    assert [path.name for path in here.iterdir()] == ["c.bistro"]
    assert "weights, tags joint" in bistro_here("info", "c.bistro").out
    model = bistro.load("c.bistro")
    assert isinstance(model, CommitteeModel)
    assert isinstance(model.members[0], TransitionModel)
    for options in (("--kbest", 3), ("--samples", 3), ("--marginals",), ("--tags", "given")):
        parsed = bistro_here("parse", "c.bistro", dev, *options, "-o", "out.conllu")
        assert parsed.code == 0
    done = bistro_here("parse", "c.bistro", dev, "--partial", "-o", "out.conllu")
    gold, kept = bistro.read(dev), bistro.read("out.conllu")
    assert [s.heads for s in kept] == [s.heads for s in gold]


def test_the_best_committee(bistro_here: Command, here: Path, files: Path) -> None:
    dev = files / "test.conllu"
    small = ("--set", "isbn.hidden=8", "--set", "isbn.learning.passes=2")
    done = bistro_here(
        "train", "committee", files / "train.conllu", "--dev", dev, "--best",
        "-o", "c.bistro", *SHORT, *small,
    )  # fmt: skip
    assert done.code == 0
    assert "learning isbn, then the other members" in done.err and "isbn 0." in done.err
    assert [path.name for path in here.iterdir()] == ["c.bistro"]
    for options in ((), ("--tags", "given", "--kbest", 2), ("--beam", 3), ("--partial",)):
        parsed = bistro_here("parse", "c.bistro", dev, *options, "-o", "out.conllu")
        assert parsed.code == 0 and "committee of 7" in parsed.err
        assert ("beam 8 of isbn" in parsed.err) == ("--beam" not in options)


def test_fast_and_best_are_presets(bistro_here: Command, here: Path) -> None:
    shown = bistro_here("train", "committee", "--fast", "--show-config")
    assert shown.code == 0
    assert shown.out == bistro_here("train", "committee", "--config", "fast", "--show-config").out
    assert 'members = ["left", "right"]' in shown.out
    inside = bistro_here("train", "pipeline", "--best", "--show-config")
    assert 'parser_config = "best"' in inside.out
    for arguments, told in (
        (("committee", "--fast", "--best"), "choose one of them"),
        (("committee", "--fast", "--config", "best"), "leave out --config"),
        (("ngram", "--best"), "--best is available for committee and pipeline"),
    ):
        refused = bistro_here("train", *arguments, "--show-config")
        assert refused.code == 2 and told in refused.err


def test_help_names_the_default_number_of_particles(bistro_here: Command) -> None:
    shown = " ".join(bistro_here("parse", "--help").out.replace("│", " ").split())
    assert f"default: 1000, or {CommitteeConfig().particles} for a committee." in shown


def test_what_a_committee_cannot_do(bistro_here: Command, here: Path, files: Path) -> None:
    done = bistro_here(
        "train", "committee", files / "train.conllu", "-o", "c.bistro", *SHORT,
        "--set", 'members=["left"]',
    )  # fmt: skip
    assert done.code == 0
    done = bistro_here("surprisal", "c.bistro", files / "test.txt")
    able = "an ngram, transition, isbn, reader or grammar model"
    assert done.err == f"bistro: a committee model cannot score words; use {able}\n"
    assert done.code == 2
    done = bistro_here(
        "train", "committee", files / "train.conllu", "-o", "x", "--set", "members=[]"
    )
    assert done.code == 2 and "at least one member" in done.err
