"""Fitting of a committee's weights and sharpness to votes on unseen sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.models.committee.mixture import Fit, Mixture, Symbols, in_common
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.weights import accurate_weights, likely_weights, sharpness
from bistro.models.parsing.votes import ArcCode, Ints, Rows, Votes
from bistro.treebank.sentence import Sentence

WEIGHTS: dict[str, Callable[[Sequence[Rows], NDArray[np.int64]], NDArray[np.float64]]] = {
    "accurate": accurate_weights,
    "likely": likely_weights,
    "equal": lambda members, gold: np.full(len(members), 1 / len(members)),
}


def fitted(
    model: CommitteeModel, dev: Sequence[Sentence], way: str, threads: int, **options: Any
) -> Fit:
    """Return the weights and the sharpness that fit the development set best.

    The options must be the same as those used for parsing with these weights.
    """
    known = with_trees(dev)
    votes = model.votes_of_members(known, model.with_defaults(tags=way, threads=threads, **options))
    fit = weights_of(votes, model.symbols, known, model.config.weights)
    lengths = [len(sentence) for sentence in known]
    mixture = Mixture.of(votes, fit, model.symbols, lengths)
    return replace(fit, sharpness=sharpness(mixture.heads, heads_of(known)))


def weights_of(
    votes: Sequence[Votes], symbols: Symbols, sentences: Sequence[Sentence], kind: str
) -> Fit:
    """Return the weights for heads and tags, fitted to votes on these sentences."""
    arcs, tags = in_common(votes, symbols)
    code = ArcCode(len(symbols.labels))
    by_head = [rows.mapped(code.head(rows.what)) for rows in arcs]
    heads = WEIGHTS[kind](by_head, heads_of(sentences))
    return Fit(tuple(heads.tolist()), _tag_weights(symbols, sentences, tags, kind), sharpness=1.0)


def with_trees(dev: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences in a development set that have trees."""
    known = [s for s in dev if isinstance(s, Sentence) and len(s) and min(s.heads) >= 0]
    if not known:
        raise BistroError("the development set has no trees to fit the weights to")
    return known


def heads_of(sentences: Sequence[Sentence]) -> Ints:
    """Return the heads of all words in the sentences, as one array."""
    return np.array([head for sentence in sentences for head in sentence.heads])


def _tag_weights(
    symbols: Symbols, known: Sequence[Sentence], tags: Sequence[Rows | None], kind: str
) -> tuple[float, ...]:
    """Return the weights of the votes for tags.

    Members that use another tag column have weight 0.
    """
    numbers = {tag: i for i, tag in enumerate(symbols.tags)}
    gold = np.array([numbers.get(tag, -1) for s in known for tag in getattr(s, symbols.tag_column)])
    voting = {i: rows for i, rows in enumerate(tags) if rows is not None}
    shares = WEIGHTS[kind]([rows.mapped(rows.what) for rows in voting.values()], gold)
    weights = np.zeros(len(tags))
    weights[list(voting)] = shares
    return tuple(weights.tolist())
