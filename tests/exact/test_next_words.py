"""The next word of every family that scores, against scores of each word by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from isbn_twins import Tiny, Tree, batch
from prefix_twins import EVERYTHING, moments
from test_isbn_language import KINDS as ISBN_KINDS
from test_isbn_language import prefix_logs
from test_language_model import LANGUAGE_KINDS
from transition_twins import SYSTEMS, WORDS, Kind, twin_of

import bistro
from bistro import _core
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.errors import BistroError
from bistro.models.next_words import MixedSums, ScoredSums
from bistro.models.ngram.text_model import TextModel
from bistro.models.results.next_words import NextWords

CONTEXTS: list[list[str]] = [[], ["a"], ["c", "never-seen"], ["d", "c", "a"]]
SHORT = {"sampler": {"sweeps": 3, "samples": 1}}
TREEBANK = bistro.builtin(sentences=60, seed=1)
BEGINNINGS = [[], ["The"], ["The", "zyzzyva"], ["The", "old", "dog", "sees"]]


def by_name(found: NextWords) -> dict[str, float]:
    return dict(zip(found.words, found.probabilities.tolist(), strict=True))


def compare(found: NextWords, twin: ScoredSums, tolerance: float) -> None:
    """Every known word and the end have the probability that scoring them has."""
    probabilities = by_name(found)
    expected = dict(zip(twin.names, np.exp(twin.listed.log_probs).tolist(), strict=True))
    known = [word for word in expected if word != "<unk>"]
    assert len(known) > 3
    for word in known:
        if word == END_SYMBOL and not found.context:
            continue  # a sentence without words has no score
        assert probabilities[word] == pytest.approx(expected[word], rel=tolerance, abs=1e-9)
    compare_strangers(found, twin, tolerance)


def compare_strangers(found: NextWords, twin: ScoredSums, tolerance: float | None = None) -> None:
    """The same for words that are not known; without a tolerance, they are at least as probable."""
    strangers = ["never-heard", "Zyzzyvas", "42"]
    of_strangers = np.array([row.probability for row in found.of(strangers)])
    scored = np.exp(twin.of(strangers).log_probs)
    if tolerance is None:
        assert (of_strangers > 0.98 * scored).all()
    else:
        assert of_strangers == pytest.approx(scored, rel=tolerance)


# ---- the transition parser ---------------------------------------------------------------------
@pytest.mark.parametrize("kind", LANGUAGE_KINDS, ids=str)
def test_a_search_without_limits_has_the_probabilities_of_the_enumeration(kind: Kind) -> None:
    twin = twin_of(kind)
    for context in CONTEXTS if kind == SYSTEMS[0] else CONTEXTS[:3]:
        found = twin.model.next_words(context, **vars(EVERYTHING))
        before = moments(kind, tuple(context))[-2].total if context else 1.0
        for row in found.of([*WORDS, "other"]):
            after = moments(kind, (*context, row.word))[-2]
            assert row.probability == pytest.approx(after.total / before, abs=1e-7)
            by_tag = np.zeros(3)
            for path, p in after.joint.items():
                by_tag[path[-1][1]] += p / after.total
            tags = twin.model.codec.tags
            shares = dict(zip(tags, by_tag.tolist(), strict=True))
            assert row.tags is not None
            for tag, share in row.tags.items():
                assert share == pytest.approx(shares[tag], abs=1e-6)
        if context:
            whole = moments(kind, tuple(context))[-1].total
            assert by_name(found)[END_SYMBOL] == pytest.approx(whole / before, abs=1e-7)
        assert found.covered == pytest.approx(1.0, abs=1e-6)


def test_runs_agree_with_their_errors() -> None:
    """Estimates of a few particles are as far from the truth as they say, and not all exact."""
    model = twin_of(SYSTEMS[0]).model
    context = ["a", "b", "d"]
    exact = model.next_words(context, **vars(EVERYTHING))
    apart, entropies = [], []
    for seed in range(60):
        found = model.next_words(context, particles=16, repeats=10, seed=seed, threads=1)
        row, truth = found.of(["c"])[0], exact.of(["c"])[0]
        assert row.mc_se is not None and found.entropy_se is not None
        apart.append((row.surprisal - truth.surprisal) / row.mc_se)
        entropies.append((found.entropy - exact.entropy) / found.entropy_se)
    for scores in (apart, entropies):
        assert abs(np.mean(scores)) < 4 / math.sqrt(60) + 0.2
        assert 0.75 < np.std(scores) < 1.5
    halved = np.array(apart) * 2  # an error that is half as large as it should be
    assert not 0.75 < np.std(halved) < 1.5


def test_runs_are_those_of_the_scores_of_the_context() -> None:
    model = twin_of(SYSTEMS[1]).model
    options: dict[str, Any] = {"method": "smc", "particles": 20, "repeats": 4, "seed": 3}
    context = ["a", "b", "b"]
    sums = model.next_sums(context, **options)
    scores = model.score([context], **options)
    assert scores.deviation is not None
    weights = scores.deviation[:, 2] / scores.deviation[:, 2].sum()
    assert sums._weights == pytest.approx(weights)
    again = model.next_sums(context, **options, threads=2)
    assert again.listed.log_probs.tolist() == sums.listed.log_probs.tolist()


@pytest.mark.parametrize("unknown", ["classes", "spelling"])
def test_words_a_parser_does_not_know(unknown: str) -> None:
    model: Any = bistro.train("transition", TREEBANK, seed=1, unknown=unknown, **SHORT)
    options = {"method": "search", "particles": 3000, "threads": 1}
    found = model.next_words(["The", "old"], **options)
    words = ["dog", "zyzzyva", "blickets"]
    scores = model.score([["The", "old", word] for word in words], **options)
    for i, row in enumerate(found.of(words)):
        assert row.probability == pytest.approx(
            math.exp(scores.log_probs[scores.offsets[i] + 2]), rel=0.01
        )
        assert row.oov == (i > 0)
        assert row.tags and sum(row.tags.values()) == pytest.approx(1.0, abs=0.01)
    assert 0.99 < found.covered <= 1 + 1e-6


# ---- the latent-variable parser ----------------------------------------------------------------
@pytest.mark.parametrize("kind", ISBN_KINDS)
@pytest.mark.parametrize("words", [[], [3], [3, 1]])
def test_the_next_word_of_the_latent_variable_twin(kind: str, words: list[int]) -> None:
    tiny = Tiny.make(40 + len(words), **ISBN_KINDS[kind], hidden=4)
    trees = [Tree(words, [], [], [])] if words else []
    search = _core.BeamOptions(width=100_000, labels_per_arc=100, tags_per_word=100, margin=np.inf)
    sums = tiny.parser().next_words(batch(trees, clusters=False, arcs=False), search)
    before = prefix_logs(tiny, words)[-2] if words else 0.0
    expected = [math.exp(prefix_logs(tiny, [*words, word])[-2] - before) for word in range(5)]
    assert sums.words[:5].tolist() == pytest.approx(expected, abs=3e-4)
    end = math.exp(prefix_logs(tiny, words)[-1] - before) if words else 0.0
    assert sums.words[5] == pytest.approx(end, abs=3e-4)
    by_cluster = sums.tags(np.arange(5, dtype=np.int32)).reshape(5, 3)
    assert by_cluster.sum(axis=1).tolist() == pytest.approx(sums.words[:5].tolist())


def test_an_isbn_model_finds_at_least_what_its_scores_find() -> None:
    """Both are lower bounds, but more derivations go on to any word than to a given one."""
    model: Any = bistro.train("isbn", TREEBANK, seed=1, hidden=6, learning={"passes": 4})
    for context in BEGINNINGS:
        found = model.next_words(context, particles=300)
        probabilities = by_name(found)
        twin = ScoredSums(model, context, {"particles": 300})
        for word, log_prob in zip(twin.names, twin.listed.log_probs.tolist(), strict=True):
            if word != "<unk>":
                assert probabilities[word] >= 0.98 * math.exp(log_prob)
        compare_strangers(found, twin)
        assert 0.2 < found.covered <= 1 + 1e-6  # much is lost where nothing is learned


# ---- exact families ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "settings",
    [
        {"order": 3},
        {"order": 1},
        {"order": 2, "unknown": "single"},
        {"order": 2, "unknown": "spelling", "spelling": {"order": 3}},
    ],
    ids=str,
)
def test_ngrams_have_the_probabilities_of_their_scores(settings: dict[str, Any]) -> None:
    model: Any = bistro.train("ngram", TREEBANK, seed=1, **settings, **SHORT)
    for context in BEGINNINGS:
        found = model.next_words(context)
        compare(found, ScoredSums(model, context, {}), 1e-6)
        assert found.covered == pytest.approx(1.0, abs=1e-5)
        assert found.entropy_se is None


def test_grammars_have_the_probabilities_of_their_scores() -> None:
    model: Any = bistro.train("grammar", bistro.builtin_trees(sentences=60, seed=1), seed=1)
    for context in BEGINNINGS:
        found = model.next_words(context)
        probabilities = by_name(found)
        words = [*model.vocabulary.words[:40], "The", "the", "zyzzyva", "Zyzzyvas"]
        scores = model.score([[*context, word] for word in words])
        for i, row in enumerate(found.of(words)):
            expected = math.exp(scores.log_probs[scores.offsets[i] + len(context)])
            assert row.probability == pytest.approx(expected, rel=1e-9)
            if not row.oov:
                assert probabilities[row.word] == pytest.approx(row.probability)
        if context:
            ends = math.exp(model.score([context]).log_probs[-1])
            assert probabilities[END_SYMBOL] == pytest.approx(ends, rel=1e-9)
        assert found.covered == pytest.approx(1.0, abs=1e-9)


def test_a_word_that_a_grammar_never_writes_so_has_no_probability() -> None:
    trees = bistro.builtin_trees(sentences=60, seed=1)
    model: Any = bistro.train("grammar", trees, seed=1, missed_capitals=0.0)
    lower, upper, end = model.next_words([]).of(["the", "The", END_SYMBOL])
    assert (lower.probability, lower.surprisal, end.probability) == (0.0, math.inf, 0.0)
    assert upper.probability > 0.1
    scores = model.score([["the"], ["The"]])
    assert np.exp(scores.log_probs[[0, 2]]).tolist() == pytest.approx([0.0, upper.probability])


# ---- characters --------------------------------------------------------------------------------
def spelled_out(model: TextModel, context: Sequence[str], word: str) -> float:
    """The probability of a whole word after whole words, unit by unit."""
    units = model.units
    space, end = int(units.numbers(" ")[0]), units.end
    before = units.numbers(" ".join(context)).tolist()

    def boundary(ids: list[int]) -> float:
        distribution = model.process.distribution(ids)
        return float(distribution[space] + distribution[end])

    probability = 1.0
    for unit in units.numbers(" " + word if context else word).tolist():
        probability *= float(model.process.distribution(before)[unit])
        before.append(unit)
    first = boundary(units.numbers(" ".join(context)).tolist()) if context else 1.0
    return probability * boundary(before) / first


@pytest.mark.parametrize("units", ["characters", "bytes"])
@pytest.mark.parametrize("order", [0, 4])
def test_words_of_text_models_are_whole(units: str, order: int) -> None:
    model: Any = bistro.train("ngram", TREEBANK, units=units, order=order, seed=1, **SHORT)
    for context in BEGINNINGS[:3]:
        found = model.next_words(context)
        words = ["a", "an", "dog", "sleeps", "zyzzyva"]
        for row in found.of(words):
            expected = spelled_out(model, context, row.word)
            assert row.probability == pytest.approx(expected, rel=1e-6)
        assert found.covered == pytest.approx(1.0, abs=1e-9)
        assert by_name(found)["<unk>"] < 0.9


# ---- mixtures, and models without such an ability ------------------------------------------------
def test_a_mixture_is_the_weighted_mean() -> None:
    one, two = (bistro.train("ngram", TREEBANK, seed=1, order=order, **SHORT) for order in (1, 3))
    context = ["The", "old"]
    sums = [model.next_sums(context) for model in (one, two)]
    mixture = NextWords(context, MixedSums(sums, [0.3, 0.7]))
    shares = [np.exp(one.listed.log_probs) for one in sums]
    expected = 0.3 * shares[0] + 0.7 * shares[1]
    assert mixture.probabilities.tolist() == pytest.approx(expected.tolist())
    assert mixture.of(["dog"])[0].probability == pytest.approx(by_name(mixture)["dog"])


def test_other_models_refuse_in_a_sentence() -> None:
    model: Any = bistro.train("topics", TREEBANK, seed=1, states=3, sweeps=4, samples=1)
    with pytest.raises(BistroError, match="a topics model cannot score words; use an ngram"):
        model.next_words(["The"])
    ngram = bistro.train("ngram", TREEBANK, seed=1, **SHORT)
    with pytest.raises(BistroError, match="a list of words"):
        ngram.next_words("The dog")
