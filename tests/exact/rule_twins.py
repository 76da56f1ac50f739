"""Random grammars of rules, for the compiled charts and for enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from bistro import _core
from bistro.reference.pcfg import PCFG, Edge, Rule, Tree


@dataclass(frozen=True)
class Grammars:
    """The same grammar twice."""

    twin: PCFG
    core: _core.RuleGrammar
    symbols: int
    words: int


def random_grammar(
    seed: int, symbols: int = 4, words: int = 3, density: float = 0.22, spread: float = 1.0
) -> Grammars:
    """Return rules of all kinds with random probabilities; the last word has no rule."""
    rng = np.random.default_rng(seed)
    everything = [
        *(Rule(a, b, c) for a in range(symbols) for b in range(symbols) for c in range(symbols)),
        *(Rule(a, b, -1) for a in range(symbols) for b in range(symbols)),
        *(Rule(a, -1 - w, -1) for a in range(symbols) for w in range(words - 1)),
    ]
    rules = [rule for rule in everything if rng.random() < density]
    rng.shuffle(rules)
    rules = [Rule(*map(int, rule)) for rule in rules]
    weights = np.exp(spread * rng.standard_normal(len(rules)))
    left = np.array([rule.left for rule in rules], dtype=np.int64)
    totals = np.bincount(left, weights, minlength=symbols)
    log_prob = np.log(weights / totals[left]).tolist()
    return both(rules, log_prob, symbols, words)


def both(rules: Sequence[Rule], log_prob: Sequence[float], symbols: int, words: int) -> Grammars:
    """Return the grammar with symbol 0 as its root."""
    left, first, second = np.array(rules, dtype=np.int32).reshape(-1, 3).T.copy()
    core = _core.RuleGrammar(
        num_symbols=symbols,
        num_words=words,
        root=0,
        left=left,
        first=first,
        second=second,
        log_prob=np.array(log_prob, dtype=np.float64),
    )
    return Grammars(PCFG(rules, log_prob, 0), core, symbols, words)


def sentences(texts: Sequence[Sequence[int]]) -> _core.Lattices:
    """Return sentences as the core reads them."""
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return _core.Lattices.of_sentences(offsets, np.array([w for t in texts for w in t], np.int32))


def lattice(length: int, edges: Sequence[Edge]) -> _core.Lattices:
    """Return words between positions as the core reads them."""
    start, end, word = np.array(edges, dtype=np.int32).reshape(-1, 3).T.copy()
    offsets = np.array([0, len(edges)], dtype=np.int64)
    lengths = np.array([length], np.int32)
    return _core.Lattices(lengths=lengths, offsets=offsets, starts=start, ends=end, words=word)


def trees_of(result: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the trees of a result as rules."""
    return [tuple(part.tolist()) for part in np.split(result["rules"], result["offsets"][1:-1])]


def random_texts(seed: int, words: int, lengths: Sequence[int]) -> list[list[int]]:
    """Return sentences without the word that has no rule."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, words - 1, length).tolist() for length in lengths]


def with_trees(
    seeds: Sequence[int], lengths: Sequence[int], least: int = 1, most: int = 3000
) -> Iterator[tuple[Grammars, list[int], list[Tree]]]:
    """Yield grammars with a sentence that has trees, but not too many, and the trees."""
    for seed in seeds:
        grammar = random_grammar(seed)
        for text in random_texts(seed, grammar.words, lengths):
            if least <= grammar.twin.number_of_trees(text) <= most:
                yield grammar, text, grammar.twin.trees(text)


def p_value(counts: Sequence[int], law: NDArray[np.float64]) -> float:
    """Return Pearson's p-value of draws; cells with fewer than 5 expected are pooled."""
    observed = np.array(counts, dtype=np.float64)
    expected = law / law.sum() * observed.sum()
    rare = expected < 5
    cells = [*zip(observed[~rare], expected[~rare], strict=True)]
    cells.append((observed[rare].sum(), max(expected[rare].sum(), 1e-9)))
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    return float(chi2.sf(statistic, len(cells) - 1))
