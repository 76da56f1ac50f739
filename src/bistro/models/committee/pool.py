"""Ranking of whole trees by the mixture of the members' posteriors.

    p(tree) = Σ_m w_m p_m(tree)

A sample is drawn in two steps: first a member according to its weight, and then a tree from the
posterior of this member. To find the most probable trees, each member proposes its own best trees.
Trees with the same heads and tags count as one tree, even if several members propose them. The
probability of a tree is a weighted sum over the members. The labels of the tree come from the
member that contributes most to the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import tee
from typing import TYPE_CHECKING, Any

import numpy as np

from bistro._core import Stream
from bistro.models.results.parses import Analysis, Parse
from bistro.rng import purpose_key
from bistro.sums import added
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.committee.model import CommitteeModel

LEAST_PROPOSED = 10
"""Minimum number of trees that each member proposes, even if fewer trees are requested."""


def pooled(
    committee: CommitteeModel, sentences: Iterable[Sentence], options: Mapping[str, Any]
) -> Iterator[list[Analysis]]:
    """Yield the most probable trees among the members' proposals for each sentence."""
    kbest = options.get("kbest", 1)
    wanted = {"kbest": max(kbest, LEAST_PROPOSED), "mbr": False, "samples": 0}
    weights = committee.fits[options["tags"]].heads
    for parses in _of_members(committee, sentences, {**options, **wanted}):
        trees: dict[tuple[tuple[int, ...], tuple[str, ...]], list[tuple[float, Analysis]]] = {}
        for place, parse in parses.items():
            for analysis in parse.analyses:
                key = tuple(analysis.heads), tuple(_tags(committee, analysis, place, parses))
                trees.setdefault(key, []).append((weights[place] * analysis.posterior, analysis))
        ranked = sorted(trees.items(), key=lambda item: -added(p for p, _ in item[1]))
        yield [_one(list(key[1]), shares) for key, shares in ranked[:kbest]]


def drawn(
    committee: CommitteeModel, sentences: Iterable[Sentence], options: Mapping[str, Any]
) -> Iterator[list[Analysis]]:
    """Yield the trees that are drawn from the members' posteriors for each sentence."""
    wanted = {"kbest": 1, "mbr": True}
    weights = committee.fits[options["tags"]].heads
    for number, parses in enumerate(_of_members(committee, sentences, {**options, **wanted})):
        stream = Stream(options.get("seed", 1), purpose_key("committee.samples"), number)
        places = list(parses)
        borders = np.cumsum([weights[place] for place in places])
        samples = []
        for i in range(options["samples"]):
            member = int(np.searchsorted(borders, stream.uniform() * borders[-1], side="right"))
            place = places[min(member, len(places) - 1)]
            tree = parses[place].samples[i]
            tags = _tags(committee, tree, place, parses)
            samples.append(replace(tree, tags=tags, log_prob=math.nan, posterior=math.nan))
        yield samples


def _of_members(
    committee: CommitteeModel, sentences: Iterable[Sentence], options: Mapping[str, Any]
) -> Iterator[dict[int, Parse]]:
    """Yield the members' parses of each sentence, keyed by the index of the member."""
    most = [committee.most_words_of(member, options) for member in committee.members]
    waiting, *copies = tee(sentences, len(committee.members) + 1)
    streams = [
        member.parse_all(
            _up_to(words, copy), **committee.known_to(member, {**options, "marginals": False})
        )
        for member, words, copy in zip(committee.members, most, copies, strict=True)
    ]
    for sentence in waiting:
        yield {i: next(streams[i]) for i, words in enumerate(most) if len(sentence) <= words}


def _up_to(words: float, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    return (sentence for sentence in sentences if len(sentence) <= words)


def _tags(
    committee: CommitteeModel, analysis: Analysis, place: int, parses: Mapping[int, Parse]
) -> list[str]:
    """Return the tags of a tree in the committee's tag column.

    If the member uses another tag column, the tags come from the best tree of the first member that
    uses the committee's column.
    """
    numbers = committee.symbols.tag_numbers
    if numbers[place] is None:
        place = next(i for i in parses if numbers[i] is not None)
        analysis = parses[place].analyses[0]
    return committee.members[place].shown_tags(analysis.tags)


def _one(tags: list[str], shares: list[tuple[float, Analysis]]) -> Analysis:
    posterior = math.fsum(p for p, _ in shares)
    _, strongest = max(shares, key=lambda share: share[0])
    return replace(strongest, tags=tags, log_prob=math.nan, posterior=posterior)
