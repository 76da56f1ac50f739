"""The latent-variable parser as a language model, against sums over all derivations of its twin."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from isbn_twins import Tiny, Tree, batch

from bistro import _core
from bistro.reference.isbn import IsbnTwin
from bistro.reference.isbn_history import History

KINDS: dict[str, dict[str, Any]] = {
    "one root": {"root_labels": 1},
    "several roots": {"single_root": False, "root_labels": 1},
    "labels of a root": {"root_labels": 2},
    "labels of several roots": {"single_root": False, "root_labels": 2},
    "mean field": {"root_labels": 1, "mean_field": True},
    "mean field, labels of roots": {"single_root": False, "root_labels": 2, "mean_field": True},
}


def prefix_logs(tiny: Tiny, words: list[int]) -> list[float]:
    """Log-probability of every prefix and of the whole, summed over clusters and derivations."""
    logs: list[list[float]] = [[] for _ in range(len(words) + 1)]
    for clusters in product(range(3), repeat=len(words)):
        waiting = [(0.0, History())]
        while waiting:
            log_prob, history = waiting.pop()
            for gain, after in tiny.twin.steps(history, words, list(clusters)):
                # A prefix is counted with one choice of clusters for the words after it.
                is_first = after.ended or not any(clusters[after.front :])
                if after.front > history.front and is_first:
                    logs[after.front - 1].append(log_prob + gain)
                if not after.ended:
                    waiting.append((log_prob + gain, after))
    return [float(np.logaddexp.reduce(row)) for row in logs]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2])
def test_prefixes_have_the_sums_of_the_twin(kind: str, n: int) -> None:
    tiny = Tiny.make(40 + n, **KINDS[kind], hidden=4)
    words = [3, 1][:n]
    found = tiny.parser().score(
        batch([Tree(words, [], [], [])], clusters=False, arcs=False),
        _core.BeamOptions(width=100_000, labels_per_arc=100, tags_per_word=100, margin=np.inf),
    )
    assert found["log_prefix"].tolist() == pytest.approx(prefix_logs(tiny, words), abs=3e-4)
    entropy = found["log_prefix"] - found["log_joint"]
    assert np.all(entropy > -1e-5)
    assert np.all(found["lexical"][:-1] > 0)
    assert found["lexical"][-1] == 0


def drawn(tiny: Tiny, n: int, **options: Any) -> dict[str, Any]:
    values = {"most_words": 30, "seed": 1, "purpose": 5, "temperature": 1.0, "particles": 1000}
    prefix = options.pop("prefix", [])
    trees = [Tree(prefix, [], [], [])] if prefix else []
    chosen = {**values, **options, "prefix": batch(trees, clusters=False, arcs=False)}
    found: dict[str, Any] = tiny.parser().generate(n, **chosen)
    return found


def first_words(twin: IsbnTwin) -> list[float]:
    history = History()
    twin.make_state(history, [])
    return [
        sum(np.exp(twin.log_next(history.copy(), cluster, word)) for cluster in range(3))
        for word in range(5)
    ]


def one_word_log_prob(tiny: Tiny) -> float:
    return float(np.logaddexp.reduce([prefix_logs(tiny, [word])[-1] for word in range(5)]))


def too_far(counts: Counter[int], law: list[float], n: int) -> bool:
    """Tell whether some count is more than five standard errors away."""
    return any(
        abs(counts[value] / n - p) > 5 * np.sqrt(p * (1 - p) / n) for value, p in enumerate(law)
    )


@pytest.mark.parametrize("mean_field", [False, True])
def test_sentences_are_drawn_by_their_probability(mean_field: bool) -> None:
    tiny, n = Tiny.make(44, root_labels=1, hidden=4, mean_field=mean_field), 6000
    found = drawn(tiny, n)
    firsts = Counter(found["words"][found["offsets"][:-1]].tolist())
    assert not too_far(firsts, first_words(tiny.twin), n)
    # The same check refuses the law of another model.
    assert too_far(firsts, first_words(Tiny.make(45, root_labels=1, hidden=4).twin), n)
    p = np.exp(one_word_log_prob(tiny))
    share = np.mean(np.diff(found["offsets"]) == 1)
    assert share == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / n))


@pytest.mark.parametrize("mean_field", [False, True])
def test_a_prefix_is_continued_by_its_posterior(mean_field: bool) -> None:
    """After one word there is one derivation a cluster: its share is its posterior."""
    tiny, n, word = Tiny.make(46, root_labels=1, hidden=4, mean_field=mean_field), 3000, 2
    found = drawn(tiny, n, prefix=[word])
    history = History()
    tiny.twin.make_state(history, [])
    weights = np.exp([tiny.twin.log_next(history.copy(), c, word) for c in range(3)])
    tags = Counter(found["tags"][found["offsets"][:-1]].tolist())
    assert not too_far(tags, (weights / weights.sum()).tolist(), n)
    assert set(found["words"][found["offsets"][:-1]].tolist()) == {word}


@pytest.mark.parametrize("mean_field", [False, True])
def test_drawn_trees_are_trees(mean_field: bool) -> None:
    tiny = Tiny.make(47, mean_field=mean_field)
    found = drawn(tiny, 300, temperature=0.7)
    assert found["complete"].any()
    for i in np.flatnonzero(found["complete"]):
        heads = found["heads"][found["offsets"][i] : found["offsets"][i + 1]].tolist()
        assert heads.count(0) == 1
        tree = Tree([0] * len(heads), [0] * len(heads), heads, [0] * len(heads))
        assert tiny.derivations([tree]).failed.size == 0
    cut = (
        found["offsets"][1:][found["complete"] == 0] - found["offsets"][:-1][found["complete"] == 0]
    )
    assert set(cut.tolist()) <= {30}


def test_the_first_of_many_are_the_same() -> None:
    tiny = Tiny.make(48)
    few, many = drawn(tiny, 5), drawn(tiny, 20)
    assert many["words"][: few["words"].size].tolist() == few["words"].tolist()
