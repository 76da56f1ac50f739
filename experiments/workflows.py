"""Learning curves whose end is known: the score of a whole treebank, foretold from its half.

    python -m experiments.workflows [ewt:transition] [ddt:eisner] [eu:eisner] … [--draws 1]

Parts of 1/32, 1/16, 1/8, 1/4 and 1/2 of the training part, nested, drawn at random, and all of it;
seed 1, default settings, own tags, judged on the development part (UD: all words, subtypes
ignored). `foretold` is made of the parts up to the half alone, with its interval of 90 %;
`measured` is the score of the model of the whole training part.

    python -m experiments.workflows --first-half ewt:transition

takes the parts from the first half of the file, as it is, which may hold other texts than the rest.
"""

from __future__ import annotations

import argparse
from statistics import fmean

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.forecast import forecast_of
from bistro.evaluate.held_out import judge
from bistro.evaluate.learning_curve import learning_curve
from experiments.doctor import FILES

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
USUAL = ("ewt:transition", "ewt:eisner", "ddt:transition", "ddt:eisner", "eu:transition",
         "eu:eisner", "id:eisner")  # fmt: skip


def report(name: str, kind: str, draws: int, *, first_half: bool) -> None:
    """Print one line a figure: the measured scores by size, the forecast, and the truth."""
    train, dev = (bistro.read(data_dir() / FILES[name].format(part)) for part in ("train", "dev"))
    if first_half:
        half = train[: len(train) // 2]
        shares = [2 * share for share in SHARES[:-1]]
        parts = learning_curve(kind, half, test=dev, shares=shares, draws=draws).parts
        whole = judge(bistro.train(kind, train, seed=1), list(dev)).figures
    else:
        *parts, last = learning_curve(kind, train, test=dev, shares=SHARES, draws=draws).parts
        whole = last.judgements[0][0].figures
    for figure, truth in whole.items():
        found = forecast_of([(part.words, part.scores(figure)) for part in parts], train.words)
        curve = " ".join(f"{fmean(part.scores(figure)):.1f}" for part in parts)
        print(
            f"{name:<4} {kind:<10} {figure:<4} {curve}  foretold {found.mean:.2f} "
            f"({found.low:.2f} to {found.high:.2f})  measured {truth:.2f}  "
            f"error {found.mean - truth:+.2f}",
            flush=True,
        )


def main() -> None:
    """Print the lines asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=list(USUAL))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-half", action="store_true")
    chosen = parser.parse_args()
    print(__doc__)
    for what in chosen.what:
        name, _, kind = what.partition(":")
        report(name, kind, chosen.draws, first_half=chosen.first_half)


if __name__ == "__main__":
    main()
