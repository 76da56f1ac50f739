"""Scores by the length of arcs: by hand, and against scores over all words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from bistro.evaluate.attachment import score
from bistro.evaluate.by_length import CLASSES, length_class, score_by_length
from bistro.treebank.sentence import Sentence

FORMS = [*"abcdefghi"]


def chain(
    heads: Sequence[int], deprels: Sequence[str] | None = None, upos: Sequence[str] | None = None
) -> Sentence:
    columns: dict[str, Any] = {"upos": upos} if upos else {}
    return Sentence.from_columns(
        FORMS[: len(heads)], heads=heads, deprels=deprels or ["x"] * len(heads), **columns
    )


def rows(gold: Sentence, system: Sentence, punct: Any = None) -> dict[str, Any]:
    return {row.length: row for row in score_by_length([gold], [system], punct)}


def test_classes() -> None:
    lengths = {1: "1", 2: "2", 3: "3-6", 6: "3-6", 7: ">= 7", 40: ">= 7"}
    assert {n: length_class(50, 50 - n) for n in lengths} == lengths
    assert {n: length_class(1, 1 + n) for n in lengths} == lengths
    assert length_class(50, 0) == "to root"


def test_precision_and_recall_by_hand() -> None:
    gold = chain([0, 1, 1, 1, 1])  # lengths: root, 1, 2, 3, 4
    system = chain([0, 1, 2, 1, 4], ["x", "y", "x", "x", "x"])  # root, 1, 1, 3, 1
    found = rows(gold, system)
    assert found["to root"].las.f1 == 100
    one = found["1"]
    assert (one.gold, one.system) == (1, 3)
    assert (one.uas.precision, one.uas.recall, one.uas.f1) == (pytest.approx(100 / 3), 100, 50)
    assert one.las.f1 == 0
    assert (found["2"].gold, found["2"].system) == (1, 0)
    assert (found["2"].las.precision, found["2"].las.recall, found["2"].las.f1) == (None, 0, 0)
    assert (found["3-6"].uas.precision, found["3-6"].uas.recall) == (100, 50)
    assert found[">= 7"].uas.f1 is None


def test_subtypes_are_ignored_and_missing_heads_cost_recall() -> None:
    gold = chain([0, 1, 1], ["root", "nsubj:pass", "x"])
    system = chain([0, 1, -1], ["root", "nsubj", "x"])
    found = rows(gold, system)
    assert found["1"].las.f1 == 100
    assert (found["2"].system, found["2"].uas.recall) == (0, 0)


def test_punctuation_can_be_left_out() -> None:
    gold = chain([0, 1, 1], upos=["VERB", "NOUN", "PUNCT"])
    assert rows(gold, gold, "upos")["2"].gold == 0
    assert rows(gold, gold)["2"].gold == 1


def test_without_labels_there_is_no_las() -> None:
    gold = chain([0, 1, 1])
    found = rows(gold, gold.replace(deprels=["_"] * 3))
    assert found["1"].las.f1 is None
    assert found["1"].uas.f1 == 100


def test_counts_add_up_to_the_scores_over_all_words() -> None:
    rng = random.Random(3)
    pairs = []
    for _ in range(30):
        trees = [[0] + [rng.randint(1, word) for word in range(1, 9)] for _ in range(2)]
        labels = [[rng.choice("xy") for _ in range(9)] for _ in range(2)]
        pairs.append([chain(h, la) for h, la in zip(trees, labels, strict=True)])
    golds, systems = zip(*pairs, strict=True)
    found = score_by_length(golds, systems)
    assert [row.length for row in found] == list(CLASSES)
    total = score(golds, systems)
    assert sum(row.gold for row in found) == sum(row.system for row in found) == total.words
    for name in ("uas", "las"):
        right = sum(getattr(row, name).recall * row.gold / 100 for row in found if row.gold)
        assert 100 * right / total.words == pytest.approx(getattr(total, name))
