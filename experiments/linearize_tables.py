"""Table 1 of Futrell & Gibson (2015), and what word order tells, on our data.

    python -m experiments.linearize_tables table1 [eu id ewt]
    python -m experiments.linearize_tables sentences [eu id ewt]
    python -m experiments.linearize_tables smoothing [eu id ewt]
    python -m experiments.linearize_tables bleu [eu id ewt]
    python -m experiments.linearize_tables lengths [eu id ewt] [--picture FOLDER]
    python -m experiments.linearize_tables samples

Test sets; weights fitted on dev; gold trees, tags and relations; punctuation left out (UPOS PUNCT);
natural logarithms a sentence, orders of words. The paper's figures are of release 1.1, as are eu
and id; its English is another release of the same treebank.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.order import bleu, optimal_order, random_order, total_length
from bistro.files import writing
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.linearize import LinearizeModel
from bistro.report.plots import bar_chart
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

FILES = {"eu": "eu_ud11/eu-ud", "id": "id_ud11/id-ud", "ewt": "en_ewt/en_ewt-ud"}
NAMES = {"eu": "Basque", "id": "Indonesian", "ewt": "English"}
MODELS = {
    "oo": ("oo",),
    "n1": ("n1",),
    "n2": ("n2",),
    "n3": ("n3",),
    "n123": ("n1", "n2", "n3"),
    "oo+n123": ("oo", "n1", "n2", "n3"),
}
LABELLINGS = {"HDR": ("HDR",), "HDR+R": ("HDR", "R")}
PAPER = {
    "eu": (-6.83, -6.12, -4.86, -5.92, -4.58, -4.52, -5.56, -6.08, -4.49, -4.86, -4.41, -4.29),
    "id": (-8.99, -8.68, -5.98, -6.69, -5.73, -5.68, -7.51, -8.67, -5.67, -6.02, -5.53, -5.47),
    "ewt": (-5.23, -5.08, -2.87, -3.13, -2.60, -2.57, -3.94, -5.07, -2.62, -2.61, -2.48, -2.44),
}
SMOOTHED: dict[str, dict[str, Any]] = {
    "default (oo+n2)": {},
    "n2": {"models": ("n2",)},
    "n3": {"models": ("n3",)},
    "oo+n123": {"models": ("oo", "n1", "n2", "n3")},
    "oo+n2, minimal, map": {"sampler": {"seating": "minimal", "hyper": "map"}},
    "oo+n2, 60 sweeps": {"sampler": {"sweeps": 60, "samples": 40}},
}
SHOWN = 20


def load(name: str) -> list[Treebank]:
    """Read train, dev and test."""
    parts = ("train", "dev", "test")
    return [bistro.read(data_dir() / f"{FILES[name]}-{part}.conllu") for part in parts]


def train(data: Sequence[Treebank], **settings: Any) -> LinearizeModel:
    """Train on train, weigh on dev."""
    model = bistro.train("linearize", data[0], dev=data[1], seed=1, **settings)
    assert isinstance(model, LinearizeModel)
    return model


def likelihood(model: LinearizeModel, sentences: Iterable[Sentence]) -> float:
    """Return the mean log-likelihood of a sentence's order."""
    logs = [model.score_order(sentence).log_prob for sentence in sentences]
    return math.fsum(logs) / len(logs)


def table1(name: str) -> None:
    """Print all rows beside the paper's."""
    data = load(name)
    paper = iter(PAPER.get(name, ()))
    print(f"{NAMES[name]}: add-k 0.01\n{'labelling':<10} {'model':<8}   ours  paper  change")
    for labelling, seen in LABELLINGS.items():
        for row, models in MODELS.items():
            model = train(data, models=models, labellings=seen, smoothing="add-k")
            ours, theirs = likelihood(model, data[2]), next(paper, None)
            beside = f" {theirs:6.2f} {100 * (ours / theirs - 1):+6.1f} %" if theirs else ""
            print(f"{labelling:<10} {row:<8} {ours:6.2f}{beside}", flush=True)


def smoothing(name: str) -> None:
    """Print Pitman-Yor smoothing, with times on one core."""
    data = load(name)
    print(f"{NAMES[name]}: Pitman-Yor, HDR+R; CPU seconds of training (with dev), of scoring test")
    for row, settings in SMOOTHED.items():
        begin = time.process_time()
        model = train(data, **settings)
        middle = time.process_time()
        value = likelihood(model, data[2])
        times = f"{middle - begin:5.1f} {time.process_time() - middle:5.1f}"
        print(f"{row:<22} {value:6.3f}  {times}", flush=True)


def by_sentences(name: str) -> None:
    """Print the mixtures of Table 1 with whole sentences mixed, not heads."""
    data = load(name)
    model = train(data, models=MODELS["oo+n123"], smoothing="add-k")
    names = model.names

    def sums(sentences: Iterable[Sentence]) -> NDArray[np.float64]:
        zero = np.zeros(len(names))
        trees = (model.ordered_families(model.tree_of(sentence)) for sentence in sentences)
        return np.array([sum(map(model.part_log_probs, found), zero) for found in trees])

    dev, test = sums(data[1]), sums(data[2])
    print(f"{NAMES[name]}: add-k 0.01, mixed by sentences")
    for labelling, seen in LABELLINGS.items():
        for row, models in MODELS.items():
            mixed = [i for i, n in enumerate(names) if n.split("/")[0] in seen]
            mixed = [i for i in mixed if names[i].split("/")[1] in models]
            tops = dev[:, mixed].max(axis=1, keepdims=True)
            weights = mixture_weights(np.exp(dev[:, mixed] - tops).T)
            with np.errstate(divide="ignore"):
                logs = np.logaddexp.reduce(test[:, mixed] + np.log(weights), axis=1)
            print(f"{labelling:<10} {row:<8} {logs.mean():6.2f}", flush=True)


def bleus(name: str) -> None:
    """Print BLEU of the best orders, and how many are the real ones."""
    data = load(name)
    rows: dict[str, dict[str, Any]] = {
        "HDR oo, add-k": {"models": ("oo",), "labellings": ("HDR",), "smoothing": "add-k"},
        "HDR n2, add-k": {"models": ("n2",), "labellings": ("HDR",), "smoothing": "add-k"},
        "default": {},
        "with words": {"labellings": ("HDR", "R", "head.upos+form+deprel")},
    }
    print(f"{NAMES[name]}: BLEU (tokens as they are), sentences in their real order")
    for row, settings in rows.items():
        model = train(data, **settings)
        found, real = [], []
        for sentence in data[2]:
            best = model.linearize(sentence)[0]
            found.append(best.sentence.forms)
            real.append([sentence.forms[w - 1] for w in sorted(best.order)])
        same = sum(a == b for a, b in zip(found, real, strict=True)) / len(real)
        print(f"{row:<16} {bleu(found, real):5.1f} {100 * same:5.1f} %", flush=True)


def information(model: LinearizeModel, sentences: Iterable[Sentence]) -> dict[str, float]:
    """Return bits a dependent: of all families, those with all dependents on one side, and both."""
    bits: Counter[str] = Counter()
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
    """Return the mean length of a dependency in words under four kinds of order."""
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


def pictures(told: dict[str, tuple[dict[str, float], dict[str, float]]], folder: Path) -> None:
    """Draw both tables, a group of bars a language."""
    for place, (file, unit) in enumerate(
        (("order-information", "bits a dependent"), ("order-lengths", "words"))
    ):
        kinds = next(iter(told.values()))[place]
        series = {kind: [both[place][kind] for both in told.values()] for kind in kinds}
        svg = bar_chart([NAMES[name] for name in told], series, unit=unit)
        end = svg.index("</title>") + len("</title>")
        paper = '\n<rect width="100%" height="100%" rx="6" fill="#ffffff"/>'
        with writing(folder / f"{file}.svg") as stream:
            stream.write((svg[:end] + paper + svg[end:]).encode())


def describe(names: Sequence[str], folder: Path | None) -> None:
    """Print, and draw if asked to, information in word order and dependency lengths."""
    told = {}
    for name in names:
        data = load(name)
        model = train(data)
        told[name] = information(model, data[2]), lengths(model, data[2])
        for title, row in zip(("bits a dependent", "mean length"), told[name], strict=True):
            shown = ", ".join(f"{kind} {value:.3f}" for kind, value in row.items())
            print(f"{NAMES[name]}: {title}: {shown}", flush=True)
    if folder:
        pictures(told, folder)


def samples() -> None:
    """Print orders drawn for sentences of EWT, each below the real one."""
    data = load("ewt")
    model = train(data)
    chosen = [s for s in data[2] if 8 <= len(s) <= 16][:: len(data[2]) // 100][:SHOWN]
    for sentence in chosen:
        drawn = model.sample_orders(sentence)[0]
        real = [sentence.forms[w - 1] for w in sorted(drawn.order)]
        print(f"{' '.join(real)}\n    {' '.join(drawn.sentence.forms)}")


PRINTED = {"table1": table1, "sentences": by_sentences, "smoothing": smoothing, "bleu": bleus}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=(*PRINTED, "lengths", "samples"))
    parser.add_argument("treebanks", nargs="*", metavar="eu|id|ewt")
    parser.add_argument("--picture", type=Path)
    chosen = parser.parse_args()
    chosen.treebanks = chosen.treebanks or list(FILES)
    if chosen.what == "samples":
        samples()
    elif chosen.what == "lengths":
        describe(chosen.treebanks, chosen.picture)
    else:
        for name in chosen.treebanks:
            PRINTED[chosen.what](name)


if __name__ == "__main__":
    main()
