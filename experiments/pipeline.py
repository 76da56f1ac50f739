"""Running text into words, and words into columns, on the development part of EWT.

    python -m experiments.pipeline

`tokens`: F1 of tokens, sentences and tokens with the right words, in text whose paragraphs are
separated by blank lines. `columns`: the share of right values, all of FEATS at once, given gold
tags and trees, and given those of a committee. Seed 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import bistro
from bistro.models.columns.model import ColumnsModel
from bistro.treebank.sentence import Sentence
from experiments.treebanks import load_split

FOUND = ("xpos", "feats", "lemmas")


def shares(model: ColumnsModel, gold: Sequence[Sentence], given: Sequence[Sentence]) -> str:
    """Return how many values are right, given other columns, in percent."""
    right = dict.fromkeys(FOUND, 0)
    for sentence, filled in zip(gold, model.fill(given, keep=("upos",)), strict=True):
        for name in FOUND:
            values = zip(getattr(sentence, name), filled.columns[name], strict=True)
            right[name] += sum(a == b for a, b in values)
    words = sum(map(len, gold))
    return ", ".join(f"{name} {100 * count / words:.2f}" for name, count in right.items())


def main() -> None:
    print(__doc__)
    split = load_split("ewt")
    dev = list(split.dev)
    tokens = bistro.train("tokens", split.train, seed=1)
    figures = tokens.figures(dev)
    print("tokens:", ", ".join(f"{name} {value:.2f}" for name, value in figures.items()))
    columns = bistro.train("columns", split.train, seed=1)
    assert isinstance(columns, ColumnsModel)
    print("columns, gold tags and trees:", shares(columns, dev, dev))
    committee = bistro.train("committee", split.train, dev=split.dev, seed=1)
    parsed = [
        sentence.replace(
            heads=parse.heads, deprels=parse.labels, upos=committee.shown_tags(parse.tags)
        )
        for sentence, parse in zip(dev, committee.parse_all(dev), strict=True)
    ]
    right = sum(
        a == b
        for s, p in zip(dev, parsed, strict=True)
        for a, b in zip(s.upos, p.upos, strict=True)
    )
    print(f"a committee's UPOS {100 * right / sum(map(len, dev)):.2f};", end=" ")
    print("columns, its tags and trees:", shares(columns, dev, parsed))


if __name__ == "__main__":
    main()
