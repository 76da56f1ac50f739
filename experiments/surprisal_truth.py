"""Surprisal against the truth: models trained on the built-in grammar, whose own figures are exact.

    python -m experiments.surprisal_truth [--sentences 20000] [--tested 300]
    python -m experiments.surprisal_truth --only tuned symbols isbn isbn-symbols

Models learn from sentences of seed 1 and score those of seed 2, word by word and with the end of
each sentence. Printed for each model: how many bits its mean surprisal is above the grammar's
(about 0 at best: the expectation is a Kullback-Leibler divergence), the correlation with the truth
over all events, the surprisals of two garden paths; the word to look at is the last but one.

Ordinary tags hide which nouns a verb takes. `symbols` has the grammar's own symbols for tags, which
only a treebank made by a grammar can offer; `isbn` and `isbn-symbols` are latent-variable parsers
with Penn tags and with these symbols. Mixtures have the weights that are best on as many sentences
of seed 3; one of them has all models that learn from dependency trees. After the mixtures, what its
distance from the truth is made of: by the kind of event. `grammar` learns from the constituency
trees of the same sentences, rules and weights, and knows of no rule that it has not seen. `counted`
is no model of Bistro but the measure of what can be learned: the rules of the grammar are given,
and their weights are counted in the derivations of seed 1. `--only NAME ...` leaves the other
models out.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from bistro.inference.grammar.exact import ExactGrammar, english
from bistro.models.presets import file_or_preset
from bistro.rng import Stream
from bistro.tasks.mixture import fitted_weights, mixed
from bistro.treebank.builtin.derivations import Derivation
from bistro.treebank.builtin.rules import Rule, Word

Bits = NDArray[np.float64]
Texts = Sequence[Sequence[str]]
Scorer = Callable[[Texts], Bits]
GARDEN_PATHS = [
    ["The", "horse", "raced", "past", "the", "barn", "fell", "."],
    ["While", "the", "man", "hunted", "the", "deer", "ran", "."],
]
# Found by greedy search on 1,500 further sentences. The grammar chooses nouns by verbs and
# prepositions that stand before an article, and verbs by their subjects: words deep in the stack.
TUNED: dict[str, Any] = {
    "tagset": "xpos",
    "contexts": {
        "tags": ["s1.tag", "s1.rval", "s1.lc1.label", "s1.rc1.tag", "s2.tag", "s1.word", "s2.word"],
        "words": ["b.tag", "s1.tag", "s1.word", "s1.lc1.label", "p2.word", "s3.word"],
    },
}
# Tags of a word that were never seen are left out: with hundreds of tags the sum is slow, and they
# have next to no probability.
SUMMED: dict[str, Any] = {"particles": 300, "repeats": 4, "tags": "seen"}
LATENT: dict[str, Any] = {
    "tagset": "xpos",
    "hidden": 120,
    "unknown_below": 2,
    "learning": {"passes": 16, "patience": 2, "rate": 0.1, "dropout": 0.1},
}
FROM_TREES = ("ngram", "default", "tuned", "symbols", "isbn", "isbn-symbols")
"""Models that learn from words and dependency trees."""
MIXTURES = (
    ("ngram", "tuned"),
    ("tuned", "symbols"),
    ("tuned", "isbn"),
    ("symbols", "isbn-symbols"),
    FROM_TREES,
)
PRIOR = 0.5
"""Added to every count of a rule or word, so that what was never drawn stays possible."""


def models(sentences: int) -> dict[str, Callable[[], Scorer]]:
    """Return for the name of each model what trains it and returns its bits for texts."""
    symbols = tomllib.loads(file_or_preset("symbols").read_text("utf-8"))

    def transition(settings: dict[str, Any]) -> Scorer:
        model = bistro.train("transition", _sentences(sentences), seed=1, **settings)
        return lambda texts: _bits(model.score(texts, **SUMMED).log_probs)

    def other(kind: str, data: Any, **settings: Any) -> Scorer:
        model = bistro.train(kind, data, seed=1, **settings)
        return lambda texts: _bits(model.score(texts).log_probs)

    def latent(features: tuple[str, ...]) -> Scorer:
        return other("isbn", _sentences(sentences), tag_features=features, **LATENT)

    trees = partial(bistro.builtin_trees, sentences=sentences, seed=1)
    return {
        "ngram": lambda: other("ngram", _sentences(sentences)),
        "default": lambda: transition({}),
        "tuned": lambda: transition(TUNED),
        "symbols": lambda: transition(symbols),
        "isbn": lambda: latent(()),
        "isbn-symbols": lambda: latent(("Symbol",)),
        "grammar": lambda: other("grammar", trees(), unknown_below=1),
        "counted": lambda: partial(exact, counted(english(), sentences)),
    }


@cache
def _sentences(number: int) -> bistro.Treebank:
    return bistro.builtin(sentences=number, seed=1)


def exact(grammar: ExactGrammar, texts: Texts) -> Bits:
    """Return the surprisals under a grammar."""
    return np.array([bits for text in texts for bits in grammar.surprisals(text)])


def counted(grammar: ExactGrammar, sentences: int, seed: int = 1) -> ExactGrammar:
    """Return the grammar with the weights that the derivations of a seed suggest."""
    rules: Counter[Rule] = Counter()
    words: Counter[tuple[str, Word]] = Counter()

    def count(node: Derivation, symbol: str) -> None:
        if isinstance(node.label, Word):
            words[symbol, node.label] += 1
            return
        rules[node.label] += 1
        for child, below in zip(node.children, node.label.right, strict=True):
            count(child, below)

    for number in range(sentences):
        count(grammar.sample_derivation(Stream(seed, "grammar", number))[0], grammar.start)
    return ExactGrammar(
        [rule._replace(weight=rules[rule] + PRIOR) for rule in grammar.rules],
        {s: {w: words[s, w] + PRIOR for w in of_s} for s, of_s in grammar.lexicon.items()},
        grammar.start,
        grammar.capitalize_after,
    )


def report(name: str, found: Bits, truth: Bits, paths: Bits) -> None:
    """Print how far a model is from the truth."""
    gap, alike = found.mean() - truth.mean(), np.corrcoef(found, truth)[0, 1]
    print(f"{name:<24} {found.mean():.3f} bits  {gap:+.3f}  r {alike:.3f}")
    print(f"{'':<24} {' '.join(f'{bits:.1f}' for bits in paths)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--tested", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=list(models(1)))
    options = parser.parse_args()
    test, dev = (
        [s.forms for s in bistro.builtin(sentences=options.tested, seed=seed)] for seed in (2, 3)
    )
    truth = exact(english(), test)
    print(" / ".join(" ".join(path) for path in GARDEN_PATHS), f"({options.sentences} sentences)")
    report("truth", truth, truth, exact(english(), GARDEN_PATHS))
    found: dict[str, list[Bits]] = {}
    for name, trained in models(options.sentences).items():
        if options.only and name not in options.only:
            continue
        bits_of = trained()
        found[name] = [bits_of(texts) for texts in (test, GARDEN_PATHS, dev)]
        report(name, found[name][0], truth, found[name][1])
    for names in MIXTURES:
        known = [name for name in names if name in found]
        if len(known) < 2 or (len(known) < len(names) and names is not FROM_TREES):
            continue
        logs = [[-bits * np.log(2) for bits in found[name]] for name in known]
        weights = fitted_weights([own[2] for own in logs])
        both = [_bits(mixed(of_texts, weights)) for of_texts in zip(*logs, strict=True)]
        shown = " + ".join(f"{n} {w:.2f}" for n, w in zip(known, weights, strict=True))
        report(shown, both[0], truth, both[1])
        if names is FROM_TREES:
            print_rest(both[0], truth, test)


def print_rest(found: Bits, truth: Bits, texts: Texts) -> None:
    """Print how much of the distance from the truth comes from which kind of event."""
    kinds = np.array([kind for text in texts for kind in (*map(_kind, text), "end")])
    for kind in sorted(set(kinds)):
        own = kinds == kind
        gap = found[own] - truth[own]
        print(
            f"  {kind:<10} {own.sum():5} events, truth {truth[own].mean():.2f} bits, "
            f"{gap.mean():+.3f} each, {gap.sum() / truth.size:+.3f} of the total"
        )


@cache
def _tags() -> dict[str, str]:
    """Return the commonest universal tag of each word."""
    counts: dict[str, Counter[str]] = {}
    for sentence in _sentences(2000):
        for form, tag in zip(sentence.forms, sentence.upos, strict=True):
            counts.setdefault(form, Counter())[tag] += 1
    return {form: tags.most_common(1)[0][0] for form, tags in counts.items()}


def _kind(word: str) -> str:
    return _tags().get(word, "rare")


def _bits(log_probs: Bits) -> Bits:
    bits: Bits = -log_probs / np.log(2)
    return bits


if __name__ == "__main__":
    main()
