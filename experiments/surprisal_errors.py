"""Errors of surprisal: their size, the accuracy of the reported errors, and their cost.

    python -m experiments.surprisal_errors MODEL TEXT [--method graph] [--particles 100]

TEXT is a treebank. The program prints words per second of CPU time on its sentences, with one
thread, the best of three runs; and the standard deviation over seeds for every word of *The horse
raced past the barn fell .* For 60 garden-path sentences of Bistro's own suites, it prints words per
second, and the ratio of the standard deviation over seeds to the reported error, in bands of that
error. It also prints how often a 95 % interval (Student's t) covers the truth: in each band, for
all words with an error, for words that vary over seeds (by 0.0001 bits or more), and for words that
vary most (0.03 bits or more). A band of fewer than 30 words is joined to the band of smaller errors
below it. The truth is the mean of eight runs with 1,200 nodes per word and other seeds.
"""

from __future__ import annotations

import argparse
import math
import time
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import bistro

Floats = NDArray[np.float64]
HORSE = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
SUITES = {"main-verb": "reduced", "np-s": "ambiguous", "np-z": "ambiguous"}
TRUE_NODES = 1200
RUNS = 3
BANDS = (1e-4, 0.01, 0.03, 0.1, 0.3, math.inf)
LEAST_WORDS = 30
"""Minimum number of words in a band; the ratio for fewer words is mostly random."""
FREEDOM = {"smc": 9, "graph": 4}
"""Degrees of freedom of intervals (docs/decisions/graph-of-stacks.md)."""


def hard_sentences(per_suite: int = 20) -> list[list[str]]:
    """Return the ambiguous sentences of the first items of every suite."""
    sentences = []
    for name, ambiguous in SUITES.items():
        for item in bistro.read_suite(name).items[:per_suite]:
            sentences += [list(c.words) for c in item.conditions if c.name == ambiguous]
    return sentences


def over_seeds(
    model: Any, texts: list[list[str]], seeds: range, **options: Any
) -> tuple[Floats, Floats]:
    """Return surprisals and their errors in bits, each of shape (seeds, events)."""
    found = [model.score(texts, seed=seed, threads=1, **options) for seed in seeds]
    bits = np.array([-scores.log_probs for scores in found]) / math.log(2)
    errors = np.array([scores.standard_error for scores in found]) / math.log(2)
    return bits, errors


def band_limits(reported: Floats) -> list[float]:
    """Return the limits of bands of reported errors, with small bands joined to those below."""
    limits = list(BANDS)
    for i in range(len(limits) - 2, 0, -1):
        if ((reported >= limits[i]) & (reported < limits[i + 1])).sum() < LEAST_WORDS:
            del limits[i]
    return limits


def bands(bits: Floats, errors: Floats, truth: Floats, freedom: int) -> None:
    """Print spread and coverage for words, by their mean reported error."""
    reported = np.sqrt((errors**2).mean(axis=0))
    spread = bits.std(axis=0, ddof=1)
    covered = np.abs(bits - truth) <= stats.t.ppf(0.975, freedom) * errors
    print("reported error      words  spread/reported  covered")
    for low, high in pairwise(band_limits(reported)):
        band = (reported >= low) & (reported < high)
        ratio = math.sqrt((spread[band] ** 2).mean() / (reported[band] ** 2).mean())
        shown = f"{low:g} to {high:g}"
        print(f"{shown:18} {band.sum():6} {ratio:16.2f} {covered[:, band].mean():8.1%}")
    some, most = (covered[:, spread >= low].mean() for low in (BANDS[0], BANDS[2]))
    print(
        f"mean spread {spread.mean():.4f} bits, maximum {spread.max():.3f}; covered "
        f"{covered[:, reported >= BANDS[0]].mean():.1%} of all, {some:.1%} of those that vary, "
        f"{most:.1%} of those that vary most"
    )


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--method", default="graph")
    parser.add_argument("--particles", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--sentences", type=int, help="number of sentences of TEXT; default: all")
    args = parser.parse_args()
    model: Any = bistro.load(args.model)
    options = {"method": args.method, "particles": args.particles}
    text = [sentence.forms for sentence in bistro.read(args.text)][: args.sentences]
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        scores = model.score(text, threads=1, **options)
        times.append(time.process_time() - began)
    words = sum(map(len, text)) / min(times)
    errors = scores.standard_error / math.log(2)
    print(
        f"{words:,.0f} words per second; mean reported error {errors.mean():.4f} bits, "
        f"99 % below {np.quantile(errors, 0.99):.3f}, maximum {errors.max():.3f}"
    )
    horse, _ = over_seeds(model, [HORSE], range(1, args.seeds + 1), **options)
    for word, mean, spread in zip(
        [*HORSE, "</s>"], horse.mean(axis=0), horse.std(axis=0, ddof=1), strict=True
    ):
        print(f"  {word:6} {mean:7.3f} bits, spread {spread:.4f}")
    hard = hard_sentences()
    more = {"method": "graph", "particles": TRUE_NODES}
    truth = over_seeds(model, hard, range(1001, 1009), **more)[0].mean(axis=0)
    began = time.process_time()
    bits, reported = over_seeds(model, hard, range(1, args.seeds + 1), **options)
    words = args.seeds * sum(map(len, hard)) / (time.process_time() - began)
    print(f"garden paths: {words:,.0f} words per second")
    bands(bits, reported, truth, FREEDOM.get(args.method, 15))


if __name__ == "__main__":
    main()
