"""`bistro explain`: text, tables and JSON; what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import bistro
from bistro.errors import BistroError
from bistro.models.base import Origin
from bistro.treebank.treebank import write

from .program import Command

QUICK = {"sampler": {"sweeps": 4, "samples": 2}}
SENTENCE = "The dog sleeps ."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain")
    treebank = bistro.builtin(sentences=200, seed=1)
    write(treebank, folder / "train.conllu")
    for kind in ("ngram", "transition", "eisner"):
        bistro.train(kind, treebank, seed=1, **QUICK).save(folder / f"{kind}.bistro")
    return folder


@pytest.mark.parametrize("kind", ["ngram", "transition", "eisner"])
def test_the_text_is_a_tree_of_all_decisions(bistro_here: Command, folder: Path, kind: str) -> None:
    ended = bistro_here("explain", folder / f"{kind}.bistro", SENTENCE)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith(SENTENCE)
    explanation = bistro.load(folder / f"{kind}.bistro").explain(SENTENCE.split())
    total = sum(d.bits for d in explanation.decisions)
    assert f"{total:.2f} bits" in lines[0]
    for token in SENTENCE.split():
        assert any(f" {token}  " in line for line in lines)
    assert "means over the training samples" in ended.err


def test_one_word_has_its_whole_chains_with_counts(bistro_here: Command, folder: Path) -> None:
    train = folder / "train.conllu"
    ended = bistro_here("explain", folder / "ngram.bistro", SENTENCE, "--word", 2, "--train", train)
    assert ended.code == 0
    header = next(line for line in ended.out.splitlines() if line.startswith("context"))
    assert header.split()[:5] == ["context", "kinds", "ways", "count", "total"]
    assert "after <s> The" in ended.out
    assert "sleeps" not in ended.out
    ended = bistro_here("explain", folder / "transition.bistro", SENTENCE, "--word", 5)
    assert "right-arc (ROOT → sleeps)" in ended.out
    assert "after" not in ended.out


def test_members_of_a_committee_are_explained(
    bistro_here: Command, folder: Path, tmp_path: Path
) -> None:
    model = bistro.train("committee", bistro.read(folder / "train.conllu"), seed=1, **QUICK)
    model.save(tmp_path / "committee.bistro")
    ended = bistro_here("explain", tmp_path / "committee.bistro", SENTENCE)
    assert ended.code == 0
    assert ended.err.startswith("Member left of the committee, with weight 0.")
    assert "the committee's tree" in ended.err
    explanation = model.explain(SENTENCE.split())
    assert explanation.heads == model.parse(SENTENCE.split()).heads
    eisner = bistro_here(
        "explain", tmp_path / "committee.bistro", SENTENCE, "--member", "eisner", "--word", 1
    )
    assert eisner.code == 0
    assert "generated head by head" in eisner.err
    for name in set(model.member_names()) - {"isbn"}:
        assert model.explain(SENTENCE.split(), member=name).decisions
    with pytest.raises(BistroError, match="an isbn model cannot explain"):
        model.explain(SENTENCE.split(), member="isbn")
    wrong = bistro_here("explain", tmp_path / "committee.bistro", SENTENCE, "--member", "eisenr")
    assert "no member 'eisenr' (did you mean 'eisner'?)" in wrong.err
    alone = bistro_here("explain", folder / "eisner.bistro", SENTENCE, "--member", "left")
    assert "an eisner model has no members" in alone.err


@pytest.mark.parametrize("kind", ["ngram", "transition", "eisner"])
def test_contributions_in_a_table_sum_to_the_probabilities(
    bistro_here: Command, folder: Path, kind: str, tmp_path: Path
) -> None:
    out = tmp_path / "steps.tsv"
    options = ("--format", "tsv", "-o", out)
    assert bistro_here("explain", folder / f"{kind}.bistro", SENTENCE, *options).code == 0
    header, *rows = (line.split("\t") for line in out.read_text().splitlines())
    table = [dict(zip(header, row, strict=True)) for row in rows]
    sums: dict[str, float] = {}
    for row in table:
        if row["contribution"] != "NA":
            sums[row["step"]] = sums.get(row["step"], 0.0) + float(row["contribution"])
    assert len(sums) > 4
    assert {row["known"] for row in table} <= {"0", "1", "NA"}
    for row in table:
        if row["step"] in sums:
            assert sums[row["step"]] == pytest.approx(float(row["probability"]), rel=1e-7)


def test_json_is_whole_and_a_given_tree_is_explained(bistro_here: Command, folder: Path) -> None:
    model = folder / "transition.bistro"
    train = folder / "train.conllu"
    ended = bistro_here("explain", model, "--tree", train, "--format", "json")
    assert ended.code == 0
    found = json.loads(ended.out)
    gold = bistro.read(train)[0]
    assert found["words"] == gold.forms
    assert found["heads"] == gold.heads
    product = sum(math.log(d["probability"]) for d in found["decisions"])
    assert found["log_prob"] == pytest.approx(product)
    assert "given tree" in found["protocol"]
    one = json.loads(bistro_here("explain", model, SENTENCE, "--word", 1, "--format", "json").out)
    assert {d["word"] for d in one["decisions"]} == {1}


def test_text_can_go_to_a_file(bistro_here: Command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "why.txt"
    assert bistro_here("explain", folder / "ngram.bistro", SENTENCE, "-o", out).code == 0
    assert out.read_text().startswith(SENTENCE)


def test_tables_for_pandas_and_parameters_of_a_trace(folder: Path) -> None:
    model = bistro.load(folder / "ngram.bistro")
    table = model.explain(SENTENCE.split()).to_pandas()
    assert len(table) == 5 * 6
    steps = table.groupby("step")
    assert steps.contribution.sum().tolist() == pytest.approx(steps.probability.first().tolist())
    rows = [{"words.discount": [0.1 * i] * 5, "words.strength": [1.0 * i] * 5} for i in (9, 1, 3)]
    model.origin = Origin(1, {}, rows)  # the last two were kept
    levels = model.explain(SENTENCE.split()).decisions[0].levels
    assert levels[0].discount is None
    assert [level.discount for level in levels[1:]] == pytest.approx([0.2] * 5)
    assert [level.strength for level in levels[1:]] == pytest.approx([2.0] * 5)


# ---- what cannot be done -----------------------------------------------------------------------
def test_bad_questions_are_refused_in_a_sentence(
    bistro_here: Command, folder: Path, tmp_path: Path
) -> None:
    model = folder / "transition.bistro"
    foreign = tmp_path / "foreign.conllu"
    foreign.write_text("1\tdog\t_\tXYZ\t_\t_\t0\troot\t_\t_\n\n")
    for arguments, told in (
        ((model,), "specify either a SENTENCE or --tree FILE"),
        ((model, SENTENCE, "--tree", foreign), "specify either a SENTENCE or --tree FILE"),
        ((model, "  "), "has no words to explain"),
        ((model, SENTENCE, "--word", "6"), "from 1 to 4 for a word, or 5 for the end"),
        ((model, SENTENCE, "--word", "0"), "from 1 to 4 for a word, or 5 for the end"),
        ((model, SENTENCE, "--format", "xml"), "text, tsv or json"),
        ((model, "--tree", foreign), "the model has never seen the tag 'XYZ'"),
        ((model, SENTENCE, "--train", foreign), "the training data: the model has never seen"),
        ((model, "--tree", tmp_path / "none.conllu"), "none.conllu"),
    ):
        ended = bistro_here("explain", *arguments)
        assert ended.code == 2
        assert told in ended.err
        assert len(ended.err.splitlines()) == 1


def test_other_kinds_say_that_they_cannot(bistro_here: Command, tmp_path: Path) -> None:
    trees = bistro.builtin_trees(sentences=50, seed=1)
    bistro.train("grammar", trees, seed=1).save(tmp_path / "grammar.bistro")
    ended = bistro_here("explain", tmp_path / "grammar.bistro", SENTENCE)
    assert ended.code == 2
    assert "a grammar model cannot explain a probability; use an ngram" in ended.err
