"""Every surprisal is finite, for any text; `python -m benchmarks.fuzz_surprisal` tries more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from benchmarks.fuzz_surprisal import check, run, stored_scorers
from bistro.encoding.vocabulary import Vocabulary
from bistro.models import kinds
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring

SCORERS = stored_scorers()


def test_every_family_that_scores_is_tried() -> None:
    assert {scorer.kind for scorer in SCORERS.values()} == set(kinds.able("score"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SCORERS)
def test_random_texts_have_finite_surprisals(name: str) -> None:
    assert run({name: SCORERS[name]}, 100, seed=5) > 500


def test_the_error_of_a_very_improbable_end_is_finite() -> None:
    """The end of these words has a probability far below the range of single precision."""
    scorer = SCORERS["transition-3.bistro"]
    scores = scorer.score([["the"] * 1000], particles=10, seed=1, threads=1)
    assert scores.log_probs[-1] < np.log(np.finfo(np.float32).smallest_subnormal)
    assert scores.deviation is not None and np.isfinite(scores.deviation).all()
    # The end is less certain than the words before it.
    errors = scores.standard_error
    assert errors is not None and errors[-1] > np.median(errors)


def test_an_infinite_surprisal_is_noticed() -> None:
    class Harsh(Scoring):
        kind = "harsh"
        vocabulary = Vocabulary.build([["a", "b"]], unknown_below=1)

        def score(self, sentences: Iterable[Any], **options: Any) -> TextScores:
            texts = list(sentences)
            is_eos, offsets = TextScores.ends(map(len, texts))
            words = [word for text in texts for word in (*text, "")]
            logs = np.array([-np.inf if word == "b" else -1.5 for word in words])
            return TextScores(logs, is_eos, np.zeros_like(is_eos), offsets)

    check(Harsh(), [["a", "a"]])
    with pytest.raises(AssertionError, match="is not finite"):
        check(Harsh(), [["a", "b"]])
