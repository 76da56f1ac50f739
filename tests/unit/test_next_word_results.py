"""Ranks, entropies and errors of next words, by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from bistro.errors import ConfigError
from bistro.models.results.next_words import (
    Estimates,
    NextSums,
    NextWords,
    shown_tags,
    with_rest,
)


class Given(NextSums):
    """Four events in three runs."""

    names = ("<unk>", "a", "b", "</s>")
    shares = np.array([[0.1, 0.5, 0.3, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.6, 0.2, 0.1]])
    weights = np.array([0.5, 0.25, 0.25])

    def __init__(self) -> None:
        oov = np.array([True, False, False, False])
        self.listed = Estimates.of_runs(self.shares, self.weights, oov)

    def of(self, words: Sequence[str]) -> Estimates:
        places = [self.names.index(word) if word in self.names else 0 for word in words]
        return self.listed.at(places)


def test_rows_by_hand() -> None:
    found = NextWords(["x"], Given())
    assert found.probabilities.tolist() == pytest.approx([0.1, 0.5, 0.3, 0.1])
    rows = found.top(3)
    assert [(row.rank, row.word, row.oov) for row in rows] == [
        (1, "a", 0),
        (2, "b", 0),
        (3, "<unk>", 1),
    ]
    assert rows[0].surprisal == pytest.approx(1.0)
    ratios = 3 * Given.weights * (Given.shares[:, 1] / 0.5 - 1)
    assert rows[0].mc_se == pytest.approx(np.std(ratios, ddof=1) / math.sqrt(3) / math.log(2))
    assert [row.rank for row in found.of(["</s>", "zzz", "b"])] == [3, None, 2]
    assert found.of([]) == [] and found.top(0) == []
    share = found.probabilities
    assert found.entropy == pytest.approx(-(share * np.log2(share)).sum())
    assert found.to_pandas(2).word.tolist() == ["a", "b"]
    assert "entropy" in found._repr_html_()
    with pytest.raises(ConfigError, match="at least 0"):
        found.top(-1)
    with pytest.raises(ConfigError, match="not a string"):
        found.of("ab")


def test_only_a_spelled_unknown_word_has_a_rank() -> None:
    """The probability of a class cannot be compared with the probabilities of words."""

    class Spelled(Given):
        spells_unknown = True

    assert [row.rank for row in NextWords([], Given()).of(["zzz"])] == [None]
    assert [row.rank for row in NextWords([], Spelled()).of(["zzz"])] == [3]
    assert [row.rank for row in NextWords([], Given()).top(4)] == [1, 2, 3, 3]


def test_the_error_of_the_entropy_is_that_of_a_bootstrap() -> None:
    """The delta method agrees with drawing runs again and again."""
    rng = np.random.default_rng(1)
    runs = 200

    class Drawn(Given):
        shares = rng.dirichlet([4.0, 20.0, 10.0, 3.0], runs)
        weights = np.full(runs, 1 / runs)

    found = NextWords([], Drawn())
    entropies = []
    for _ in range(500):
        mean = Drawn.shares[rng.integers(0, runs, runs)].mean(axis=0)
        entropies.append(-(mean * np.log2(mean)).sum())
    assert found.entropy_se == pytest.approx(np.std(entropies), rel=0.15)


def test_the_rest_belongs_to_unknown_words() -> None:
    shares = np.array([[0.5, 0.3], [0.4, 0.2]])
    found = with_rest(Estimates.of_runs(shares, np.array([0.5, 0.5]), np.zeros(2, np.bool_)))
    assert np.exp(found.log_probs).tolist() == pytest.approx([0.3, 0.45, 0.25])
    assert found.is_oov.tolist() == [True, False, False]
    errors = found.errors()
    assert errors is not None
    # The rest is 0.2 in one run and 0.4 in the other.
    assert errors[0] == pytest.approx(np.std([0.2, 0.4], ddof=1) / math.sqrt(2) / 0.3)


def test_tags_are_shown_by_their_shares() -> None:
    shown = shown_tags(["NOUN", "VERB", "NOUN"], np.array([0.1, 0.3, 0.4]))
    assert shown == pytest.approx({"NOUN": 0.625, "VERB": 0.375})
    assert shown_tags(["A", "B"], np.array([1.0, 1e-9])) == {"A": pytest.approx(1.0)}
    assert shown_tags(["A"], np.zeros(1)) == {}
