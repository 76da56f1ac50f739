"""Surprisal from grammars on one core: the chart in C++ compared with the chart in NumPy.

    python -m benchmarks.grammar [--twin 80]

Targets: 150 words in at most 2 seconds, and at least 20 times as fast as in NumPy. The grammars are
the built-in one, on a sentence with many successive prepositional phrases, and treebank grammars of
the WSJ sample and of 20,000 trees of the built-in treebank, on held-out sentences joined into one.
Both charts compute surprisals; the largest difference over all words is printed. The NumPy chart
reads sentences of up to `--twin` words (150 words take minutes and 4 GB).
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.inference.grammar.exact import ExactGrammar, english
from bistro.models.grammar.model import GrammarModel
from bistro.reference.grammar_chart import Chart, Rules, Word
from bistro.treebank.tree_files import iter_words

LENGTHS = (20, 40, 80, 150)
REPEATS = 3


def twin_surprisals(grammar: ExactGrammar, tokens: Sequence[str]) -> list[float]:
    """Return surprisals from the chart in NumPy."""
    sentence = [Word(token.symbols, token.probs) for token in grammar._emissions(tokens)]
    chart = Chart(Rules(**grammar.binary.columns()), sentence, prefixes=True)
    logs = [0.0, *chart.prefix_log_probs, chart.log_prob]
    return [(before - after) / math.log(2) for before, after in itertools.pairwise(logs)]


def compare(grammar: ExactGrammar, tokens: Sequence[str], twin: bool) -> str:
    """Return the times of a sentence in C++ and in NumPy, and the largest difference."""
    ours = grammar.surprisals(tokens)
    seconds = best_seconds(lambda: grammar.surprisals(tokens), REPEATS)
    shown = f"{len(tokens):>5} words: {seconds:8.4f} s"
    if not twin:
        return shown
    theirs: list[float] = []
    slow = best_seconds(lambda: theirs.extend(twin_surprisals(grammar, tokens)), 1)
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    return (
        f"{shown}, NumPy {slow:8.3f} s: {slow / seconds:5.0f} times; within {difference:.0e} bits"
    )


def phrases(length: int) -> list[str]:
    """Return a sentence of the built-in grammar with about `length` words."""
    return ["The", "man", *["near", "the", "garden"] * ((length - 4) // 3), "slept", "."]


def trained(name: str) -> tuple[GrammarModel, list[str]]:
    """Return a model and held-out running text."""
    if name == "WSJ sample":
        folder = data_dir() / "ptb_sample"
        model = bistro.train("grammar", folder / "wsj-train.mrg", seed=1)
        texts = iter_words(folder / "wsj-dev.mrg")
    else:
        model = bistro.train("grammar", bistro.builtin_trees(sentences=20_000, seed=1), seed=1)
        texts = iter(sentence.forms for sentence in bistro.builtin(sentences=100, seed=2))
    assert isinstance(model, GrammarModel)
    return model, [word for words in texts for word in words]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--twin", type=int, default=80)
    longest = parser.parse_args().twin
    print("built-in grammar")
    for length in LENGTHS:
        print(compare(english(), phrases(length), length <= longest), flush=True)
    for name in ("WSJ sample", "20,000 built-in trees"):
        model, text = trained(name)
        print(f"treebank grammar of {name}: {model.grammar.binary.size:,} symbols")
        for length in LENGTHS:
            tokens, _ = model._tokens(text[:length])
            print(compare(model.grammar, tokens, length <= longest), flush=True)


if __name__ == "__main__":
    main()
