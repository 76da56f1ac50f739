"""Word order on our data: smoothing, information, dependency lengths, samples.

    python -m experiments.word_order smoothing [eu id ewt]
    python -m experiments.word_order lengths [eu id ewt] [--picture FOLDER]
    python -m experiments.word_order samples

Test parts; mixture weights fitted on dev; gold trees, tags and relations; punctuation excluded
(UPOS PUNCT); natural log-likelihood per sentence of the order of its words. The tables of Futrell &
Gibson (2015) are printed by ``python -m experiments.paper futrell-gibson-2015``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.order import optimal_order, random_order, total_length
from bistro.files import writing
from bistro.models.linearize.model import LinearizeModel
from bistro.report.plots import bar_chart
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

FILES = {"eu": "eu_ud11/eu-ud", "id": "id_ud11/id-ud", "ewt": "en_ewt/en_ewt-ud"}
NAMES = {"eu": "Basque", "id": "Indonesian", "ewt": "English"}
SMOOTHED: dict[str, dict[str, Any]] = {
    "default (oo+n3)": {},
    "n2": {"models": ("n2",)},
    "n3": {"models": ("n3",)},
    "oo+n2": {"models": ("oo", "n2")},
    "oo+n123": {"models": ("oo", "n1", "n2", "n3")},
    "oo+n3, leaves counted": {"leaves": "counted"},
    "oo+n3, minimal, map": {"sampler": {"seating": "minimal", "hyper": "map"}},
    "oo+n3, 60 sweeps": {"sampler": {"sweeps": 60, "samples": 40}},
}
SHOWN = 20


def load(name: str) -> list[Treebank]:
    """Read train, dev and test."""
    parts = ("train", "dev", "test")
    return [bistro.read(data_dir() / f"{FILES[name]}-{part}.conllu") for part in parts]


def train(data: Sequence[Treebank], **settings: Any) -> LinearizeModel:
    """Train on the training part, and fit mixture weights on the development part."""
    return bistro.train("linearize", data[0], dev=data[1], seed=1, **settings)


def likelihood(model: LinearizeModel, sentences: Iterable[Sentence]) -> float:
    """Return the mean log-likelihood of the order of a sentence."""
    logs = [model.score_order(sentence).log_prob for sentence in sentences]
    return math.fsum(logs) / len(logs)


def smoothing(name: str) -> None:
    """Print the likelihoods of Pitman-Yor smoothing, with CPU times."""
    data = load(name)
    print(f"{NAMES[name]}: Pitman-Yor, HDR+R; CPU seconds of training (with dev), of scoring test")
    for row, settings in SMOOTHED.items():
        begin = time.process_time()
        model = train(data, **settings)
        middle = time.process_time()
        value = likelihood(model, data[2])
        times = f"{middle - begin:5.1f} {time.process_time() - middle:5.1f}"
        print(f"{row:<22} {value:6.3f}  {times}", flush=True)


def information(model: LinearizeModel, sentences: Iterable[Sentence]) -> dict[str, float]:
    """Return bits per dependent: all families, and by the side of the dependents."""
    bits: defaultdict[str, float] = defaultdict(float)
    dependents: Counter[str] = Counter()
    for sentence in sentences:
        for family, log_prob in model.score_order(sentence).by_family:
            kind = "both sides" if family.left and family.right else "after the head"
            kind = kind if family.right else "before the head"
            for key in (kind, "all"):
                bits[key] -= log_prob / math.log(2)
                dependents[key] += len(family.dependents)
    order = ("all", "before the head", "after the head", "both sides")
    return {key: bits[key] / max(1, dependents[key]) for key in order}


def lengths(model: LinearizeModel, sentences: Iterable[Sentence]) -> dict[str, float]:
    """Return the mean dependency length in words under four kinds of order."""
    sums: Counter[str] = Counter()
    arcs = 0
    for sentence in sentences:
        tree = model.tree_of(sentence)
        orders = {
            "real": tree.kept,
            "sampled": model.sample_orders(sentence)[0].order,
            "random": random_order(
                tree.heads, tree.kept, Stream(1, "experiment.random", sentence.line)
            ),
            "optimal": optimal_order(tree.heads, tree.kept),
        }
        arcs += len(tree.kept) - 1
        for kind, order in orders.items():
            sums[kind] += total_length(tree.heads, order)
    return {kind: total / arcs for kind, total in sums.items()}


def pictures(figures: dict[str, tuple[dict[str, float], dict[str, float]]], folder: Path) -> None:
    """Draw both tables as bar charts, with one group of bars per language."""
    for place, (file, unit) in enumerate(
        (("order-information", "bits per dependent"), ("order-lengths", "words"))
    ):
        kinds = next(iter(figures.values()))[place]
        series = {kind: [both[place][kind] for both in figures.values()] for kind in kinds}
        svg = bar_chart([NAMES[name] for name in figures], series, unit=unit)
        end = svg.index("</title>") + len("</title>")
        paper = '\n<rect width="100%" height="100%" rx="6" fill="#ffffff"/>'
        with writing(folder / f"{file}.svg") as stream:
            stream.write((svg[:end] + paper + svg[end:]).encode())


def describe(names: Sequence[str], folder: Path | None) -> None:
    """Print information in word order and dependency lengths; draw them if there is a folder."""
    figures = {}
    for name in names:
        data = load(name)
        model = train(data)
        figures[name] = information(model, data[2]), lengths(model, data[2])
        for title, row in zip(("bits per dependent", "mean length"), figures[name], strict=True):
            shown = ", ".join(f"{kind} {value:.3f}" for kind, value in row.items())
            print(f"{NAMES[name]}: {title}: {shown}", flush=True)
    if folder:
        pictures(figures, folder)


def samples() -> None:
    """Print orders drawn for sentences of EWT as a table, with numbers and relations.

    The table does not show the words, which a page may not reproduce; `bistro linearize --samples`
    shows them.
    """
    data = load("ewt")
    model = train(data)
    numbered = [(i, s) for i, s in enumerate(data[2], start=1) if 8 <= len(s) <= 16]
    chosen = numbered[:: len(data[2]) // 100][:SHOWN]
    print("| sentence | drawn order | log p | heads in another order |\n|---|---|---|---|")
    for number, sentence in chosen:
        drawn = model.sample_orders(sentence)[0]
        numbers = {word: i for i, word in enumerate(sorted(drawn.order), start=1)}
        order = " ".join(str(numbers[word]) for word in drawn.order)
        changed = "; ".join(changes(model, sentence, drawn.order, numbers))
        print(f"| {number} | {order} | {drawn.log_prob:.2f} | {changed} |")


def changes(
    model: LinearizeModel, sentence: Sentence, order: Sequence[int], numbers: dict[int, int]
) -> Iterator[str]:
    """Yield the tags of heads among the relations of their dependents, in real and drawn order."""
    place = {word: i for i, word in enumerate(order)}
    for family in model.tree_of(sentence).families:
        words = sorted((family.head, *family.dependents))
        drawn = sorted(words, key=lambda word: place[word])
        if drawn != words:
            names = {w: f"{numbers[w]} {sentence.deprels[w - 1]}" for w in family.dependents}
            names[family.head] = f"**{sentence.upos[family.head - 1]}**"
            yield " → ".join(", ".join(names[w] for w in side) for side in (words, drawn))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("smoothing", "lengths", "samples"))
    parser.add_argument("treebanks", nargs="*", metavar="eu|id|ewt")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    options.treebanks = options.treebanks or list(FILES)
    if options.what == "samples":
        samples()
    elif options.what == "lengths":
        describe(options.treebanks, options.picture)
    else:
        for name in options.treebanks:
            smoothing(name)


if __name__ == "__main__":
    main()
