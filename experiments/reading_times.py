"""Simulated reading times: whether planted effects are found and a useless predictor is rejected.

    python -m experiments.reading_times                        # 200 simulations
    python -m experiments.reading_times --rows                 # time and memory of 850,000 rows

60 sentences of the built-in treebank, 30 participants, 3 ms per bit of the word and 1.5 ms per bit
of the previous word; surprisal of a trigram model of 300 other sentences. The program counts how
often the 95 % intervals cover the planted effects, how often the model has a gain, and how often
the same values in random order have none.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import bistro
from bistro.evaluate.reading.data import read_reading_data
from bistro.evaluate.reading.scores import item_surprisal
from bistro.evaluate.reading.simulation import as_table, simulated
from bistro.evaluate.reading.study import study

PARTICIPANTS = 30
EFFECTS = {"surprisal": 3.0, "surprisal, 1 before": 1.5, "length": 8.0}
ROWS = 850_000


def simulations(number: int) -> None:
    """Print how often the planted effects are found."""
    items = [list(s.forms) for s in bistro.builtin(sentences=60, seed=1)]
    model = bistro.train("ngram", bistro.builtin(sentences=300, seed=2), seed=1)
    bits = item_surprisal(model, items)
    covered = dict.fromkeys(EFFECTS, 0)
    gains = refused = 0
    for seed in range(number):
        data = simulated(items, bits, participants=PARTICIPANTS, seed=seed)
        useless = np.random.default_rng(seed).permutation(bits)
        found = study(data, {"model": bits, "useless": useless}, seed=seed)
        fit = found.fits["model"]
        for name, planted in EFFECTS.items():
            place = fit.names.index(name)
            covered[name] += bool(fit.low[place] <= planted <= fit.high[place])
        gains += found.gains["model"].verdict == "gain"
        refused += found.gains["useless"].verdict == "no gain"
    for name, count in covered.items():
        print(f"95 % interval of {name} covers the planted effect: {100 * count / number:.1f} %")
    print(f"gain of the model: {100 * gains / number:.1f} %")
    print(f"no gain of a useless predictor: {100 * refused / number:.1f} %")


def many_rows() -> None:
    """Print the time and the memory for a large file, excluding the computation of surprisal."""
    items = [list(s.forms) for s in bistro.builtin(sentences=400, seed=1)]
    words = sum(map(len, items))
    bits = np.random.default_rng(1).gamma(2.0, 3.0, words)
    data = simulated(items, bits, participants=ROWS // words + 1, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times.csv"
        path.write_text(as_table(data), encoding="utf-8")
        begin = time.perf_counter()
        again = read_reading_data(path)
        read = time.perf_counter() - begin
        found = study(again, {"one": bits, "two": np.roll(bits, 1)})
        seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(again.times):,} rows, {len(again.participants)} participants, two models: read in "
        f"{read:.1f} s, all in {seconds:.1f} s, {peak:.0f} MB at most; {found.gains['one'].verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--rows", action="store_true", help="time and memory of a large file")
    options = parser.parse_args()
    if options.rows:
        many_rows()
    else:
        simulations(options.simulations)


if __name__ == "__main__":
    main()
