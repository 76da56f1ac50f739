"""`bistro train linearize` and `bistro linearize`, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bistro
from bistro.cli.main import run
from bistro.treebank.treebank import write


def rows(*words: tuple[int, str, str]) -> str:
    """Return a sentence of (head, tag, relation) a word."""
    lines = (f"{i}\tw{i}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_" for i, (h, t, r) in enumerate(words, 1))
    return "\n".join(lines) + "\n\n"


GOOD = rows((0, "VERB", "root"), (1, "NOUN", "obj"))
FOREST = rows((0, "X", "root"), (0, "X", "root"))
NO_ROOT = rows((2, "X", "dep"), (1, "X", "dep"))
CIRCLE = rows((0, "X", "root"), (3, "X", "dep"), (2, "X", "dep"))
NO_TAG = rows((0, "VERB", "root"), (1, "_", "obj"))
NO_RELATION = rows((0, "VERB", "root"), (1, "NOUN", "_"))
NO_HEAD = "1\tw\t_\tX\t_\t_\t_\troot\t_\t_\n\n"
BAD = [
    (FOREST, ["--input", "conllx"], "bad.conllu:4: words 1 and 2 both have head 0"),
    (FOREST, [], "bad.conllu"),
    (NO_ROOT, [], "no word has head 0"),
    (CIRCLE, [], "circle"),
    (NO_TAG, [], "bad.conllu:4: word 2 has no upos, but the model's labelling needs one"),
    (NO_RELATION, [], "bad.conllu:4: word 2 has no deprel, but the model's labelling needs one"),
    (NO_HEAD, [], "head"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("linearize")
    trees = bistro.builtin(sentences=150, seed=1)
    write(trees[:120], place / "train.conllu")
    write(trees[120:], place / "dev.conllu")
    arguments = [str(place / "train.conllu"), "--dev", str(place / "dev.conllu")]
    assert run(["train", "linearize", *arguments, "-o", str(place / "m.bistro")]) == 0
    return place


def order(folder: Path, *arguments: str) -> int:
    return run(["linearize", str(folder / "m.bistro"), *arguments])


def test_trees_come_back_in_order(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "best.conllu"
    assert order(folder, str(folder / "dev.conllu"), "-o", str(out)) == 0
    given, found = bistro.read(folder / "dev.conllu"), bistro.read(out)
    assert len(found) == len(given)
    for before, after in zip(given, found, strict=True):
        words = [f for f, t in zip(before.forms, before.upos, strict=True) if t != "PUNCT"]
        assert sorted(after.forms) == sorted(words)
        assert after.text == " ".join(after.forms)


def test_samples_kbest_and_text(folder: Path, tmp_path: Path) -> None:
    dev, out = str(folder / "dev.conllu"), tmp_path / "drawn.conllu"
    assert order(folder, dev, "--samples", "3", "-o", str(out)) == 0
    drawn = bistro.read(out)
    assert len(drawn) == 3 * 30
    assert float(drawn[0].metadata["log_prob"]) <= 0
    lines = tmp_path / "best.txt"
    assert order(folder, dev, "--kbest", "2", "--text", "-o", str(lines)) == 0
    assert 30 < len(lines.read_text().splitlines()) <= 60


def test_scores_are_a_table(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert order(folder, str(folder / "dev.conllu"), "--score") == 0
    told = capsys.readouterr()
    rows = [line.split("\t") for line in told.out.splitlines()]
    assert rows[0] == ["sentence", "dependents", "log_prob", "bits_per_dependent"]
    assert len(rows) == 31
    mean = sum(float(row[2]) for row in rows[1:]) / 30
    assert f"log-likelihood {mean:.4f} per sentence" in told.err


def test_a_word_alone_has_no_order_to_tell(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.conllu").write_text(rows((0, "VERB", "root")))
    assert order(folder, str(tmp_path / "one.conllu"), "--score") == 0
    assert capsys.readouterr().out.splitlines()[1] == "1\t0\t0.000000\t0.000000"


def test_info_names_the_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(folder / "m.bistro")]) == 0
    assert "HDR/n3" in capsys.readouterr().out


@pytest.mark.parametrize("mode", [["--best"], ["--samples", "2"], ["--score"]], ids=str)
@pytest.mark.parametrize(("content", "options", "reason"), BAD)
def test_what_is_no_tree_is_refused_in_one_sentence(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str,
    options: list[str],
    reason: str,
    mode: list[str],
) -> None:
    (tmp_path / "bad.conllu").write_text(GOOD + content)
    out = tmp_path / "out"
    assert order(folder, str(tmp_path / "bad.conllu"), "-o", str(out), *options, *mode) == 2
    told = capsys.readouterr().err.strip()
    assert reason in told
    assert "Traceback" not in told
    assert not out.exists()


@pytest.mark.parametrize(("content", "options", "reason"), BAD)
def test_nothing_is_learned_from_what_is_no_tree(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str,
    options: list[str],
    reason: str,
) -> None:
    (tmp_path / "bad.conllu").write_text(GOOD + content)
    out = tmp_path / "m.bistro"
    given = ["train", "linearize", str(tmp_path / "bad.conllu"), "-o", str(out), *options]
    assert run(given) == 2
    assert reason in capsys.readouterr().err
    (tmp_path / "good.conllu").write_text(GOOD)
    given[2:3] = [str(tmp_path / "good.conllu"), "--dev", str(tmp_path / "bad.conllu")]
    assert run(given) == 2
    assert reason in capsys.readouterr().err
    assert not out.exists()


def test_columns_that_a_labelling_names_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.conllu").write_text(GOOD)
    given = ["train", "linearize", str(tmp_path / "t.conllu"), "-o", str(tmp_path / "m.bistro")]
    assert run([*given, "--set", 'labellings=["head.lemma+deprel"]']) == 2
    assert "word 1 has no lemma" in capsys.readouterr().err
    assert run([*given, "--set", 'labellings=["head.lema+deprel"]']) == 2
    assert "did you mean 'head.lemma'" in capsys.readouterr().err


def test_one_way_of_ordering_at_a_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert order(folder, str(folder / "dev.conllu"), "--best", "--score") == 2
    assert "give only one of" in capsys.readouterr().err


@pytest.mark.parametrize("models", [["oo"], ["n1", "n2", "n3"]], ids=str)
@pytest.mark.parametrize("labellings", [["HDR"], ["HDR", "R"]], ids=str)
def test_what_the_paper_varies_is_set_beside_its_preset(
    folder: Path, tmp_path: Path, models: list[str], labellings: list[str]
) -> None:
    out = tmp_path / "m.bistro"
    given = [str(folder / "train.conllu"), "--dev", str(folder / "dev.conllu"), "-o", str(out)]
    varied = [
        "--set",
        f"models={json.dumps(models)}",
        "--set",
        f"labellings={json.dumps(labellings)}",
    ]
    assert run(["train", "linearize", *given, "--config", "futrell-gibson-2015", *varied]) == 0
    config = bistro.load(out).config
    assert (list(config.models), list(config.labellings)) == (models, labellings)
    assert (config.smoothing, config.k, config.leaves) == ("add-k", 0.01, "counted")


def test_ties_go_to_the_input_if_asked(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [(3, "NOUN", "never"), (3, "NOUN", "seen"), (0, "X", "root"), (3, "NOUN", "before")]
    (tmp_path / "t.conllu").write_text(rows(*words))
    out = tmp_path / "m.bistro"
    given = [str(folder / "train.conllu"), "--set", 'models=["oo"]', "--set", "smoothing=add-k"]
    assert run(["train", "linearize", *given, "-o", str(out)]) == 0
    capsys.readouterr()
    printed = set()
    for options in (["--ties", "input"], *(["--seed", str(seed)] for seed in range(1, 9))):
        assert run(["linearize", str(out), str(tmp_path / "t.conllu"), "--text", *options]) == 0
        printed.add(capsys.readouterr().out)
        assert "w1 w2 w3 w4\n" in printed
    assert len(printed) > 4
    assert order(folder, str(folder / "dev.conllu"), "--ties", "input", "--score") == 2
    assert "--ties" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [["--best"], ["--samples", "2"], ["--score"]], ids=str)
@pytest.mark.parametrize("relations", [2, 5])
def test_a_head_with_28_dependents_does_not_hang(
    folder: Path, tmp_path: Path, mode: list[str], relations: int
) -> None:
    words = [(1, "NOUN", f"relation{i % relations}") for i in range(28)]
    (tmp_path / "many.conllu").write_text(rows((0, "VERB", "root"), *words))
    out = tmp_path / "out"
    assert order(folder, str(tmp_path / "many.conllu"), "-o", str(out), *mode) == 0
    assert out.read_text()


def test_other_kinds_cannot_order(folder: Path, tmp_path: Path) -> None:
    train = str(folder / "train.conllu")
    assert run(["train", "ngram", train, "-o", str(tmp_path / "n.bistro")]) == 0
    assert run(["linearize", str(tmp_path / "n.bistro"), train]) == 2
