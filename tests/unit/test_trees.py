"""Constituency parsers: trees to rules and back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from bistro.config import from_dict
from bistro.errors import TreebankError
from bistro.models.data import TREES as READER
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.task import TreesTask
from bistro.treebank.brackets import Tree, format_tree, parse_tree
from bistro.treebank.constituents import simplified
from bistro.treebank.tree_files import iter_words, read_examples

TREES = """\
((S (NP-SBJ (DT the) (JJ old) (NN dog)) (VP (VBZ sleeps)) (. .)))
((S (NP-SBJ-1 (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat)) (NP (-NONE- *-1))) (. .)))
((S (VP (VB Go)) (. .)))
((S (NP (DT the) (NN walking)) (VP (VBZ sleeps)) (. .)))
"""


def config(**settings: object) -> TreesConfig:
    return from_dict(TreesConfig, settings)


@pytest.fixture
def examples(tmp_path: Path) -> list[Tree]:
    (tmp_path / "four.mrg").write_text(TREES)
    return list(READER.read([str(tmp_path / "four.mrg")]))


def test_trees_come_back_from_their_rules(examples: list[Tree]) -> None:
    task, derivations = TreesTask.learn(examples, config())
    for item, derivation in zip(examples, derivations, strict=True):
        task.rules.check(derivation)
        assert task.output(task.words_of(item), derivation) == simplified(item)
        held_out = task.derivation(item)
        assert held_out is not None
        assert np.array_equal(held_out, derivation)


def test_rare_words_are_classes_and_rules_are_shared(examples: list[Tree]) -> None:
    task, derivations = TreesTask.learn(examples, config())
    shown = task.rules.show(derivations[0])
    assert shown == (
        "(TOP (S (NP (DT the) (@NP (JJ <unk-lower>) (NN dog))) (@S (VP (VBZ sleeps)) (. .))))"
    )
    assert "<unk-initial>" in task.rules.show(derivations[2])
    assert task.rules.counts(derivations).max() >= 4  # (DT the), (. .)


def test_words_of_every_kind_are_terminals(examples: list[Tree]) -> None:
    task, _ = TreesTask.learn(examples, config())
    words = ["the", "running", "Bears", "of", "%&", "42"]
    terminals = task.terminals(words)
    assert terminals.is_sequence
    rules = task.rules
    emitted = set((-1 - rules.first[rules.is_lexical]).tolist())
    assert set(terminals.word.tolist()) <= emitted
    names = [rules.words[number] for number in terminals.word.tolist()]
    assert names[:2] == ["the", "<unk-lower-ing>"]


def test_what_the_grammar_lacks_is_none(examples: list[Tree]) -> None:
    task, _ = TreesTask.learn(examples, config())
    assert task.derivation(parse_tree("((FRAG (NN dog)))")) is None
    # A new word is no new rule, as long as its class has been seen under the tag.
    assert task.derivation(parse_tree("((S (VP (VB Run)) (. .)))")) is not None


def test_the_flat_tree(examples: list[Tree]) -> None:
    task, _ = TreesTask.learn(examples, config())
    tree = task.output(["the", "xyz", "(", "."], None)
    assert tree.leaves() == ["the", "xyz", "(", "."]
    assert [child.label for child in tree.children][::3] == ["DT", "."]
    assert all(child.word is not None for child in tree.children)


def test_the_task_comes_back(examples: list[Tree]) -> None:
    task, _ = TreesTask.learn(examples, config(unknown="classes"))
    header = json.loads(json.dumps(task.header()))
    again = TreesTask.from_parts(header, task.arrays(), task.rules, config())
    words = ["the", "unseen", "Words"]
    assert np.array_equal(again.terminals(words).word, task.terminals(words).word)


def test_words_to_parse_come_from_any_format() -> None:
    row = "1\tIt\t_\t_\t_\t_\t_\t_\t_\t_\n2\trains\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    for text in ("It rains\n", "((S (NP (PRP It)) (VP (VBZ rains) (-NONE- *))))", row):
        assert list(iter_words(io.BytesIO(text.encode()))) == [["It", "rains"]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("((S (X a)))\n((S (NP (-NONE- *))))\n", ":2: the tree has no words"),
        ("((S (X a)))\n\n()\n", ":3: the tree has no words"),
        ("((S (X a)))\n((S (NP)))\n", ":2: 'NP' is alone"),
        ("((S (X a))\n((S (X a)))\n", r"r.mrg:\d: "),
        ("((S (@S (X a) (X b)) (X c)))\n", ":1: the label '@S' begins with '@'"),
        ("It rains\n", "looks like|is outside"),
        ("", "empty"),
    ],
)
def test_bad_trees_are_told_with_file_and_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "r.mrg"
    path.write_text(text)
    with pytest.raises(TreebankError, match=told):
        read_examples(path)


def test_several_files_are_one(tmp_path: Path) -> None:
    for name in ("a.mrg", "b.mrg"):
        (tmp_path / name).write_text(TREES)
    both = READER.read([str(tmp_path / "a.mrg"), str(tmp_path / "b.mrg")])
    assert len(both) == 8
    assert both.label == "a.mrg + b.mrg"
    assert format_tree(both[0]) == format_tree(both[4])
