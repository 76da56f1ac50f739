"""The probability of a given tree: the sum over the derivations that lead to it.

A tree of least risk is put together from single arcs, labels and tags, each the likeliest, so no
derivation of the search stands for it. Its probability is found by a second, short search with the
whole tree as evidence.

>>> parses = tree_probabilities(model, model.parse_all(sentences))   # doctest: +SKIP
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import islice

from bistro.models.parses import Parse
from bistro.models.transition import SENTENCES_AT_ONCE, TransitionModel
from bistro.treebank.projectivity import Scheme, is_projective, projectivize
from bistro.treebank.sentence import Sentence

BEAM = 8
"""Derivations of one tree differ only in when left arcs are made: few of them hold its mass."""


def tree_probabilities(
    model: TransitionModel, parses: Iterable[Parse], *, threads: int = 0
) -> Iterator[Parse]:
    """Yield parses whose first analysis has the log-probability of its very tree."""
    waiting = iter(parses)
    while chunk := list(islice(waiting, SENTENCES_AT_ONCE)):
        trees = (_as_evidence(model, parse) for parse in chunk)
        search = {"search": "beam", "size": BEAM, "mbr": False, "threads": threads}
        found = model.parse_all(trees, tags="given", partial=True, **search)
        for parse, tree in zip(chunk, found, strict=True):
            log_prob = float("-inf") if tree.relaxed else tree.log_total
            first = dataclasses.replace(parse.analyses[0], log_prob=log_prob)
            yield dataclasses.replace(parse, analyses=[first, *parse.analyses[1:]])


def _as_evidence(model: TransitionModel, parse: Parse) -> Sentence:
    """Return the sentence with the first analysis as its annotation, as the model knows trees."""
    config = model.config
    heads, labels = parse.heads, parse.labels
    if not is_projective(heads):
        scheme: Scheme = "head" if config.nonprojective == "lift" else config.nonprojective
        lifted = projectivize(heads, labels, scheme)
        heads, labels = lifted.heads, lifted.labels if config.nonprojective != "lift" else labels
    split = [tag.partition("|") if config.tag_features else (tag, "", "") for tag in parse.tags]
    tags = [tag for tag, _, _ in split]
    return Sentence.from_columns(
        parse.sentence.forms,
        heads=heads,
        deprels=labels,
        upos=tags,
        xpos=tags,
        feats=[features or "_" for _, _, features in split],
    )
