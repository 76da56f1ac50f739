"""Training of word-order models. The weights of the parts are fitted on held-out trees.

Without a development set, every tenth sentence is held out. To fit the weights, the parts are first
trained on half of the sentences, none of which is held out. Then the parts are trained again on all
sentences.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import UniformBase
from bistro.encoding.events import Events
from bistro.errors import BistroError
from bistro.inference.gibbs import Chain
from bistro.inference.hyper import maximise
from bistro.inference.mixture_weights import equal_weights, mixture_weights
from bistro.inference.settings import SamplerSettings
from bistro.models.inputs import Words
from bistro.models.linearize.config import OBSERVED, LinearizeConfig, order_of, parse_labelling
from bistro.models.linearize.data import LabelledFamilies, TreebankFamilies
from bistro.models.linearize.model import LinearizeModel, part_names
from bistro.models.linearize.observed import counted_orders, discounted_orders
from bistro.models.linearize.orders import Order
from bistro.models.linearize.parts import LearnedOrders
from bistro.models.linearize.steps import count_steps
from bistro.models.linearize.trees import UnorderedTree
from bistro.models.runs import Run, Trace
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

HELD_OUT = 10
"""Without a development set, every sentence whose number is divisible by this value is held out.
The value is even, so that sentences with odd numbers are never held out."""
QUICK_SWEEPS = 3
"""Number of sweeps for parts that are trained only to fit the weights on held-out trees."""


class LabellingTraining:
    """Trains the n-gram models of dependents and counts the observed orders for one labelling."""

    def __init__(
        self, name: str, families: TreebankFamilies, config: LinearizeConfig, seed: int
    ) -> None:
        self.config = config
        self.families = LabelledFamilies(parse_labelling(name, config.tags), families)
        orders = {n for model in config.models if (n := order_of(model))}
        is_learned = config.smoothing == "pitman-yor"
        if is_learned and OBSERVED in config.models and max(orders, default=1) == 1:
            orders.add(2)  # The base of observed orders should take neighbours into account.
        # Even if it is not mixed, the 1-gram is needed for heads with too many dependents.
        self.events = {n: self.families.events(n, config.seen) for n in sorted(orders | {1})}
        base = UniformBase(self.families.labels.outcomes)
        self.chains = {
            n: Chain(f"linearize.{name}.n{n}", self.events[n], base, config.sampler, seed)
            for n in sorted(orders)
            if is_learned
        }

    def learned(self) -> LearnedOrders:
        """Return the learned arrays after the Markov chains have run.

        A 1-gram model that is not part of the mixture consists only of counts.
        """
        labels = self.families.labels
        arrays = {
            f"n{n}": self.chains[n].frozen()
            if n in self.chains
            else count_steps(events.contexts, events.outcomes, labels.outcomes)
            for n, events in self.events.items()
        }
        if OBSERVED in self.config.models:
            arrays[OBSERVED] = self._observed(self.families.observed, len(labels.heads))
        return LearnedOrders(labels, arrays)

    def _observed(
        self, families: Mapping[tuple[int, Order], int], heads: int
    ) -> dict[str, NDArray[Any]]:
        if self.chains:
            return discounted_orders(families, heads, *fitted_discount(families))
        return counted_orders(families, heads, self.config.k)


def fitted_discount(families: Mapping[tuple[int, Order], int]) -> tuple[float, float]:
    """Fit the discount and strength for observed orders, with one table per head and order."""
    heads = np.array([head for head, _ in families], dtype=np.int32)
    counts = np.array(list(families.values()))
    dishes = np.arange(len(counts), dtype=np.int32)
    events = Events(np.repeat(heads, counts)[:, None], np.repeat(dishes, counts))
    settings = SamplerSettings(seating="minimal", hyper="map")
    chain = Chain("linearize.oo", events, UniformBase(len(counts)), settings, seed=1)
    chain.seat()
    likelihood, start = chain.franchise.level_likelihoods()[1], chain.franchise.parameters()[1]
    return maximise(likelihood, start, settings)


def train_linearize(
    data: Sequence[Words],
    config: LinearizeConfig,
    run: Run,
    dev: Sequence[Sentence] | None = None,
) -> LinearizeModel:
    """Train a word-order model on a treebank, and fit the weights of its parts on `dev`."""
    sentences = [sentence for sentence in data if isinstance(sentence, Sentence)]
    if len(sentences) != len(data):
        raise BistroError(
            "word order is learned from trees: give a treebank instead of lists of words"
        )
    rule = LinearizeModel.rule_for(config, sentences)
    trees = LinearizeModel.trees_of(sentences, config, rule, run.treebank.get("name"))
    held = trees[HELD_OUT - 1 :: HELD_OUT]
    if dev:
        path = dev.path if isinstance(dev, Treebank) else None
        held = LinearizeModel.trees_of(dev, config, rule, path)
    weights = np.ones(1)
    names = part_names(config)
    if len(names) > 1 and not dev and held:
        quick = dataclasses.replace(config, sampler=_shorter(config.sampler))
        first = _learned(trees[::2], quick, Run(run.seed), rule)
        weights = fitted_weights(first, held)
    model = _learned(trees, config, run, rule)
    if dev and len(names) > 1:
        weights = fitted_weights(model, held)
    elif weights.size != len(names):
        weights = equal_weights(len(names))
    return model.with_weights(weights)


def _shorter(sampler: SamplerSettings) -> SamplerSettings:
    """Return settings with fewer sweeps, for parts that are trained only to fit the weights."""
    sweeps = min(sampler.sweeps, QUICK_SWEEPS)
    return dataclasses.replace(sampler, sweeps=sweeps, samples=min(sampler.samples, sweeps))


def _learned(
    trees: Sequence[UnorderedTree], config: LinearizeConfig, run: Run, rule: str
) -> LinearizeModel:
    if not any(tree.families for tree in trees):
        raise BistroError("there is nothing to learn from: no word in the data has a dependent")
    families = TreebankFamilies(trees, leaves=config.leaves == "counted")
    trained = [LabellingTraining(name, families, config, run.seed) for name in config.labellings]
    trace: Trace = []
    if chains := [chain for one in trained for chain in one.chains.values()]:
        digests = [events.digest() for one in trained for events in one.events.values()]
        trace = run.sweep(LinearizeModel.kind, config, digests, chains)
    learned = [one.learned() for one in trained]
    weights = equal_weights(len(part_names(config)))
    return LinearizeModel(config, rule, learned, weights, run.origin(trace))


def fitted_weights(model: LinearizeModel, trees: Sequence[UnorderedTree]) -> NDArray[np.float64]:
    """Return the weights that maximise the likelihood of the word orders in the given trees."""
    families = [family for tree in trees for family in model.ordered_families(tree)]
    if not families:
        return equal_weights(len(model.names))
    known: dict[Any, NDArray[np.float64]] = {}
    rows = []
    # A few thousand families are enough to fit a few weights.
    most = model.config.held_out_families or len(families)
    for ordered in families[:: -(-len(families) // most)]:
        alike = ordered.heads, ordered.labels, len(ordered.family.left)
        if alike not in known:
            known[alike] = model.part_log_probs(ordered)
        rows.append(known[alike])
    return mixture_weights(np.exp(np.stack(rows).T))
