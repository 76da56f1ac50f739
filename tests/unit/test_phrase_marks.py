"""Heads of phrases, labels with marks, and every way to split nodes."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import TreebankError
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.form import TreeForm
from bistro.treebank.binarisation import Binarisation, binarised
from bistro.treebank.brackets import Tree, format_tree, parse_tree, read_trees
from bistro.treebank.constituents import simplified, unbinarised
from bistro.treebank.phrase_heads import head_child
from bistro.treebank.phrase_marks import Marks, common_prepositions, marked, without_marks

WAYS: tuple[Binarisation, ...] = get_args(Binarisation)
LABELS = st.sampled_from(["S", "NP", "VP", "PP", "SBAR", "X", "QP"])
LEAVES = st.builds(
    lambda tag, word: Tree(tag, word=word),
    st.sampled_from(["NN", "VB", "IN", "-LRB-", "POS", "CD"]),
    st.sampled_from(["of", "b", "@c", "A~b"]),
)
TREES = st.recursive(
    LEAVES,
    lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=6)),
    max_leaves=25,
)


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT JJ NN", 2),
        ("NP", "NP POS", 1),
        ("NP", "NP PP", 0),
        ("NP", "$ CD", 0),
        ("NP", "DT CD", 1),
        ("NP", "DT JJ", 1),
        ("NP", "DT PP", 1),
        ("NX", "NN CC NNS", 2),
        ("VP", "MD VP", 0),
        ("VP", "ADVP VBD NP", 1),
        ("S", "NP VP .", 1),
        ("PP", "ADVP IN NP", 1),
        ("SBAR", "IN S", 0),
        ("QP", "IN CD CD", 0),
        ("ADVP", "RB RB", 1),
        ("UCP", "NP CC VP", 2),
        ("unheard-of", "A B", 0),
    ],
)
def test_heads_follow_the_rules(label: str, children: str, head: int) -> None:
    assert head_child(label, children.split()) == head


def test_each_way_splits_its_own_way() -> None:
    tree = parse_tree("(VP (RB a) (VB b) (NP (NN c)) (PP (IN d)))")
    found = {way: format_tree(binarised(tree, way)) for way in WAYS}
    assert found == {
        "right": "(VP (RB a) (@VP (VB b) (@VP (NP (NN c)) (PP (IN d)))))",
        "left": "(VP (@VP (@VP (RB a) (VB b)) (NP (NN c))) (PP (IN d)))",
        "head-left": "(VP (RB a) (@>VP (@<VP (VB b) (NP (NN c))) (PP (IN d))))",
        "head-right": "(VP (@<VP (@<VP (RB a) (VB b)) (NP (NN c))) (PP (IN d)))",
    }


@given(TREES, st.sampled_from(WAYS))
@settings(max_examples=200, deadline=None)
def test_every_way_has_an_exact_inverse(tree: Tree, way: Binarisation) -> None:
    twos = binarised(tree, way)
    assert all(len(node.children) <= 2 for node in twos.nodes())
    assert unbinarised(twos) == tree


@given(TREES, st.sampled_from(WAYS))
@settings(max_examples=200, deadline=None)
def test_marks_have_an_exact_inverse(tree: Tree, way: Binarisation) -> None:
    for marks in get_args(Marks):
        assert without_marks(marked(tree, marks, {"of"})) == tree
        form = TreeForm(way, marks, frozenset({"of"}))
        assert form.for_people(form.for_grammar(tree)) == tree


def test_marks_show_heads() -> None:
    text = "(S (NP (NP (NN a)) (PP (IN Of) (NP (NN b)))) (VP (VBZ is) (PP (IN amid) (NP (NN c)))))"
    assert format_tree(marked(parse_tree(text), "heads", {"of"})) == (
        "(S~VBZ (NP (NP~base (NN a)) (PP~of (IN Of) (NP~base (NN b)))) "
        "(VP~VBZ (VBZ is) (PP (IN amid) (NP~base (NN c)))))"
    )
    only_verbs = text.replace("(S", "(S~VBZ").replace("(VP", "(VP~VBZ")
    assert format_tree(marked(parse_tree(text), "verbs", {"of"})) == only_verbs


def test_common_prepositions_are_counted_in_lower_case() -> None:
    trees = [parse_tree(f"(PP (IN {word}) (NP (NN b)))") for word in ("Of", "of", "amid")]
    assert common_prepositions(trees, least=2) == {"of"}
    assert common_prepositions(trees, least=3) == frozenset()


def test_a_label_that_looks_marked_is_refused() -> None:
    with pytest.raises(TreebankError, match="'VP~X' contains '~'"):
        marked(parse_tree("(VP~X (VB go))"), "verbs")


@pytest.mark.data
def test_the_wsj_sample_comes_back_with_marks(data_dir: Path) -> None:
    plain = [simplified(tree) for tree in read_trees(data_dir / "ptb_sample" / "wsj-dev.mrg")]
    for way in WAYS:
        form = TreeForm.learn(plain, TreesConfig(binarisation=way, marks="heads"))
        assert [form.for_people(form.for_grammar(tree)) for tree in plain] == plain
        assert "of" in form.prepositions
