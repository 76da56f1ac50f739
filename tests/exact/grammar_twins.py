"""Slow twins of the grammar's charts: whole distributions over strings, all parses one by one."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator

from bistro.treebank.builtin.derivations import Derivation
from bistro.treebank.builtin.grammar import Grammar
from bistro.treebank.builtin.rules import Rule, Word

String = tuple[str, ...]
Distribution = dict[String, float]


def rule(text: str, weight: float) -> Rule:
    """Return a rule from ``A -> B *C``; the relations are d0, d1, …"""
    left, _, right = text.partition(" -> ")
    children = right.split()
    head = next((i for i, child in enumerate(children) if child.startswith("*")), 0)
    relations = tuple("" if i == head else f"d{i}" for i in range(len(children)))
    return Rule(left, tuple(child.lstrip("*") for child in children), head, relations, weight)


def words(**weights: float) -> dict[Word, float]:
    """Return lexical entries with these forms."""
    return {Word(form, form, "X", "X", "_"): weight for form, weight in weights.items()}


def string_distributions(grammar: Grammar, longest: int) -> dict[str, Distribution]:
    """Return p(string | symbol) for all strings up to a length, by iterating to the fixed point.

    Each round adds the derivations that are one level deeper; recursion and unary cycles simply
    need more rounds.
    """
    fixed = {
        symbol: _collected(((word.form,), prob) for word, prob in entries.items())
        for symbol, entries in grammar.lexicon.items()
    }
    found: dict[str, Distribution] = defaultdict(dict, fixed)
    while True:
        rounds: dict[str, list[tuple[String, float]]] = defaultdict(list)
        for r in grammar.rules:
            parts = [list(found[symbol].items()) for symbol in r.right]
            rounds[r.left] += _joined(parts, r.weight, longest)
        new = {symbol: _collected(items) for symbol, items in rounds.items()}
        change = max(
            abs(prob - found[symbol].get(string, 0.0))
            for symbol, distribution in new.items()
            for string, prob in distribution.items()
        )
        found.update(new)
        if change < 1e-17:
            return found


def _joined(
    parts: list[list[tuple[String, float]]], weight: float, longest: int
) -> list[tuple[String, float]]:
    joined: list[tuple[String, float]] = [((), weight)]
    for part in parts:
        joined = [
            (before + after, p * q)
            for before, p in joined
            for after, q in part
            if len(before) + len(after) <= longest
        ]
    return joined


def _collected(items: list[tuple[String, float]] | Iterator[tuple[String, float]]) -> Distribution:
    total: dict[String, list[float]] = defaultdict(list)
    for string, prob in items:
        total[string].append(prob)
    return {string: math.fsum(probs) for string, probs in total.items()}


def all_derivations(grammar: Grammar, symbol: str, string: String) -> list[Derivation]:
    """Return every derivation of a string from a symbol; for grammars without unary cycles."""
    found = [
        Derivation(word, ()) for word in grammar.lexicon.get(symbol, {}) if (word.form,) == string
    ]
    for r in grammar.rules:
        if r.left != symbol or len(r.right) > len(string):
            continue
        for cuts in itertools.combinations(range(1, len(string)), len(r.right) - 1):
            bounds = itertools.pairwise([0, *cuts, len(string)])
            pieces = [string[first:last] for first, last in bounds]
            options = [
                all_derivations(grammar, child, piece)
                for child, piece in zip(r.right, pieces, strict=True)
            ]
            found += [Derivation(r, choice) for choice in itertools.product(*options)]
    return found


def log_prob(grammar: Grammar, symbol: str, derivation: Derivation) -> float:
    """Return the log-probability of a derivation, rule by rule."""
    if isinstance(derivation.label, Word):
        return math.log(grammar.lexicon[symbol][derivation.label])
    children = zip(derivation.label.right, derivation.children, strict=True)
    return math.log(derivation.label.weight) + math.fsum(
        log_prob(grammar, child, below) for child, below in children
    )
