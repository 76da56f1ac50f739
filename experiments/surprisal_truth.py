"""Surprisal against the truth: models trained on the built-in grammar, whose own figures are exact.

    python -m experiments.surprisal_truth [--contexts default|tuned]

Models learn from 20,000 sentences (seed 1) and score 300 others (seed 2), word by word and with the
end of each sentence. Printed for each model: its mean surprisal in bits, how much that is above the
grammar's (about 0 at best: the expectation is a Kullback-Leibler divergence), the correlation over
all events, and one garden-path sentence, whose last word but one is the surprise. The last model
mixes the other two, with the weight of the n-gram that is best on 300 more sentences (seed 3).
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from bistro.evaluate.interpolation import mixed, mixing_weight
from bistro.models.base import Model
from bistro.treebank.grammar import english
from bistro.treebank.treebank import Treebank

Bits = NDArray[np.float64]
TRAINING, TESTED = 20_000, 300
GARDEN_PATH = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
# Found by greedy search on 1,500 further sentences. The grammar chooses nouns by verbs and
# prepositions that stand before an article, and verbs by their subjects: words deep in the stack.
TUNED: dict[str, Any] = {
    "tags": ["s1.tag", "s1.rval", "s1.lc1.label", "s1.rc1.tag", "s2.tag", "s1.word", "s2.word"],
    "words": ["b.tag", "s1.tag", "s1.word", "s1.lc1.label", "p2.word", "s3.word"],
}
CONTEXTS: dict[str, dict[str, Any]] = {
    "default": {},
    "tuned": {"tagset": "xpos", "tag_features": [], "contexts": TUNED},
}


def bits_of(model: Model, sentences: Treebank | list[list[str]]) -> Bits:
    """Return the surprisal of every word and every sentence end."""
    scored: Bits = -model.require("score")(sentences).log_probs / np.log(2)
    return scored


def report(name: str, found: Bits, truth: Bits, garden: Bits) -> None:
    """Print how far a model is from the truth."""
    print(
        f"{name:<12} {found.mean():.3f} bits, {found.mean() - truth.mean():.3f} above the truth; "
        f"correlation {np.corrcoef(found, truth)[0, 1]:.4f}\n"
        f"{'':<12} {' '.join(f'{bits:.1f}' for bits in garden)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--contexts", choices=CONTEXTS, default="default")
    parser.add_argument("--sentences", type=int, default=TRAINING)
    chosen = parser.parse_args()
    train = bistro.builtin(sentences=chosen.sentences, seed=1)
    test, dev = (bistro.builtin(sentences=TESTED, seed=seed) for seed in (2, 3))
    grammar = english()
    truth = np.array([bits for sentence in test for bits in grammar.surprisals(sentence.forms)])
    print(" ".join(GARDEN_PATH), f"({chosen.sentences} sentences, {chosen.contexts} contexts)")
    report("truth", truth, truth, np.array(grammar.surprisals(GARDEN_PATH)))
    found: list[list[Bits]] = []
    for kind, settings in (("ngram", {}), ("transition", CONTEXTS[chosen.contexts])):
        model = bistro.train(kind, train, seed=1, **settings)
        found.append([bits_of(model, text) for text in (test, [GARDEN_PATH], dev)])
        report(kind, found[-1][0], truth, found[-1][1])
    logs = [[-bits * np.log(2) for bits in of_model] for of_model in found]
    weight = mixing_weight(logs[0][2], logs[1][2])
    both = [-mixed(one, other, weight) / np.log(2) for one, other in zip(*logs, strict=True)]
    report(f"mixed {weight:.2f}", both[0], truth, both[1])


if __name__ == "__main__":
    main()
