"""Explanation of a reader's predictions in terms of each word's surprisal under each member.

Each word is one decision, with one level per member. The probability of reaching a level is the
weight of its member. The member's contribution to the word's probability, divided by that
probability, is the posterior probability that the member generated the word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.errors import BistroError, nearest
from bistro.models.abilities import EXPLAIN
from bistro.models.inputs import Words, as_words
from bistro.models.mixing import probabilities_of
from bistro.models.results.explanations import MEMBER, Decision, Explanation, Level
from bistro.sums import added

if TYPE_CHECKING:
    from bistro.models.reader.model import ReaderModel


def explain_shares(model: ReaderModel, sentence: Words) -> Explanation:
    """Return a decision for every word in a sentence and for the sentence end."""
    (words,) = as_words([sentence])
    table = probabilities_of(model.member_scores([words]))
    tokens = [*words, END_SYMBOL]
    decisions = [
        _decision(model, place, token, table[:, place - 1].tolist())
        for place, token in enumerate(tokens, start=1)
    ]
    protocol = f"p(word | the words before it): {model.score_protocol()}."
    return Explanation(model.kind, list(words), decisions, protocol)


def _decision(model: ReaderModel, place: int, token: str, probabilities: list[float]) -> Decision:
    levels = [
        _level(number, name, weight, probability)
        for number, (name, weight, probability) in enumerate(
            zip(model.member_names(), model.weights.tolist(), probabilities, strict=True), start=1
        )
    ]
    total = added(level.contribution for level in levels)
    return Decision(place, place, token, "words", token, "", total, 1.0, "", levels)


def _level(number: int, name: str, weight: float, probability: float) -> Level:
    """Represent a member of the mixture as a level without back-off."""
    return Level(
        depth=number,
        element=MEMBER,
        value=name,
        known=True,
        kinds=0,
        ways=0,
        probability=probability,
        backoff=0.0,
        own=probability,
        reach=weight,
        contribution=weight * probability,
    )


def explain_member(
    model: ReaderModel, sentence: Words, training: Iterable[Any] | None, name: str
) -> Explanation:
    """Explain the probability of a sentence under the named member."""
    names = model.member_names()
    if name not in names:
        raise BistroError(
            f"the reader has no member '{name}'{nearest(name, names)}: "
            f"its members are {', '.join(names)}"
        )
    place = names.index(name)
    explanation = EXPLAIN.of(model.members[place]).explain(sentence, training)
    who = f"Member {name} of the reader, with weight {model.weights[place]:.3f}."
    return replace(explanation, protocol=f"{who} {explanation.protocol}")
