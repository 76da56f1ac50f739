"""How far a grammar grows: expected numbers of symbols, and whether they are finite.

With M[A, B] = the expected number of B in one expansion of A, the expected number of symbols below
A is finite exactly when the spectral radius of M is below 1. Then expected counts solve
``x = start + x M``, and the probabilities of all finite sentences sum to 1.

>>> from bistro.treebank.builtin.rules import Rule
>>> rules = [Rule("S", ("S", "W"), 0, ("", "dep"), 0.5), Rule("S", ("W",), 0, ("",), 0.5)]
>>> expected_counts(rules, {"S": 0, "W": 1}, start=0).tolist()
[2.0, 2.0]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import eigs, splu

from bistro.errors import BistroError
from bistro.treebank.builtin.rules import Rule

SMALL = 100
"""Up to this size all eigenvalues are as quickly found as the largest one."""


def expected_counts(
    rules: Sequence[Rule], index: Mapping[str, int], start: int
) -> NDArray[np.float64]:
    """Return how often each symbol is expected in a sentence (weights normalised)."""
    begin = np.zeros(len(index))
    begin[start] = 1.0
    try:
        growth = mean_matrix(rules, index).T
        counts: NDArray[np.float64] = splu(csc_array(eye_array(begin.size) - growth)).solve(begin)
    except RuntimeError:  # exactly singular
        counts = np.full(len(index), np.nan)
    # A solution without negative numbers exists only where the expected counts are finite.
    if not (counts >= 0).all():
        raise BistroError("the expected sentence is infinitely long: lower recursive weights")
    return counts


def mean_matrix(rules: Sequence[Rule], index: Mapping[str, int]) -> csr_array:
    """Return M[A, B]: the expected number of B among the children of A (weights normalised)."""
    rows = [index[rule.left] for rule in rules for _ in rule.right]
    columns = [index[symbol] for rule in rules for symbol in rule.right]
    values = [rule.weight for rule in rules for _ in rule.right]
    return csr_array((values, (rows, columns)), shape=(len(index), len(index)))


def spectral_radius(matrix: csr_array) -> float:
    """Return the largest absolute eigenvalue of a square matrix."""
    if matrix.shape[0] < SMALL:
        return float(np.abs(np.linalg.eigvals(matrix.toarray())).max())
    begin = np.ones(matrix.shape[0])
    return float(np.abs(eigs(matrix, k=1, v0=begin, return_eigenvectors=False)).max())
