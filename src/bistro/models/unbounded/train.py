"""Training of models with unbounded contexts.

Minimal seating needs only one pass over the data. The suffix trie is built, and the
hyper-parameters of every context length are fitted. The hyper-parameters maximise the probability
of blocks of trees given the other blocks (`cpp/infinite/left_out.hpp`) or, as in the paper, the
posterior given the seating. Gibbs seating samples the tables of a franchise that stores whole
contexts up to a given depth, and averages over the samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import (
    ContextTrie,
    HyperPrior,
    LeftOut,
    LevelLikelihood,
    RuleBase,
    resolve_contexts,
    tree_events,
)
from bistro.errors import BistroError
from bistro.inference.chains import Figures
from bistro.inference.gibbs import Learned, level_figures
from bistro.inference.hyper import maximise, maximise_together
from bistro.models.runs import Run
from bistro.models.unbounded.config import UnboundedConfig
from bistro.models.unbounded.model import (
    NOT_SAVED,
    UnboundedModel,
    bound,
    context_elements,
    joined_trees,
)
from bistro.models.unbounded.rules import Derivation
from bistro.models.unbounded.task import Task
from bistro.sums import added

M = TypeVar("M", bound=UnboundedModel)
NAME = "rules"
AS_STRONG_AS_NEEDED = 1e18
"""Strength of the empty context. The value is so large that the context's distribution equals the
base distribution."""
Columns = dict[str, NDArray[Any]]


class TrieChain:
    """A chain that fits the hyper-parameters of a compressed trie with minimal seating."""

    is_deterministic = True

    def __init__(
        self, trie: ContextTrie, base: NDArray[np.float64], config: UnboundedConfig
    ) -> None:
        self._trie = trie
        self._base = base
        self._settings = config.sampler
        self._levels = max(1, min(config.shared_from, trie.depth))
        first = (self._settings.first_discount, self._settings.strength)
        self._parameters = [first] * self._levels
        self._left_out = None
        if config.fit == "left-out" and self._settings.hyper == "map":
            self._left_out = LeftOut(trie, config.blocks, base)

    def seat(self) -> None:
        """Do nothing, because all events were counted when the trie was built."""

    def step(self, sweep: int, *, keep: bool) -> None:
        """Optimise the hyper-parameters, unless they are fixed."""
        start, settings = self._parameters, self._settings
        if self._left_out is not None:
            self._parameters = maximise_together(self._left_out.gradient, start, settings)
        elif settings.hyper == "map":
            likelihoods = self._trie.level_likelihoods(self._levels)
            pairs = zip(likelihoods, start, strict=True)
            self._parameters = [maximise(level, pair, settings) for level, pair in pairs]

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the seating, without the base distribution."""
        pairs = zip(self._trie.level_likelihoods(self._levels), self._parameters, strict=True)
        return float(added(level(*pair) for level, pair in pairs))

    def figures(self) -> Figures:
        """Return the hyper-parameters by context length, starting at 1."""
        return level_figures(NAME, self._parameters)

    def state(self) -> Columns:
        """Return the hyper-parameters."""
        return {f"{NAME}.parameters": np.array(self._parameters)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the hyper-parameters."""
        self._parameters = [(d, c) for d, c in state[f"{NAME}.parameters"].tolist()]

    def frozen(self) -> Columns:
        """Return the arrays of a `RuleTrie`."""
        discount, strength = (np.array(column) for column in zip(*self._parameters, strict=True))
        parameters = {"base": self._base, "discount": discount, "strength": strength}
        arrays: Columns = self._trie.freeze(**parameters)
        return arrays | parameters


class ContextChain(Learned):
    """A chain that samples the seating of a franchise whose contexts have different lengths."""

    is_deterministic = False

    def __init__(
        self,
        events: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]],
        base: NDArray[np.float64],
        config: UnboundedConfig,
        seed: int,
    ) -> None:
        levels = int(np.diff(events[1]).max()) + 1
        super().__init__(NAME, levels, RuleBase(base.tolist()), config.sampler, seed)
        self._base = base
        self._shared_from = config.shared_from
        self._entries = np.sort(resolve_contexts(self.franchise, *events))
        self.franchise.set_parameters(0, 0.0, AS_STRONG_AS_NEEDED)

    def seat(self) -> None:
        """Seat all events for the first time."""
        self.franchise.add(self._entries, self._stream("seat", 0))

    def step(self, sweep: int, *, keep: bool) -> None:
        """Sweep once, update the hyper-parameters, and keep the sample if `keep` is true."""
        self.franchise.sweep(self._entries, self._stream("sweep", sweep))
        if (sweep + 1) % self.settings.hyper_every == 0:
            self._update(sweep)
        if keep:
            self._kept.add(self.franchise)

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the current seating, without the base distribution."""
        parameters = self.franchise.parameters()
        levels = list(zip(self.franchise.level_likelihoods(), parameters, strict=True))
        return float(added(level(*pair) for level, pair in levels[1:]))

    def figures(self) -> Figures:
        """Return hyper-parameters and numbers of tables by context length, starting at 1.

        The last entry also represents all longer contexts, which share its hyper-parameters.
        """
        tables = [tables for _, _, tables in self.franchise.counts_by_level()[1:]]
        last = min(self._shared_from, len(tables))
        together = [*tables[: last - 1], sum(tables[last - 1 :])]
        return level_figures(NAME, self.franchise.parameters()[1 : last + 1], together)

    def frozen(self) -> Columns:
        """Return the arrays of a `RuleTrie` whose edges all have length 1."""
        arrays = super().frozen()
        nodes = arrays["element"].size
        parameters = np.array(self.franchise.parameters()[1 : self._shared_from + 1])
        return {
            **arrays,
            "base": self._base,
            "length": (arrays["element"] != NOT_SAVED).astype(np.uint32),
            "label": np.zeros(nodes, dtype=np.uint32),
            "link_next": np.zeros(1, dtype=np.uint32),
            "link_element": np.full(1, NOT_SAVED, dtype=np.uint32),
            "discount": np.ascontiguousarray(parameters[:, 0]),
            "strength": np.ascontiguousarray(parameters[:, 1]),
        }

    def _update(self, sweep: int) -> None:
        """Sample or optimise the hyper-parameters of each context length.

        Long contexts share one pair of hyper-parameters.
        """
        stream, settings = self._stream("hyper", sweep), self.settings
        prior = HyperPrior(discount=settings.discount_prior, strength=settings.strength_prior)
        before = self.franchise.parameters()
        for levels, likelihood in self._groups():
            pair = before[levels[0]]
            if settings.hyper == "slice":
                pair = likelihood.slice(*pair, prior, dirichlet=settings.dirichlet, rng=stream)
            elif settings.hyper == "map":
                pair = maximise(likelihood, pair, settings)
            for level in levels:
                self.franchise.set_parameters(level, *pair)

    def _groups(self) -> Iterator[tuple[range, LevelLikelihood]]:
        likelihoods = self.franchise.level_likelihoods()
        last = min(self._shared_from, len(likelihoods) - 1)
        for level in range(1, last):
            yield range(level, level + 1), likelihoods[level]
        shared = likelihoods[last]
        for likelihood in likelihoods[last + 1 :]:
            shared = shared + likelihood
        yield range(last, len(likelihoods)), shared


def train_unbounded(
    model_class: type[M], data: Sequence[Any], config: UnboundedConfig, run: Run
) -> M:
    """Train a model with unbounded contexts on the items of its task."""
    task, derivations = model_class.task_class.learn(data, config)
    if not derivations:
        raise BistroError("there is nothing to train on: the data has no words")
    words = sum(len(task.words_of(item)) for item in data)
    counts = task.rules.counts(derivations)
    pcfg = task.base(counts, config.base_smoothing)
    uniform = task.base(np.zeros_like(counts), config.base_smoothing)
    base = pcfg if config.base == "pcfg" else uniform
    chain = chain_of(task, derivations, base, config, run.seed)
    digest = hashlib.sha256(np.concatenate(derivations).tobytes())
    for column in task.rules.arrays().values():
        digest.update(np.ascontiguousarray(column).tobytes())
    trace = run.sweep(model_class.kind, config, [digest.hexdigest()], [chain])
    origin = run.origin(trace, sentences=len(data), words=words)
    return model_class(config, task, pcfg, chain.frozen(), origin)


def chain_of(
    task: Task[Any],
    derivations: Sequence[Derivation],
    base: NDArray[np.float64],
    config: UnboundedConfig,
    seed: int,
) -> TrieChain | ContextChain:
    """Return the chain for the configured seating: a trie (minimal) or a franchise (Gibbs)."""
    trees, offsets = joined_trees(derivations)
    columns = {**task.rules.arrays(), "trees": trees, "offsets": offsets}
    by_rules, depth = context_elements(config, task) == "rules", bound(config)
    if config.sampler.seating == "gibbs":
        events = tree_events(**columns, by_rules=by_rules, depth=depth)
        return ContextChain(events, base, config, seed)
    trie = ContextTrie.of_trees(**columns, by_rules=by_rules, depth=depth, blocks=config.blocks)
    return TrieChain(trie, base, config)
