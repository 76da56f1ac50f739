"""The tree of spans with the highest sum of gains, against all trees over the words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from bistro._core import LONGEST_OF_SPANS, least_risk_spans

Span = tuple[int, int]


@cache
def all_trees(start: int, end: int) -> tuple[frozenset[Span], ...]:
    """Return the spans of every binary tree over the words from start to end."""
    own = frozenset({(start, end)})
    if end - start == 1:
        return (own,)
    return tuple(
        own | left | right
        for split in range(start + 1, end)
        for left in all_trees(start, split)
        for right in all_trees(split, end)
    )


def random_sentences(seed: int) -> Iterator[tuple[int, dict[Span, float]]]:
    rng = np.random.default_rng(seed)
    for words in (1, 2, 3, 4, 5, 6, 7):
        every = [(i, j) for i in range(words) for j in range(i + 1, words + 1)]
        kept = rng.random(len(every)) < 0.6
        gains = rng.normal(0.2, 0.5, len(every))
        yield words, {s: float(g) for s, g, k in zip(every, gains, kept, strict=True) if k}


def found(sentences: list[tuple[int, dict[Span, float]]], threads: int = 1) -> list[set[Span]]:
    spans = [list(gains) for _, gains in sentences]
    offsets = np.cumsum([0, *map(len, spans)]).astype(np.int64)
    together = [span for own in spans for span in own]
    chosen = least_risk_spans(
        lengths=np.array([words for words, _ in sentences], dtype=np.int32),
        offsets=offsets,
        start=np.array([start for start, _ in together], dtype=np.int32),
        end=np.array([end for _, end in together], dtype=np.int32),
        gain=np.array([gain for _, gains in sentences for gain in gains.values()], dtype=float),
        threads=threads,
    )
    parts = np.split(chosen, offsets[1:-1])
    return [
        {span for span, taken in zip(own, part, strict=True) if taken}
        for own, part in zip(spans, parts, strict=True)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_is_the_best_of_all(seed: int) -> None:
    sentences = list(random_sentences(seed))
    for (words, gains), chosen in zip(sentences, found(sentences), strict=True):
        trees = all_trees(0, words)
        best = max(sum(gains.get(span, 0.0) for span in tree) for tree in trees)
        assert sum(gains[span] for span in chosen) == pytest.approx(best, abs=1e-12)
        assert any(chosen == tree & gains.keys() for tree in trees)


def test_threads_and_order_of_spans_do_not_matter() -> None:
    sentences = list(random_sentences(1))
    backwards = [(words, dict(reversed(gains.items()))) for words, gains in sentences]
    assert found(sentences) == found(sentences, threads=2) == found(backwards)


def test_negative_control() -> None:
    """A greedy choice, span by span, is not always the best tree."""
    gains = {(0, 2): 1.0, (1, 3): 1.5, (2, 4): 1.0}
    greedy = {(1, 3)}
    assert found([(4, gains)]) == [{(0, 2), (2, 4)}] != [greedy]


def test_no_spans_make_a_flat_tree() -> None:
    assert found([(3, {}), (1, {(0, 1): 0.5})]) == [set(), {(0, 1)}]


@pytest.mark.parametrize(
    ("words", "span", "message"),
    [
        (2, (0, 3), "outside"),
        (2, (1, 1), "outside"),
        (2, (-1, 1), "outside"),
        (0, (0, 1), "words"),
        (LONGEST_OF_SPANS + 1, (0, 1), "words"),
    ],
)
def test_impossible_spans_are_refused(words: int, span: Span, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        found([(words, {span: 1.0})])


def test_arrays_that_do_not_fit_are_refused() -> None:
    one = np.zeros(1, dtype=np.int32)
    for offsets in ([0], [0, 2], [1, 1]):
        with pytest.raises(ValueError, match="do not match"):
            least_risk_spans(
                lengths=one, offsets=np.array(offsets), start=one, end=one, gain=np.zeros(1)
            )
