"""The words and rules of a probabilistic grammar with marked heads, and functions that check them.

A rule ``A -> B C D`` defines which child is the head and how the other children relate to it, so a
derivation is a dependency tree.

>>> rules = [Rule("S", ("N", "V"), head=1, relations=("nsubj", ""), weight=1.0)]
>>> lexicon = {"N": {Word("dogs"): 1.0}, "V": {Word("bark"): 1.0}}
>>> useful(rules, lexicon, "S") == rules
True
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Lexicon = Mapping[str, Mapping["Word", float]]


class Word(NamedTuple):
    """A lexical entry that a preterminal may emit."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"


class Rule(NamedTuple):
    """A weighted rule. `head` is the position of the head child, whose relation is empty."""

    left: str
    right: tuple[str, ...]
    head: int
    relations: tuple[str, ...]
    weight: float


def merged(rules: Iterable[Rule]) -> list[Rule]:
    """Merge identical rules by adding their weights."""
    weights: dict[tuple[str, tuple[str, ...], int, tuple[str, ...]], float] = defaultdict(float)
    for left, right, head, relations, weight in rules:
        weights[left, right, head, relations] += weight
    return [Rule(*key, weight) for key, weight in weights.items() if weight > 0]


def productive(rules: Sequence[Rule], lexicon: Lexicon) -> set[str]:
    """Return the symbols from which some string of words can be derived."""
    waiting: dict[str, list[int]] = defaultdict(list)
    missing = [len(set(rule.right)) for rule in rules]
    for index, rule in enumerate(rules):
        for symbol in set(rule.right):
            waiting[symbol].append(index)
    known = {symbol for symbol, words in lexicon.items() if words}
    agenda = list(known)
    while agenda:
        for index in waiting[agenda.pop()]:
            missing[index] -= 1
            left = rules[index].left
            if missing[index] == 0 and left not in known:
                known.add(left)
                agenda.append(left)
    return known


def reachable(rules: Sequence[Rule], start: str) -> set[str]:
    """Return the symbols that occur in some derivation from the start symbol."""
    below: dict[str, set[str]] = defaultdict(set)
    for rule in rules:
        below[rule.left].update(rule.right)
    symbols = {start}
    agenda = [start]
    while agenda:
        new = below[agenda.pop()] - symbols
        symbols |= new
        agenda += new
    return symbols


def useful(rules: Sequence[Rule], lexicon: Lexicon, start: str) -> list[Rule]:
    """Return the rules that occur in some complete derivation of a sentence."""
    complete = productive(rules, lexicon)
    finishing = [rule for rule in rules if complete.issuperset(rule.right)]
    seen = reachable(finishing, start)
    return [rule for rule in finishing if rule.left in seen]
