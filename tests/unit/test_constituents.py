"""Constituency trees as a grammar takes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import TreebankError
from bistro.treebank.binarisation import binarised
from bistro.treebank.brackets import Tree, format_tree, parse_tree, read_trees
from bistro.treebank.constituents import (
    TRACE,
    plain_label,
    simplified,
    unbinarised,
    under_root,
    without_traces,
)


def simple(text: str) -> str:
    return format_tree(simplified(parse_tree(text)))


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("S-TPC-2=1", "S"),
        ("ADVP|PRT", "ADVP"),
        ("-LRB-", "-LRB-"),
        ("PRP$", "PRP$"),
        ("``", "``"),
        ("-NONE-", "-NONE-"),
        ("=", "="),
    ],
)
def test_plain_labels(label: str, plain: str) -> None:
    assert plain_label(label) == plain


def test_traces_go_with_all_that_becomes_empty() -> None:
    text = "((S (NP-SBJ (PRP It)) (VP (VBD fell) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))))"
    assert simple(text) == "(TOP (S (NP (PRP It)) (VP (VBD fell))))"


def test_a_phrase_left_alone_in_its_like_is_not_said_twice() -> None:
    assert simple("((NP (NP (NN a)) (PP (-NONE- *ICH*-1))))") == "(TOP (NP (NN a)))"
    # A tag is no phrase, whatever its name; and a phrase of another label stays.
    assert simple("((X (X a)))") == "(TOP (X (X a)))"
    assert simple("((S (S-ADV (VP (VB go)))))") == "(TOP (S (VP (VB go))))"


def test_every_tree_has_the_same_root() -> None:
    for text in ("((S (X a)))", "(TOP (S (X a)))", "(ROOT (S (X a)))", "(S1 (S (X a)))"):
        assert simple(text) == "(TOP (S (X a)))"
    assert simple("(S (X a))") == "(TOP (S (X a)))"
    assert simple("(NN a)") == "(TOP (NN a))"
    assert format_tree(under_root(parse_tree("((NP (X a)) (. .))"))) == "(TOP (NP (X a)) (. .))"


def test_a_tree_of_traces_is_refused_with_its_line() -> None:
    tree = parse_tree("\n\n((S (NP (-NONE- *))))")
    with pytest.raises(TreebankError, match=r"^3: the tree has no words"):
        simplified(tree)


def test_the_rest_hangs_on_the_right() -> None:
    tree = parse_tree("(NP (DT a) (JJ b) (JJ c) (NN d))")
    expected = "(NP (DT a) (@NP (JJ b) (@NP (JJ c) (NN d))))"
    assert format_tree(binarised(tree)) == expected


def test_binarised_twice_is_refused() -> None:
    with pytest.raises(TreebankError, match="'@NP' begins with '@'"):
        binarised(parse_tree("(NP (DT a) (@NP (JJ b) (NN d)))"))


def test_words_and_tags_that_look_like_symbols_stay() -> None:
    tree = parse_tree("(NP (@ @home) (@X @) (NN d))")
    assert unbinarised(binarised(tree)) == tree


LABELS = st.sampled_from(["S", "NP", "VP-TMP", "NP-SBJ-1"])
LEAVES = st.builds(
    lambda tag, word: Tree(tag, word=word),
    st.sampled_from(["NN", "VB", "-LRB-", TRACE]),
    st.sampled_from(["a", "b", "@c"]),
)
TREES = st.recursive(
    LEAVES,
    lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=5)),
    max_leaves=25,
)


@given(TREES)
@settings(max_examples=200, deadline=None)
def test_binarisation_has_an_exact_inverse(tree: Tree) -> None:
    twos = binarised(tree)
    assert all(len(node.children) <= 2 for node in twos.nodes())
    assert unbinarised(twos) == tree


@given(TREES)
@settings(max_examples=200, deadline=None)
def test_words_survive(tree: Tree) -> None:
    words = [n.word for n in tree.nodes() if n.word is not None and n.label != TRACE]
    spoken = without_traces(tree)
    if not words:
        assert spoken is None
        return
    assert spoken is not None
    assert spoken.leaves() == simplified(tree).leaves() == words
    assert all(node.word is not None or node.children for node in spoken.nodes())


def test_depth_is_no_limit() -> None:
    depth = 20_000
    tree = parse_tree("(A " * depth + "(X a)" + "(X b) (X c)" + ")" * depth)
    assert unbinarised(binarised(tree)) == tree
    assert format_tree(simplified(tree)) == "(TOP (A (X a) (X b) (X c)))"


@pytest.mark.data
@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_wsj_sample_comes_back(data_dir: Path, part: str) -> None:
    trees = read_trees(data_dir / "ptb_sample" / f"wsj-{part}.mrg")
    plain = [simplified(tree) for tree in trees]
    assert [unbinarised(binarised(tree)) for tree in plain] == plain
    assert all(len(tree.children) == 1 for tree in plain)
    labels = {node.label for tree in plain for node in tree.nodes() if node.word is None}
    assert not any(set("-=|") & set(label) for label in labels)
