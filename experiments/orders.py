"""Word-order models with many parts; each row of a table is a mixture of some of them.

One model is trained with all parts. A row uses some of them and fits their weights on the
development part, so that a table of twelve rows requires one training.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.order import bleu
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.linearize.model import LinearizeModel, OrderedFamily
from bistro.models.linearize.orders import Order, Orders
from bistro.models.results.structures import Linearization, Ties
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]
HELD_OUT = 10


@dataclass(frozen=True)
class Data:
    """Three parts of a treebank."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence]


def load(path: str) -> Data:
    """Read train, dev and test; without a train file, train on dev except every tenth sentence."""
    parts = {part: data_dir() / f"{path}-{part}.conllu" for part in ("train", "dev", "test")}
    dev, test = bistro.read(parts["dev"]), bistro.read(parts["test"])
    if parts["train"].exists():
        return Data(bistro.read(parts["train"]), dev, test)
    train = [s for i, s in enumerate(dev, start=1) if i % HELD_OUT]
    return Data(train, dev[HELD_OUT - 1 :: HELD_OUT], test)


class PartScores:
    """The log-probability of every family of some sentences under every part of a model."""

    def __init__(self, model: LinearizeModel, sentences: Sequence[Sentence]) -> None:
        self.model = model
        self.by_sentence = [model.ordered_families(model.tree_of(s)) for s in sentences]
        self.families = [family for families in self.by_sentence for family in families]
        self._orders = [model.part_orders(family) for family in self.families]
        self.logs = np.array([[o.log_prob(x) for o, x in parts] for parts in self._orders])

    def sums(self, logs: Floats) -> Floats:
        """Return the sums over the families of each sentence."""
        sums = np.zeros((len(self.by_sentence), logs.shape[1]))
        sizes = [len(families) for families in self.by_sentence]
        np.add.at(sums, np.repeat(np.arange(len(sizes)), sizes), logs)
        return sums

    @cached_property
    def as_in_public_code(self) -> Floats:
        """Log-probabilities computed as in public code of the paper's first author."""
        kinds = [name.rpartition("/")[2] for name in self.model.names]
        k = self.model.config.k
        return np.array(
            [
                [
                    k_once(orders, order, k) if kind == "oo" else log_prob - orders.log_repeats
                    for (orders, order), log_prob, kind in zip(parts, logs, kinds, strict=True)
                ]
                for parts, logs in zip(self._orders, self.logs, strict=True)
            ]
        )


def k_once(orders: Orders, order: Order, k: float) -> float:
    """Return the log-probability if k is added once per order of labels, not per order of words.

    The sum still contains k for each order of words. Where labels repeat, unseen orders lose
    probability, and all orders sum to less than 1.
    """
    missing = k * (1 - math.exp(-orders.log_repeats)) / math.exp(orders.log_total)
    return math.log(math.exp(orders.log_prob(order)) - missing)


def fitted(dev: Floats) -> Floats:
    """Return the weights of the columns that maximise the likelihood of the rows."""
    return mixture_weights(np.exp(dev - dev.max(axis=1, keepdims=True)).T)


def mixed(dev: Floats, test: Floats) -> Floats:
    """Return the logs of the rows of `test`, with columns mixed by weights fitted on `dev`."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.logaddexp.reduce(test + np.log(fitted(dev)), axis=1)
    return logs


def only(dev: PartScores, parts: Sequence[int]) -> LinearizeModel:
    """Return the model with only some of its parts, with weights fitted on `dev`."""
    weights = np.zeros(len(dev.model.names))
    weights[list(parts)] = fitted(dev.logs[:, list(parts)])
    return dev.model.with_weights(weights)


def most_alike(families: Sequence[OrderedFamily], labelling: int) -> int:
    """Return the maximum number of dependents of one head that have the same label."""
    counts = (Counter(x[labelling] for x in family.labels).values() for family in families)
    return max((max(one) for one in counts), default=0)


@dataclass(frozen=True)
class Ordered:
    """Predicted and real orders of sentences, as words."""

    found: list[list[str]]
    real: list[list[str]]

    @classmethod
    def by(
        cls,
        model: LinearizeModel,
        sentences: Sequence[Sentence],
        *,
        ties: Ties = "random",
        sampled: bool = False,
    ) -> Ordered:
        """Order sentences by the best order, or by a sample."""
        found, real = [], []
        for sentence in sentences:
            order: Linearization = (
                model.sample_orders(sentence)[0]
                if sampled
                else model.linearize(sentence, ties=ties)[0]
            )
            found.append(order.sentence.forms)
            real.append([sentence.forms[w - 1] for w in sorted(order.order)])
        return cls(found, real)

    @property
    def bleu(self) -> float:
        """BLEU of the orders, without changes to the words."""
        return bleu(self.found, self.real)

    @property
    def exact(self) -> float:
        """Percentage of sentences in their real order."""
        pairs = zip(self.found, self.real, strict=True)
        return 100 * sum(a == b for a, b in pairs) / len(self.real)


def bag(family: OrderedFamily) -> tuple[int, tuple[int, ...]]:
    """Return the head and its unordered dependents under the first labelling."""
    return family.heads[0], tuple(sorted(labels[0] for labels in family.labels))


def seen_bags(
    model: LinearizeModel, train: Sequence[Sentence], sentences: Sequence[Sentence]
) -> list[list[bool]]:
    """Return for each head of each sentence whether it had these dependents in training."""
    known = {bag(family) for s in train for family in model.ordered_families(model.tree_of(s))}
    return [
        [bag(family) in known for family in model.ordered_families(model.tree_of(s))]
        for s in sentences
    ]
