"""Training of a committee of constituency parsers.

The weights are fitted after all members have been trained.

The seed of member i is the seed of the run plus i, so members with the same name have different
chains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from bistro.errors import BistroError
from bistro.inference.chains import fingerprint_of
from bistro.inference.mixture_weights import equal_weights
from bistro.models.abilities import VOTE_SPANS, SpanVoter
from bistro.models.base import Model
from bistro.models.constituents.config import ConstituentsConfig, Member
from bistro.models.constituents.mixture import likely_weights, ranks_of
from bistro.models.constituents.model import ConstituentsModel, VoteOptions
from bistro.models.nested import trained_in_turn
from bistro.models.runs import Run
from bistro.models.trees.train import train_trees
from bistro.progress import phase
from bistro.treebank.brackets import Tree, format_tree
from bistro.treebank.constituents import simplified

SEEDS = 2**64
FITTING = 0.15
"""Approximate share of the training time that is spent on fitting weights to a development set."""


def train_constituents(
    data: Sequence[Any],
    config: ConstituentsConfig,
    run: Run,
    dev: Sequence[Any] | None = None,
) -> ConstituentsModel:
    """Train the members on trees.

    If there is a development set, fit the weights of the members on it.
    """
    if not data:
        raise BistroError("there is nothing to train on: the data has no words")
    content = hashlib.sha256("\n".join(map(format_tree, data)).encode()).hexdigest()
    fingerprint = fingerprint_of(ConstituentsModel.kind, config, run.seed, [content])
    trainers: dict[str, Callable[[Run], Model]] = {
        f"{number + 1} {name}": _trainer(data, config, name, number)
        for number, name in enumerate(config.members)
    }
    is_fitted = bool(dev) and config.weights == "likely" and len(config.members) > 1
    with phase("members", share=1 - FITTING if is_fitted else 1.0):
        trained = trained_in_turn(trainers, run, fingerprint)
    members = [VOTE_SPANS.of(model) for model in trained.values()]
    trees = [simplified(item) for item in data]
    weights = equal_weights(len(members)).tolist()
    if dev and is_fitted:
        with phase("fitting", share=FITTING):
            weights = _weights(members, [simplified(item) for item in dev], run)
    words = sum(len(tree.leaves()) for tree in trees)
    origin = run.origin([], sentences=len(trees), words=words)
    return ConstituentsModel(config, members, weights, ranks_of(trees), origin)


def _trainer(
    data: Sequence[Any], config: ConstituentsConfig, name: Member, number: int
) -> Callable[[Run], Model]:
    def train(run: Run) -> Model:
        own = Run((run.seed + number) % SEEDS, run.treebank, run.session)
        return train_trees(data, config.of_member(name), own)

    return train


def _weights(members: Sequence[SpanVoter], golds: Sequence[Tree], run: Run) -> list[float]:
    sentences = [tree.leaves() for tree in golds]
    options = {**VoteOptions().of_members(), "threads": run.session.threads}
    votes = [member.span_votes(sentences, **options) for member in members]
    weights: list[float] = likely_weights(votes, golds).tolist()
    return weights
