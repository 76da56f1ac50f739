"""Alternative values of a column, with their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bistro.inference.products import Candidates
from bistro.models.results.columns import alternatives_to
from bistro.treebank.fields import EMPTY


def other_values(
    candidates: Candidates,
    chances: NDArray[np.float64],
    names: Sequence[str],
    values: Sequence[str],
    kept: Sequence[str] | None,
    most: int,
) -> list[list[tuple[str, float]]]:
    """Return the most probable alternatives to the predicted values of a column.

    Parameters
    ----------
    candidates, chances
        The possible outcomes of each word and their probabilities.
    names
        The value of each outcome in this column.
    values
        The predicted value of each word.
    kept
        Values of the input; a value that is not empty has no alternatives.
    most
        Maximum number of values per word.
    """
    outcomes, weights = candidates.outcomes.tolist(), chances.tolist()
    ends = [*candidates.starts.tolist(), len(outcomes)]
    rows = []
    for place, (begin, end) in enumerate(pairwise(ends)):
        sums: dict[str, float] = {}
        if kept is None or kept[place] == EMPTY:
            for outcome, weight in zip(outcomes[begin:end], weights[begin:end], strict=True):
                sums[names[outcome]] = sums.get(names[outcome], 0.0) + weight
        rows.append(alternatives_to(values[place], sums, most))
    return rows
