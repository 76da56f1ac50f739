"""The generative transition model in plain Python, with sums over all derivations.

A shift generates a tag and a word, and an arc generates a label. Actions that are impossible in a
configuration have probability 0. In the following formula, h is the context of each step.

    p(words, tags, tree) = Σ over derivations  Π p(action | h) p(label | h) p(tag | h) p(word | h)

The compiled parser computes the same probability faster, and shares no code with this module. In
this module, all properties of a configuration are computed from its arcs at every step. The
predictor can be any function.

>>> elements = {"actions": ["s1.tag"], "labels": ["action"], "tags": ["s1.tag"], "words": ["b.tag"]}
>>> model = GenerativeParser(
...     ArcStandard(root_first=True, single_root=True), num_tags=1, num_words=2, num_labels=1,
...     labels="two-step", contexts=elements, predict=lambda name, context, outcome: 0.5,
... )
>>> model.analyses(words=[0], tags_of=[[0]])
{((0,), (0,), (0,)): 0.0625}
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from bistro.reference.arc_standard import (
    ROOT,
    Action,
    Analysis,
    ArcStandard,
    Configuration,
    read_off,
)

Predictor: TypeAlias = Callable[[str, tuple[int, ...], int], float]
"""A function that returns p(outcome | context) for a distribution, which is named actions, labels,
tags or words."""

MOST_CHILDREN = 3
NO_DISTANCE = 6
STACK_ITEMS = 4


class Event(NamedTuple):
    """A training event: an outcome of a distribution in a context."""

    distribution: str
    context: tuple[int, ...]
    outcome: int


@dataclass(frozen=True)
class GenerativeParser:
    """A generative transition model with a given predictor."""

    system: ArcStandard
    num_tags: int
    num_words: int
    num_labels: int
    labels: Literal["joint", "two-step", "none"]
    contexts: Mapping[str, Sequence[str]]
    predict: Predictor
    lexicalised: bool = True
    kinds: Sequence[int] = ()
    """For each tag, the first tag that is identical to it when features are ignored."""
    shift_factor: Callable[[int], float] = lambda words: 1.0
    """A function that maps the number of generated words to a factor for the probability of a
    shift."""

    def observe(self, now: Configuration) -> dict[str, int]:
        """Return the values of all elements, as `bistro.encoding.contexts` names them."""
        seen: dict[str, int] = {}
        for item in range(1, STACK_ITEMS + 1):
            node = now.stack[-item] if item <= len(now.stack) else None
            facts = self._facts(now, node)
            facts |= {
                name.removesuffix("tag") + "kind": self.kind(tag)
                for name, tag in facts.items()
                if name.endswith("tag")
            }
            seen |= {f"s{item}.{name}": value for name, value in facts.items()}
        for back in (1, 2):
            known = len(now.words) >= back
            seen[f"p{back}.tag"] = now.tags[-back] if known else self.num_tags + 1
            seen[f"p{back}.word"] = now.words[-back] if known else self.num_words + 1
        seen["distance"] = self._distance(now)
        return seen

    def kind(self, tag: int) -> int:
        """Return the kind of a tag. The root and a missing tag each have their own kind."""
        return self.kinds[tag] if tag < len(self.kinds) else tag

    def _facts(self, now: Configuration, node: int | None) -> dict[str, int]:
        here = self._position(now, node)
        children = sorted((arc.dependent, arc.label) for arc in now.arcs if arc.head == node)
        left = [child for child in children if child[0] < here]
        right = [child for child in children if child[0] > here]
        tag, word = self._symbols(now, node)
        facts = {"tag": tag, "word": word}
        for name, outermost in (("lc1", left[:1]), ("rc1", right[-1:])):
            child, label = outermost[0] if outermost else (None, self.num_labels)
            tag, word = self._symbols(now, child)
            facts |= {f"{name}.tag": tag, f"{name}.label": label, f"{name}.word": word}
        for name, side in (("lval", left), ("rval", right)):
            facts[name] = MOST_CHILDREN + 1 if node is None else min(len(side), MOST_CHILDREN)
        return facts

    def _symbols(self, now: Configuration, node: int | None) -> tuple[int, int]:
        """Return the ids of a node's tag and word. The root and a missing node have special ids."""
        if node is None:
            return self.num_tags + 1, self.num_words + 1
        return (
            (now.tags[node - 1], now.words[node - 1]) if node else (self.num_tags, self.num_words)
        )

    def _position(self, now: Configuration, node: int | None) -> int:
        return node or (ROOT if self.system.root_first else len(now.words) + 1)

    def _distance(self, now: Configuration) -> int:
        if len(now.stack) < 2:
            return NO_DISTANCE
        distance = self._position(now, now.stack[-1]) - self._position(now, now.stack[-2])
        return sum(distance > limit for limit in (1, 2, 3, 5, 10))

    def _event(self, name: str, seen: Mapping[str, int], outcome: int) -> Event:
        return Event(name, tuple(seen[element] for element in self.contexts[name]), outcome)

    def outcome(self, action: Action, label: int) -> int:
        """Return the id of an action (ids are in the order shift, end, left arcs, right arcs)."""
        kinds = self.num_labels if self.labels == "joint" else 1
        arc = label if self.labels == "joint" else 0
        return {"shift": 0, "end": 1, "left-arc": 2 + arc, "right-arc": 2 + kinds + arc}[action]

    def is_certain(self, now: Configuration, action: Action) -> bool:
        """Return whether an action is certain because no other action or label is possible."""
        with_label = self.labels == "joint" and action.endswith("arc")
        return len(self.system.actions(now)) == 1 and not with_label

    def events(
        self, now: Configuration, action: Action, label: int, tag: int, word: int
    ) -> list[Event]:
        """Return the training events for one transition."""
        seen = self.observe(now)
        events = []
        if not self.is_certain(now, action):
            events.append(self._event("actions", seen, self.outcome(action, label)))
        if action == "shift":
            events.append(self._event("tags", seen, tag))
            if self.lexicalised:
                front = {"b.tag": tag, "b.kind": self.kind(tag)}
                events.append(self._event("words", {**seen, **front}, word))
        elif action != "end" and self.labels == "two-step":
            side = int(action == "right-arc")
            events.append(self._event("labels", {**seen, "action": side}, label))
        return events

    def probability(
        self, now: Configuration, action: Action, *, label: int = 0, tag: int = 0, word: int = 0
    ) -> float:
        """Return the probability of one transition, including the symbols it generates."""
        total = 1.0
        for name, context, outcome in self.events(now, action, label, tag, word):
            if name == "actions":
                rivals = self._rivals(now, context)
                total *= rivals[outcome] / sum(rivals.values())
            else:
                total *= self.predict(name, context, outcome)
        return total

    def action_probability(self, now: Configuration, action: Action) -> float:
        """Return the probability of an action, without the symbols it generates."""
        if len(self.system.actions(now)) == 1:
            return 1.0
        context = self._event("actions", self.observe(now), 0).context
        mine = {self.outcome(action, label) for label in range(self.num_labels)}
        rivals = self._rivals(now, context)
        return sum(rivals[outcome] for outcome in mine) / sum(rivals.values())

    def _rivals(self, now: Configuration, context: tuple[int, ...]) -> dict[int, float]:
        """Return the unnormalised probability of each possible outcome, by its id."""
        shift = self.outcome("shift", 0)
        return {
            outcome: self.predict("actions", context, outcome)
            * (self.shift_factor(len(now.words)) if outcome == shift else 1.0)
            for outcome in {
                self.outcome(action, label)
                for action in self.system.actions(now)
                for label in range(self.num_labels)
            }
        }

    def tags_tried(
        self, now: Configuration, word: int, tags: Mapping[int, float], most: int | None
    ) -> Sequence[int]:
        """Return the `most` tags with the highest product of p(tag, word) and the tag's factor.

        The factor of each tag is its value in `tags`.
        """

        def improbability(tag: int) -> tuple[float, int]:
            return -self.probability(now, "shift", tag=tag, word=word) * tags[tag], tag

        return sorted(tags, key=improbability)[:most]

    def analyses(
        self,
        words: Sequence[int],
        tags_of: Sequence[Sequence[int] | Mapping[int, float]],
        most_tags: int | None = None,
    ) -> dict[Analysis, float]:
        """Return p(words, tags, tree) for every analysis, summed over its derivations.

        In every configuration, the `most_tags` most probable tags in `tags_of` are tried for the
        next word. Tags may have factors, which affect only the choice of tags.
        """
        tried = [t if isinstance(t, Mapping) else dict.fromkeys(t, 1.0) for t in tags_of]
        totals: defaultdict[Analysis, float] = defaultdict(float)
        labels = range(self.num_labels) if self.labels != "none" else range(1)

        def go_on(now: Configuration, p: float) -> None:
            if self.system.is_final(now):
                if len(now.words) == len(words):
                    totals[read_off(now)] += p
                return
            place = len(now.words)
            for action in self.system.actions(now):
                if action == "shift" and place < len(words):
                    word = words[place]
                    for tag in self.tags_tried(now, word, tried[place], most_tags):
                        step = self.probability(now, action, tag=tag, word=word)
                        go_on(self.system.apply(now, action, tag=tag, word=word), p * step)
                elif action == "end" and place == len(words):
                    go_on(self.system.apply(now, action), p * self.probability(now, action))
                elif action.endswith("arc"):
                    for label in labels:
                        step = self.probability(now, action, label=label)
                        go_on(self.system.apply(now, action, label=label), p * step)

        go_on(self.system.start(), 1.0)
        return dict(totals)

    def replay(
        self, done: Sequence[Action], words: Sequence[int], analysis: Analysis
    ) -> tuple[float, list[Event], list[Configuration]]:
        """Return the probability, the events and the configurations of a derivation."""
        _, labels, tags = analysis
        now, p, events, passed = self.system.start(), 1.0, list[Event](), list[Configuration]()
        for action in done:
            passed.append(now)
            if action == "shift":
                made = {"tag": tags[len(now.words)], "word": words[len(now.words)]}
            elif action == "end":
                made = {}
            else:
                made = {"label": labels[self.system.arc(now, action).dependent - 1]}
            p *= self.probability(now, action, **made)
            events += self.events(now, action, *(made.get(n, 0) for n in ("label", "tag", "word")))
            now = self.system.apply(now, action, **made)
        return p, events, passed

    def probability_of_more_than(self, length: int) -> float:
        """Return the probability that a sentence exceeds `length` words, using prefix sums."""
        total = 0.0
        waiting = [(self.system.start(), 1.0)]
        while waiting:
            now, p = waiting.pop()
            for action in self.system.actions(now):
                if action == "shift" and len(now.words) == length:
                    total += p * self.action_probability(now, action)
                    continue
                for made in self._everything(action):
                    after = self.system.apply(now, action, **made)
                    waiting.append((after, p * self.probability(now, action, **made)))
        return total

    def _everything(self, action: Action) -> list[dict[str, int]]:
        if action == "end":
            return [{}]
        if action != "shift":
            labels = range(self.num_labels) if self.labels != "none" else range(1)
            return [{"label": label} for label in labels]
        words = range(self.num_words if self.lexicalised else 1)
        return [{"tag": t, "word": w} for t in range(self.num_tags) for w in words]
