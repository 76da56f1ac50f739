"""Scores by relation, tag and length of sentence: together they are the scores in all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.errors import ConfigError
from bistro.evaluate.attachment import score
from bistro.evaluate.by_relation import score_by_relation
from bistro.evaluate.by_sentence import class_names, score_by_sentence
from bistro.evaluate.by_tag import score_by_tag
from bistro.treebank.sentence import Sentence

RELATIONS = ["nsubj", "nsubj:pass", "obj", "root", "punct"]


@st.composite
def annotated(draw: st.DrawFn, size: int) -> dict[str, Any]:
    """Columns of a sentence: a tree, grown in some order of the words from its root."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    labels = draw(st.lists(st.sampled_from(RELATIONS), min_size=size, max_size=size))
    tags = draw(st.lists(st.sampled_from(["NOUN", "VERB"]), min_size=size, max_size=size))
    return {"heads": heads, "deprels": labels, "upos": tags}


@st.composite
def pairs(draw: st.DrawFn) -> list[Sentence]:
    """A sentence twice, annotated in two ways."""
    size = draw(st.integers(1, 6))
    forms = ["w"] * size
    return [Sentence.from_columns(forms, **draw(annotated(size))) for _ in range(2)]


@given(st.lists(pairs(), min_size=1, max_size=5))
def test_rows_weighted_by_words_give_the_scores_in_all(sentences: list[list[Sentence]]) -> None:
    gold, system = [a for a, _ in sentences], [b for _, b in sentences]
    whole = score(gold, system)
    relations = score_by_relation(gold, system)
    lengths = score_by_sentence(gold, system, [1, 3])
    tags = score_by_tag(gold, system, "upos")
    words = whole.words
    assert sum(row.words for row in relations) == words == sum(row.words for row in lengths)
    for name in ("uas", "las"):
        for rows in (relations, lengths):
            known = [row for row in rows if row.words]
            total = sum(getattr(row, name) * row.words for row in known) / words
            assert total == pytest.approx(getattr(whole, name))
    assert sum(row.right * row.words for row in tags) / words == pytest.approx(whole.upos)
    assert sum(row.sentences for row in lengths) == len(gold)


def test_what_a_relation_is_taken_for() -> None:
    gold = Sentence.from_columns(
        ["a", "b", "c", "d"], heads=[2, 0, 2, 2], deprels=["obl", "root", "obl", "obl:tmod"]
    )
    system = gold.replace(heads=[3, 0, 2, 2], deprels=["nmod", "root", "nmod", "obj"])
    by_name = {row.relation: row for row in score_by_relation([gold], [system])}
    assert list(by_name) == ["obl", "root"]
    assert by_name["obl"].taken_for == ("nmod", 2)
    assert (by_name["obl"].words, by_name["obl"].las, by_name["obl"].labels) == (3, 0.0, 0.0)
    assert by_name["obl"].uas == pytest.approx(200 / 3)
    assert by_name["root"].taken_for is None


def test_classes_of_lengths() -> None:
    assert class_names([10, 20]) == ["1-10", "11-20", "> 20"]
    gold = [Sentence.from_columns(["w"] * n, heads=[0, *range(1, n)]) for n in (1, 10, 11, 21)]
    rows = score_by_sentence(gold, gold, [10, 20])
    assert [row.sentences for row in rows] == [2, 1, 1]
    assert [row.exact for row in rows] == [100.0, 100.0, 100.0]
    assert score_by_sentence(gold[:1], gold[:1], [10])[1].uas is None


@pytest.mark.parametrize("borders", [[], [0, 5], [10, 10], [20, 10]])
def test_borders_that_do_not_rise_are_refused(borders: list[Any]) -> None:
    with pytest.raises(ConfigError, match="must be positive and increasing"):
        score_by_sentence([], [], borders)
