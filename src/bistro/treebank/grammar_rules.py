"""The parts of a probabilistic grammar with heads: words, rules, and the checks that it is sound.

A rule ``A -> B C D`` says which child is the head and how the others relate to it, so a derivation
is a dependency tree. With M[A, B] = the expected number of B in one expansion of A, the expected
number of symbols below A is finite exactly when the spectral radius of M is below 1; then expected
counts solve ``x = start + x M`` and the probabilities of all finite sentences sum to 1.

>>> rules = [Rule("S", ("N", "V"), head=1, relations=("nsubj", ""), weight=1.0)]
>>> lexicon = {"N": {Word("dogs"): 1.0}, "V": {Word("bark"): 1.0}}
>>> useful(rules, lexicon, "S") == rules
True
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigs

Lexicon = Mapping[str, Mapping["Word", float]]
SMALL = 100
"""Up to this size all eigenvalues are as quickly found as the largest one."""


class Word(NamedTuple):
    """A lexical entry: what a preterminal may emit."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"


class Rule(NamedTuple):
    """A weighted rule: `head` is the position of the head child, whose relation is empty."""

    left: str
    right: tuple[str, ...]
    head: int
    relations: tuple[str, ...]
    weight: float


def merged(rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules with the weights of identical ones added up."""
    weights: dict[tuple[str, tuple[str, ...], int, tuple[str, ...]], float] = defaultdict(float)
    for left, right, head, relations, weight in rules:
        weights[left, right, head, relations] += weight
    return [Rule(*key, weight) for key, weight in weights.items() if weight > 0]


def productive(rules: Sequence[Rule], lexicon: Lexicon) -> set[str]:
    """Return the symbols from which some string of words can be derived."""
    waiting: dict[str, list[int]] = defaultdict(list)
    missing = [len(set(rule.right)) for rule in rules]
    for index, rule in enumerate(rules):
        for symbol in set(rule.right):
            waiting[symbol].append(index)
    known = {symbol for symbol, words in lexicon.items() if words}
    agenda = list(known)
    while agenda:
        for index in waiting[agenda.pop()]:
            missing[index] -= 1
            left = rules[index].left
            if missing[index] == 0 and left not in known:
                known.add(left)
                agenda.append(left)
    return known


def reachable(rules: Sequence[Rule], start: str) -> set[str]:
    """Return the symbols that occur in some derivation from the start symbol."""
    below: dict[str, set[str]] = defaultdict(set)
    for rule in rules:
        below[rule.left].update(rule.right)
    found = {start}
    agenda = [start]
    while agenda:
        new = below[agenda.pop()] - found
        found |= new
        agenda += new
    return found


def useful(rules: Sequence[Rule], lexicon: Lexicon, start: str) -> list[Rule]:
    """Return the rules that occur in some complete derivation of a sentence."""
    complete = productive(rules, lexicon)
    finishing = [rule for rule in rules if complete.issuperset(rule.right)]
    seen = reachable(finishing, start)
    return [rule for rule in finishing if rule.left in seen]


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
