"""Bracket scores, against counts by hand and against a slow twin that goes by the text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import TreebankError
from bistro.evaluate.brackets import (
    PUNCTUATION,
    BracketScores,
    Constituent,
    constituents,
    crosses,
    score_brackets,
)
from bistro.treebank.brackets import Tree, format_tree, parse_tree


def scored(gold: str, system: str) -> BracketScores:
    return score_brackets([parse_tree(gold)], [parse_tree(system)]).all


def counts(scores: BracketScores) -> tuple[int, int, int]:
    return scores.matched, scores.gold, scores.system


START = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) "
GOLD = START + "(NP (NNS cats)) (PP (IN at) (NP (NN noon)))) (. .)))"


def test_by_hand() -> None:
    # Gold: S NP VP NP PP NP; system puts the PP into the object and so adds an NP: 6 of 7.
    system = START + "(NP (NP (NNS cats)) (PP (IN at) (NP (NN noon))))) (. .)))"
    scores = scored(GOLD, system)
    assert counts(scores) == (6, 6, 7)
    assert scores.labelled.precision == pytest.approx(100 * 6 / 7)
    assert scores.labelled.recall == 100.0
    assert scores.labelled.f1 == pytest.approx(100 * 12 / 13)
    assert (scores.exact, scores.crossing, scores.no_crossing, scores.tags) == (0, 0, 100, 100)
    assert scores.words == 6


def test_crossing_and_unlabelled() -> None:
    gold = "(S (X (A a) (B b)) (C c))"
    system = "(S (A a) (Y (B b) (C c)))"
    scores = scored(gold, system)
    assert counts(scores) == (1, 2, 2)
    assert (scores.crossing, scores.no_crossing) == (1.0, 0.0)
    scores = scored(gold, "(S (Z (A a) (B x)) (C c))".replace("x", "b"))
    assert (scores.labelled.f1, scores.unlabelled.f1, scores.exact) == (50.0, 100.0, 0.0)


def test_where_punctuation_hangs_makes_no_difference() -> None:
    gold = "(S (NP (NN a) (, ,)) (VP (VB b)) (. .))"
    system = "(S (NP (NN a)) (VP (, ,) (VB b) (. .)))"
    scores = scored(gold, system)
    assert counts(scores) == (3, 3, 3)
    assert scores.exact == 100.0
    # Brackets and currency are words.
    scores = scored("(S (NP (-LRB- -LRB-) (NN a)) (VB b))", "(S (-LRB- -LRB-) (NP (NN a)) (VB b))")
    assert counts(scores) == (1, 2, 2)


def test_a_constituent_of_punctuation_alone_does_not_count() -> None:
    scores = scored("(S (NP (NN a)) (PRN (, ,) (: :)))", "(S (NP (NN a)) (, ,) (: :))")
    assert counts(scores) == (2, 2, 2)


def test_a_mark_with_a_wrong_tag_is_still_a_mark() -> None:
    scores = scored("(S (NP (NN a)) (: --))", "(S (NP (NN a)) (NP (NN --)))")
    assert counts(scores) == (2, 2, 2)
    assert (scores.tags, scores.words) == (100.0, 1)


def test_the_root_does_not_count_whatever_its_name() -> None:
    for root in ("", "TOP ", "ROOT ", "S1 "):
        assert counts(scored(f"({root}(S (X a)))", "(S (X a))")) == (1, 1, 1)
    # Inside a tree only TOP is one.
    assert counts(scored("(S (TOP (S1 (X a))))", "(S (X a))")) == (1, 2, 1)


def test_function_tags_and_particles() -> None:
    gold = "(S (NP-SBJ-1 (NN a)) (VP (VB b) (PRT (RP c))))"
    system = "(S (NP (NN a)) (VP (VB b) (ADVP|PRT (RP c))))"
    assert scored(gold, system).exact == 100.0


def test_traces_go_from_both_sides() -> None:
    gold = "((S (NP-SBJ (-NONE- *)) (VP (VB go) (NP (-NONE- *-1) (NN home)))))"
    system = "(TOP (S (VP (VB go) (NP (NN home)))))"
    assert counts(scored(gold, system)) == counts(scored(system, gold)) == (3, 3, 3)


def test_repeated_constituents_are_a_multiset() -> None:
    one, two = "(S (NP (NN a)) (B b))", "(S (NP (NP (NN a))) (B b))"
    three = "(S (NP (NP (NP (NN a)))) (B b))"
    assert counts(scored(two, one)) == (2, 3, 2)
    assert counts(scored(two, two)) == (3, 3, 3)
    assert counts(scored(two, three)) == (3, 3, 4)


def test_a_system_without_constituents() -> None:
    scores = scored(GOLD, "(TOP (DT the) (NN dog) (NN sees) (NNS cats) (IN at) (NN noon) (. .))")
    assert counts(scores) == (0, 6, 0)
    assert scores.labelled.precision is None
    assert (scores.labelled.recall, scores.labelled.f1, scores.exact) == (0.0, 0.0, 0.0)
    assert scores.tags == pytest.approx(100 * 5 / 6)


def test_a_sentence_of_marks_alone_is_left_out() -> None:
    trees = [parse_tree("(X (. .))"), parse_tree(GOLD)]
    scores = score_brackets(trees, trees).all
    assert (scores.sentences, scores.gold) == (1, 6)
    nothing = score_brackets(trees[:1], trees[:1]).all
    assert (nothing.sentences, nothing.labelled.f1, nothing.exact) == (0, None, None)


def test_length_counts_punctuation_but_no_traces() -> None:
    def long(words: int) -> Tree:
        return parse_tree("(S (-NONE- *)" + " (NN a)" * (words - 1) + " (. .))")

    trees = [long(40), long(41)]
    report = score_brackets(trees, trees)
    assert (report.all.sentences, report.short.sentences, report.short.words) == (2, 1, 39)


def test_scores_are_over_all_sentences_together() -> None:
    golds = [parse_tree("(S (NP (NN a)))"), parse_tree("(S (NN b) (NN c))")]
    systems = [parse_tree("(S (NP (NN a)))"), parse_tree("(X (NN b) (NN c))")]
    scores = score_brackets(golds, systems).all
    assert scores.labelled.f1 == pytest.approx(100 * 2 / 3)
    assert scores.exact == 50.0


@pytest.mark.parametrize(
    ("system", "told"),
    [
        (["(S (X a))"], "gold has 2 trees, but system has 1 .*gold:2.*same sentences"),
        (["(S (X a))", "(S (X c))"], "word 1 of tree 2 is 'b' at gold:2, but 'c' at system:1"),
        (["(S (X a))", "(S (X b) (X c))"], "word 2 of tree 2 is '.end.' at gold:2, but 'c'"),
    ],
)
def test_trees_of_other_words_are_refused(system: list[str], told: str, tmp_path: Path) -> None:
    from bistro.treebank.brackets import read_trees

    (tmp_path / "gold").write_text("(S (X a))\n(S (X b))\n")
    golds = read_trees(tmp_path / "gold")
    with pytest.raises(TreebankError, match=told):
        score_brackets(golds, map(parse_tree, system))


def test_nothing_to_score() -> None:
    with pytest.raises(TreebankError, match="no trees"):
        score_brackets([], [])


def test_order_of_constituents() -> None:
    found = constituents(parse_tree("(S (NP (NP (N a) (N b)) (PP (P c))) (VP (V d)))"))
    assert [c.label for c in found] == ["S", "NP", "NP", "PP", "VP"]
    assert not crosses(found[0], found[1])
    assert crosses(Constituent("X", 0, 2), Constituent("Y", 1, 3))


class Twin:
    """What the program EVALB does: brackets from the text, compared each with each."""

    def __init__(self, text: str) -> None:
        self.tags: list[str] = []
        self.brackets: list[list[Any]] = []
        stack: list[int] = []
        pattern = r"\((?P<tag>[^\s()]+) (?P<word>[^\s()]+)\)|\((?P<label>[^\s()]*)|\)"
        for match in re.finditer(pattern, text):
            if match["word"] is not None:
                if match["tag"] not in PUNCTUATION | {"-NONE-"}:
                    self.tags.append(match["tag"])
            elif match["label"] is not None:
                label = re.split("[-=]", match["label"])[0]
                stack.append(len(self.brackets))
                self.brackets.append([label, len(self.tags), None])
            else:
                self.brackets[stack.pop()][2] = len(self.tags)
        self.brackets = [b for b in self.brackets if b[0] != "TOP" and b[1] < b[2]]

    def compare(self, other: Twin) -> tuple[int, int, int, int, int]:
        free = list(other.brackets)
        matched = 0
        for bracket in self.brackets:
            if bracket in free:
                free.remove(bracket)
                matched += 1
        crossing = 0
        for _, begin, end in other.brackets:
            crossing += any(b < begin < e < end or begin < b < end < e for _, b, e in self.brackets)
        tags = sum(a == b for a, b in zip(self.tags, other.tags, strict=True))
        return matched, len(self.brackets), len(other.brackets), crossing, tags


@st.composite
def two_trees(draw: st.DrawFn) -> tuple[str, str]:
    marks = draw(
        st.lists(st.sampled_from([None, None, None, ",", ".", "-NONE-"]), min_size=1, max_size=9)
    )
    return draw_tree(draw, marks), draw_tree(draw, marks)


def draw_tree(draw: st.DrawFn, marks: list[str | None]) -> str:
    nodes = [
        Tree(m or draw(st.sampled_from(["N", "V"])), word=f"w{i}") for i, m in enumerate(marks)
    ]
    for _ in range(draw(st.integers(0, 8))):
        begin = draw(st.integers(0, len(nodes) - 1))
        end = draw(st.integers(begin + 1, len(nodes)))
        label = draw(st.sampled_from(["A", "B", "A-SBJ", "TOP"]))
        nodes[begin:end] = [Tree(label, nodes[begin:end])]
    return format_tree(Tree("TOP", nodes))


@given(two_trees())
@settings(max_examples=300, deadline=None)
def test_as_the_twin(pair: tuple[str, str]) -> None:
    gold, system = pair
    twin = Twin(gold)
    scores = scored(gold, system)
    if not twin.tags:
        assert scores.sentences == 0
        return
    matched, golds, systems, crossing, tags = twin.compare(Twin(system))
    assert counts(scores) == (matched, golds, systems)
    assert scores.crossing == crossing
    assert scores.tags == pytest.approx(100 * tags / len(twin.tags))
    assert (scores.exact == 100) == (matched == golds == systems)
