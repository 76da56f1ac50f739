"""Language-model figures: by hand, and by the identities that tie them together."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.evaluate.language import count_characters, language_figures


def test_by_hand() -> None:
    """Two sentences, "ab c </s>" and "dé </s>"; the word "c" is out of vocabulary."""
    log_probs = [math.log(p) for p in (0.5, 0.125, 0.25, 0.25, 0.5)]
    figures = language_figures(
        log_probs,
        [False, False, True, False, True],
        [False, True, False, False, False],
        count_characters([["ab", "c"], ["dé"]]),
    )
    # 1 + 3 + 2 + 2 + 1 = 9 bits, over 5 events, 3 words and (2+1) + (1+1) + (2+1) = 8 characters.
    assert figures.words == 3
    assert figures.sentences == 2
    assert figures.characters == 8
    assert figures.log_prob == pytest.approx(-9 * math.log(2))
    assert figures.perplexity == pytest.approx(2 ** (9 / 5))
    assert figures.perplexity_no_eos == pytest.approx(2 ** (6 / 3))
    assert figures.perplexity_known == pytest.approx(2 ** (6 / 4))
    assert figures.bits_per_word == pytest.approx(9 / 5)
    assert figures.bits_per_char == pytest.approx(9 / 8)
    assert figures.oov_rate == pytest.approx(1 / 3)


def test_protocol_says_what_is_counted() -> None:
    figures = language_figures([-1.0], [False], [True], 2)
    for phrase in ("</s>", "space or newline", "natural logarithm", "letters not counted"):
        assert phrase in figures.protocol
    spelled = language_figures([-1.0], [False], [True], 2, open_vocabulary=True)
    assert "words spelled" in spelled.protocol and "any open vocabulary" in spelled.protocol


def test_impossible_event_is_infinite_not_an_exception() -> None:
    figures = language_figures([-math.inf, -1.0], [False, True], [True, False], 4)
    assert figures.perplexity == math.inf
    assert figures.perplexity_no_eos == math.inf
    assert figures.bits_per_word == math.inf
    assert figures.bits_per_char == math.inf
    assert figures.log_prob == -math.inf
    # The impossible word is out of vocabulary: without it everything is finite.
    assert figures.perplexity_known == pytest.approx(math.e)


def test_astronomic_perplexity_is_infinite() -> None:
    assert language_figures([-1000.0], [False], [False], 1).perplexity == math.inf


def test_figures_over_nothing_are_undefined() -> None:
    figures = language_figures([], [], [], 0)
    assert math.isnan(figures.perplexity)
    assert figures.log_prob == 0.0
    assert figures.to_dict()["perplexity"] is None
    only_end = language_figures([-1.0], [True], [False], 0)
    assert math.isnan(only_end.perplexity_no_eos)
    assert only_end.perplexity == pytest.approx(math.e)


def test_to_dict_is_unrounded_json() -> None:
    figures = language_figures([math.log(1 / 3)] * 2, [False, True], [False, False], 5)
    again = json.loads(json.dumps(figures.to_dict()))
    assert again["perplexity"] == figures.perplexity
    assert set(again) >= {
        "perplexity",
        "perplexity_no_eos",
        "bits_per_word",
        "bits_per_char",
        "oov_rate",
        "words",
        "log_prob",
        "protocol",
    }


@pytest.mark.parametrize(
    ("log_probs", "is_eos", "is_oov", "characters"),
    [
        ([0.5], [False], [False], 1),
        ([math.nan], [False], [False], 1),
        ([-1.0], [False, True], [False], 1),
        ([[-1.0]], [[False]], [[False]], 1),
        ([-1.0], [True], [True], 1),
        ([-1.0], [False], [False], -1),
    ],
)
def test_impossible_arguments(
    log_probs: list[Any], is_eos: list[Any], is_oov: list[Any], characters: int
) -> None:
    with pytest.raises(ValueError):
        language_figures(log_probs, is_eos, is_oov, characters)


EVENTS = st.lists(
    st.tuples(st.floats(-30, 0), st.sampled_from(["word", "oov", "eos"])), min_size=1, max_size=50
)


@given(EVENTS, st.integers(1, 500))
def test_identities(events: list[tuple[float, str]], characters: int) -> None:
    logs = np.array([log for log, _ in events])
    kinds = [kind for _, kind in events]
    figures = language_figures(
        logs, [k == "eos" for k in kinds], [k == "oov" for k in kinds], characters
    )
    count = figures.words + figures.sentences
    assert count == len(events)
    assert figures.bits_per_word == pytest.approx(math.log2(figures.perplexity), abs=1e-9)
    assert figures.bits_per_char * characters == pytest.approx(figures.bits_per_word * count)
    assert math.log(figures.perplexity) * count == pytest.approx(-figures.log_prob, abs=1e-9)
    ends = -logs[[k == "eos" for k in kinds]].sum()
    if figures.words:
        without = math.log(figures.perplexity_no_eos) * figures.words
        assert without + ends == pytest.approx(-figures.log_prob, abs=1e-9)


@given(EVENTS, st.randoms(use_true_random=False))
def test_order_of_events_does_not_matter(events: list[tuple[float, str]], random: Random) -> None:
    def figures(items: Sequence[tuple[float, str]]) -> dict[str, Any]:
        return language_figures(
            [log for log, _ in items],
            [k == "eos" for _, k in items],
            [k == "oov" for _, k in items],
            7,
        ).to_dict()

    shuffled = list(events)
    random.shuffle(shuffled)
    first, second = figures(events), figures(shuffled)
    for name, value in first.items():
        if isinstance(value, float):
            assert second[name] == pytest.approx(value)
        else:
            assert second[name] == value
