"""Bracketed trees: reading, complaints, writing back byte for byte, depth."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.errors import TreebankError
from bistro.treebank import blocks
from bistro.treebank.brackets import (
    SourceTree,
    Tree,
    format_tree,
    iter_trees,
    parse_tree,
    read_trees,
    write_trees,
)

TEXT = """
( (S
    (NP-SBJ (DT The) (NN dog) )
    (VP (VBZ barks))
    (. .)))
(TOP (X (Y z)))  (NN word)

"""


def trees_of(text: str | bytes) -> list[SourceTree]:
    data = text.encode() if isinstance(text, str) else text
    return list(iter_trees(io.BytesIO(data), path="t.mrg"))


def test_shapes_of_trees() -> None:
    first, second, third = trees_of(TEXT)
    assert first.label == ""
    assert [child.label for child in first.children[0].children] == ["NP-SBJ", "VP", "."]
    assert first.leaves() == ["The", "dog", "barks", "."]
    assert first.tags() == ["DT", "NN", "VBZ", "."]
    assert format_tree(first) == "((S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks)) (. .)))"
    assert (second.label, second.children[0].label, second.leaves()) == ("TOP", "X", ["z"])
    assert (third.label, third.word, third.children) == ("NN", "word", [])
    assert [tree.line for tree in (first, second, third)] == [2, 6, 6]
    assert [node.label for node in second.nodes()] == ["TOP", "X", "Y"]


def test_only_ascii_space_separates() -> None:
    assert parse_tree("(N a\u2028b\u00a0c\u0085d)").word == "a\u2028b\u00a0c\u0085d"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        "(A b)",
        "(A b)(C d)",
        "(A b)\n\n\n\n(C d)   ",
        "\ufeff\n(A b)\n",
        "( ( S(A\tb)\n) )\x0c\n",
        "(Ä ß)\r\n(語 言)",
    ],
)
def test_written_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    trees = trees_of(text)
    assert "".join(map(str, trees)) == text
    write_trees(trees, tmp_path / "out.mrg.gz")
    again = read_trees(tmp_path / "out.mrg.gz")
    assert "".join(map(str, again)) == text


def test_a_changed_tree_is_written_anew_and_the_others_are_not() -> None:
    first, second, third = trees_of(TEXT)
    second.children[0].children[0].word = "new"
    assert str(first) + str(second) + str(third) == TEXT.replace("(Y z)", "(Y new)")
    first.children[0].children[1].children.append(Tree("ADVP", [Tree("RB", word="loudly")]))
    assert str(first) == "\n((S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks) " + (
        "(ADVP (RB loudly))) (. .)))\n"
    )


def test_files_put_together_do_not_run_into_each_other(tmp_path: Path) -> None:
    trees = [*trees_of("\ufeff(A b)"), *trees_of("\ufeff(C d)"), Tree("E", word="f")]
    write_trees(trees, tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "\ufeff(A b)\n(C d)\n(E f)\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "the file is empty"),
        (" \n\n", None, "the file is empty"),
        ("(A b)\n(S (A b)\n\n(C d)\n", 2, "the tree that begins here lacks 1 closing bracket"),
        ("((S (A b)", 1, "lacks 2 closing brackets"),
        ("(", 1, "lacks 1 closing bracket"),
        ("(A b)\n(C d))\n(E f)", 2, "a closing bracket too many"),
        (")", 1, "a closing bracket too many"),
        ("(A b)\n\nhello (C d)", 3, "'hello' is outside a tree"),
        ("hello", 1, "'hello' is outside a tree"),
        ("(A b)\n()", 2, "the tree has no words"),
        ("(A b)\n(\n( ))", 3, "a bracket inside a tree has no label"),
        ("(S\n (A b)\n (NP))", 3, "'NP' is alone"),
        ("(dog)", 1, "'dog' is alone"),
        ("(S\n(A b) dog)", 2, "the word 'dog' has no tag"),
        ("(S the dog)", 1, "the word 'the' has no tag"),
        ("(S (A b)\n((S (A b)))\n", 2, "no label: a closing bracket may be missing before it"),
        (b"(A b)\n(A \xff)", 2, "not valid UTF-8"),
    ],
)
def test_complaints(text: str | bytes, line: int | None, reason: str) -> None:
    with pytest.raises(TreebankError) as caught:
        trees_of(text)
    assert reason in caught.value.reason
    assert (caught.value.path, caught.value.line) == ("t.mrg", line)
    assert str(caught.value).startswith("t.mrg:")


def test_trees_before_the_fault_have_been_yielded() -> None:
    reader = iter_trees(io.BytesIO(b"(A b) (C d)) (E f)"))
    assert next(reader).word == "b"
    with pytest.raises(TreebankError, match="too many"):
        next(reader)


@pytest.mark.parametrize(
    "tree",
    [
        Tree("NN", word="two words"),
        Tree("NN", word="("),
        Tree("N N", word="x"),
        Tree("NN", word=""),
        Tree("", word="x"),
        Tree("S", [Tree("", [Tree("A", word="b")])]),
        Tree("S"),
    ],
)
def test_what_cannot_be_written(tree: Tree) -> None:
    with pytest.raises(TreebankError):
        format_tree(tree)


def test_one_tree_is_one_tree() -> None:
    with pytest.raises(TreebankError, match="expected one tree, found 2"):
        parse_tree("(A b) (C d)")


def test_great_depth() -> None:
    depth = 100_000
    text = "(X " * depth + "(N w)" + ")" * depth
    tree = parse_tree(text)
    assert format_tree(tree) == text
    assert tree.leaves() == ["w"]
    assert tree == parse_tree(text)
    assert tree != parse_tree("(X " * (depth - 1) + "(N w)" + ")" * (depth - 1))
    assert "1 children" in repr(tree)
    with pytest.raises(TreebankError, match="lacks 1 closing"):
        parse_tree(text[:-1])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 30])
def test_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(blocks, "PIECE_BYTES", size)
    for text in (TEXT, TEXT.replace("\n", "\r\n"), "\ufeff (Ä ß)(B c) \n ((S (語 言)))"):
        trees = trees_of(text)
        assert "".join(map(str, trees)) == text
        assert [tree.line for tree in trees] == [tree.line for tree in trees_of(text)]


names = st.text(st.characters(codec="utf-8", exclude_characters="\0 \t\r\n\f\v()"), min_size=1)
leaves = st.builds(lambda tag, word: Tree(tag, word=word), names, names)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(Tree, names, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=12,
)
roots = trees | st.builds(lambda tree: Tree("", [tree]), trees)
spaces = st.text(st.sampled_from(" \t\n"), max_size=4)


def without_marks(tree: Tree) -> bool:
    return not any((node.label + (node.word or "")).startswith("\ufeff") for node in tree.nodes())


@given(st.lists(st.tuples(roots.filter(without_marks), spaces), min_size=1), spaces)
def test_round_trip(pairs: list[tuple[Tree, str]], lead: str) -> None:
    text = lead + "".join(format_tree(tree) + space for tree, space in pairs)
    found = trees_of(text)
    assert found == [tree for tree, _ in pairs]
    assert "".join(map(str, found)) == text
    assert [format_tree(tree) for tree in found] == [format_tree(tree) for tree, _ in pairs]


@given(st.text(st.sampled_from("(()) ab\n\r\t\ufeffé"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = trees_of(text)
    except TreebankError as error:
        assert "\n" not in str(error)
    else:
        assert "".join(map(str, found)) == text
        assert all(tree.leaves() for tree in found)


def test_opening_brackets_alone_do_not_fill_the_memory() -> None:
    text = "(A" * 1_000_000
    tracemalloc.start()
    with pytest.raises(TreebankError, match="nested more than 100,000 deep"):
        trees_of(text)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(text)
    tracemalloc.stop()
    deep = "(A" * 99_999 + " (B b)" + ")" * 99_999
    assert format_tree(trees_of(deep)[0]).count("A") == 99_999


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = trees_of(data)
    except TreebankError:
        return
    assert "".join(map(str, found)).encode() == data


@pytest.mark.data
@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_the_wsj_sample(data_dir: Path, part: str) -> None:
    path = data_dir / "ptb_sample" / f"wsj-{part}.mrg"
    found = read_trees(path)
    assert "".join(map(str, found)).encode() == path.read_bytes()
    assert all(format_tree(tree) == tree.raw for tree in found)
