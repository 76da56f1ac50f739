"""Learning curves with a known end: the score of a whole treebank, predicted from its first half.

    python -m experiments.workflows [ewt:transition] [ddt:eisner] [eu:eisner] … [--draws 3]

Nested random parts of 1/32, 1/16, 1/8, 1/4 and 1/2 of the training part, and all of it; seed 1,
default settings, predicted tags, evaluated on the development part (UD: all words, subtypes
ignored). `forecast` is computed from the parts up to the half alone, with its 90 % interval;
`measured` is the score of the model of the whole training part.

    python -m experiments.workflows --first-half ewt:transition

draws the parts from the first half of the file, whose texts may differ from the rest.

    python -m experiments.workflows --complete ewt:eisner ewt:committee

completes the second half of the development part, in which every third head and no label is kept
(tags are given), with a model of the first half. It prints the percentages of correct heads and
labels, with subtypes, among the completed ones, and the percentages that the model expects.
"""

from __future__ import annotations

import argparse
from operator import eq
from statistics import fmean

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.forecast import forecast_of
from bistro.evaluate.held_out import judge
from bistro.evaluate.learning_curve import learning_curve
from bistro.tasks.complete import complete
from experiments.doctor import FILES

SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
USUAL = ("ewt:transition", "ewt:eisner", "ddt:transition", "ddt:eisner", "eu:transition",
         "eu:eisner", "id:eisner")  # fmt: skip


def report(name: str, kind: str, draws: int, *, first_half: bool) -> None:
    """Print one line per figure: the scores by size, the forecast, and the measured score."""
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
            f"{name:<4} {kind:<10} {figure:<4} {curve}  forecast {found.mean:.2f} "
            f"({found.low:.2f} to {found.high:.2f})  measured {truth:.2f}  "
            f"error {found.mean - truth:+.2f}",
            flush=True,
        )


def report_completion(name: str, kind: str) -> None:
    """Print the percentages of completed heads and labels that are correct."""
    dev = list(bistro.read(data_dir() / FILES[name].format("dev")))
    whole, gold = dev[: len(dev) // 2], dev[len(dev) // 2 :]
    open_ = [
        s.replace(
            heads=[head if word % 3 == 0 else -1 for word, head in enumerate(s.heads)],
            deprels=["_"] * len(s),
        )
        for s in gold
    ]
    done = complete([*whole, *open_], kind=kind)
    heads = labels = 0
    for given, found, truth in zip(open_, done.sentences[len(whole) :], gold, strict=True):
        triples = zip(given.heads, found.heads, truth.heads, strict=True)
        heads += sum(old == -1 and new == right for old, new, right in triples)
        labels += sum(map(eq, found.deprels, truth.deprels))
    shares = [100 * heads / done.filled["Head"], 100 * labels / done.filled["Deprel"]]
    print(f"{name} {kind}: heads {shares[0]:.1f}, labels {shares[1]:.1f}; {done.summary()}")


def main() -> None:
    """Print the figures of the selected treebanks and kinds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=list(USUAL))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-half", action="store_true")
    parser.add_argument("--complete", action="store_true")
    options = parser.parse_args()
    print(__doc__)
    for what in options.what:
        name, _, kind = what.partition(":")
        if options.complete:
            report_completion(name, kind)
        else:
            report(name, kind, options.draws, first_half=options.first_half)


if __name__ == "__main__":
    main()
