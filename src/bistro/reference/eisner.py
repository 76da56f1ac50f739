"""Eisner's generative dependency model in plain Python, with enumeration of all trees.

Every head generates its children outward, first on its left and then on its right. Each side ends
with a stop. A step depends on the head, the side and the previous child on that side.

>>> steps([2, 0])                                  # word 1 depends on word 2, which is the root
[Step(head=0, side='right', sibling=0, child=2), Step(head=0, side='right', sibling=2, child=0), \
Step(head=1, side='left', sibling=0, child=0), Step(head=1, side='right', sibling=0, child=0), \
Step(head=2, side='left', sibling=0, child=1), Step(head=2, side='left', sibling=1, child=0), \
Step(head=2, side='right', sibling=0, child=0)]

The weight of a tree is the product of its steps. `enumerate_trees` yields every tree and its
log-weight, for every choice of one candidate (such as a tag) per word. `EisnerTwin` computes the
log-probability of a complete analysis. Each step generates a tag (or the stop) and a word. The
label of an arc is predicted after the tag and the word or, if ``labels="generated"``, before them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from bistro.reference.arc_standard import projective_trees

Side: TypeAlias = Literal["left", "right"]
Choice: TypeAlias = tuple[int, ...]
"""The candidate chosen for each word, such as a tag."""


class Step(NamedTuple):
    """A generation step that adds a child to a head or ends one side of the head.

    Words are numbered from 1, and 0 means no word.
    """

    head: int
    side: Side
    sibling: int
    child: int


def steps(heads: Sequence[int]) -> list[Step]:
    """Return the steps that generate a tree, starting with the root."""
    made: list[Step] = []
    for head in range(len(heads) + 1):
        if head > 0:
            made += _side(heads, head, "left", range(head - 1, 0, -1))
        made += _side(heads, head, "right", range(head + 1, len(heads) + 1))
    return made


def _side(heads: Sequence[int], head: int, side: Side, outward: Iterable[int]) -> Iterator[Step]:
    sibling = 0
    for child in outward:
        if heads[child - 1] == head:
            yield Step(head, side, sibling, child)
            sibling = child
    yield Step(head, side, sibling, 0)


def enumerate_trees(
    candidates: Sequence[Sequence[int]],
    log_weight: Callable[[Step, Choice], float],
    *,
    single_root: bool,
) -> Iterator[tuple[tuple[int, ...], Choice, float]]:
    """Yield the heads, candidates and log-weight of every projective tree."""
    for heads in projective_trees(len(candidates), single_root=single_root):
        made = steps(heads)
        for choice in product(*candidates):
            yield heads, choice, sum(log_weight(step, choice) for step in made)


@dataclass(frozen=True)
class EisnerTwin:
    """The model: log p(outcome | context) of every distribution, and the elements of contexts."""

    num_tags: int
    num_words: int
    num_labels: int
    labels: Literal["arcs", "generated", "none"]
    single_root: bool
    contexts: Mapping[str, Sequence[str]]
    log_predict: Callable[[str, tuple[int, ...], int], float]

    def log_prob(
        self, words: Sequence[int], heads: Sequence[int], tags: Sequence[int], labels: Sequence[int]
    ) -> float:
        """Return the joint log-probability of words, tree, tags and labels."""

        def look(step: Step) -> dict[str, int]:
            """Return the values of the context elements in a step.

            For a head, 0 means the root. For a sibling or child, 0 means that there is no word.
            """
            generated = self.labels == "generated"
            head, sibling, child = step.head, step.sibling, step.child
            return {
                "direction": int(step.side == "right"),
                "parent.tag": tags[head - 1] if head else self.num_tags,
                "parent.word": words[head - 1] if head else self.num_words,
                "parent.label": labels[head - 1] if head and generated else self.num_labels,
                "sibling.tag": tags[sibling - 1] if sibling else self.num_tags + 1,
                "sibling.label": labels[sibling - 1] if sibling else self.num_labels,
                "tag": tags[child - 1],
                "label": labels[child - 1],
                "word": words[child - 1],
            }

        return sum(self._log_step(step, look(step)) for step in steps(heads))

    def _log_step(self, step: Step, seen: dict[str, int]) -> float:
        first = "labels" if self.labels == "generated" else "tags"
        stop = self.num_labels if self.labels == "generated" else self.num_tags
        if step.child == 0:
            if step.head == 0 and self.single_root:
                return 0.0
            return self._log(first, seen, stop)
        log_prob = self._log("tags", seen, seen["tag"]) + self._log("words", seen, seen["word"])
        if self.labels != "none":
            log_prob += self._log("labels", seen, seen["label"])
        if step.head == 0 and step.sibling == 0:
            log_prob -= math.log1p(-math.exp(self._log(first, seen, stop)))
        return log_prob

    def _log(self, name: str, seen: dict[str, int], outcome: int) -> float:
        return self.log_predict(name, tuple(seen[e] for e in self.contexts[name]), outcome)
