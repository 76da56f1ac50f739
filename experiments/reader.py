"""The reader: perplexity of its members and of their mixture, and garden paths.

    python -m experiments.reader [wsj] [ewt] [--test] [--suites even|odd] [--config PRESET]
    python -m experiments.reader ewt --set 'members=["ngram", "transition"]' --models FOLDER

Perplexity over words and sentence ends, seed 1; words seen once in training, and unknown ones, are
one `<unk>` for all members. Members learn from the training part; the development part fits the
weights, and tells latent-variable members when to stop. So its own perplexity, which is printed
first, is a little too low; --test adds that of the test part. Sums over analyses are sequential
Monte Carlo (10 runs of 100 particles, all tags), which in the mean underestimates the logarithm of
a probability, and for latent-variable members a beam of 100, a lower bound. Seconds are processor
time of training, weights included.

With --suites, SyntaxGym's garden-path suites (`mvrr`, `npz_*`), items of even or odd number: in how
many the critical word is more surprising after the ambiguous words than after the clear ones, by
how many bits on the mean, and in how many all predictions of the suite hold.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.config import apply_overrides, read_toml
from bistro.inference.chains import Session
from bistro.models.mixing import shares_of
from bistro.models.presets import file_or_preset
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.model import ReaderModel
from bistro.tasks.suite_results import SuiteResult
from experiments.treebanks import Split, load_split

SUITES = {
    "mvrr": ("5", "reduced_ambig", "unreduced_ambig"),
    "npz_ambig": ("5", "ambig_nocomma", "ambig_comma"),
    "npz_ambig_mod": ("6", "ambig_nocomma", "ambig_comma"),
    "npz_obj": ("5", "no-obj_no-comma", "no-obj_comma"),
}
"""By suite: the region, the condition that leads up the garden path, and the one that does not."""


def perplexity(logs: NDArray[np.float64]) -> float:
    return math.exp(-float(logs.mean()))


def reader_of(split: Split, config: ReaderConfig, path: Path | None) -> ReaderModel:
    """Train the reader of a treebank, or open the one that is there."""
    found: bistro.Model
    if path and path.exists():
        found = bistro.load(path)
    else:
        began = time.process_time()
        session = Session(threads=1, on_note=lambda note: print(f"  {note}", flush=True))
        found = bistro.train(
            "reader", split.train, config=config, dev=split.dev, seed=1, session=session
        )
        print(f"  trained in {time.process_time() - began:.0f} s", flush=True)
        if path:
            found.save(path)
    assert isinstance(found, ReaderModel)
    return found


def print_perplexity(model: ReaderModel, name: str, sentences: Sequence[Any]) -> None:
    """Print the perplexity of every member, of the mixture, and the members' mean shares."""
    logs = np.stack([s.log_probs for s in model.member_scores(sentences, threads=1)])
    total, shares = shares_of(logs, model.weights)
    print(f"  {name}, {total.size:,} events: mixture {perplexity(total):.2f}")
    rows = zip(model.member_names(), model.weights, logs, shares, strict=True)
    for member, weight, own, share in rows:
        print(
            f"    {member:<24} {perplexity(own):7.2f}  weight {weight:.3f}  "
            f"mean share {share.mean():.3f}",
            flush=True,
        )


def print_suite(model: ReaderModel, name: str, which: str) -> None:
    """Print how many items of a suite, of even or odd number, go the right way."""
    suite = bistro.read_suite(data_dir() / "syntaxgym" / f"{name}.json")
    result: SuiteResult = bistro.run_suite(model, suite, threads=1)
    wanted = 0 if which == "even" else 1
    items = [item for place, item in enumerate(result.items, start=1) if place % 2 == wanted]
    region, ambiguous, clear = SUITES[name]
    effects = [item.bits[ambiguous, region] - item.bits[clear, region] for item in items]
    print(
        f"  {name:<14} garden path in {sum(bits > 0 for bits in effects)} of {len(items)} items, "
        f"{np.mean(effects):+.2f} bits; all predictions hold in "
        f"{sum(item.right for item in items)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="*", default=["wsj", "ewt"])
    parser.add_argument("--config", help="a preset or file of the reader")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--models", type=Path, help="a folder that keeps the models")
    parser.add_argument("--test", action="store_true", help="score the test part too")
    parser.add_argument("--suites", choices=["even", "odd"])
    options = parser.parse_args()
    for name in options.treebanks:
        base = ReaderConfig()
        if options.config:
            base = read_toml(file_or_preset(options.config), ReaderConfig)
        config = apply_overrides(base, ["unknown=single", *options.set])
        print(name, *config.members, sep="\n    ", flush=True)
        split = load_split(name)
        path = options.models / f"{name}.bistro" if options.models else None
        model = reader_of(split, config, path)
        print_perplexity(model, "dev", split.dev)
        if options.test:
            print_perplexity(model, "test", split.test)
        for suite in SUITES if options.suites else ():
            print_suite(model, suite, options.suites)


if __name__ == "__main__":
    main()
