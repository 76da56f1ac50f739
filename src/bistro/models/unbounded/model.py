"""Models of tags, trees and morphemes with unbounded contexts (Shareghi et al., 2015).

A tree is generated from the top down. Each node is rewritten by a rule that depends on all its
ancestors.

    P(T) = Π over nodes of G_u(rule),     u = the node's symbol, its parent's, ..., up to the top

The distribution G_u backs off to that of u without its last element, and finally to the probability
of the rule given its left-hand side. The distributions are Pitman-Yor processes in a suffix trie of
unbounded depth (`cpp/infinite`). The task defines the meaning of symbols, rules and words
(`bistro.models.unbounded.task`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import RuleTrie
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.checks import Expected, check_arrays
from bistro.models.unbounded.config import ContextElements, UnboundedConfig
from bistro.models.unbounded.rules import Derivation, RuleTable
from bistro.models.unbounded.search import SearchOptions, TreeSearch
from bistro.models.unbounded.task import Task

TRIE, RULES, TASK = "trie", "rules", "task"
NOT_SAVED = 2**32 - 1
SENTENCES_AT_ONCE = 64


@dataclass(eq=False, repr=False)
class UnboundedModel(Model):
    """A trained model with unbounded contexts. Each task has a subclass with its own methods."""

    task_class: ClassVar[type[Task[Any]]]

    config: Any
    task: Any
    """An instance of the model's `task_class`."""
    pcfg: NDArray[np.float64]
    """The probability of each rule given its left-hand side, used to guide searches."""
    trie_arrays: Arrays
    origin: Origin

    def __post_init__(self) -> None:
        self.trie = RuleTrie(**self.trie_arrays, depth=bound(self.config))
        if self.pcfg.size != len(self.rules):
            raise ModelFileError("the grammar must have one probability per rule")

    @property
    def rules(self) -> RuleTable:
        """The rules of the grammar, with the names of symbols and words."""
        rules: RuleTable = self.task.rules
        return rules

    @property
    def by_rules(self) -> bool:
        """Whether contexts consist of rules."""
        return context_elements(self.config, self.task) == "rules"

    def log_prob(self, derivations: Sequence[Derivation]) -> NDArray[np.float64]:
        """Return log P(T) for every tree T."""
        trees, offsets = joined_trees(derivations)
        return self.trie.log_probabilities(
            **self.rules.arrays(), trees=trees, offsets=offsets, by_rules=self.by_rules
        )

    @cached_property
    def tree_search(self) -> TreeSearch:
        """The tree search that uses the grammar and the trie of this model."""
        return TreeSearch(self.rules, self.pcfg, self.trie, by_rules=self.by_rules)

    def decode(
        self, sentences: Iterable[Sequence[str]], options: SearchOptions | None = None
    ) -> Iterator[Any]:
        """Search for each sentence's best tree, and yield the output of the task.

        The draws for a sentence depend on the seed and on the number of preceding sentences.
        """
        settings = options or SearchOptions()
        whole = iter(sentences)
        first = 0
        while batch := list(islice(whole, SENTENCES_AT_ONCE)):
            terminals = [self.task.terminals(words) for words in batch]
            for words, tree in zip(
                batch, self.tree_search.find(terminals, settings, first), strict=True
            ):
                yield self.task.output(words, None if tree is None else tree.derivation)
            first += len(batch)

    def figures(self, items: Sequence[Any]) -> dict[str, float]:
        """Return the bits per word for the held-out trees that the grammar can generate."""
        derivations = [self.task.derivation(item) for item in items]
        known = [(i, d) for i, d in zip(items, derivations, strict=True) if d is not None]
        words = sum(len(self.task.words_of(item)) for item, _ in known)
        bits = -float(self.log_prob([d for _, d in known]).sum()) / math.log(2)
        counted = {"trees": len(items), "trees known": len(known)}
        return {**counted, "bits per word": bits / max(1, words)}

    def header(self) -> dict[str, Any]:
        """Return the names of symbols and words, and the data of the task."""
        return {RULES: self.rules.header(), TASK: self.task.header()}

    def arrays(self) -> Arrays:
        """Return the arrays of the rules, the trie and the task."""
        rules = {**self.rules.arrays(), "pcfg": self.pcfg}
        return flat({RULES: rules, TRIE: self.trie_arrays, TASK: self.task.arrays()})

    @classmethod
    def from_parts(
        cls, config: UnboundedConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        parts = by_owner(arrays, (RULES, TRIE, TASK))
        rules = RuleTable.from_parts(header[RULES], parts[RULES])
        check_arrays(
            arrays,
            {
                **{
                    f"{RULES}.{name}": Expected("i4", (len(rules),))
                    for name in ("left", "first", "second")
                },
                f"{RULES}.pcfg": Expected("f8", (len(rules),), 0, 1),
                f"{TRIE}.base": Expected("f8", (len(rules),), 0, 1),
            },
        )
        task = cls.task_class.from_parts(header[TASK], parts.get(TASK, {}), rules, config)
        return cls(config, task, parts[RULES]["pcfg"], parts[TRIE], origin)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of rules and contexts, the parameters and the model size."""
        rules, trie = self.rules, self.trie_arrays
        stored = trie["element"] != NOT_SAVED
        return {
            "contexts of": context_elements(self.config, self.task),
            "symbols": len(rules.symbols),
            "rules": len(rules),
            "lexical rules": int(rules.is_lexical.sum()),
            "contexts stored": int(stored.sum()),
            "contexts": int(trie["length"][stored].sum()),
            "rules in stored contexts": int((trie["dish"] != NOT_SAVED).sum()),
            "discounts": [round(x, 3) for x in trie["discount"].tolist()],
            "strengths": [round(x, 3) for x in trie["strength"].tolist()],
            "megabytes": megabytes(trie),
        }


def context_elements(config: UnboundedConfig, task: Task[Any]) -> ContextElements:
    """Return the context elements in the configuration, or the defaults of the task."""
    return task.contexts if config.contexts == "auto" else config.contexts


def bound(config: UnboundedConfig) -> int:
    """Return the maximum length of a context in training, or -1 if it is unbounded."""
    if config.sampler.seating == "gibbs":
        return min(config.gibbs_depth, config.depth or config.gibbs_depth)
    return config.depth or -1


def joined_trees(
    derivations: Sequence[Derivation],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Concatenate all trees, and return the resulting array and the offset of each tree."""
    offsets = np.cumsum([0, *(d.size for d in derivations)]).astype(np.int64)
    empty = np.zeros(0, dtype=np.int32)
    return np.concatenate([empty, *derivations]), offsets
