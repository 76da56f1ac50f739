"""Trees and states of several sentences sampled together: their exact law, and a wrong sampler."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pytest
from laws import SUSPICIOUS, batch_means, p_value

from bistro._core import Stream
from bistro.models.topics.contexts import parent_numbers, possible_parents, stopping_parents
from bistro.models.topics.resample import JointTrees, Unparsed
from bistro.models.topics.samples import TopicSample
from bistro.reference.topics import rising
from bistro.rng import purpose_key
from bistro.treebank.projectivity import is_projective
from bistro.treebank.validate import find_tree_problem

NUM_WORDS, STATES, ROOT = 3, 2, 3
SENTENCES = [np.array(words, np.int32) for words in ([0, 1, 0], [1, 0])]
SAMPLE = TopicSample(
    parents=np.array([[7, 0, 1], [3, 1, 1]], np.int32),
    words=np.array([[0, 0, 1], [2, 1, 1]], np.int32),
    weights=np.array([0.3, 0.4]),
    strength=1.2,
    smoothing=0.3,
    unseen=0.1,
    stop_weight=0.2,
)
WEIGHTS = [0.3, 0.4, 0.1]
"""Of the two states and of all unseen ones, which count as one."""
STOPS = np.array([1, 1, 0, 0, 1, 1, 1, 1], np.int32)
Trees = tuple[tuple[int, ...], ...]


class AcceptsAll(JointTrees):
    """Takes the proposals for draws from the posterior."""

    def accepts(self, log_ratio: float) -> bool:
        return True


def unparsed(words: np.ndarray, heads: list[int] | None = None) -> Unparsed:
    parents, places = possible_parents(words, root=ROOT, directed=True)
    arcs = np.zeros((len(words) + 1, len(words) + 1))
    np.fill_diagonal(arcs, -np.inf)
    for word, head in enumerate(heads or [], start=1):
        if head >= 0:
            arcs[np.arange(len(arcs)) != head, word] = -np.inf
    stops = stopping_parents(words, root=ROOT, directed=True)
    states = np.ones((len(words), STATES + 1), np.float32)
    return Unparsed(words, parents, places, stops, states, arcs)


def trees_of(length: int, heads: list[int] | None = None) -> list[tuple[int, ...]]:
    return [
        tree
        for tree in product(range(length + 1), repeat=length)
        if is_projective(list(tree))
        and not find_tree_problem(list(tree), roots="one")
        and all(given in (-1, head) for given, head in zip(heads or tree, tree, strict=True))
    ]


def weight_of(trees: Trees, states: tuple[int, ...]) -> float:
    """Return p(training, trees, states, words, stops) up to a constant."""
    parents = Counter({(v, k): n for v, k, n in SAMPLE.parents.tolist()})
    words = Counter({(w, k): n for w, k, n in SAMPLE.words.tolist()})
    stops = Counter(dict(enumerate(STOPS.tolist())))
    remaining = iter(states)
    for sentence, tree in zip(SENTENCES, trees, strict=True):
        stops.update(stopping_parents(sentence, root=ROOT, directed=True).tolist())
        above = parent_numbers(sentence, tree, root=ROOT, directed=True)
        for parent, word in zip(above.tolist(), sentence.tolist(), strict=True):
            k = next(remaining)
            parents[parent, k] += 1
            words[word, k] += 1
    theta = math.prod(rising(SAMPLE.strength * WEIGHTS[k], n) for (_, k), n in parents.items())
    for v, stopped in stops.items():
        chosen = sum(n for (parent, _), n in parents.items() if parent == v)
        theta *= rising(SAMPLE.strength * SAMPLE.stop_weight, stopped)
        theta /= rising(SAMPLE.strength, stopped + chosen)
    phi = math.prod(rising(SAMPLE.smoothing, n) for n in words.values())
    for k in range(STATES + 1):
        size = sum(n for (_, state), n in words.items() if state == k)
        phi /= rising(NUM_WORDS * SAMPLE.smoothing, size)
    return theta * phi


def tree_law(heads: list[int] | None = None) -> dict[Trees, float]:
    """Return p(trees | words) by enumeration of all trees and states."""
    law: defaultdict[Trees, float] = defaultdict(float)
    length = sum(map(len, SENTENCES))
    first, second = trees_of(3, heads), trees_of(2)
    for trees in product(first, second):
        for states in product(range(STATES + 1), repeat=length):
            law[trees] += weight_of(trees, states)
    total = sum(law.values())
    return {trees: weight / total for trees, weight in law.items()}


def p_of(chain_class: type[JointTrees], heads: list[int] | None = None) -> float:
    law = tree_law(heads)
    rows = {trees: i for i, trees in enumerate(law)}
    chain = chain_class(
        SAMPLE,
        [unparsed(SENTENCES[0], heads), unparsed(SENTENCES[1])],
        stops=STOPS,
        num_words=NUM_WORDS,
        single_root=True,
        stream=Stream(1, purpose_key("test.topics.resample"), 0),
    )
    seen = np.zeros((8_000, len(law)))
    for sweep in seen:
        chain.sweep()
        sweep[rows[tuple(tuple(d.heads) for d in chain.current)]] = 1
    assert 0 < chain.accepted <= chain.proposed
    return p_value(batch_means(seen), list(law.values()))


@pytest.mark.parametrize("heads", [None, [2, -1, -1]], ids=["all-trees", "partial"])
def test_trees_of_all_sentences_have_their_joint_law(heads: list[int] | None) -> None:
    assert p_of(JointTrees, heads) > SUSPICIOUS


def test_a_sampler_that_always_accepts_is_noticed() -> None:
    assert p_of(AcceptsAll) < SUSPICIOUS
