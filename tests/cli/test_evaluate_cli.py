"""`bistro evaluate` as a user types it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from bistro.cli.evaluate import evaluate
from bistro.errors import BistroError

GOLD = """\
1\tThe\t_\tDET\tDT\t_\t2\tdet\t_\t_
2\tdog\t_\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\tsleeps\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
4\t.\t_\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""


Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    app = typer.Typer()
    app.command()(evaluate)
    runner = CliRunner(env={"COLUMNS": "160"})
    return lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(GOLD)
    system.write_text(GOLD.replace("2\tdet", "3\tdet").replace("3\tpunct", "2\tpunct"))
    return gold, system


def test_table_names_the_protocol_beside_every_figure(run: Run, files: tuple[Path, Path]) -> None:
    result = run(*files)
    assert result.exit_code == 0
    rows = [line for line in result.stdout.splitlines() if " 50.00 " in line or " 66.67 " in line]
    assert len(rows) == 4
    assert all("(UD)" in row for row in rows[:2])
    assert all("without punctuation" in row and "PUNCT" in row for row in rows[2:])
    assert "4 words in 1 sentence" in result.stdout


def test_json_is_unrounded(run: Run, files: tuple[Path, Path]) -> None:
    figures = json.loads(run(*files, "--json").stdout)
    assert figures["uas"] == 50.0
    assert figures["no_punct"]["uas"] == 100 * 2 / 3
    assert figures["no_punct"]["words"] == 3
    assert figures["clas"] == figures["upos"] == 100.0
    assert (figures["words"], figures["sentences"]) == (4, 1)
    assert "subtypes" in figures["protocol"]["ud"]
    assert "PUNCT" in figures["protocol"]["no_punct"]


def test_punctuation_can_be_set(run: Run, files: tuple[Path, Path]) -> None:
    figures = json.loads(run(*files, "--json", "--punct", "penn").stdout)
    assert figures["no_punct"]["punct"] == "penn"
    assert figures["no_punct"]["words"] == 3


def test_no_labels_is_said(run: Run, files: tuple[Path, Path]) -> None:
    gold, system = files
    unlabelled = "\n".join(
        "\t".join([*line.split("\t")[:7], "_", "_", "_"]) if line else ""
        for line in GOLD.split("\n")
    )
    system.write_text(unlabelled)
    told = run(gold, system).stdout
    assert told.count("n/a (no labels)") == 5
    assert " 0.00 " not in told
    figures = json.loads(run(gold, system, "--json").stdout)
    assert figures["las"] is None
    assert figures["no_punct"]["las"] is None
    assert figures["unavailable"]["las"] == "no labels"


def test_several_roots_and_missing_heads_of_the_system_cost_points(
    run: Run, files: tuple[Path, Path]
) -> None:
    gold, system = files
    system.write_text(GOLD.replace("3\tpunct", "0\troot").replace("2\tdet", "_\t_"))
    assert json.loads(run(gold, system, "--json").stdout)["uas"] == 50.0


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        (GOLD * 2, (), "'The dog' in sentence 2, but the end of the text in sentence 1"),
        (GOLD.replace("dog", "cat"), (), "'cat sleeps' in sentence 1, but 'dog sleeps'"),
        (GOLD, ("--punct", "pen"), "did you mean 'penn'"),
        ("1\tThe\n", (), "system.conllu:1"),
    ],
)
def test_errors_are_one_sentence(
    run: Run, files: tuple[Path, Path], text: str, arguments: tuple[str, ...], told: str
) -> None:
    gold, system = files
    system.write_text(text)
    result = run(gold, system, *arguments)
    assert isinstance(result.exception, BistroError)
    assert told in str(result.exception)
    assert "\n" not in str(result.exception)
    assert result.stdout == ""


def test_missing_file(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    result = run(files[0], tmp_path / "absent.conllu")
    assert isinstance(result.exception, BistroError)
    assert "absent.conllu" in str(result.exception)


def test_help_teaches(run: Run) -> None:
    told = run("--help").stdout
    for phrase in ("GOLD", "SYSTEM", "--punct", "--json", "official scorer", "punctuation out"):
        assert phrase in told


def test_the_whole_command_line(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bistro.cli.main import main

    gold, system = map(str, files)
    monkeypatch.setattr("sys.argv", ["bistro", "evaluate", gold, system, "--json"])
    with pytest.raises(SystemExit) as done:
        main()
    assert not done.value.code
    assert json.loads(capsys.readouterr().out)["uas"] == 50.0
    monkeypatch.setattr("sys.argv", ["bistro", "evaluate", gold, gold + ".absent"])
    with pytest.raises(SystemExit) as failed:
        main()
    told = capsys.readouterr()
    assert failed.value.code == 2
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


LEMMAS = GOLD.replace("sleeps\t_", "sleeps\tsleep").replace("VBZ\t_", "VBZ\tTense=Pres")


@pytest.mark.parametrize(
    ("changes", "columns", "scores"),
    [
        (
            {"2\tdet": "3\tdet", "NOUN": "PROPN"},
            "XPOS, UFeats and Lemmas",
            "XPOS, UFeats, AllTags, Lemmas, MLAS, BLEX",
        ),
        ({"NOUN": "PROPN", "VBZ": "VB", "Pres": "Past"}, "Lemmas", "Lemmas, BLEX"),
        ({"NOUN": "PROPN", "VBZ": "VB", "Pres": "Past", "\tsleep\t": "\tslip\t"}, None, None),
        ({}, None, None),
    ],
)
def test_columns_that_may_be_copied_are_named(
    run: Run,
    files: tuple[Path, Path],
    changes: dict[str, str],
    columns: str | None,
    scores: str | None,
) -> None:
    gold, system = files
    text = LEMMAS
    for old, new in changes.items():
        text = text.replace(old, new)
    note = (
        f"no errors in {columns}, perhaps because the values were copied: if so, do not report the "
        f"scores that depend on them ({scores})\n"
    )
    gold.write_text(LEMMAS * 2)
    system.write_text(LEMMAS + text)
    for options in ((), ("--json",)):
        result = run(gold, system, *options)
        assert result.stderr == (note if columns else "")
        assert "no errors in" not in result.stdout
    # One sentence without errors is not remarkable.
    gold.write_text(LEMMAS)
    system.write_text(text)
    assert run(gold, system).stderr == ""


GOLD_TREES = "((S (NP-SBJ (DT the) (NN dog)) (VP (VBZ sleeps)) (. .)))\n"


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.mrg", tmp_path / "system.mrg"
    gold.write_text(GOLD_TREES * 2)
    system.write_text(GOLD_TREES + GOLD_TREES.replace("VP", "NP").replace("VBZ", "NNS"))
    return gold, system


def test_brackets_as_a_table(run: Run, trees: tuple[Path, Path]) -> None:
    result = run("--brackets", *trees)
    assert result.exit_code == 0
    assert "83.33" in result.stdout and "50.00" in result.stdout
    assert "EVALB" in result.stdout and "≤ 40 words" in result.stdout


def test_brackets_as_json(run: Run, trees: tuple[Path, Path]) -> None:
    figures = json.loads(run("--brackets", *trees, "--json").stdout)
    assert figures["all"] == figures["up_to_40"]
    assert figures["all"]["labelled"] == dict.fromkeys(("precision", "recall", "f1"), 100 * 5 / 6)
    assert figures["all"]["unlabelled"]["f1"] == 100.0
    assert figures["all"]["exact"] == 50.0
    assert figures["all"]["tags"] == 100 * 5 / 6
    assert "EVALB" in figures["protocol"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOLD_TREES, "gold.mrg has 2 trees, but .*system.mrg has 1"),
        (GOLD_TREES + GOLD_TREES.replace("dog", "cat"), "'dog' at .*gold.mrg:2.*system.mrg:2"),
        (GOLD_TREES + "((S (NP (DT the)\n", "system.mrg:2: .*lacks 3 closing brackets"),
        (GOLD_TREES + "((S (NP)))\n", "system.mrg:2: 'NP' is alone"),
        (GOLD_TREES + "(())\n", "system.mrg:2: "),
        ("", "system.mrg: the file is empty"),
    ],
)
def test_bad_brackets_are_one_sentence(
    run: Run, trees: tuple[Path, Path], text: str, told: str
) -> None:
    gold, system = trees
    system.write_text(text)
    result = run("--brackets", gold, system)
    assert isinstance(result.exception, BistroError)
    assert re.search(told, str(result.exception))


def test_brackets_take_no_options_of_dependencies(run: Run, trees: tuple[Path, Path]) -> None:
    result = run("--brackets", "--by-length", *trees)
    assert isinstance(result.exception, BistroError)
    assert "--by-length" in str(result.exception)


@pytest.fixture
def other_words(tmp_path: Path) -> tuple[Path, Path]:
    """The same text; the system has left the full stop at its word."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(GOLD)
    rows = GOLD.replace("sleeps\t", "sleeps.\t").splitlines()[:3]
    system.write_text("\n".join([*rows, "", ""]))
    return gold, system


def test_different_words(run: Run, other_words: tuple[Path, Path]) -> None:
    """Two of gold's four words are aligned, of the system's three."""
    result = run(*other_words)
    assert result.exit_code == 0
    rows = {line.split("│")[1].strip(): line for line in result.stdout.splitlines() if "│" in line}
    assert re.search(r"66\.67 +│ +50\.00 +│ +57\.14 ", rows["Words"])
    # The head of `dog` is not aligned, so that only `The` has the right head.
    assert re.search(r"33\.33 +│ +25\.00 +│ +28\.57 +│ +50\.00 ", rows["UAS"])
    assert re.search(r"100\.00 +│ +100\.00 +│ +100\.00 ", rows["Sentences"])
    assert "no lemmas" in rows["Lemmas"]
    assert {"Tokens", "AllTags", "CLAS", "MLAS", "BLEX"} <= rows.keys()
    assert "aligned by their characters" in " ".join(result.stdout.split())
    assert "UAS np" not in rows


def test_different_words_as_json(run: Run, other_words: tuple[Path, Path]) -> None:
    figures = json.loads(run(*other_words, "--json").stdout)
    assert figures["aligned_by"] == "characters"
    assert figures["uas"] == figures["metrics"]["uas"]["f1"] == 100 * 2 / 7
    assert figures["metrics"]["uas"]["aligned_accuracy"] == 50.0
    assert figures["metrics"]["tokens"]["correct"] == 2
    assert figures["no_punct"]["uas"] is None
    assert figures["unavailable"]["no_punct"] == "different words"


@pytest.mark.parametrize("option", ["--by-length", "--calibration"])
def test_options_that_need_the_same_words(
    run: Run, other_words: tuple[Path, Path], option: str
) -> None:
    result = run(*other_words, option)
    assert isinstance(result.exception, BistroError)
    assert "have different words, so --by-length and --calibration are not available" in str(
        result.exception
    )


def test_help_explains_each_metric(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bistro.cli.main import main

    monkeypatch.setattr("sys.argv", ["bistro", "evaluate", "--help"])
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().out
    for name in ("Tokens", "Sentences", "Words", "Lemmas", "MLAS", "BLEX"):
        assert f"{name}: " in told
