"""Step-by-step explanations of the probability of a derivation, including its back-off chains.

A shift step consists of an action, a tag and a word. An arc step consists of an action and a label.
The probability of impossible actions is redistributed among the possible actions, so the
probability of an action is as follows.

    p(action) = chain(action) / Σ over possible actions of their chains
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bistro._core import oracle_events
from bistro.encoding.contexts import NUMBERS
from bistro.encoding.events import Events
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.backoff import SPELLED, Backoff, Seen, decided, opened
from bistro.models.parsing.codec import Codec, Tree
from bistro.models.parsing.explained_trees import (
    NONE,
    arc_name,
    symbol_name,
    training_batch,
    tree_to_explain,
)
from bistro.models.results.explanations import Decision, Explanation, meaning_of_numbers
from bistro.models.transition.config import elements_of
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.transition.model import TransitionModel

ACTIONS = ("shift", "left-arc", "right-arc", "end")
"""Names of the actions, in the same order as in the C++ core."""
SHIFT, LEFT_ARC, RIGHT_ARC, END = range(4)
DISTANCES = ("1", "2", "3", "4-5", "6-10", "over 10")
CHILDREN = ("0", "1", "2", "3 or more")
SIDES = ("left", "right")
PARTICLES = 10_000
ONLY_ONE = "nothing else was possible"
AMONG = "divided by {:.4g}, the sum over the actions possible here"
PACED = ", times {:.4g} after {} words"


def explain_derivation(
    model: TransitionModel, sentence: Sentence, training: Iterable[Sentence] | None
) -> Explanation:
    """Explain the most probable derivation of a given or predicted tree."""
    words, tree, is_given = tree_to_explain(model, sentence, size=PARTICLES)
    steps = model.best_derivation(words, tree)
    decisions = list(_Derivation(model, words, tree, steps, training).decisions())
    share = math.exp(steps["log_prob"] - steps["log_tree"])
    which = "the given tree" if is_given else f"the best tree found with {PARTICLES:,} particles"
    protocol = (
        f"This is the most probable derivation of {which}. The derivation accounts for {share:.1%} "
        f"of the tree's probability. {meaning_of_numbers(decisions)}"
    )
    trees = tree.heads, tree.labels, tree.tags
    return Explanation(model.kind, sentence.forms, decisions, protocol, *trees)


def training_events(model: TransitionModel, sentences: Iterable[Sentence]) -> dict[str, Events]:
    """Return the training events of the given sentences for each distribution."""
    events = oracle_events(model.shape, training_batch(model, sentences))
    return {name: Events(*arrays) for name, arrays in events.items() if name != "failed"}


@dataclass
class _Derivation:
    """A traversal of a derivation's steps that yields one decision per symbol."""

    model: TransitionModel
    sentence: Sentence
    tree: Tree
    steps: dict[str, Any]
    training: Iterable[Sentence] | None
    shifted: int = 0
    number: int = 0

    def __post_init__(self) -> None:
        """Load the distributions and the spelling probabilities of unknown words."""
        model = self.model
        known = None if self.training is None else training_events(model, self.training)
        self._chains: dict[str, Backoff] = opened(
            model, model.distributions, model.num_outcomes, known
        )
        self._elements = elements_of(model.config)
        self._joint = model.config.labels == "joint" and model.codec.is_labelled
        self._unseen = model.codec.unseen([self.sentence])
        self._ids = model.codec.vocabulary.encode(self.sentence.forms).tolist()

    def decisions(self) -> Iterator[Decision]:
        """Yield all decisions in the order of generation."""
        rows = self.steps["elements"].reshape(-1, len(NUMBERS)).tolist()
        possible = self.steps["possible"].reshape(-1, len(ACTIONS)).tolist()
        names = ("actions", "words", "labels", "tags")
        made = (self.steps[name].tolist() for name in names)
        for values, choices, action, word, label, tag in zip(rows, possible, *made, strict=True):
            yield self._action(values, choices, action, word, label)
            if action == SHIFT:
                yield from self._generate(values, word, tag)
                self.shifted += 1
            elif action != END and label >= 0 and not self._joint:
                yield self._label(values, action, word, label)

    def _action(
        self, values: list[int], choices: list[int], action: int, word: int, label: int
    ) -> Decision:
        is_arc = action in (LEFT_ARC, RIGHT_ARC)
        name = ACTIONS[action]
        if is_arc and self._joint:
            name += f" {self.model.codec.labels[label]}"
        detail = self._arc(word) if is_arc else ""
        if sum(choices) == 1 and not (is_arc and self._joint):
            return self._decision("actions", name, detail, [], 1.0, ONLY_ONE)
        context = self._context("actions", values)
        every = range(len(self.model.codec.labels) if self._joint else 1)
        rivals = [
            self._code(other, of_label)
            for other in range(len(ACTIONS))
            if choices[other]
            for of_label in (every if other in (LEFT_ARC, RIGHT_ARC) else [0])
        ]
        chains, factor = self._chains["actions"], self.model.pace.factor(self.shifted)
        total = chains.distribution_sum(context, rivals)
        if choices[SHIFT]:
            total += (factor - 1) * chains.distribution_sum(context, [self._code(SHIFT, 0)])
        scale = (factor if action == SHIFT else 1.0) / total
        levels = chains.chain(context, self._code(action, label), scale)
        reason = AMONG.format(total)
        if action == SHIFT and factor < 1:
            reason += PACED.format(factor, self.shifted)
        return self._decision("actions", name, detail, levels, scale, reason)

    def _code(self, action: int, label: int) -> int:
        """Return the outcome index for an action with its label.

        The order of the outcomes is shift, end, left arcs, right arcs.
        """
        if action in (SHIFT, END):
            return 0 if action == SHIFT else 1
        kinds = len(self.model.codec.labels) if self._joint else 1
        return 2 + (kinds if action == RIGHT_ARC else 0) + (label if self._joint else 0)

    def _generate(self, values: list[int], word: int, tag: int) -> Iterator[Decision]:
        codec = self.model.codec
        levels = self._chains["tags"].chain(self._context("tags", values), tag)
        yield self._decision("tags", codec.tags[tag], "", levels)
        if self.model.config.lexical == "none":
            return
        seen = list(values)
        seen[NUMBERS["b.tag"]] = tag
        seen[NUMBERS["b.kind"]] = codec.tag_kinds()[tag]
        place = self._place(word)
        number = self._ids[place - 1]
        scale, reason = self._spelling(place, tag)
        levels = self._chains["words"].chain(self._context("words", seen), number, scale)
        yield self._decision(
            "words", codec.vocabulary.decode([number])[0], "", levels, scale, reason
        )

    def _spelling(self, place: int, tag: int) -> tuple[float, str]:
        rows = self._unseen.rows
        if not rows.size or rows[place - 1] < 0:
            return 1.0, ""
        row = int(rows[place - 1]) * len(self.model.codec.tags)
        scale = float(self._unseen.spellings[row + tag])
        return scale * math.exp(float(self._unseen.log_scale[place - 1])), SPELLED

    def _label(self, values: list[int], action: int, word: int, label: int) -> Decision:
        seen = list(values)
        seen[NUMBERS["action"]] = int(action == RIGHT_ARC)
        context = self._context("labels", seen)
        chains = self._chains["labels"]
        # In the single precision of the file, the sum is not exactly 1; the parser corrects this.
        total = chains.distribution_sum(context, range(len(self.model.codec.labels)))
        levels = chains.chain(context, label, 1 / total)
        name = self.model.codec.labels[label]
        return self._decision("labels", name, self._arc(word), levels, 1 / total)

    def _decision(
        self,
        distribution: str,
        outcome: str,
        detail: str,
        levels: list[Any],
        scale: float = 1.0,
        reason: str = "",
    ) -> Decision:
        self.number += 1
        size = len(self.sentence)
        is_end = self.shifted == size
        place = size + 1 if is_end else self._place(self.shifted + 1)
        token = END_SYMBOL if is_end else self.sentence.forms[place - 1]
        about = self.number, place, token, distribution, outcome, detail
        return decided(about, levels, scale, reason)

    def _place(self, position: int) -> int:
        """Convert a position in the order of generation to a position in the written sentence."""
        if self.model.config.direction == "left-to-right":
            return position
        return self.model.codec.mirror_head(position, len(self.sentence))

    def _arc(self, position: int) -> str:
        place = self._place(position)
        return arc_name(self.sentence.forms, self.tree.heads[place - 1], place)

    def _context(self, distribution: str, values: Sequence[int]) -> list[Seen]:
        numbers = [(name, values[NUMBERS[name]]) for name in self._elements[distribution]]
        return [Seen(name, value_name(self.model.codec, name, n), n) for name, n in numbers]


def value_name(codec: Codec, element: str, value: int) -> str:
    """Return the value of a context element as text."""
    what = element.rpartition(".")[2]
    if what == "kind":
        return symbol_name(codec, "tag", value).partition("|")[0]
    if what in ("tag", "word", "label"):
        return symbol_name(codec, what, value)
    names = {"action": SIDES, "distance": DISTANCES}.get(what, CHILDREN)
    return names[value] if value < len(names) else NONE
