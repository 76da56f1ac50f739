"""Constituency on the command line: train, parse, evaluate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bistro.treebank.brackets import read_trees

from .program import Command

TREES = """\
((S (NP-SBJ (DT the) (JJ old) (NN dog)) (VP (VBZ sleeps)) (. .)))
((S (NP-SBJ-1 (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (NP (-NONE- *-1))) (. .)))
((S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (NN dog)) (PP (IN with) (NP (NNS eyes)))) (. .)))
((S (NP (DT the) (NN horse)) (VP (VBZ sleeps) (PP (IN with) (NP (DT the) (NN dog)))) (. .)))
((S (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS eyes)))) (VP (VBZ sleeps)) (. .)))
"""


@pytest.fixture
def model(here: Path, bistro_here: Command) -> Path:
    (here / "train.mrg").write_text(TREES)
    # Five trees are too few to leave some of them out.
    asked = ("train", "trees", "train.mrg", "--set", "fit=seating")
    ended = bistro_here(*asked, "-o", "m.bistro")
    assert ended.code == 0, ended.err
    return here


def test_lines_in_brackets_out(model: Path, bistro_here: Command) -> None:
    (model / "in.txt").write_text("the dog sees a zebra .\n\nthe cat sleeps .\n")
    ended = bistro_here("parse", "m.bistro", "in.txt", "--draws", "500")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN zebra))) (. .)))",
        "(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))",
    ]
    assert "2 sentences, 10 words" in ended.err
    assert "mcmc" in ended.err


@pytest.mark.parametrize("search", ["cyk", "astar-full", "astar-literal", "astar-nodes", "mcmc"])
def test_every_search_parses_brackets_and_can_be_scored(
    model: Path, bistro_here: Command, search: str
) -> None:
    asked = ("parse", "m.bistro", "train.mrg", "--search", search, "-o", "out.mrg")
    ended = bistro_here(*asked)
    assert ended.code == 0, ended.err
    words = [tree.leaves() for tree in read_trees(model / "out.mrg")]
    assert words[0] == ["the", "old", "dog", "sleeps", "."]
    assert len(words) == 5
    scored = bistro_here("evaluate", "--brackets", "train.mrg", "out.mrg", "--json")
    assert json.loads(scored.out)["all"]["tags"] > 90


def test_all_that_the_paper_varies_can_be_chosen(model: Path, bistro_here: Command) -> None:
    chain = ("--draws", 300, "--burn-in", 10, "--subtrees", 0, "--guide", "pcfg", "--node-cost", 0)
    first = ("--search", "astar-literal", "--beam", 50, "--completions", 1, "--guide", "pcfg")
    for asked in (chain, first, (*first, "--expansions", 500, "--expand", "all")):
        ended = bistro_here("parse", "m.bistro", "train.mrg", *asked)
        assert ended.code == 0, ended.err
        assert len(ended.out.splitlines()) == 5
    assert "astar-literal, first complete tree" in ended.err
    former = bistro_here("parse", "m.bistro", "train.mrg", "--search", "astar-local")
    present = bistro_here("parse", "m.bistro", "train.mrg", "--search", "astar-nodes")
    assert former.code == 0 and former.out == present.out
    wrong = bistro_here("parse", "m.bistro", "train.mrg", "--expand", "left")
    assert wrong.code == 2 and "expand = 'left' is not valid" in wrong.err


def test_utterances_of_morphemes_become_trees(here: Path, bistro_here: Command) -> None:
    rows = "ufunda\tu[Pre]-fund[VRoot]-a[End]\nfuthi\tfuthi[Conj]\n.\t.[Punc]\n"
    (here / "train.tsv").write_text(rows * 20)
    asked = ("train", "morphology", "train.tsv", "--set", "unit=utterance", "-o", "u.bistro")
    ended = bistro_here(*asked)
    assert ended.code == 0, ended.err
    for search in ("astar-literal", "astar-full", "mcmc"):
        text = b"u fund a futhi\nfuthi u fund a\n"
        ended = bistro_here("parse", "u.bistro", "--search", search, stdin=text)
        assert ended.code == 0, ended.err
        assert ended.out.splitlines()[0] == ("(TOP (Word (P1 u) (T fund) (S a)) (Word (T futhi)))")


def test_conllu_in_brackets_out(model: Path, bistro_here: Command) -> None:
    rows = "".join(f"{i}\t{w}\t_\t_\t_\t_\t_\t_\t_\t_\n" for i, w in ((1, "the"), (2, "dog")))
    ended = bistro_here("parse", "m.bistro", "-", stdin=f"{rows}\n".encode())
    assert ended.code == 0, ended.err
    assert read_words(ended.out) == ["the", "dog"]


def read_words(text: str) -> list[str]:
    return re.findall(r" ([^\s()]+)\)", text)


def test_the_same_seed_the_same_trees_whatever_the_threads(
    model: Path, bistro_here: Command
) -> None:
    asked = ("parse", "m.bistro", "train.mrg", "--draws", "50", "--samples", "3")
    one, three = (bistro_here(*asked, "--threads", n).out for n in (1, 3))
    assert one == three
    assert len(one.splitlines()) == 15


def test_k_best_trees_and_their_probabilities(model: Path, bistro_here: Command) -> None:
    (model / "in.txt").write_text("the dog sees a cat with eyes .\n")
    asked = ("parse", "m.bistro", "in.txt", "--kbest", "3", "--log-probs", "p.tsv")
    ended = bistro_here(*asked)
    assert ended.code == 0, ended.err
    assert len(set(ended.out.splitlines())) == 2  # there are no more
    head, *rows = (line.split("\t") for line in (model / "p.tsv").read_text().splitlines())
    assert head[:4] == ["sentence", "tree", "words", "log_prob"]
    values = [float(row[3]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert all(value < 0 for value in values)


def test_a_sentence_without_a_tree_is_flat_and_told(model: Path, bistro_here: Command) -> None:
    ended = bistro_here("parse", "m.bistro", "-", stdin=b"with with with\nthe dog sleeps .\n")
    assert ended.code == 0
    first, second = ended.out.splitlines()
    assert first == "(TOP (IN with) (IN with) (IN with))"
    assert second.startswith("(TOP (S ")
    assert "no tree in the grammar for 1 sentence (the first is number 1)" in ended.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("((S (X a)))\n((S (NP (X a)\n", "bad.mrg:2: .*lacks 3 closing brackets"),
        ("((S (X a)))\n((S (NP (-NONE- *))))\n", "bad.mrg:2: the tree has no words"),
        ("((S (X a)))\n()\n", "bad.mrg:2: the tree has no words"),
        ("((S (X a)))\n((S (NP) (X a)))\n", "bad.mrg:2: 'NP' is alone"),
        ("((S (X a))))\n", "bad.mrg:1: a closing bracket too many"),
        ("", "bad.mrg: the file is empty"),
    ],
)
@pytest.mark.parametrize("command", ["train", "parse"])
def test_bad_trees_are_one_sentence(
    model: Path, bistro_here: Command, command: str, text: str, told: str
) -> None:
    (model / "bad.mrg").write_text(text)
    asked = {
        "train": ("train", "trees", "bad.mrg", "-o", "no.bistro"),
        "parse": ("parse", "m.bistro", "bad.mrg", "-o", "no.mrg"),
    }
    ended = bistro_here(*asked[command])
    assert ended.code == 2
    assert re.search(told, ended.err)
    assert not (model / "no.bistro").exists()
    assert not (model / "no.mrg").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--search", "cky"), "cyk"),
        (("--particles", "10"), "--particles is for dependency parsers"),
        (("--tags", "given"), "--tags given"),
        (("--marginals",), "--marginals is for dependency parsers"),
        (("--search", "cyk", "--kbest", "3"), "mcmc"),
    ],
)
def test_options_that_say_nothing_of_constituents(
    model: Path, bistro_here: Command, options: tuple[str, ...], told: str
) -> None:
    ended = bistro_here("parse", "m.bistro", "train.mrg", *options)
    assert ended.code == 2
    assert told in ended.err


def test_dependency_parsers_have_no_such_search(files: Path, bistro_here: Command) -> None:
    model, text = files / "english.bistro", files / "test.txt"
    ended = bistro_here("parse", model, text, "--search", "mcmc")
    assert ended.code == 2
    assert "constituency models" in ended.err


def test_every_part_of_the_search_can_be_set(model: Path, bistro_here: Command) -> None:
    drawing = ("--draws", "200", "--subtrees", "0", "--node-cost", "0", "--guide", "pcfg")
    for options in (drawing, ("--search", "astar-full", "--completions", "1")):
        ended = bistro_here("parse", "m.bistro", "-", *options, stdin=b"the dog sleeps .\n")
        assert ended.code == 0, ended.err
        assert ended.out == "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps)) (. .)))\n"
    ended = bistro_here("parse", "m.bistro", "-", "--node-cost", "2", stdin=b"the dog sleeps .\n")
    assert ended.code == 2


def test_a_committee_parses_and_says_what_it_is(here: Path, bistro_here: Command) -> None:
    (here / "train.mrg").write_text(TREES)
    few = ("--set", 'members=["head-left", "right-plain"]', "--set", "sampler.sweeps=3")
    asked = ("train", "constituents", "train.mrg", "--dev", "train.mrg", *few)
    ended = bistro_here(*asked, "--set", "sampler.samples=1", "-o", "c.bistro")
    assert ended.code == 0, ended.err
    assert "bits per word" in ended.out
    ended = bistro_here("parse", "c.bistro", "train.mrg", "--draws", "300", "-o", "out.mrg")
    assert ended.code == 0, ended.err
    assert "constituents, mcmc" in ended.err
    assert read_trees(here / "out.mrg")[0].leaves()[:2] == ["the", "old"]
    shown = bistro_here("info", "c.bistro")
    assert "head-left" in shown.out
    wrong = bistro_here("parse", "c.bistro", "train.mrg", "--search", "cyk")
    assert wrong.code == 2 and "a constituents model has no option 'search'" in wrong.err
