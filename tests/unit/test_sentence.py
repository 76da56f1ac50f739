"""Sentences: columns, metadata, building from scratch."""

from __future__ import annotations

import io
from typing import Any

import pytest
from conllu_documents import HAND_MADE

from bistro.errors import TreebankError
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import iter_sentences


@pytest.fixture
def sentence() -> Sentence:
    return next(iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu"))


def test_columns_hold_one_entry_a_word(sentence: Sentence) -> None:
    assert len(sentence) == 4
    assert sentence.forms == ["do", "n't", "go", "home\u2028\x85\x0b\x1cend"]
    assert sentence.lemmas == ["do", "not", "go", "home"]
    assert sentence.upos == ["AUX", "PART", "VERB", "ADV"]
    assert sentence.xpos == ["VBP", "RB", "VB", "RB"]
    assert sentence.feats == ["Mood=Ind|Tense=Pres", "Polarity=Neg", "_", "_"]
    assert sentence.heads == [3, 3, 0, 3]
    assert sentence.deprels == ["aux", "advmod", "root", "advmod"]
    assert sentence.deps == ["3:aux", "3:advmod", "0:root", "_"]
    assert sentence.misc == ["_", "x=1|y= 2", "_", "_"]


def test_what_stands_beside_the_words(sentence: Sentence) -> None:
    assert sentence.comments[0] == "# newdoc id = weblog"
    assert sentence.comments[-2:] == ["# a comment between words", "# the last word has been"]
    assert sentence.metadata == {
        "newdoc id": "weblog",
        "sent_id": "a-1",
        "no space": "yes",
        "text": "don't go  = home",
    }
    assert (sentence.sent_id, sentence.text) == ("a-1", "don't go  = home")
    assert sentence.multiword == [(1, 2, "don't")]
    assert [node[:2] for node in sentence.empty_nodes] == [
        ["0.1", "it"],
        ["3.1", "gone"],
        ["3.2", "gone"],
    ]
    assert (sentence.format, sentence.line) == ("conllu", 3)


def test_line_numbers() -> None:
    lines = HAND_MADE.split("\n")
    for found in iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu"):
        first = str(found).removeprefix("\ufeff").lstrip("\n").split("\n")[0]
        assert lines[found.line - 1] == first


def test_replace_keeps_the_original(sentence: Sentence) -> None:
    changed = sentence.replace(heads=[0, 1, 1, 1], deprels=["root", "a", "b", "c"])
    assert (changed.heads, changed.deprels[0]) == ([0, 1, 1, 1], "root")
    assert (sentence.heads, sentence.deprels[0]) == ([3, 3, 0, 3], "aux")
    assert changed.multiword == sentence.multiword
    assert changed != sentence
    assert changed.replace(heads=sentence.heads, deprels=sentence.deprels) == sentence


def test_a_replaced_column_lasts_through_a_second_replacement(sentence: Sentence) -> None:
    assert sentence.replace(lemmas=list("abcd")).replace(misc=list("efgh")).lemmas == list("abcd")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"heads": [0, 1]}, "the column 'heads' has 2 entries for 4 words"),
        ({"heads": [2, 1, 0, 3]}, "circle"),
        ({"heads": [0, 1, 2, 9]}, "outside the sentence"),
        ({"upos": ["A", "B", "C", "D\tE"]}, "cannot contain a tab"),
        ({"misc": ["A", "B", "C", "D\r"]}, "cannot contain a tab, a line break"),
        ({"forms": ["A", "", "C", "D"]}, "word 2 is empty"),
        ({"comments": ["no comment"]}, "begins with '#'"),
        ({"comments": ["# a\n# b"]}, "a single line"),
    ],
)
def test_what_could_not_be_read_back_is_refused(
    sentence: Sentence, columns: dict[str, Any], reason: str
) -> None:
    with pytest.raises(TreebankError, match=reason):
        sentence.replace(**columns)


def test_a_column_changed_in_place_to_nonsense_is_refused_when_written(sentence: Sentence) -> None:
    sentence.deprels.append("more")
    with pytest.raises(TreebankError, match="5 entries for 4 words"):
        str(sentence)


def test_unknown_columns_are_named(sentence: Sentence) -> None:
    with pytest.raises(TypeError, match=r"no column 'lemma' \(did you mean 'lemmas'\?\)"):
        sentence.replace(lemma=["a"])
    with pytest.raises(AttributeError, match="no 'head'"):
        _ = sentence.head  # type: ignore[attr-defined]


def test_from_columns() -> None:
    made = Sentence.from_columns(["a", "b"])
    assert (made.heads, made.upos, made.misc, made.comments) == ([-1, -1], ["_"] * 2, ["_"] * 2, [])
    assert str(made) == "1\ta" + "\t_" * 8 + "\n2\tb" + "\t_" * 8 + "\n\n"
    partial = Sentence.from_columns(["a", "b"], heads=[0, -1], deprels=["root", "_"])
    assert str(partial).splitlines()[1] == "2\tb" + "\t_" * 8
    two_roots: dict[str, Any] = {"forms": ["a", "b"], "heads": [0, 0]}
    assert Sentence.from_columns(**two_roots).heads == [0, 0]
    with pytest.raises(TreebankError, match="both have head 0"):
        Sentence.from_columns(**two_roots, roots="one")


@pytest.mark.parametrize(
    ("multiword", "reason"),
    [([(1, 3, "abc")], "1-3 ends outside"), ([(5, 6, "x")], "at word 5 is outside")],
)
def test_multiword_tokens_outside(multiword: list[tuple[int, int, str]], reason: str) -> None:
    with pytest.raises(TreebankError, match=reason):
        Sentence.from_columns(["a", "b"], multiword=multiword)


def test_no_words() -> None:
    with pytest.raises(TreebankError, match="at least one word"):
        Sentence.from_columns([])


def test_short_description() -> None:
    assert repr(Sentence.from_columns(["a", "b"])) == "<Sentence of 2 words: a b>"
    assert repr(Sentence.from_columns("abcdefghij")).endswith("a b c d e f g h …>")
