"""Explanations of the probability of a tree under Eisner's model, decision by decision.

A sentence has at least one word. Therefore the probability of an immediate stop is redistributed
among the possible first children of the root.

    p(first child of the root) = chain(child) / (1 - chain(stop))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bistro._core import SentenceBatch, dependency_events
from bistro.encoding.events import Events
from bistro.models.backoff import Backoff, Seen, decided, opened
from bistro.models.parsing.codec import Tree
from bistro.models.parsing.explained_trees import (
    ROOT,
    arc_name,
    symbol_name,
    training_batch,
    tree_to_explain,
)
from bistro.models.results.explanations import Decision, Explanation, meaning_of_numbers
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.eisner.model import EisnerModel

SIDES = ("left", "right")
NOT_EMPTY = "divided by {:.4g}: a sentence has a word, so no stop comes first"


def explain_tree(
    model: EisnerModel, sentence: Sentence, training: Iterable[Sentence] | None
) -> Explanation:
    """Explain a given or predicted tree in terms of its decisions, head by head."""
    words, tree, is_given = tree_to_explain(model, sentence)
    known = None if training is None else _events(model, training_batch(model, training))
    distributions = {name: model.distributions[name] for name in _names(model)}
    chains = opened(model, distributions, model.num_outcomes, known)
    events = _events(model, model.codec.encode([words], [tree]))
    decisions = list(_Generation(model, words.forms, tree, chains, events).decisions())
    which = "The given tree" if is_given else "The best tree of the chart"
    protocol = f"{which}, generated head by head. {meaning_of_numbers(decisions)}"
    trees = tree.heads, tree.labels, tree.tags
    return Explanation(model.kind, sentence.forms, decisions, protocol, *trees)


def _names(model: EisnerModel) -> list[str]:
    """Return the names of the distributions that generate trees, excluding those of the tagger."""
    return ["labels", "tags", "words"] if model.codec.is_labelled else ["tags", "words"]


def _events(model: EisnerModel, batch: SentenceBatch) -> dict[str, Events]:
    events = dependency_events(model.shape, batch)
    return {name: Events(*events[name]) for name in _names(model)}


@dataclass
class _Generation:
    """A traversal of a tree in the order in which its events are generated."""

    model: EisnerModel
    words: list[str]
    tree: Tree
    chains: dict[str, Backoff]
    events: dict[str, Events]
    used: dict[str, int] = field(default_factory=dict)
    step: int = 0

    def decisions(self) -> Iterator[Decision]:
        """Yield the decisions of all heads in the order in which they are generated.

        The decisions on the left side of a head precede those on its right side.
        """
        for head in range(len(self.words) + 1):
            for side in SIDES if head else SIDES[1:]:
                yield from self._side(head, side)

    def _side(self, head: int, side: str) -> Iterator[Decision]:
        outward = range(head - 1, 0, -1) if side == "left" else range(head + 1, len(self.words) + 1)
        children = [child for child in outward if self.tree.heads[child - 1] == head]
        label_first = "labels" in self.chains and self.model.config.labels == "generated"
        names = ["labels", "tags", "words"] if label_first else ["tags", "words", "labels"]
        names = [name for name in names if name in self.chains]
        for number, child in enumerate(children):
            for name in names:
                is_first = head == 0 and number == 0 and name == names[0]
                yield self._decision(name, child, arc_name(self.words, head, child), is_first)
        if head or not self.model.single_root:
            of = self.words[head - 1] if head else ROOT
            place = head or len(self.words) + 1
            yield self._decision(names[0], place, f"no more on the {side} of {of}", False)

    def _decision(self, name: str, place: int, detail: str, is_first: bool) -> Decision:
        row = self.used.get(name, 0)
        self.used[name] = row + 1
        events = self.events[name]
        outcome = int(events.outcomes[row])
        context = self._context(name, events.contexts[row].tolist())
        scale, reason = self._scale(name, context, is_first)
        levels = self.chains[name].chain(context, outcome, scale)
        self.step += 1
        token = self.words[place - 1] if place <= len(self.words) else ROOT
        about = self.step, place, token, name, self._outcome(name, outcome), detail
        return decided(about, levels, scale, reason)

    def _scale(self, name: str, context: Sequence[Seen], is_first: bool) -> tuple[float, str]:
        chains, count = self.chains[name], self.model.num_outcomes[name]
        if is_first:
            rest = 1 - chains.distribution_sum(context, [count - 1])
            return 1 / rest, NOT_EMPTY.format(rest)
        if name == "labels" and self.model.config.labels == "arcs":
            # In the single precision of the file, the sum is not exactly 1; the parser corrects it.
            return 1 / chains.distribution_sum(context, range(count)), ""
        return 1.0, ""

    def _outcome(self, name: str, outcome: int) -> str:
        what = name.removesuffix("s")
        symbols: Any = {"tag": self.model.codec.tags, "label": self.model.codec.labels}
        if what in symbols and outcome == len(symbols[what]):
            return "stop"
        return symbol_name(self.model.codec, what, outcome)

    def _context(self, name: str, values: Sequence[int]) -> list[Seen]:
        elements = getattr(self.model.config.contexts, name)
        return [
            Seen(element, self._value(element, value), value)
            for element, value in zip(elements, values, strict=True)
        ]

    def _value(self, element: str, value: int) -> str:
        if element == "direction":
            return SIDES[value]
        return symbol_name(self.model.codec, element.rpartition(".")[2], value)
