"""Word-order models assign a probability to every word order of a dependency tree.

A dependency tree does not specify the order of words. For each head, a mixture of models assigns a
probability to every order of its dependents (Futrell & Gibson 2015). Each part of the mixture
combines a labelling with a model of observed orders or an n-gram model of dependents.

    p(order of the sentence | tree) = prod_heads  sum_m w_m  p_m(order of its dependents | them)

Two dependents with the same label are still two words, and the probabilities of all word orders sum
to 1. Logarithms are natural.

>>> import bistro
>>> trees = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("linearize", trees, seed=1)
>>> best = model.linearize(trees[0])[0]
>>> sorted(best.sentence.forms) == sorted(f for f in trees[0].forms if f not in ".,")
True
>>> model.score_order(trees[0]).log_prob <= 0
True
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError, ConfigError, TreebankError
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, megabytes
from bistro.models.checks import Expected, check_arrays
from bistro.models.inputs import check_number
from bistro.models.linearize.config import LinearizeConfig, order_of, parse_labelling
from bistro.models.linearize.ngrams import Part
from bistro.models.linearize.orders import Order, Orders
from bistro.models.linearize.parts import LearnedOrders, make_parts
from bistro.models.linearize.search import (
    best_orders,
    combined,
    mixed_log_prob,
    preferred,
    with_words,
)
from bistro.models.linearize.trees import Labels, UnorderedTree, check_labels, projective_order
from bistro.models.results.structures import Family, Linearization, OrderScore, Ties
from bistro.rng import Stream, check_seed
from bistro.sums import added
from bistro.treebank.punctuation import mark, recognise
from bistro.treebank.reordering import reordered
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]


class OrderedFamily(NamedTuple):
    """A head with its dependents, and the label indices of each word under every labelling."""

    family: Family
    heads: tuple[int, ...]
    labels: tuple[tuple[int, ...], ...]
    """Label indices of each dependent under every labelling: first the left dependents, then the
    right dependents, each from the head outwards."""


def part_names(config: LinearizeConfig) -> list[str]:
    """Return the names of the mixture's parts.

    >>> part_names(LinearizeConfig(models=("n2",), labellings=("HDR", "R")))
    ['HDR/n2', 'R/n2']
    """
    kinds = [f"n{n}" if (n := order_of(model)) else model for model in config.models]
    return [f"{name}/{kind}" for name in config.labellings for kind in dict.fromkeys(kinds)]


@dataclass(eq=False, repr=False)
class LinearizeModel(Model):
    """A trained word-order model."""

    kind: ClassVar[str] = "linearize"

    config: LinearizeConfig
    rule: str
    """Name of the rule that recognises punctuation."""
    learned: list[LearnedOrders]
    """One item per labelling."""
    weights: Floats
    origin: Origin

    def __post_init__(self) -> None:
        config = self.config
        self.names = part_names(config)
        self._labels = [labels for labels, _ in self.learned]
        made = [make_parts(one, config) for one in self.learned]
        self._mixed: list[tuple[Part, int]] = []
        for name in self.names:
            labelling, _, kind = name.rpartition("/")
            place = config.labellings.index(labelling)
            self._mixed.append((made[place][kind], place))
        self._weigh(self.weights)

    def _weigh(self, weights: Floats) -> None:
        self.weights = weights
        with np.errstate(divide="ignore"):
            self._log_weights = np.log(weights)

    def with_weights(self, weights: Floats) -> LinearizeModel:
        """Return a copy of the model with new weights for its parts."""
        changed = copy.copy(self)
        changed._weigh(weights)
        return changed

    @staticmethod
    def rule_for(config: LinearizeConfig, sentences: Iterable[Sentence]) -> str:
        """Return the rule that recognises punctuation in a treebank."""
        return recognise(sentences) if config.punct == "auto" else config.punct

    @staticmethod
    def trees_of(
        sentences: Iterable[Sentence], config: LinearizeConfig, rule: str, path: str | None = None
    ) -> list[UnorderedTree]:
        """Convert sentences to trees, leaving out punctuation unless it is kept.

        Errors mention `path`.
        """
        labellings = [parse_labelling(name, config.tags) for name in config.labellings]
        trees = []
        for sentence in sentences:
            marks = mark(sentence, rule) if config.punctuation == "removed" else None  # type: ignore[arg-type]
            try:
                tree = UnorderedTree.of(sentence, marks)
                for labelling in labellings:
                    check_labels(tree, labelling)
            except TreebankError as error:
                raise error.in_file(path) from None
            trees.append(tree)
        return trees

    def tree_of(self, sentence: Sentence) -> UnorderedTree:
        """Return the unordered tree of a sentence."""
        if not isinstance(sentence, Sentence):
            raise BistroError("a word-order model requires a tree: give a sentence with heads")
        return self.trees_of([sentence], self.config, self.rule)[0]

    def ordered_families(self, tree: UnorderedTree) -> list[OrderedFamily]:
        """Return the families of a tree, with their label indices under all labellings."""
        numbers = [
            (
                x.of_heads(tree.names(x.labelling.head)),
                x.of_dependents(tree.names(x.labelling.dependent)),
            )
            for x in self._labels
        ]
        return [
            OrderedFamily(
                family,
                tuple([heads[family.head - 1] for heads, _ in numbers]),
                tuple([tuple([of[w - 1] for _, of in numbers]) for w in family.dependents]),
            )
            for family in tree.families
        ]

    def part_orders(self, ordered: OrderedFamily) -> list[tuple[Orders, Order]]:
        """Return all orders of a family and its actual order, for every part of the mixture."""
        pairs = []
        middle = len(ordered.family.left)
        for part, labelling in self._mixed:
            own = [labels[labelling] for labels in ordered.labels]
            types = sorted(set(own))
            places = {label: place for place, label in enumerate(types)}
            sequence = tuple([places[label] for label in own])
            counts = np.array([own.count(label) for label in types])
            orders = part.orders(ordered.heads[labelling], types, counts)
            pairs.append((orders, (sequence[:middle], sequence[middle:])))
        return pairs

    def part_log_probs(self, ordered: OrderedFamily) -> Floats:
        """Return the log-probability of a family's actual order under every part of the mixture."""
        return np.array([orders.log_prob(order) for orders, order in self.part_orders(ordered)])

    def most_dependents(self, sentence: Sentence) -> int:
        """Return the maximum number of dependents of any head in a sentence."""
        families = self.tree_of(sentence).families
        return max((len(family.dependents) for family in families), default=0)

    def order_protocol(self) -> str:
        """Describe which words are ordered."""
        return f"punctuation {self.config.punctuation}"

    def score_order(self, sentence: Sentence, *, of_labels: bool = False) -> OrderScore:
        """Return the log-probability of a sentence's word order, given its tree.

        With `of_labels`, words that no labelling distinguishes are treated as identical.
        """
        families = self.ordered_families(self.tree_of(sentence))
        by_family = []
        for ordered in families:
            log_prob = float(np.logaddexp.reduce(self._log_weights + self.part_log_probs(ordered)))
            if of_labels:
                labels = ordered.labels
                log_prob += added(math.lgamma(labels.count(x) + 1) for x in set(labels))
            by_family.append((ordered.family, log_prob))
        total = math.fsum(log_prob for _, log_prob in by_family)
        return OrderScore(total, sum(len(o.labels) for o in families), by_family)

    def _local(self, ordered: OrderedFamily) -> tuple[list[Orders], list[tuple[int, ...]]]:
        """Return a family's orders under every part with nonzero weight, and its word types."""
        types = sorted(set(ordered.labels))
        counts = np.array([ordered.labels.count(kind) for kind in types])
        return [
            part.orders(ordered.heads[x], [kind[x] for kind in types], counts)
            for (part, x), weight in zip(self._mixed, self.weights, strict=True)
            if weight > 0
        ], types

    def linearize(
        self, sentence: Sentence, *, kbest: int = 1, seed: int = 1, ties: Ties = "random"
    ) -> list[Linearization]:
        """Return the most probable word orders of a tree, starting with the best.

        Words that no labelling distinguishes can be exchanged without changing the probability, so
        all arrangements of such words count as one order. Ties between indistinguishable words and
        between equally probable orders are broken at random, using `seed`. With `ties="input"`,
        ties are broken in favour of the order in the input.
        """
        if kbest < 1:
            raise ConfigError(f"kbest is {kbest}, but must be at least 1")
        if ties not in get_args(Ties):
            raise ConfigError(f"ties is '{ties}', but must be one of {', '.join(get_args(Ties))}")
        check_seed(seed)
        tree = self.tree_of(sentence)
        streams = tuple(Stream(seed, f"linearize.{x}", sentence.line) for x in ("ties", "orders"))
        choices = [self._best(one, kbest, ties, *streams) for one in self.ordered_families(tree)]
        return [self._result(tree, p, families) for p, families in combined(choices, kbest)]

    def _best(
        self, ordered: OrderedFamily, kbest: int, ties: Ties, of_words: Stream, of_orders: Stream
    ) -> list[tuple[float, Family]]:
        """Return the k most probable orders of a family, with their log-probabilities.

        Ties between words and between orders are broken by random streams.
        """
        log_weights = self._log_weights[self.weights > 0]
        local, types = self._local(ordered)
        ranked = best_orders(local, log_weights, kbest, of_orders)
        if ties == "input":
            numbers = tuple(types.index(labels) for labels in ordered.labels)
            middle = len(ordered.family.left)
            own = numbers[:middle], numbers[middle:]
            ranked = preferred(ranked, (mixed_log_prob(local, log_weights, own), own))
        stream = of_words if ties == "random" else None
        return [
            (log_prob, with_words(ordered.family, ordered.labels, types, order, stream))
            for log_prob, order in ranked
        ]

    def sample_orders(
        self, sentence: Sentence, n: int = 1, *, seed: int = 1
    ) -> list[Linearization]:
        """Sample word orders of a tree.

        Sample i depends only on the seed, the sentence's line number and i.
        """
        check_number(n)
        check_seed(seed)
        tree = self.tree_of(sentence)
        rows = [(o, *self._local(o)) for o in self.ordered_families(tree)]
        log_weights = self._log_weights[self.weights > 0]
        weights = np.cumsum(self.weights[self.weights > 0])
        results = []
        for i in range(n):
            stream = Stream(seed, f"linearize.sample.{i}", sentence.line)
            total, families = 0.0, []
            for ordered, local, types in rows:
                place = int(np.searchsorted(weights, stream.uniform() * weights[-1], "right"))
                order: Order = local[place].sample(stream)
                total += mixed_log_prob(local, log_weights, order)
                words = with_words(ordered.family, ordered.labels, types, order, stream)
                families.append(words)
            results.append(self._result(tree, total, families))
        return results

    def _result(
        self, tree: UnorderedTree, log_prob: float, families: Sequence[Family]
    ) -> Linearization:
        order = projective_order(tree.root, {family.head: family for family in families})
        return Linearization(reordered(tree.sentence, order), order, log_prob)

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, including the weights and labels."""
        return {
            "punctuation_rule": self.rule,
            "weights": self.weights.tolist(),
            "labels": [{"heads": labels.heads, "labels": labels.labels} for labels in self._labels],
        }

    def arrays(self) -> Arrays:
        """Return the arrays of all parts, which are counts or frozen processes."""
        return {
            f"{labelling}/{kind}.{key}": array
            for labelling, learned in zip(self.config.labellings, self.learned, strict=True)
            for kind, arrays in learned.arrays.items()
            for key, array in arrays.items()
        }

    @classmethod
    def from_parts(
        cls, config: LinearizeConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from the content of a file."""
        parts: dict[str, dict[str, dict[str, NDArray[Any]]]] = {}
        for name, array in arrays.items():
            part, _, key = name.rpartition(".")
            labelling, _, kind = part.rpartition("/")
            parts.setdefault(labelling, {}).setdefault(kind, {})[key] = array
        learned = [
            LearnedOrders(
                Labels(parse_labelling(name, config.tags), symbols["heads"], symbols["labels"]),
                parts[name],
            )
            for name, symbols in zip(config.labellings, header["labels"], strict=True)
        ]
        weights = np.array(header["weights"], dtype=np.float64)
        check_arrays(
            {"weights": weights}, {"weights": Expected("f", (len(part_names(config)),), 0, 1)}
        )
        return cls(config, header["punctuation_rule"], learned, weights, origin)

    def describe(self) -> str:
        """Return the parts of the mixture and their weights as one line of text."""
        return f"parts and weights: {self.summary()['weights']}"

    def summary(self) -> dict[str, Any]:
        """Return the parts of the mixture, their weights and the size of the model."""
        return {
            "weights": ", ".join(
                f"{name} {weight:.3f}"
                for name, weight in zip(self.names, self.weights, strict=True)
            ),
            "smoothing": self.config.smoothing,
            "labels": ", ".join(
                f"{name} {len(labels.labels)}"
                for name, labels in zip(self.config.labellings, self._labels, strict=True)
            ),
            "punctuation": f"{self.config.punctuation} ({self.rule})",
            "megabytes": megabytes(self.arrays()),
        }
