"""Classes of words by their neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import bistro
from bistro.errors import ModelFileError
from bistro.models.committee.classes import (
    SIZES,
    SMOOTHING,
    UNKNOWN,
    WordClasses,
    association,
)

TEXT = [sentence.forms for sentence in bistro.builtin(sentences=600, seed=1)]


@pytest.fixture(scope="module")
def classes() -> WordClasses:
    return WordClasses.learn(TEXT)


def test_words_in_the_same_places_share_a_class(classes: WordClasses) -> None:
    """Words of one tag are together far more often than words of a division by chance."""
    tags = {
        f.lower(): t
        for s in bistro.builtin(sentences=600, seed=1)
        for f, t in zip(s.forms, s.upos, strict=True)
    }
    known = [
        (word, row)
        for word, row in zip(classes.words, classes.numbers.tolist(), strict=True)
        if word in tags
    ]

    def agreement(column: int, rows: list[list[int]]) -> float:
        same = [
            tags[known[i][0]] == tags[known[j][0]]
            for i in range(len(known))
            for j in range(i)
            if rows[i][column] == rows[j][column]
        ]
        return float(np.mean(same))

    rows = [row for _, row in known]
    by_chance = agreement(1, [rows[i] for i in np.random.default_rng(1).permutation(len(rows))])
    assert agreement(1, rows) > by_chance + 0.2


def test_unknown_words_and_letters(classes: WordClasses) -> None:
    found = classes.of(["The", "the", "qwertz", "1984", "2001"]).tolist()
    assert found[0] == found[1] and found[3] == found[4]
    assert found[2] == [UNKNOWN] * 3


def test_the_same_text_has_the_same_classes(classes: WordClasses) -> None:
    again = WordClasses.learn(TEXT)
    assert again.words == classes.words and (again.numbers == classes.numbers).all()


def test_association_is_positive_mutual_information() -> None:
    """Counts of neighbours, by hand: each word with those up to two places away."""
    text = [["a", "b", "a"], ["b", "c"]]
    words = ["a", "b", "c"]
    found = association(text, words).toarray()
    offsets, names = (-2, -1, 1, 2), [*words, "border", "other"]
    counts = np.zeros((3, len(offsets) * len(names)))
    for sentence in text:
        for i, word in enumerate(sentence):
            for k, offset in enumerate(offsets):
                j = i + offset
                inside = 0 <= j < len(sentence)
                # The first sentence of a text has nothing before it, not even a border.
                if not inside and sentence is text[0] and j < 0:
                    continue
                name = sentence[j] if inside else "border"
                counts[words.index(word), k * len(names) + names.index(name)] += 1
    neighbour = counts.sum(axis=0) ** SMOOTHING
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = counts / (counts.sum(axis=1, keepdims=True) * neighbour / neighbour.sum())
        expected = np.where(ratio > 1, np.log(ratio), 0.0)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert isinstance(association(text, words), csr_matrix)


def test_few_words_have_no_classes() -> None:
    none = WordClasses.learn([["a", "b"], ["b", "a"]])
    assert not none.words and none.of(["a"]).tolist() == [[UNKNOWN] * len(SIZES)]


def test_files(classes: WordClasses) -> None:
    again = WordClasses.from_parts(classes.words, classes.arrays()["numbers"])
    assert (again.of(["the", "x"]) == classes.of(["the", "x"])).all()
    for wrong in (None, classes.numbers[:-1], classes.numbers.astype(np.int64)):
        with pytest.raises(ModelFileError, match="word classes are damaged"):
            WordClasses.from_parts(classes.words, wrong)
