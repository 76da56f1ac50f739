"""`bistro train topics` and `bistro topics show`, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import bistro
from bistro.cli.main import run
from bistro.treebank.treebank import write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("topics")
    write(bistro.builtin(sentences=120, seed=1), folder / "train.conllu")
    settings = ["--set", "states=5", "--set", "sweeps=20", "--set", "samples=2"]
    path = folder / "t.bistro"
    assert run(["train", "topics", str(folder / "train.conllu"), "-o", str(path), *settings]) == 0
    return path


def test_states_are_shown_as_a_table_and_a_picture(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "states.svg"
    assert run(["topics", "show", str(model), "--words", "4", "--picture", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "the" in shown
    assert "parents" in shown
    root = ElementTree.fromstring(picture.read_text())
    bars = [e for e in root.iter() if e.get("class") == "bar s1"]
    assert len(bars) == 4 * len(bistro.load(model).samples[-1].live)  # type: ignore[attr-defined]


def test_json_has_everything(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topics", "show", str(model), "--states", "3", "--json"]) == 0
    states = json.loads(capsys.readouterr().out)["states"]
    assert len(states) == 3
    assert states[0]["share"] >= states[1]["share"]
    assert len(states[0]["words"]) == 10


def test_parse_and_info_work(
    model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = tmp_path / "in.txt"
    text.write_text("The dog sleeps .\n")
    assert run(["parse", str(model), str(text), "--marginals"]) == 0
    assert "PHead=" in capsys.readouterr().out
    assert run(["parse", str(model), str(text), "--resample", "4", "--samples", "2"]) == 0
    assert capsys.readouterr().out.count("# sample = ") == 2
    assert run(["info", str(model)]) == 0
    assert "live states" in capsys.readouterr().out


def test_other_models_have_no_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.bistro"
    bistro.train("ngram", [["a", "b"]], sampler={"sweeps": 2, "samples": 1}).save(path)
    assert run(["topics", "show", str(path)]) == 2
    assert "an ngram model cannot show states; use a topics model" in capsys.readouterr().err


def test_a_sample_that_is_not_there(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topics", "show", str(model), "--sample", "7"]) == 2
    assert "the model has 2 samples" in capsys.readouterr().err
