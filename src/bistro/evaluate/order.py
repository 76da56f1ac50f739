"""Dependency lengths of real, sampled, random and optimal orders, and BLEU for predicted orders.

The length of a dependency is the distance in words between a word and its head. A random order of a
tree is drawn uniformly from all its projective orders. The optimal projective order has the
smallest total length (Gildea & Temperley 2007). Dependents are placed alternately on the two sides
of the head, with the largest subtrees outermost and the smallest next to the head.

>>> heads = [0, 1, 1, 1, 4]                      # a head with three dependents, one of two words
>>> order = optimal_order(heads, range(1, 6))
>>> total_length(heads, order)
5
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from bistro.errors import BistroError
from bistro.models.linearize.permutations import shuffled
from bistro.models.linearize.trees import projective_order
from bistro.models.results.structures import Family
from bistro.rng import Stream


def total_length(heads: Sequence[int], order: Sequence[int]) -> int:
    """Return the sum of the distances between words and their heads.

    Omitted words are not counted.
    """
    place = {word: i for i, word in enumerate(order)}
    return sum(abs(place[w] - place[heads[w - 1]]) for w in order if heads[w - 1])


def random_order(heads: Sequence[int], kept: Sequence[int], stream: Stream) -> list[int]:
    """Draw a projective order of a tree's words uniformly at random."""
    ordered = {}
    for head, dependents in _children(heads, kept).items():
        mixed = shuffled([head, *dependents], stream)
        middle = mixed.index(head)
        ordered[head] = Family(head, tuple(mixed[:middle][::-1]), tuple(mixed[middle + 1 :]))
    return projective_order(_root(heads), ordered)


def optimal_order(heads: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return a projective order with the smallest total dependency length."""
    children = _children(heads, kept)
    sizes = _sizes(heads, kept)
    sides: dict[int, int] = {_root(heads): 0}
    ordered = {}
    for head in _from_the_top(_root(heads), children):
        # The outermost dependent has the largest subtree: begin on the side away
        # from the parent, so that the largest subtree does not lie between.
        family: tuple[list[int], list[int]] = ([], [])
        side = sides[head]
        for word in sorted(children[head], key=lambda w: (-sizes[w], w)):
            family[side].append(word)
            sides[word] = side
            side = 1 - side
        ordered[head] = Family(head, tuple(family[0][::-1]), tuple(family[1][::-1]))
    return projective_order(_root(heads), ordered)


def _root(heads: Sequence[int]) -> int:
    return list(heads).index(0) + 1


def _children(heads: Sequence[int], kept: Sequence[int]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for word in kept:
        if heads[word - 1]:
            children.setdefault(heads[word - 1], []).append(word)
    return children


def _sizes(heads: Sequence[int], kept: Sequence[int]) -> dict[int, int]:
    sizes = dict.fromkeys(kept, 0)
    for start in kept:
        word = start
        while word:
            sizes[word] += 1
            word = heads[word - 1]
    return sizes


def _from_the_top(root: int, children: dict[int, list[int]]) -> list[int]:
    order, waiting = [], [root]
    while waiting:
        head = waiting.pop()
        if head in children:
            order.append(head)
            waiting += children[head]
    return order


def bleu(predicted: Sequence[Sequence[str]], real: Sequence[Sequence[str]]) -> float:
    """Return the BLEU score of predicted orders against the real orders, computed by sacrebleu.

    The words are not tokenised again.
    """
    try:
        sacrebleu: Any = importlib.import_module("sacrebleu")
    except ImportError:
        raise BistroError("BLEU needs the package sacrebleu: pip install sacrebleu") from None
    metric = sacrebleu.metrics.BLEU(tokenize="none", force=True)
    scored = metric.corpus_score([" ".join(w) for w in predicted], [[" ".join(w) for w in real]])
    return float(scored.score)
