"""The doctor judged by what changed between two states of a treebank."""

from __future__ import annotations

import pytest

import bistro
from bistro.errors import BistroError
from bistro.evaluate.doctor import Finding
from bistro.evaluate.doctor_since import changes, hits
from bistro.treebank.sentence import Sentence


def finding(what: str, sentence: int, word: int, alternative: str = "") -> Finding:
    return Finding(1.0, what, sentence, word, "x", 0.5, alternative, 0.5)  # type: ignore[arg-type]


def test_changed_arcs_and_tags_are_found_by_sentence_id() -> None:
    older = list(bistro.builtin(sentences=4, seed=1))
    size = len(older[2])
    labels = ["dep", *older[2].deprels[1:]]
    newer = [older[3], older[2].replace(deprels=labels, upos=["X"] * size), older[0]]
    found = changes(older, newer)
    assert found.matched == [0, 2, 3]  # the second is gone
    assert found.arcs == {(2, 1): f"{older[2].heads[0]}:dep"}
    assert {place for place, _ in found.tags} == {2} and len(found.tags) == size
    assert found.new_value(finding("label", 2, 1)) == f"{older[2].heads[0]}:dep"
    assert found.new_value(finding("tag", 2, 1)) == "X"
    assert found.new_value(finding("tag", 0, 1)) is None


def test_sentences_with_other_words_do_not_count() -> None:
    old = Sentence.from_columns(["a", "b"], heads=[2, 0])
    with pytest.raises(BistroError, match="no sentences with the same words"):
        changes([old], [Sentence.from_columns(["a", "c"], heads=[2, 0])])


def test_precision_and_recall_are_shares_of_the_top() -> None:
    older = [Sentence.from_columns([f"w{i}"] * 20, heads=[0, *[1] * 19]) for i in range(10)]
    newer = [s.replace(deprels=["x"] * 20) if i < 2 else s for i, s in enumerate(older)]
    found = changes(older, newer)
    assert len(found.arcs) == 40
    # The first 30 findings: five that changed (one restored), then others; the rest at the end.
    right = [finding("label", 0, word, "0:x" if word == 1 else "9:x") for word in range(1, 6)]
    other = [finding("label", 5, word) for word in range(1, 21)]
    more = [finding("label", i, word) for i in (6, 7, 8, 9, 2, 3, 4) for word in range(1, 21)]
    rest = [finding("label", i, word) for i in (0, 1) for word in range(1, 21)][5:]
    judged = hits([*right, *other, *more, *rest], found)
    assert (judged.values, judged.changed) == (200, 40)
    assert judged.precision == {10: 0.5, 50: 0.1, 100: 0.05}
    assert judged.recall == 5 / 40  # the first 5 % are ten values
    assert judged.restored == 1 / 5
    assert "40 of 200 values were changed later" in str(judged)
