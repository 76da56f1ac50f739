"""The transition model as a language model, against the enumeration of all derivations."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from prefix_twins import EVERYTHING, moments
from transition_twins import PACED, SPECIAL, SYSTEMS, WORDS, Kind, trained, twin_of

import bistro
from bistro.errors import BistroError
from bistro.models.parsing.language import Method, ScoreOptions

LANGUAGE_KINDS = [
    *SYSTEMS,
    Kind("first", "one", "joint"),
    Kind("last", "several", "joint"),
    Kind("first", "several", "none"),
    Kind("last", "one", "none"),
    *(k for k in SPECIAL if k.direction == "left-to-right" and k.lexical != "none"),
    *PACED,
]
SENTENCES = [["a"], ["b", "never-seen"], ["d", "c", "a"], ["a", "b", "b", "d"]]


def short_for(kind: Kind) -> list[list[str]]:
    """Derivations with labels in them are many more."""
    return SENTENCES[:3] if kind.sees_labels else SENTENCES


@pytest.mark.parametrize("kind", LANGUAGE_KINDS, ids=str)
def test_a_search_without_limits_finds_the_probability_of_every_prefix(kind: Kind) -> None:
    twin = twin_of(kind)
    for forms in short_for(kind):
        found = np.cumsum(twin.model.score([forms], **vars(EVERYTHING)).log_probs)
        expected = [math.log(moment.total) for moment in moments(kind, tuple(forms))]
        assert found == pytest.approx(expected, rel=0, abs=1e-7)


@pytest.mark.parametrize("kind", LANGUAGE_KINDS, ids=str)
def test_parts_and_entropies_are_those_of_the_enumeration(kind: Kind) -> None:
    twin = twin_of(kind)
    for forms in short_for(kind):
        scores = twin.model.score([forms], **vars(EVERYTHING))
        assert scores.entropy is not None and scores.lexical is not None
        before = 1.0
        for place, moment in enumerate(moments(kind, tuple(forms))):
            surprisal = -scores.log_probs[place]
            assert scores.entropy[place] == pytest.approx(moment.entropy, abs=1e-7)
            divergence = moment.divergence(before)
            assert divergence >= 0
            if place < len(forms):
                assert scores.lexical[place] == pytest.approx(moment.lexical, abs=1e-7)
                assert surprisal - scores.lexical[place] == pytest.approx(divergence, abs=1e-7)
            else:
                assert scores.lexical[place] == 0.0
            before = moment.total


def test_the_probabilities_of_next_words_and_of_the_end_sum_to_one() -> None:
    model = twin_of(SYSTEMS[0]).model
    vocabulary = [*WORDS, "never-seen"]
    assert len(model.codec.vocabulary) == len(vocabulary)
    for prefix in (["a"], ["c", "b"]):
        ends = math.exp(model.score([prefix], **vars(EVERYTHING)).log_probs[-1])
        longer = [[*prefix, word] for word in vocabulary]
        scores = model.score(longer, **vars(EVERYTHING))
        words = np.exp(scores.log_probs[scores.offsets[1:] - 2])
        assert ends + words.sum() == pytest.approx(1.0, abs=1e-6)


def test_fewer_particles_or_tags_give_a_lower_bound() -> None:
    model = twin_of(SYSTEMS[1]).model
    sentences = [list(s) for s in itertools.product(WORDS, repeat=3)][:20]

    def totals(options: ScoreOptions) -> NDArray[np.float64]:
        scores = model.score(sentences, **vars(options))
        return np.add.reduceat(scores.log_probs, scores.offsets[:-1])

    exact = totals(EVERYTHING)
    few = totals(replace(EVERYTHING, particles=20))
    seen = totals(replace(EVERYTHING, tags="seen"))
    assert (few <= exact + 1e-9).all()
    assert (few < exact).any()
    assert (seen <= exact + 1e-9).all()


# ---- sequential Monte Carlo comes to the same --------------------------------------------------
@pytest.mark.parametrize("kind", [LANGUAGE_KINDS[0], LANGUAGE_KINDS[8]], ids=str)
def test_many_particles_give_the_same_parts_and_entropies(kind: Kind) -> None:
    twin = twin_of(kind)
    forms = ["d", "c", "a"]
    exact = twin.model.score([forms], **vars(EVERYTHING))
    found = twin.model.score([forms], method="smc", particles=20_000, threads=1)
    assert found.lexical is not None and found.entropy is not None
    assert found.log_probs == pytest.approx(exact.log_probs, abs=0.01)
    assert found.lexical == pytest.approx(exact.lexical, abs=0.01)
    assert found.entropy == pytest.approx(exact.entropy, abs=0.02)


def test_few_particles_do_not_limit_the_entropy() -> None:
    twin = twin_of(LANGUAGE_KINDS[0])
    forms = ["a", "b", "b", "d"]
    exact = twin.model.score([forms], **vars(EVERYTHING)).entropy
    assert exact is not None and exact.max() > math.log(8)
    found = twin.model.score([forms], method="smc", particles=8, repeats=2000)
    assert found.entropy == pytest.approx(exact, abs=0.1)


@pytest.mark.parametrize("method", ["graph", "smc", "search"])
def test_any_number_of_threads_gives_the_same_scores(method: Method) -> None:
    model = twin_of(LANGUAGE_KINDS[0]).model
    sentences = [list(s) for s in itertools.product(WORDS, repeat=3)]
    options = ScoreOptions(method, particles=20, repeats=3, seed=5)
    first, *others = (
        model.score(sentences, **vars(replace(options, threads=t))) for t in (1, 2, 4)
    )
    for other in others:
        for name in ("log_probs", "lexical", "entropy"):
            assert getattr(first, name).tolist() == getattr(other, name).tolist()
    if method != "search":
        again = model.score(sentences, **vars(replace(options, seed=6)))
        assert again.log_probs.tolist() != first.log_probs.tolist()


def test_models_that_give_no_prefix_probabilities_say_so() -> None:
    backwards = trained(Kind(direction="right-to-left"))
    with pytest.raises(BistroError, match="from right to left"):
        backwards.score([["a"]])
    with pytest.raises(BistroError, match="cannot continue a prefix"):
        list(backwards.generate(1, prefix=["a"]))
    with pytest.raises(BistroError, match="no word probabilities"):
        trained(Kind(lexical="none")).score([["a"]])


def test_long_sentences_stay_finite() -> None:
    model = bistro.train("transition", bistro.builtin(sentences=100, seed=1), seed=1)
    long = ["the", "dog"] * 2500
    scores = model.score([long], method="smc", particles=20, repeats=2)
    assert scores.entropy is not None
    assert scores.log_probs.size == 5001
    assert np.isfinite(scores.log_probs).all()
    assert np.isfinite(scores.entropy).all()
