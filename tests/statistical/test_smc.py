"""Sequential Monte Carlo: unbiased estimates, honest errors; sentences drawn from the model."""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1] / "exact"))

from prefix_twins import EVERYTHING, moments, runs_of
from transition_twins import PACED, SYSTEMS, WORDS, Kind, Twin, twin_of

from bistro.errors import BistroError
from bistro.models.parsing.language import ScoreOptions
from bistro.models.transition.model import TransitionModel
from bistro.reference.transition_model import GenerativeParser

Floats = NDArray[np.float64]
String = tuple[str, ...]
Numbers = tuple[int, ...]
Outcome = str | String | tuple[String, Numbers, Numbers, Numbers]
"""A sentence; with its heads, labels and tags; or a name for all others."""

KINDS = [
    *SYSTEMS,
    Kind("first", "one", "joint"),
    Kind("last", "several", "joint"),
    Kind("first", "several", "none"),
    Kind("last", "one", "none"),
    Kind("first", "several", sees_labels=True),
    PACED[0],
]
FORMS = ("d", "c", "a")
PARTICLES, RUNS = 5, 20_000
UNLIKELY = 1e-4
"""Of a fixed seed; all tests of this page together stay below one false alarm in 200."""


def p_values(estimates: Floats, exact: Floats) -> Floats:
    """Two-sided z-tests of the columns' means; a column that never varies must be exact."""
    deviation = estimates.mean(axis=0) - exact
    errors = estimates.std(axis=0, ddof=1) / math.sqrt(len(estimates))
    certain = estimates.std(axis=0) < 1e-9 * exact
    z = deviation / np.where(certain, 1e-6 * exact, errors)
    found: Floats = 2 * stats.norm.sf(np.abs(z))
    return found


def exact_prefixes(kind: Kind, **options: bool) -> Floats:
    return np.array([moment.total for moment in moments(kind, FORMS, **options)])


@cache
def estimates(kind: Kind) -> Floats:
    return runs_of(twin_of(kind), FORMS, PARTICLES, RUNS)


# ---- unbiased ----------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_mean_of_the_estimates_is_the_probability(kind: Kind) -> None:
    p = p_values(estimates(kind), exact_prefixes(kind))
    assert p.min() > UNLIKELY, p


@pytest.mark.parametrize("particles", [1, 2, 30])
def test_with_any_number_of_particles(particles: int) -> None:
    kind = KINDS[0]
    found = runs_of(twin_of(kind), FORMS, particles, RUNS)
    assert p_values(found, exact_prefixes(kind)).min() > UNLIKELY


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_an_average_of_logarithms_would_be_noticed(kind: Kind) -> None:
    found = estimates(kind)
    wrong = np.exp(np.log(found).mean(axis=0))
    errors = found.std(axis=0, ddof=1) / math.sqrt(RUNS)
    z = (wrong - exact_prefixes(kind))[1:] / errors[1:]
    assert (2 * stats.norm.sf(np.abs(z))).min() < UNLIKELY


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_forgotten_weights_of_ruled_out_actions_would_be_noticed(kind: Kind) -> None:
    wrong = exact_prefixes(kind, forget=True)
    assert p_values(estimates(kind), wrong)[1:].max() < UNLIKELY


def test_more_particles_vary_less_than_as_many_runs() -> None:
    """Particles share out their chance: 40 of them beat the average of 8 runs of 5."""
    kind = KINDS[0]
    together = runs_of(twin_of(kind), FORMS, 40, 2000).std(axis=0)
    averaged = estimates(kind).reshape(-1, 8, len(FORMS) + 1).mean(axis=1).std(axis=0)
    assert (together[1:] < 0.9 * averaged[1:]).all()


# ---- the standard error ------------------------------------------------------------------------
REPETITIONS = 500


@pytest.mark.parametrize("kind", KINDS[:7], ids=str)
def test_intervals_cover_the_truth_as_often_as_they_say(kind: Kind) -> None:
    """Few runs give an uncertain spread: Student's t with one degree of freedom less than runs."""
    model = twin_of(kind).model
    truth = model.score([FORMS], **vars(EVERYTHING)).log_probs
    options = ScoreOptions("smc", repeats=10, seed=2, threads=1)
    scores = model.score([FORMS] * REPETITIONS, **vars(options))
    assert scores.standard_error is not None
    found = scores.log_probs.reshape(REPETITIONS, -1)
    errors = scores.standard_error.reshape(REPETITIONS, -1)
    varies = errors.max(axis=0) > 1e-9
    assert found[:, ~varies] == pytest.approx(np.tile(truth[~varies], (REPETITIONS, 1)), abs=1e-6)
    assert varies.sum() >= 2
    width = stats.t.ppf(0.975, options.repeats - 1) * errors
    covered = (np.abs(found - truth) <= width).mean(axis=0)[varies]
    assert ((covered >= 0.90) & (covered <= 0.98)).all(), covered


# ---- generation --------------------------------------------------------------------------------
DRAWN = 20_000
GENERATED_KINDS = [KINDS[0], KINDS[3], KINDS[4], KINDS[6], KINDS[8], KINDS[9]]
STRINGS: list[String] = [(w,) for w in [*WORDS, "<unk>"]] + list(
    itertools.product([*WORDS, "<unk>"], repeat=2)
)


def fits(counts: Counter[Outcome], expected: dict[Outcome, float], drawn: int) -> float:
    """The p-value of a chi-square test; outcomes expected fewer than five times are one."""
    often = {what: p for what, p in expected.items() if p * drawn >= 5}
    observed = [counts[what] for what in often]
    wanted = [p * drawn for p in often.values()]
    observed.append(drawn - sum(observed))
    wanted.append(drawn - sum(wanted))
    return float(stats.chisquare(observed, wanted).pvalue)


def string_probabilities(model: TransitionModel) -> dict[Outcome, float]:
    scores = model.score(STRINGS, **vars(EVERYTHING))
    totals = np.add.reduceat(scores.log_probs, scores.offsets[:-1])
    return dict(zip(STRINGS, np.exp(totals).tolist(), strict=True))


@pytest.mark.parametrize("kind", GENERATED_KINDS, ids=str)
def test_generated_sentences_are_as_frequent_as_probable(kind: Kind) -> None:
    model = twin_of(kind).model
    counts = Counter[Outcome](tuple(words) for words in model.generate(DRAWN, seed=3))
    expected = string_probabilities(model)
    assert fits(counts, expected, DRAWN) > UNLIKELY
    swapped = dict(zip(expected, [*list(expected.values())[1:], expected[STRINGS[0]]], strict=True))
    assert fits(counts, swapped, DRAWN) < UNLIKELY


def analyses_of(plain: GenerativeParser, twin: Twin, longest: int) -> dict[Outcome, float]:
    """Probabilities of all short sentences with their trees."""
    found: dict[Outcome, float] = {}
    vocabulary = range(plain.num_words)
    for size in range(1, longest + 1):
        for words in itertools.product(vocabulary, repeat=size):
            table = plain.analyses(words, [range(plain.num_tags)] * size)
            forms = tuple(twin.model.codec.vocabulary.decode(words))
            found |= {(forms, *analysis): p for analysis, p in table.items()}
    return found


def drawn_analyses(twin: Twin, **options: Any) -> Counter[Outcome]:
    counts: Counter[Outcome] = Counter()
    codec = twin.model.codec
    for sentence in twin.model.generate_trees(DRAWN, seed=4, **options):
        if len(sentence) > 2:
            counts["longer"] += 1
            continue
        labels = tuple(codec.labels.index(label) for label in sentence.deprels)
        tags = tuple(codec.tags.index(tag) for tag in sentence.upos)
        counts[(tuple(sentence.forms), tuple(sentence.heads), labels, tags)] += 1
    return counts


@pytest.mark.parametrize("kind", GENERATED_KINDS[:3], ids=str)
def test_generated_trees_are_as_frequent_as_probable(kind: Kind) -> None:
    twin = twin_of(kind)
    assert fits(drawn_analyses(twin), analyses_of(twin.plain, twin, 2), DRAWN) > UNLIKELY


@pytest.mark.parametrize("temperature", [0.6, 1.5])
def test_a_temperature_flattens_every_distribution(temperature: float) -> None:
    twin = twin_of(KINDS[0])
    plain = twin.plain
    outcomes = {
        "actions": 4,
        "labels": plain.num_labels,
        "tags": plain.num_tags,
        "words": plain.num_words,
    }

    def tempered(name: str, context: Numbers, outcome: int) -> float:
        values = np.array([plain.predict(name, context, o) for o in range(outcomes[name])])
        powers = values ** (1 / temperature)
        return float(powers[outcome] / powers.sum())

    flat = GenerativeParser(**{**vars(plain), "predict": cache(tempered)})
    expected = analyses_of(flat, twin, 2)
    counts = drawn_analyses(twin, temperature=temperature)
    assert fits(counts, expected, DRAWN) > UNLIKELY
    assert fits(drawn_analyses(twin), expected, DRAWN) < UNLIKELY


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[5], KINDS[8]], ids=str)
def test_sentences_go_on_from_a_prefix_as_the_model_would(kind: Kind) -> None:
    model = twin_of(kind).model
    longer = [(*FORMS[:2], word) for word in [*WORDS, "<unk>"]]
    scores = model.score([FORMS[:2], *longer], **vars(EVERYTHING))
    totals = np.exp(np.add.reduceat(scores.log_probs, scores.offsets[:-1]))
    beginning = math.exp(scores.log_probs[:2].sum())
    strings: list[Outcome] = [FORMS[:2], *longer]
    expected = dict(zip(strings, (totals / beginning).tolist(), strict=True))
    drawn = 4000
    sentences = [tuple(s) for s in model.generate(drawn, seed=5, prefix=FORMS[:2])]
    assert all(sentence[:2] == FORMS[:2] for sentence in sentences)
    assert fits(Counter[Outcome](sentences), expected, drawn) > UNLIKELY


def test_generated_trees_follow_the_seed_and_are_trees() -> None:
    for kind in GENERATED_KINDS:
        model = twin_of(kind).model
        ten = [str(s) for s in model.generate_trees(10, seed=3)]
        assert ten == [str(s) for s in model.generate_trees(10, seed=3)]
        assert ten[:4] == [str(s) for s in model.generate_trees(4, seed=3)]
        assert ten != [str(s) for s in model.generate_trees(10, seed=4)]
        for sentence in model.generate_trees(300, seed=6, prefix=["b"]):
            roots = list(sentence.heads).count(0)
            assert roots == 1 or (kind.roots == "several" and roots > 1)
            assert sentence.forms[0] == "b"


def test_impossible_temperatures_are_refused() -> None:
    for temperature in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(BistroError, match="temperature"):
            list(twin_of(KINDS[0]).model.generate(1, temperature=temperature))
