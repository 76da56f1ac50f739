"""Syntactic topics: arcs by the formula, trees by enumeration, files, resumption, complaints."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.evaluate.clusterings import variation_of_information
from bistro.models.topics.arc_trees import ArcTrees
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.contexts import parent_numbers
from bistro.models.topics.model import TopicsModel
from bistro.models.topics.samples import TopicSample
from bistro.models.topics.train import kept_sweeps
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem

SENTENCE = ["The", "dog", "sees", "a", "cat", "."]


def trained(**settings: object) -> TopicsModel:
    trees = bistro.builtin(sentences=150, seed=1)
    chosen = {"states": 6, "sweeps": 20, "samples": 2, **settings}
    model = bistro.train("topics", trees, seed=1, **chosen)
    assert isinstance(model, TopicsModel)
    return model


def projective_trees(n: int, *, single_root: bool) -> list[tuple[int, ...]]:
    return [
        heads
        for heads in itertools.product(range(n + 1), repeat=n)
        if is_projective(list(heads))
        and not find_tree_problem(list(heads), roots="one" if single_root else "any")
    ]


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_trees_agree_with_enumeration(single_root: bool, temperature: float) -> None:
    n = 4
    rng = np.random.default_rng(3)
    logs = np.log(rng.dirichlet(np.ones(n + 1), size=n + 1).T)
    np.fill_diagonal(logs, -np.inf)
    every = projective_trees(n, single_root=single_root)
    scores = np.array([sum(logs[h, d] for d, h in enumerate(heads, 1)) for heads in every])
    trees = ArcTrees(logs, single_root=single_root, temperature=temperature)
    assert trees.log_total == pytest.approx(np.log(np.exp(scores).sum()))
    order = np.argsort(-scores)
    ranked = trees.ranked(len(every) + 5)
    assert [tuple(tree.heads) for tree in ranked] == [every[i] for i in order]
    weights = np.exp(scores / temperature)
    expected = np.zeros((n + 1, n + 1))
    for heads, weight in zip(every, weights / weights.sum(), strict=True):
        for d, h in enumerate(heads, 1):
            expected[h, d] += weight
    assert np.allclose(trees.head_probabilities(), expected)
    gains = [sum(expected[h, d] for d, h in enumerate(heads, 1)) for heads in every]
    assert tuple(trees.least_risk()) == every[int(np.argmax(gains))]


LITERAL = {"directed": False, "stops": False}


@pytest.mark.parametrize(
    "settings",
    [{}, LITERAL, {"stops": False}, {"directed": False}, {"source": "upos"}, {"states": None}],
)
def test_arcs_are_the_mean_over_samples_of_the_formula(settings: dict[str, object]) -> None:
    model = trained(**settings)
    tags = ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    sentence = Sentence.from_columns(SENTENCE, upos=tags)
    ids = model.vocabulary.encode(SENTENCE)
    arcs = model.arc_probabilities(sentence)
    head, word = 3, 2
    expected = 0.0
    for sample in model.samples:
        row = parent_numbers(ids, [head] * 6, root=0, directed=model.config.directed)[word - 1]
        joint = sample.theta(model.stops)[row] * sample.phi(len(model.vocabulary))[ids[word - 1]]
        expected += joint[model.tags.index("NOUN")] if model.tags else joint.sum()
    assert arcs[head, word] == pytest.approx(expected / len(model.samples), rel=1e-5)


@pytest.mark.parametrize("settings", [{}, LITERAL, {"states": None}, {"directed": False}])
def test_theta_and_phi_are_distributions(settings: dict[str, object]) -> None:
    model = trained(**settings)
    trees = bistro.builtin(sentences=150, seed=1)
    words = sum(map(len, trees))
    assert model.stops.sum() == (2 * (words + len(trees)) if model.config.stops else 0)
    for sample in model.samples:
        rows = sample.theta(model.stops).sum(axis=1) + sample.stopping(model.stops)
        assert np.allclose(rows, 1)
        assert np.allclose(sample.phi(len(model.vocabulary)).sum(axis=0), 1)
        assert sample.sizes().sum() == words


def test_probability_of_a_tree_is_that_of_its_dependents_and_stops() -> None:
    model = trained(samples=1)
    sentence = Sentence.from_columns(["The", "dog", "sleeps"], heads=[2, 3, 0])
    the, dog, sleeps = model.vocabulary.encode(sentence.forms).tolist()
    root = len(model.vocabulary)
    theta, stop = model.samples[0].theta(model.stops), model.samples[0].stopping(model.stops)
    words = theta @ model.samples[0].phi(root).T
    before, after = 0, 1
    expected = words[2 * root + after, sleeps] * words[2 * sleeps + before, dog]
    expected *= words[2 * dog + before, the]
    for parent in (root, the, dog, sleeps):
        expected *= stop[2 * parent + before] * stop[2 * parent + after]
    found = model.parse(sentence, partial=True)
    assert found.heads == [2, 3, 0]
    assert found.analyses[0].log_prob == pytest.approx(np.log(expected), abs=1e-4)


def test_a_parse_is_a_tree_with_all_that_was_asked_for() -> None:
    model = trained()
    parse = model.parse(SENTENCE, samples=3, marginals=True)
    assert find_tree_problem(parse.heads, roots="one") is None
    assert len(parse.samples) == 3
    assert parse.marginals is not None
    assert all(
        sum(p for _, p in row) == pytest.approx(1, abs=1e-4) for row in parse.marginals.heads
    )
    best = model.parse(SENTENCE, kbest=5)
    assert [a.log_prob for a in best.analyses] == sorted(a.log_prob for a in best.analyses)[::-1]
    assert sum(a.posterior for a in best.analyses) <= 1 + 1e-9


def test_given_heads_are_kept() -> None:
    model = trained()
    given = Sentence.from_columns(SENTENCE, heads=[3, -1, -1, -1, 4, -1])
    found = model.parse(given, partial=True)
    assert (found.heads[0], found.heads[4]) == (3, 4)
    crossing = Sentence.from_columns(SENTENCE, heads=[3, 4, -1, -1, -1, -1])
    with pytest.raises(BistroError, match="cross"):
        model.parse(crossing, partial=True)


@pytest.mark.parametrize("settings", [{}, LITERAL, {"source": "upos"}, {"states": None}])
def test_sentences_are_parsed_together(settings: dict[str, object]) -> None:
    model = trained(**settings)
    sentences = list(bistro.builtin(sentences=8, seed=3))
    options = {"resample": 6, "samples": 4, "tags": "given", "marginals": True}
    parses = list(model.parse_all(sentences, **options))
    assert [parse.sentence for parse in parses] == sentences
    for parse in parses:
        trees = [parse.heads, *(tree.heads for tree in parse.samples)]
        assert len(trees) == 5
        assert all(find_tree_problem(heads, roots="one") is None for heads in trees)
        assert all(tree.log_prob <= parse.log_total + 1e-9 for tree in parse.samples)
    again = list(model.parse_all(sentences, **options))
    assert [p.samples for p in again] == [p.samples for p in parses]
    others = list(model.parse_all(sentences, **{**options, "seed": 2}))
    assert [p.samples for p in others] != [p.samples for p in parses]


def test_given_heads_are_kept_in_all_trees_sampled_together() -> None:
    model = trained()
    given = Sentence.from_columns(SENTENCE, heads=[3, -1, -1, -1, 4, -1])
    found = model.parse(given, partial=True, resample=6, samples=4)
    assert all((t.heads[0], t.heads[4]) == (3, 4) for t in [*found.analyses, *found.samples])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resample": 2, "samples": 3}, "yields only 2 trees per sentence"),
        ({"resample": -1}, "at least 0"),
        ({"resample": 2, "temperature": 2.0}, "temperature must be 1"),
    ],
)
def test_impossible_resampling_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        trained().parse(SENTENCE, **options)


def test_unknown_words_and_tags_are_parsed() -> None:
    model = trained(source="upos")
    strange = Sentence.from_columns(["Qwrt", "xyzzied", "!"], upos=["X", "NOTATAG", "_"])
    assert len(model.parse(strange, tags="given").heads) == 3
    with pytest.raises(BistroError, match="at least one word"):
        model.parse([])


def test_damaged_counts_are_noticed() -> None:
    sample = trained().samples[0]
    arrays = sample.arrays() | {"weights": sample.weights[:2]}
    with pytest.raises(ValueError, match="state"):
        TopicSample.from_arrays(arrays)
    with pytest.raises(ModelFileError, match="array 'words'"):
        TopicSample.from_arrays(sample.arrays() | {"words": sample.words[:, :2]})


def test_a_small_file_with_endless_tables_is_refused() -> None:
    """A few megabytes of weights, each of a state without words, times all words and parents."""
    model = trained()
    sample = model.arrays()
    rows = 3 * len(model.vocabulary) + 2
    weights = np.ones(2**31 // (20 * rows) + 100)
    assert weights.nbytes < 2**31 / 20
    arrays = {**sample, "sample0.weights": weights}
    with pytest.raises(ModelFileError, match="tables would take more than 2 GB"):
        TopicsModel.from_parts(model.config, model.header(), arrays, model.origin)


def test_chains_add_their_samples_to_those_of_the_first() -> None:
    one, several = trained(), trained(chains=3)
    assert len(several.samples) == 3 * len(one.samples)
    first, second = several.samples[1], several.samples[3]
    assert np.array_equal(first.words, one.samples[-1].words)
    assert not np.array_equal(second.words, one.samples[-1].words)
    assert several.origin.trace[-1]["chain2.live_states"] >= 1


def test_trace_has_live_states() -> None:
    trace = trained(states=None).origin.trace
    assert len(trace) == 20
    assert all(row["live_states"] >= 1 for row in trace)


def test_samples_come_from_the_last_half() -> None:
    assert kept_sweeps(TopicsConfig(sweeps=20, samples=2)) == [15, 20]
    assert kept_sweeps(TopicsConfig(sweeps=200, samples=5)) == [120, 140, 160, 180, 200]
    assert kept_sweeps(TopicsConfig(sweeps=1, samples=1)) == [1]


@pytest.mark.parametrize(
    "settings",
    [{"states": 0}, {"samples": 11}, {"strength": 0.0}, {"prior": (1.0, 0.0)}, {"chains": 0}],
)
def test_impossible_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        trained(**settings)


def test_states_of_a_sentence_have_probabilities() -> None:
    model = trained()
    sentence = next(iter(bistro.builtin(sentences=1, seed=5)))
    assert np.allclose(model.state_probabilities(sentence).sum(axis=1), 1)


def test_variation_of_information_is_a_metric_blind_to_names() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 4, (3, 200))
    assert variation_of_information(a, 3 - a) == pytest.approx(0, abs=1e-12)
    assert variation_of_information(a, b) == pytest.approx(variation_of_information(b, a))
    direct = variation_of_information(a, c)
    assert direct <= variation_of_information(a, b) + variation_of_information(b, c) + 1e-12
    with pytest.raises(BistroError, match="same items"):
        variation_of_information([1], [1, 2])
