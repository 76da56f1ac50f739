"""Training of word-order models: count, or learn, the parts; then weigh them on held-out trees.

Without a development set every tenth sentence is held out: parts are learned from the others, the
weights fitted, and the parts learned once more from all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import UniformBase
from bistro.encoding.events import Events, padded_events
from bistro.errors import BistroError
from bistro.inference.chains import Session, fingerprint_of, run_chains
from bistro.inference.gibbs import Chain
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.base import Origin, Words
from bistro.models.linearize import LinearizeModel, OrderedFamily, part_names
from bistro.models.linearize_config import LinearizeConfig, order_of, parse_labelling
from bistro.models.linearize_orders import Order
from bistro.models.linearize_parts import (
    CountedSteps,
    DependentNgram,
    ObservedOrders,
    Part,
    ProcessSteps,
    Steps,
    step_contexts,
)
from bistro.models.linearize_trees import Labels, UnorderedTree, families
from bistro.models.settings import SamplerSettings
from bistro.treebank.sentence import Sentence

HELD_OUT = 10
"""One sentence of so many is held out where there is no development set."""
MOST_FAMILIES = 4000
"""To fit a few weights so many families are enough; more are thinned out evenly."""


class LabelledFamilies:
    """All families of a treebank under one labelling, as sequences from the head outwards."""

    def __init__(self, labels: Labels, trees: Sequence[UnorderedTree]) -> None:
        self.labels = labels
        self.observed: Counter[tuple[int, Order]] = Counter()
        ids: list[int] = []
        lengths: list[int] = []
        heads: list[int] = []
        for tree in trees:
            of_heads, of_words = labels.numbers(tree)
            with_dependents = set()
            for family in families(tree):
                with_dependents.add(family.head)
                head = of_heads[family.head - 1]
                left = tuple([of_words[w - 1] for w in family.left])
                right = tuple([of_words[w - 1] for w in family.right])
                self.observed[head, (left, right)] += 1
                ids += left + right
                lengths += (len(left), len(right))
                heads.append(head)
            for word in tree.kept:
                if word not in with_dependents:
                    heads.append(of_heads[word - 1])
                    lengths += (0, 0)
        self._ids = np.array(ids, dtype=np.int32)
        self._lengths = np.array(lengths)
        self._heads = np.repeat(np.array(heads, dtype=np.int32), 2)

    def events(self, order: int, seen: Sequence[str]) -> Events:
        """Return the steps of an n-gram of dependents."""
        offsets = np.concatenate(([0], np.cumsum(self._lengths))).astype(np.int64)
        labels = self.labels
        sequences = padded_events(self._ids, offsets, order, start=labels.start, end=labels.stop)
        steps = self._lengths + 1
        head = np.repeat(self._heads, steps)
        side = np.repeat(np.arange(len(self._lengths), dtype=np.int32) % 2, steps)
        contexts = step_contexts(seen, side, head, sequences.contexts)
        return Events(contexts, sequences.outcomes)


class LinearizeTraining:
    """The parts of one mixture on their way."""

    def __init__(self, trees: Sequence[UnorderedTree], config: LinearizeConfig, seed: int) -> None:
        self.config = config
        self.data = {
            name: LabelledFamilies(Labels.learn(parse_labelling(name, config.tags), trees), trees)
            for name in config.labellings
        }
        self.orders = sorted({1, *(n for m in config.models if (n := order_of(m)))})
        if config.smoothing == "pitman-yor" and "oo" in config.models and self.orders == [1]:
            self.orders = [1, 2]
        self.events = {
            (name, n): families_.events(n, config.seen)
            for name, families_ in self.data.items()
            for n in self.orders
        }
        self.chains: dict[tuple[str, int], Chain] = {}
        if config.smoothing == "pitman-yor":
            self.chains = {
                (name, n): Chain(
                    f"linearize.{name}.n{n}",
                    events,
                    UniformBase(self._outcomes(name)),
                    config.sampler,
                    seed,
                )
                for (name, n), events in self.events.items()
            }

    def _outcomes(self, name: str) -> int:
        return self.data[name].labels.stop + 1

    def digests(self) -> list[str]:
        """Return what recognises the data again."""
        return [events.digest() for events in self.events.values()]

    def parts(self) -> dict[str, Part]:
        """Return the parts, when the chains have run; the 1-grams of all labellings among them."""
        config = self.config
        found: dict[str, Part] = {}
        for name, data in self.data.items():
            ngrams: dict[int, DependentNgram] = {}
            for n in self.orders:
                ngrams[n] = DependentNgram(
                    data.labels,
                    n,
                    self._steps(name, n),
                    config.seen,
                    ngrams.get(1),
                    config.most_cells,
                )
                found[f"{name}/n{n}"] = ngrams[n]
            if "oo" in config.models:
                found[f"{name}/oo"] = self._observed(data, ngrams)
        return found

    def _steps(self, name: str, n: int) -> Steps:
        if self.chains:
            return ProcessSteps(self.chains[name, n].frozen(), self._outcomes(name))
        events = self.events[name, n]
        return CountedSteps.count(
            events.contexts, events.outcomes, self._outcomes(name), self.config.k
        )

    def _observed(
        self, data: LabelledFamilies, ngrams: dict[int, DependentNgram]
    ) -> ObservedOrders:
        if not self.chains:
            return ObservedOrders.count(data.labels, data.observed, None, (0.0, self.config.k))
        base = ngrams[max(ngrams)]
        return ObservedOrders.count(data.labels, data.observed, base, fitted_discount(data))


def fitted_discount(data: LabelledFamilies) -> tuple[float, float]:
    """Return discount and strength of observed orders: one table an order, a restaurant a head."""
    heads = np.array([head for head, _ in data.observed], dtype=np.int32)
    counts = np.array(list(data.observed.values()))
    dishes = np.arange(len(counts), dtype=np.int32)
    events = Events(np.repeat(heads, counts)[:, None], np.repeat(dishes, counts))
    settings = SamplerSettings(seating="minimal", hyper="map")
    chain = Chain("linearize.oo", events, UniformBase(len(counts)), settings, seed=1)
    chain.seat()
    chain.step(0, keep=True)
    discount, strength = chain.franchise.parameters()[1]
    return float(discount), float(strength)


def train_linearize(
    data: Sequence[Words],
    config: LinearizeConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
    dev: Sequence[Sentence] | None = None,
) -> LinearizeModel:
    """Learn the orders of a treebank's families, and mix the parts by their worth on `dev`."""
    sentences = [sentence for sentence in data if isinstance(sentence, Sentence)]
    if len(sentences) != len(data):
        raise BistroError("word order is learned from trees: give a treebank, not lists of words")
    rule = LinearizeModel.rule_for(config, sentences)
    trees = LinearizeModel.trees_of(sentences, config, rule)
    held = LinearizeModel.trees_of(dev, config, rule) if dev else trees[HELD_OUT - 1 :: HELD_OUT]
    weights = np.ones(1)
    names = part_names(config)
    if len(names) > 1 and not dev and held:
        learned_from = [t for i, t in enumerate(trees, start=1) if i % HELD_OUT]
        first = _learned(learned_from, config, seed, {}, Session(), rule)
        weights = fitted_weights(first, held)
    model = _learned(trees, config, seed, treebank, session, rule)
    if dev and len(names) > 1:
        weights = fitted_weights(model, held)
    elif weights.size != len(names):
        weights = np.full(len(names), 1 / len(names))
    return model.with_weights(weights)


def _learned(
    trees: Sequence[UnorderedTree],
    config: LinearizeConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
    rule: str,
) -> LinearizeModel:
    training = LinearizeTraining(trees, config, seed)
    if not any(events.outcomes.size for events in training.events.values()):
        raise BistroError("there is no word with a dependent to learn orders from")
    trace: list[dict[str, Any]] = []
    if training.chains:
        chains = list(training.chains.values())
        fingerprint = fingerprint_of(LinearizeModel.kind, config, seed, training.digests())
        trace = run_chains(chains, config.sampler, fingerprint, session)
    weights = np.full(len(part_names(config)), 1 / len(part_names(config)))
    origin = Origin(seed, treebank, trace)
    return LinearizeModel(config, rule, training.parts(), weights, origin)


def fitted_weights(model: LinearizeModel, trees: Sequence[UnorderedTree]) -> NDArray[np.float64]:
    """Return the weights that give the families of trees the highest likelihood."""
    rows: list[OrderedFamily] = [f for tree in trees for f in model.ordered_families(tree)]
    if not rows:
        return np.full(len(model.names), 1 / len(model.names))
    thinned = rows[:: -(-len(rows) // MOST_FAMILIES)]
    return mixture_weights(np.exp(np.stack([model.part_log_probs(f) for f in thinned]).T))
