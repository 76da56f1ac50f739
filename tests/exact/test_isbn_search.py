"""The search of the latent-variable parser against enumeration of all derivations by its twin."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from isbn_twins import Tiny, Tree, batch, random_tree

from bistro import _core
from bistro.reference.isbn_history import History

Key = tuple[tuple[int, ...], ...]
"""Heads, labels and clusters."""
KINDS: dict[str, dict[str, Any]] = {
    "one root": {"root_labels": 2},
    "several roots": {"single_root": False, "root_labels": 1},
    "mean field": {"root_labels": 2, "mean_field": True},
    "all features": {"root_labels": 2, "elements": "all"},
}


def output(**options: Any) -> Any:
    values = {
        "best": 100_000,
        "samples": 0,
        "marginals": True,
        "minimum_risk": False,
        "arc_marginals": False,
        "temperature": 1.0,
        "seed": 1,
        "purpose": 1,
    }
    return _core.OutputRequest(**{**values, **options})


def request(width: int = 100_000, **options: Any) -> Any:
    search = _core.BeamOptions(width=width, labels_per_arc=100, tags_per_word=100, margin=np.inf)
    return _core.BeamRequest(output=output(**options), search=search)


def enumerated(tiny: Tiny, words: list[int], clusters: list[int]) -> dict[Key, float]:
    """Log-probability of every tree with these clusters, a root with its likeliest label."""
    sums: dict[Key, list[float]] = defaultdict(list)
    places = range(1, len(words) + 1)
    for log_prob, history in tiny.twin.derivations(words, clusters):
        ends = [history.copy() for _ in tiny.symbols.root_labels]
        gains = [
            tiny.twin.finish(end, words, dict.fromkeys(places, label))
            for end, label in zip(ends, tiny.symbols.root_labels, strict=True)
        ]
        end = ends[int(np.argmax(gains))]
        heads = tuple(end.heads[w] if end.heads[w] <= len(words) else 0 for w in places)
        key = heads, tuple(end.labels[w] for w in places), tuple(clusters)
        sums[key].append(log_prob + max(gains))
    return {key: float(np.logaddexp.reduce(values)) for key, values in sums.items()}


def by_tree(found: dict[str, Any], n: int) -> dict[Key, float]:
    rows = [found[name].reshape(-1, n).tolist() for name in ("heads", "labels", "tags")]
    keys = (tuple(map(tuple, row)) for row in zip(*rows, strict=True))
    return dict(zip(keys, found["log_prob"].tolist(), strict=True))


def some_words(seed: int, n: int) -> Tree:
    rng = random.Random(seed)
    return Tree([rng.randrange(5) for _ in range(n)], [rng.randrange(3) for _ in range(n)], [], [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_wide_beam_finds_all_trees_with_given_tags(kind: str, n: int) -> None:
    tiny = Tiny.make(20 + n, **KINDS[kind], hidden=4)
    tree = some_words(n, n)
    wanted = enumerated(tiny, tree.words, tree.clusters)
    found = tiny.parser().parse(batch([tree], arcs=False), request())
    ours = by_tree(found, n)
    assert ours.keys() == wanted.keys()
    assert [ours[key] for key in wanted] == pytest.approx(list(wanted.values()), abs=3e-4)
    total = np.logaddexp.reduce(list(wanted.values()))
    assert found["log_total"][0] == pytest.approx(total, abs=3e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wide_beam_finds_all_tags_too(kind: str) -> None:
    tiny, n = Tiny.make(31, **KINDS[kind], hidden=4), 2
    tree = some_words(5, n)
    wanted: dict[Key, float] = {}
    for clusters in product(range(3), repeat=n):
        wanted |= enumerated(tiny, tree.words, list(clusters))
    ours = by_tree(tiny.parser().parse(batch([tree], clusters=False, arcs=False), request()), n)
    assert ours.keys() == wanted.keys()
    assert [ours[key] for key in wanted] == pytest.approx(list(wanted.values()), abs=3e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_marginals_are_sums_over_the_trees(kind: str) -> None:
    tiny, n = Tiny.make(32, **KINDS[kind], hidden=4), 3
    tree = some_words(6, n)
    logs = enumerated(tiny, tree.words, tree.clusters)
    total = np.logaddexp.reduce(list(logs.values()))
    heads: dict[tuple[int, int], float] = defaultdict(float)
    for key, log_prob in logs.items():
        for word, head in enumerate(key[0]):
            heads[word, head] += np.exp(log_prob - total)
    found = tiny.parser().parse(batch([tree], arcs=False), request())
    begin, what, probability = found["head_marginals"]
    ours = {
        (word, int(what[i])): float(probability[i])
        for word in range(n)
        for i in range(begin[word], begin[word + 1])
    }
    assert ours == pytest.approx(dict(heads), abs=1e-3)


@pytest.mark.parametrize("mean_field", [False, True])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_narrow_beam_keeps_the_best_of_each_word(width: int, mean_field: bool) -> None:
    """Against a beam that enumerates everything between two shifts, and then cuts."""
    kind: dict[str, Any] = {"single_root": False, "root_labels": 1, "mean_field": mean_field}
    tiny, n = Tiny.make(33, hidden=4, **kind), 4
    tree = some_words(7, n)
    kept = [(0.0, History())]
    for _ in range(n + 1):
        arrived: list[tuple[float, History]] = []
        waiting = kept
        while waiting:
            log_prob, history = waiting.pop()
            front = history.front
            for gain, after in tiny.twin.steps(history, tree.words, tree.clusters):
                into = arrived if after.front > front else waiting
                into.append((log_prob + gain, after))
        kept = sorted(arrived, key=lambda pair: -pair[0])[:width]
    found = tiny.parser().parse(batch([tree], arcs=False), request(width=width))
    wanted = np.logaddexp.reduce([log_prob for log_prob, _ in kept])
    assert found["log_total"][0] == pytest.approx(wanted, abs=3e-4)


@pytest.mark.parametrize("mean_field", [False, True])
@pytest.mark.parametrize("tags_per_word", [1, 2, 3])
def test_several_derivations_at_a_time_find_what_single_steps_find(
    tags_per_word: int, mean_field: bool
) -> None:
    """Parsing bounds the words of derivations that cannot be kept; scores work all of them out."""
    kind: dict[str, Any] = {"single_root": False, "root_labels": 1, "mean_field": mean_field}
    for seed in range(6):
        tiny = Tiny.make(60 + seed, hidden=6, **kind)
        tree = some_words(seed, 8)
        given = {"clusters": seed % 2 == 0, "arcs": False}
        for width in (2, 3, 8, 40):
            search = _core.BeamOptions(
                width=width, labels_per_arc=2, tags_per_word=tags_per_word, margin=np.inf
            )
            asked = _core.BeamRequest(output=output(best=1), search=search)
            found = tiny.parser().parse(batch([tree], **given), asked)
            single = tiny.parser().score(batch([tree], **given), search)
            assert found["log_total"][0] == pytest.approx(single["log_prefix"][-1], abs=1e-6)


@pytest.mark.parametrize("mean_field", [False, True])
def test_given_heads_and_labels_are_kept(mean_field: bool) -> None:
    tiny = Tiny.make(34, root_labels=3, mean_field=mean_field)
    rng = random.Random(3)
    for _ in range(60):
        whole = random_tree(rng, rng.randint(1, 5), tiny.symbols)
        known = [rng.random() < 0.5 for _ in whole.words]
        partly = Tree(
            whole.words,
            whole.clusters,
            [h if k else -1 for h, k in zip(whole.heads, known, strict=True)],
            [la if k else -1 for la, k in zip(whole.labels, known, strict=True)],
        )
        found = tiny.parser().parse(batch([partly]), request(width=50, best=1))
        assert not found["relaxed"][0]
        for i, is_known in enumerate(known):
            if is_known:
                assert found["heads"][i] == whole.heads[i]
                assert found["labels"][i] == whole.labels[i]


@pytest.mark.parametrize("mean_field", [False, True])
def test_a_whole_tree_has_the_probability_of_all_its_derivations(mean_field: bool) -> None:
    kind: dict[str, Any] = {"single_root": False, "root_labels": 1, "mean_field": mean_field}
    tiny, n = Tiny.make(35, hidden=4, **kind), 4
    words = some_words(8, n)
    for key, log_prob in list(enumerated(tiny, words.words, words.clusters).items())[::40]:
        tree = Tree(words.words, words.clusters, list(key[0]), list(key[1]))
        found = tiny.parser().parse(batch([tree]), request())
        assert found["log_prob"].tolist() == pytest.approx([log_prob], abs=3e-4)


def test_evidence_that_no_tree_has_is_dropped_and_told() -> None:
    tiny = Tiny.make(36)
    crossing = Tree([0] * 4, [0] * 4, [3, 4, 0, -1], [-1] * 4)
    found = tiny.parser().parse(batch([crossing]), request(width=20, best=1))
    assert found["relaxed"][0]
    assert found["heads"].tolist().count(0) == 1


def test_long_sentences_end_with_one_root_in_the_narrowest_beam() -> None:
    tiny = Tiny.make(37)
    trees = [some_words(seed, 40) for seed in range(10)]
    found = tiny.parser().parse(batch(trees, arcs=False), request(width=1, best=1), 2)
    assert [row.count(0) for row in found["heads"].reshape(10, 40).tolist()] == [1] * 10
