"""`bistro segment`, its training and its scores, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bistro.cli.main import run

ANNOTATED = """<LINE# 1>
Umuntu\tu[Pre]-mu[Class]-ntu[Stem]\tntu\tN
uhamba\tu[Subj]-hamb[Root]-a[End]\thamba\tV
.\t.[Punc]\t.\tPUNC
<LINE# 2>
abantu\ta[Pre]-ba[Class]-ntu[Stem]\tntu\tN
bahamba\tba[Subj]-hamb[Root]-a[End]\thamba\tV
.\t.[Punc]\t.\tPUNC
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    (folder / "train.tsv").write_text(ANNOTATED)
    train(folder / "train.tsv", folder / "zu.bistro")
    return folder


def train(data: Path, model: Path, *more: str) -> None:
    arguments = ["train", "morphology", str(data), "-o", str(model)]
    assert run([*arguments, *more]) == 0


def test_words_come_out_segmented(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in.txt").write_text("Umuntu uhamba\nabantu")
    capsys.readouterr()
    assert run(["segment", str(folder / "zu.bistro"), str(folder / "in.txt")]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "Umuntu\tU[Pre]-mu[Class]-ntu[Stem]",
        "uhamba\tu[Subj]-hamb[Root]-a[End]",
        "abantu\ta[Pre]-ba[Class]-ntu[Stem]",
    ]
    assert "3 words" in err


def test_canonical_forms_several_analyses_and_probabilities(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "one.txt").write_text("Umuntu\n")
    options = ["--forms", "canonical", "--kbest", "2", "--probabilities"]
    assert run(["segment", str(folder / "zu.bistro"), str(folder / "one.txt"), *options]) == 0
    first, second = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert first[:2] == ["Umuntu", "u[Pre]-mu[Class]-ntu[Stem]"]
    assert float(first[2]) > float(second[2])
    assert dict(pair.split(":") for pair in first[3].split()).keys() >= {"1", "3"}


def test_json_is_one_object_a_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.txt").write_text("umuntu 2030\n")
    assert run(["segment", str(folder / "zu.bistro"), str(folder / "two.txt"), "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["analyses"][0]["morphemes"][1] == {
        "surface": "mu",
        "label": "Class",
        "canonical": "mu",
        "begin": 1,
        "end": 3,
    }
    assert second["word"] == "2030"


def test_what_is_segmented_can_be_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, found = folder / "train.tsv", folder / "found.tsv"
    assert run(["segment", str(folder / "zu.bistro"), str(gold), "-o", str(found)]) == 0
    capsys.readouterr()
    arguments = ["evaluate", "--morphemes", str(gold), str(found), "--training", str(gold)]
    assert run([*arguments, "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["all"]["labelled_f1"] == 100.0
    assert scores["all"]["words"] == scores["seen"]["words"] == 6
    assert "unseen" not in scores
    assert run(arguments) == 0
    assert "boundary_f1" in capsys.readouterr().out


def test_unlikely_annotations_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = folder / "wrong.tsv"
    wrong.write_text(ANNOTATED.replace("a[Pre]-ba[Class]-ntu[Stem]", "aba[Pre]-ntu[Stem]"))
    assert run(["segment", str(folder / "zu.bistro"), str(wrong), "--check"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0][0] == "line"
    assert [row[:3] for row in rows[1:]] == [["6", "abantu", "aba[Pre]-ntu[Stem]"]]
    assert rows[1][4] == "a[Pre]-ba[Class]-ntu[Stem]"


def test_plain_lists(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = folder / "plain.txt"
    plain.write_text("un-do\nre-do\nun-break-able\nre-new-able\n" * 3)
    train(plain, folder / "en.bistro")
    (folder / "words.txt").write_text("renewable\n")
    capsys.readouterr()
    assert run(["segment", str(folder / "en.bistro"), str(folder / "words.txt")]) == 0
    assert capsys.readouterr().out == "renewable\tre-new-able\n"
    assert run(["info", str(folder / "en.bistro")]) == 0
    assert "morphology" in capsys.readouterr().out


def test_held_out_words_end_the_training(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(folder / "train.tsv", folder / "dev.bistro", "--dev", str(folder / "train.tsv"))
    assert "words right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("umuntu\tu[Pre]-mu[Class]ntu[Stem]\n", "bad.tsv:1: 'ntu[Stem]' follows a label"),
        ("a\ta\nb\tb[X\n", "bad.tsv:2: the brackets of 'b[X'"),
        ("", "bad.tsv: the file has no words"),
    ],
)
def test_bad_annotations_name_file_line_and_reason(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text(content)
    assert run(["train", "morphology", str(bad), "-o", str(tmp_path / "m.bistro")]) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "m.bistro").exists()


def test_bad_requests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data = str(folder / "zu.bistro"), str(folder / "train.tsv")
    (folder / "nothing.txt").write_text("")
    (folder / "other.tsv").write_text("kude\tku-de\n")
    for arguments, reason in [
        (["segment", model, str(folder / "nothing.txt")], "the file is empty"),
        (["segment", model, data, "--forms", "deep"], "surface or canonical"),
        (["evaluate", "--morphemes", data, str(folder / "other.tsv")], "the word is '"),
        (["evaluate", data, data, "--training", data], "--training needs --morphemes"),
        (
            ["evaluate", "--morphemes", "--by-length", data, data],
            "leave it out if --brackets or --morphemes is given",
        ),
    ]:
        assert run(arguments) == 2
        assert reason in capsys.readouterr().err
