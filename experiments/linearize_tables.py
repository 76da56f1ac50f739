"""Table 1 of Futrell & Gibson (2015), and what word order tells, on our data.

    python -m experiments.linearize_tables table1 [eu id ewt]
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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.order import bleu, optimal_order, random_order, total_length
from bistro.files import writing
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.linearize.model import LinearizeModel
from bistro.models.linearize.orders import Order, Orders
from bistro.report.plots import bar_chart
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

Floats = NDArray[np.float64]
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
    "default (oo+n3)": {},
    "n2": {"models": ("n2",)},
    "n3": {"models": ("n3",)},
    "oo+n2": {"models": ("oo", "n2")},
    "oo+n123": {"models": ("oo", "n1", "n2", "n3")},
    "oo+n3, leaves counted": {"leaves": "counted"},
    "oo+n3, minimal, map": {"sampler": {"seating": "minimal", "hyper": "map"}},
    "oo+n3, 60 sweeps": {"sampler": {"sweeps": 60, "samples": 40}},
}
AS_PUBLISHED: dict[str, Any] = {"smoothing": "add-k", "leaves": "counted"}
ORDERED: dict[str, dict[str, Any]] = {
    "HDR oo, add-k": {"models": ("oo",), "labellings": ("HDR",), **AS_PUBLISHED},
    "HDR n2, add-k": {"models": ("n2",), "labellings": ("HDR",), **AS_PUBLISHED},
    "default": {},
    "with lemmas": {"labellings": ("HDR", "R", "head.upos+lemma+deprel")},
    "with words": {"labellings": ("HDR", "R", "head.upos+form+deprel")},
    "heads' lemmas": {"labellings": ("HDR", "R", "head.lemma+upos+deprel")},
}
SHOWN = 20


def load(name: str) -> list[Treebank]:
    """Read train, dev and test."""
    parts = ("train", "dev", "test")
    return [bistro.read(data_dir() / f"{FILES[name]}-{part}.conllu") for part in parts]


def train(data: Sequence[Treebank], **settings: Any) -> LinearizeModel:
    """Train on train, weigh on dev."""
    return bistro.train("linearize", data[0], dev=data[1], seed=1, **settings)


def likelihood(model: LinearizeModel, sentences: Iterable[Sentence]) -> float:
    """Return the mean log-likelihood of a sentence's order."""
    logs = [model.score_order(sentence).log_prob for sentence in sentences]
    return math.fsum(logs) / len(logs)


class FamilyTable:
    """The log-probability of every family of some sentences under every part."""

    def __init__(self, model: LinearizeModel, sentences: Sequence[Sentence]) -> None:
        found = [model.ordered_families(model.tree_of(sentence)) for sentence in sentences]
        families = [ordered for of_sentence in found for ordered in of_sentence]
        self.size = len(found)
        self.sentence = np.repeat(np.arange(self.size), [len(of_sentence) for of_sentence in found])
        of_families = [model.part_orders(ordered) for ordered in families]
        self.logs = np.array([[o.log_prob(x) for o, x in parts] for parts in of_families])
        kinds = [name.rpartition("/")[2] for name in model.names]
        self.short_of_k = np.array(
            [
                [
                    k_once(orders, order, model.config.k) if kind == "oo" else log_prob
                    for (orders, order), log_prob, kind in zip(parts, logs, kinds, strict=True)
                ]
                for parts, logs in zip(of_families, self.logs, strict=True)
            ]
        )

    def by_sentence(self, logs: Floats) -> Floats:
        """Return the sums over the families of each sentence."""
        sums = np.zeros((self.size, logs.shape[1]))
        np.add.at(sums, self.sentence, logs)
        return sums


def k_once(orders: Orders, order: Order, k: float) -> float:
    """Return the log-probability if an order of labels gets k once, not for each order of words.

    The sum still has k for each order of words, as in code of the first author's: where labels
    repeat, orders never seen lose, and all orders sum to less than 1.
    """
    missing = k * (1 - math.exp(-orders.log_repeats)) / math.exp(orders.log_total)
    return math.log(math.exp(orders.log_prob(order)) - missing)


def mixed(dev: Floats, test: Floats) -> float:
    """Return the sum of the logs of `test`, its columns mixed with weights fitted on `dev`."""
    weights = mixture_weights(np.exp(dev - dev.max(axis=1, keepdims=True)).T)
    with np.errstate(divide="ignore"):
        return float(np.logaddexp.reduce(test + np.log(weights), axis=1).sum())


def table1(name: str) -> None:
    """Print all rows beside the paper's, mixed in three ways."""
    data = load(name)
    model = train(data, models=MODELS["oo+n123"], **AS_PUBLISHED)
    dev, test = FamilyTable(model, data[1]), FamilyTable(model, data[2])
    ways = {
        "heads": (dev.logs, test.logs),
        "sentences": (dev.by_sentence(dev.logs), test.by_sentence(test.logs)),
        "k once": (dev.by_sentence(dev.short_of_k), test.by_sentence(test.short_of_k)),
    }
    columns = "".join(f"{way:>18}" for way in ways)
    print(f"{NAMES[name]}: add-k 0.01\n{'labelling':<10} {'model':<8}  paper{columns}")
    paper = iter(PAPER[name])
    for labelling, seen in LABELLINGS.items():
        for row, models in MODELS.items():
            parts = [model.names.index(f"{x}/{m}") for x in seen for m in models]
            theirs = next(paper)
            line = f"{labelling:<10} {row:<8} {theirs:6.2f}"
            for dev_logs, test_logs in ways.values():
                ours = mixed(dev_logs[:, parts], test_logs[:, parts]) / test.size
                line += f"{ours:9.2f} {100 * (ours / theirs - 1):+6.1f} %"
            print(line, flush=True)


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


def lemmatised(treebank: Treebank) -> Treebank:
    """Return the treebank with forms in place of lemmas that are missing."""
    return Treebank(
        [
            s.replace(lemmas=[a if b == "_" else b for a, b in zip(s.forms, s.lemmas, strict=True)])
            for s in treebank
        ],
        treebank.path,
    )


def bleus(name: str) -> None:
    """Print BLEU of the best orders, and how many are the real ones."""
    data = load(name)
    has_lemmas = any(lemma != "_" for sentence in data[0] for lemma in sentence.lemmas)
    data = [lemmatised(part) for part in data]
    print(f"{NAMES[name]}: BLEU (tokens as they are), sentences in their real order")
    for row, settings in ORDERED.items():
        if "lemma" in str(settings) and not has_lemmas:
            print(f"{row:<16} (no lemmas)")
            continue
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
    """Print orders drawn for sentences of EWT as a table, by numbers and relations.

    The words are the treebank's, and a page cannot hold them: `bistro linearize --samples` does.
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
    """Yield heads (tags) among their dependents (relations), as they stood and as drawn."""
    place = {word: i for i, word in enumerate(order)}
    for family in model.tree_of(sentence).families:
        words = sorted((family.head, *family.dependents))
        drawn = sorted(words, key=lambda word: place[word])
        if drawn != words:
            names = {w: f"{numbers[w]} {sentence.deprels[w - 1]}" for w in family.dependents}
            names[family.head] = f"**{sentence.upos[family.head - 1]}**"
            yield " → ".join(", ".join(names[w] for w in side) for side in (words, drawn))


PRINTED = {"table1": table1, "smoothing": smoothing, "bleu": bleus}


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
