"""How many planted errors the doctor finds: their percentage in the top 5 % of its list.

    python -m experiments.doctor [ewt] [ddt] [eu] [id] [--kind eisner] [--seeds 3] [--with-train]

Errors are planted in the development part of a treebank: 1 % of the arcs get another head in the
sentence that makes no cycle (the label stays); in other copies, 1 % of the labels are replaced by
the label of another word, or 1 % of the tags by the tag of another word. The figures are the
percentages of planted arcs (tags) among the first 5 % of all arcs (tags), one figure per seed.
Models are trained on the development part with its errors (10 folds), or on the clean training part
(`--with-train`; with `-k` on both).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.doctor import Finding, examine
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence

FILES = {
    "ewt": "en_ewt/en_ewt-ud-{}.conllu",
    "ddt": "da_ddt/danish_ddt_{}.conll",
    "eu": "eu_ud11/eu-ud-{}.conllu",
    "id": "id_ud11/id-ud-{}.conllu",
}
SHARE, TOP = 0.01, 0.05
Place = tuple[int, int]
"""Index of a sentence, from 0, and number of a word in it, from 1."""


def below(heads: Sequence[int], word: int, top: int) -> bool:
    """Return whether a word is `top` or one of its descendants."""
    while word not in (0, top):
        word = heads[word - 1]
    return word == top


def plant_heads(
    sentences: Sequence[Sentence], seed: int, share: float = SHARE
) -> tuple[list[Sentence], set[Place]]:
    """Replace the heads of a share of the words by others that make no cycle."""
    columns = [list(sentence.heads) for sentence in sentences]

    def change(stream: Stream, place: int, word: int) -> bool:
        heads = columns[place]
        others = [
            head
            for head in range(1, len(heads) + 1)
            if head != heads[word - 1] and not below(heads, head, word)
        ]
        if others:
            heads[word - 1] = others[stream.below(len(others))]
        return bool(others)

    planted = _planted(sentences, seed, share, change)
    return _with(sentences, "heads", columns), planted


def plant_values(
    sentences: Sequence[Sentence], column: str, seed: int, share: float = SHARE
) -> tuple[list[Sentence], set[Place]]:
    """Replace the labels or tags of a share of the words by those of random other words."""
    columns = [list(getattr(sentence, column)) for sentence in sentences]
    pool = [value for values in columns for value in values]

    def change(stream: Stream, place: int, word: int) -> bool:
        value = pool[stream.below(len(pool))]
        old = columns[place][word - 1]
        if value == old or "root" in (value, old):
            return False
        columns[place][word - 1] = value
        return True

    planted = _planted(sentences, seed, share, change)
    return _with(sentences, column, columns), planted


def _planted(
    sentences: Sequence[Sentence],
    seed: int,
    share: float,
    change: Callable[[Stream, int, int], bool],
) -> set[Place]:
    words = [(p, w) for p, s in enumerate(sentences) for w in range(1, len(s) + 1)]
    stream = Stream(seed, "doctor.planted")
    planted: set[Place] = set()
    while len(planted) < round(share * len(words)):
        place = words[stream.below(len(words))]
        if place not in planted and change(stream, *place):
            planted.add(place)
    return planted


def _with(
    sentences: Sequence[Sentence], column: str, columns: Iterable[Iterable[Any]]
) -> list[Sentence]:
    return [s.replace(**{column: c}) for s, c in zip(sentences, columns, strict=True)]


def share_found(ranked: Sequence[Finding], planted: set[Place], top: float = TOP) -> float:
    """Return the percentage of the planted errors that is among the first findings."""
    first = ranked[: round(top * len(ranked))]
    return 100 * sum((f.sentence, f.word) in planted for f in first) / len(planted)


def report(name: str, kind: str, seeds: Sequence[int], with_train: bool, k: int | None) -> None:
    """Print the percentages found in one treebank, one line per kind of error."""
    clean = bistro.read(data_dir() / FILES[name].format("dev"))
    train = bistro.read(data_dir() / FILES[name].format("train")) if with_train else ()
    begin = time.process_time()
    for what in ("heads", "deprels", "upos"):
        found = []
        for seed in seeds:
            if what == "heads":
                spoilt, planted = plant_heads(clean, seed)
            else:
                spoilt, planted = plant_values(clean, what, seed)
            seen = examine(spoilt, kind=kind, seed=seed, beside=train, k=k)
            arcs = [*seen.crossings, *seen.arcs]
            found.append(share_found(seen.tags if what == "upos" else arcs, planted))
        shown = " ".join(f"{value:.1f}" for value in found)
        print(f"{name:<4} {kind:<10} {what:<8} mean {fmean(found):5.1f}   {shown}", flush=True)
    seconds = (time.process_time() - begin) / (3 * len(seeds))
    print(f"{name:<4} {kind:<10} {clean.words} words, {seconds:.0f} s of CPU time per run; {k=}")


def main() -> None:
    """Print the tables of the selected treebanks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=list(FILES))
    parser.add_argument("--kind", default="eisner")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--with-train", action="store_true")
    parser.add_argument("-k", type=int, default=None)
    options = parser.parse_args()
    print(__doc__)
    for name in options.treebanks:
        seeds = range(1, options.seeds + 1)
        report(name, options.kind, seeds, options.with_train, options.k)


if __name__ == "__main__":
    main()
