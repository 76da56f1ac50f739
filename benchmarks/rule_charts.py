"""Speed of charts and chains of rules on one core, for a grammar of the size of the full WSJ.

    python -m benchmarks.rule_charts

Targets, under 32,000 rules: sums over all trees of 24 words in a few milliseconds, and of 60 words
in well under a second; 5,000 Metropolis-Hastings draws, scored in unbounded contexts, in 0.05
seconds per word. The rules are drawn at random with the shape of a treebank grammar: 100 symbols,
44 of them tags. Times are CPU times of one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro import _core
from bistro.rng import purpose_key

PHRASES, TAGS, WORDS = 56, 44, 20_000
BINARY, UNARY, LEXICAL = 4000, 300, 27_700
PURPOSE = purpose_key("benchmark")
Ints = NDArray[np.int32]


def random_rules(rng: np.random.Generator) -> dict[str, Ints]:
    """Return left-hand sides and children; symbol 0 is the root, the last 44 are tags."""

    def symbols(count: int, low: int, high: int) -> NDArray[np.float64]:
        # Some symbols are much more frequent than others.
        return low + np.floor((high - low) * rng.random(count) ** 2)

    everything = PHRASES + TAGS
    binary = np.stack(
        [symbols(BINARY, 0, PHRASES), *(symbols(BINARY, 0, everything) for _ in "BC")]
    )
    unary = np.stack([symbols(UNARY, 0, PHRASES), symbols(UNARY, 0, everything), -np.ones(UNARY)])
    words = np.concatenate([np.arange(WORDS), rng.integers(0, WORDS, LEXICAL - WORDS)])
    lexical = np.stack([symbols(LEXICAL, PHRASES, everything), -1 - words, -np.ones(LEXICAL)])
    rules = np.unique(np.concatenate([binary, unary, lexical], axis=1), axis=1).astype(np.int32)
    names = ("left", "first", "second")
    return {name: np.ascontiguousarray(row) for name, row in zip(names, rules, strict=True)}


def probabilities(left: Ints, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a probability for each rule given its left-hand side, most of them small."""
    weights = rng.pareto(1.0, left.size) + 1e-3
    shares: NDArray[np.float64] = weights / np.bincount(left, weights)[left]
    return shares


def sentences(length: int, number: int, rng: np.random.Generator) -> _core.Lattices:
    """Return `number` sentences of random words."""
    words = rng.integers(0, WORDS, length * number).astype(np.int32)
    return _core.Lattices.of_sentences(np.arange(number + 1, dtype=np.int64) * length, words)


def model_of(
    columns: dict[str, Ints], shares: NDArray[np.float64], grammar: _core.RuleGrammar
) -> _core.RuleTrie:
    """Return unbounded contexts, learned from draws of the grammar."""
    drawn = grammar.draws(sentences(12, 300, np.random.default_rng(2)), 1, seed=1, purpose=PURPOSE)
    trie = _core.ContextTrie.of_trees(
        **columns,
        trees=drawn["rules"],
        offsets=drawn["offsets"],
        by_rules=False,
        depth=-1,
        blocks=1,
    )
    settings = {"base": shares, "discount": np.full(3, 0.5), "strength": np.full(3, 1.0)}
    return _core.RuleTrie(**trie.freeze(**settings), **settings, depth=-1)


def milliseconds(work: Callable[[], Any], number: int) -> float:
    """Return the CPU time of `work` divided by `number`, in milliseconds."""
    begin = time.process_time()
    work()
    return 1e3 * (time.process_time() - begin) / number


def main() -> None:
    rng = np.random.default_rng(1)
    columns = random_rules(rng)
    shares = probabilities(columns["left"], rng)
    grammar = _core.RuleGrammar(
        num_symbols=PHRASES + TAGS, num_words=WORDS, root=0, **columns, log_prob=np.log(shares)
    )
    print(f"{shares.size:,} rules, {grammar.left_out.size} left out")
    for length, number in ((12, 20), (24, 20), (60, 5), (200, 1)):
        batch = sentences(length, number, rng)
        sums = milliseconds(lambda b=batch: grammar.log_inside(b), number)  # type: ignore[misc]
        best = milliseconds(lambda b=batch: grammar.best(b), number)  # type: ignore[misc]
        print(f"{length:>5} words: sums {sums:8.1f} ms, best tree {best:8.1f} ms per sentence")
    model = model_of(columns, shares, grammar)
    batch = sentences(24, 5, rng)
    for subtrees in (0, 10):
        draw = partial(
            _core.draw_trees,
            grammar,
            model,
            batch,
            contexts_of_rules=False,
            samples=5000,
            burn_in=0,
            subtrees=subtrees,
            seed=1,
            purpose=PURPOSE,
            first=0,
            node_cost=0.5,
        )
        each = milliseconds(draw, 5 * 24)
        print(f"5,000 draws, {subtrees:>2} subtrees after each: {each:6.2f} ms per word")


if __name__ == "__main__":
    main()
