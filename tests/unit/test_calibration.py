"""Expected calibration error and Brier score, by hand, by law and from files."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from svg_elements import number

from bistro.errors import TreebankError
from bistro.evaluate.calibration import BINS, calibrate, calibration_of
from bistro.report.reliability import reliability_diagram
from bistro.treebank.sentence import Sentence


def parsed(
    misc: Sequence[str] | None, heads: Sequence[int] = (2, 0), format: str = "conllu"
) -> Sentence:
    columns: dict[str, Any] = {} if misc is None else {"misc": misc}
    return Sentence.from_columns(
        ["It", "rains"], heads=heads, deprels=["expl", "root"], format=format, **columns
    )


GOLD = parsed(None)


def by_numpy(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Compute both figures in another way."""
    p, right = np.array(pairs, float).T
    place = np.clip(np.digitize(p, np.linspace(0, 1, BINS + 1)) - 1, 0, BINS - 1)
    error = sum(abs((p - right)[place == b].sum()) for b in range(BINS)) / len(p)
    return error, np.mean((p - right) ** 2)


def test_by_hand() -> None:
    found = calibration_of([(0.9, True), (0.9, True), (0.9, False), (0.2, False)])
    assert found.expected_calibration_error == pytest.approx(0.75 * (0.9 - 2 / 3) + 0.25 * 0.2)
    assert found.brier == pytest.approx((0.01 + 0.01 + 0.81 + 0.04) / 4)
    assert found.confidence == pytest.approx(2.9 / 4)
    assert found.accuracy == 0.5
    assert [b.words for b in found.bins if b.words] == [1, 3]


@pytest.mark.parametrize("seed", range(5))
def test_against_another_computation(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(rng.random(), rng.random() < 0.7) for _ in range(500)]
    found = calibration_of(pairs)
    error, brier = by_numpy(pairs)
    assert found.expected_calibration_error == pytest.approx(error)
    assert found.brier == pytest.approx(brier)
    assert sum(b.words for b in found.bins) == 500


def test_honest_probabilities_have_little_error_and_proud_ones_much() -> None:
    rng = random.Random(1)
    told = [rng.random() for _ in range(40000)]
    honest = calibration_of([(p, rng.random() < p) for p in told])
    proud = calibration_of([(p, rng.random() < p**2) for p in told])
    # About 2,700 words a bin: the mean of a bin has a standard error below 0.01.
    assert honest.expected_calibration_error < 0.015
    # The mean of p - p² is 1/6.
    assert proud.expected_calibration_error == pytest.approx(1 / 6, abs=0.015)


def test_borders_belong_to_a_bin() -> None:
    found = calibration_of([(0.0, False), (1.0, True)])
    assert found.bins[0].words == found.bins[-1].words == 1
    assert found.expected_calibration_error == found.brier == 0


def test_from_misc() -> None:
    system = parsed(["PHead=0.8|PDeprel=0.6|SpaceAfter=No", "PHead=0.4|PUpos=1"], heads=(0, 0))
    found = calibrate([GOLD], [system])
    assert set(found) == {"PHead", "PDeprel", "PUpos"}
    assert found["PHead"].accuracy == 0.5
    assert found["PHead"].brier == pytest.approx((0.64 + 0.36) / 2)
    assert (found["PDeprel"].words, found["PUpos"].words) == (1, 1)


def test_labels_are_compared_whole() -> None:
    gold = GOLD.replace(deprels=["expl:pv", "root"])
    found = calibrate([gold], [parsed(["PDeprel=0.9", "PDeprel=0.9"])])
    assert found["PDeprel"].accuracy == 0.5


@pytest.mark.parametrize("value", ["1.2", "-0.1", "nan", "high", ""])
def test_what_is_no_probability_is_refused(value: str) -> None:
    with pytest.raises(TreebankError, match="between 0 and 1") as told:
        calibrate([GOLD], [parsed([f"PHead={value}", "_"])], system_name="out.conllu")
    assert str(told.value).startswith("out.conllu:1: ")


@pytest.mark.parametrize("system", [parsed(None), parsed(["PHead=0.9", "_"], format="conllx")])
def test_no_probabilities_is_said(system: Sentence) -> None:
    with pytest.raises(TreebankError, match="--marginals"):
        calibrate([GOLD], [system])


def test_diagram_has_a_point_a_bin() -> None:
    found = {"PHead": calibration_of([(0.95, True), (0.3, False), (0.31, True)])}
    root = ElementTree.fromstring(reliability_diagram(found))
    points = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    # One in the legend, two bins; honest and sure is up on the right.
    assert len(points) == 3
    low, high = sorted((number(c, "cx"), number(c, "cy")) for c in points[:2])
    assert low[0] < high[0]
    assert low[1] > high[1]
