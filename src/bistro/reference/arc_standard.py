"""The arc-standard transition system in plain Python, with enumeration of trees and derivations.

A configuration consists of the stack (words without a head), the generated words and tags, and the
arcs.

    shift      the next word is pushed onto the stack
    left-arc   the second item of the stack becomes a child of the first
    right-arc  the first becomes a child of the second
    end        no word follows (several roots), or the root follows (root last)

>>> system = ArcStandard(root_first=True, single_root=True)
>>> [list(names) for names in derivations(system, [2, 0])]
[['shift', 'shift', 'left-arc', 'right-arc']]
>>> len(list(derivations(system, [2, 0, 2]))), len(projective_trees(3, single_root=True))
(2, 7)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

Action: TypeAlias = Literal["shift", "left-arc", "right-arc", "end"]
Analysis: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The heads, labels and tags of all words."""

ROOT = 0
EAGER: tuple[Action, ...] = ("right-arc", "left-arc", "shift", "end")


class Arc(NamedTuple):
    """An arc from a head to a dependent, with a label. Words are numbered from 1."""

    head: int
    dependent: int
    label: int = 0


@dataclass(frozen=True)
class Configuration:
    """A parser configuration. The stack holds words without a head; its last word is the top."""

    stack: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    tags: tuple[int, ...] = ()
    arcs: tuple[Arc, ...] = ()
    ended: bool = False


@dataclass(frozen=True)
class ArcStandard:
    """The arc-standard system, with the root first or last, and with one or several root words."""

    root_first: bool
    single_root: bool

    def start(self) -> Configuration:
        """Return the configuration before the first word."""
        return Configuration(stack=(ROOT,) if self.root_first else ())

    def is_final(self, now: Configuration) -> bool:
        """Return whether the sentence and the tree are complete."""
        if self.root_first and self.single_root:
            return any(arc.head == ROOT for arc in now.arcs)
        return now.ended and now.stack == (ROOT,)

    def actions(self, now: Configuration) -> list[Action]:
        """Return the actions that the model allows, regardless of the sentence."""
        if self.is_final(now):
            return []
        if now.ended:
            return ["left-arc"]
        possible: list[Action] = ["shift"]
        if len(now.stack) >= 2:
            possible += ["right-arc"] if now.stack[-2] == ROOT else ["left-arc", "right-arc"]
        if self._may_end(now):
            possible.append("end")
        return possible

    def _may_end(self, now: Configuration) -> bool:
        if self.root_first:
            return not self.single_root and now.stack == (ROOT,) and bool(now.words)
        return len(now.stack) == 1 or (len(now.stack) > 1 and not self.single_root)

    def arc(self, now: Configuration, action: Action) -> Arc:
        """Return the unlabelled arc that an action adds."""
        below, top = now.stack[-2:]
        return Arc(top, below) if action == "left-arc" else Arc(below, top)

    def apply(
        self, now: Configuration, action: Action, *, label: int = 0, tag: int = 0, word: int = 0
    ) -> Configuration:
        """Return the configuration after an action."""
        if action == "shift":
            place = len(now.words) + 1
            words, tags = (*now.words, word), (*now.tags, tag)
            return replace(now, stack=(*now.stack, place), words=words, tags=tags)
        if action == "end":
            return replace(
                now, stack=now.stack if self.root_first else (*now.stack, ROOT), ended=True
            )
        arc = self.arc(now, action)._replace(label=label)
        stack = (*now.stack[:-2], arc.head)
        return replace(now, stack=stack, arcs=(*now.arcs, arc))


def follows(system: ArcStandard, now: Configuration, action: Action, heads: Sequence[int]) -> bool:
    """Return whether an action is consistent with the tree given by `heads`."""
    left = len(heads) - len(now.words)
    if action in ("shift", "end"):
        return (left > 0) == (action == "shift")
    head, dependent, _ = system.arc(now, action)
    children = sum(arc.head == dependent for arc in now.arcs)
    return heads[dependent - 1] == head and children == list(heads).count(dependent)


def derivations(system: ArcStandard, heads: Sequence[int]) -> Iterator[tuple[Action, ...]]:
    """Yield every derivation of the tree, beginning with the derivation that adds arcs earliest."""

    def go_on(now: Configuration, done: tuple[Action, ...]) -> Iterator[tuple[Action, ...]]:
        if system.is_final(now) and len(now.arcs) == len(heads):
            yield done
        for action in sorted(system.actions(now), key=EAGER.index):
            if follows(system, now, action, heads):
                yield from go_on(system.apply(now, action), (*done, action))

    yield from go_on(system.start(), ())


def oracle(system: ArcStandard, heads: Sequence[int]) -> tuple[Action, ...]:
    """Return the derivation that adds every arc as early as possible, right arcs first."""
    return next(derivations(system, heads))


@lru_cache
def projective_trees(size: int, *, single_root: bool) -> list[tuple[int, ...]]:
    """Return the heads of all projective trees over `size` words."""
    every = product(range(size + 1), repeat=size)
    return [
        heads
        for heads in every
        if heads.count(ROOT) == 1 or (not single_root and ROOT in heads)
        if is_projective_tree(heads)
    ]


def is_projective_tree(heads: Sequence[int]) -> bool:
    """Return whether the heads form a projective tree in which all words descend from the root."""
    above = [_ancestors(heads, word) for word in range(len(heads) + 1)]
    return all(ROOT in above[word] for word in range(1, len(heads) + 1)) and all(
        head == ROOT or head in above[between]
        for word, head in enumerate(heads, start=1)
        for between in range(min(word, head) + 1, max(word, head))
    )


def _ancestors(heads: Sequence[int], word: int) -> set[int]:
    ancestors: set[int] = set()
    while word != ROOT and heads[word - 1] not in ancestors:
        word = heads[word - 1]
        ancestors.add(word)
    return ancestors


def read_off(now: Configuration) -> Analysis:
    """Return the heads, labels and tags of a complete configuration."""
    by_word = sorted((arc.dependent, arc.head, arc.label) for arc in now.arcs)
    return tuple(h for _, h, _ in by_word), tuple(la for _, _, la in by_word), now.tags
