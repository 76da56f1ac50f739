"""Probabilities of prefixes of tiny transition models, by enumeration of all derivations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from transition_twins import Kind, Twin, twin_of

from bistro._core import ScoreRequest
from bistro.models.parsing.language import ScoreOptions
from bistro.reference.arc_standard import Action, Configuration
from bistro.treebank.sentence import Sentence

EVERYTHING = ScoreOptions("search", particles=10**15, threads=1)
"""A search that drops nothing which could be seen in a double."""
Path = tuple[tuple[Action, int], ...]


@dataclass(frozen=True)
class Moment:
    """All derivations that have generated a prefix: p(derivation, words), p(last word | ...)."""

    joint: dict[Path, float]
    of_word: dict[Path, float]

    @property
    def total(self) -> float:
        return sum(self.joint.values())

    @property
    def entropy(self) -> float:
        shares = [p / self.total for p in self.joint.values() if p > 0]
        return -sum(q * math.log(q) for q in shares)

    @property
    def lexical(self) -> float:
        return -sum(
            p / self.total * math.log(self.of_word[path]) for path, p in self.joint.items() if p
        )

    def divergence(self, before: float) -> float:
        """KL(after the word || before it), derivations up to the word's tag."""
        result = 0.0
        for path, p in self.joint.items():
            prior = p / self.of_word[path] / before
            result += p / self.total * math.log(p / self.total / prior)
        return result


@cache
def moments(kind: Kind, forms: tuple[str, ...], *, forget: bool = False) -> list[Moment]:
    """One moment a word and one for the complete sentence.

    With `forget`, the probability of actions that the words rule out is shared among the others:
    what an importance weight is there to prevent.
    """
    twin = twin_of(kind)
    plain, words = twin.plain, twin.words(forms)
    found = [Moment({}, {}) for _ in range(len(words) + 1)]

    def add(place: int, path: Path, p: float, of_word: float) -> None:
        found[place].joint[path] = p
        found[place].of_word[path] = of_word

    def go_on(now: Configuration, path: Path, p: float) -> None:
        if plain.system.is_final(now):
            add(len(words), path, p, 1.0)
            return
        place = len(now.words)
        allowed = [a for a in plain.system.actions(now) if agrees(twin, now, a, len(words))]
        kept = sum(plain.action_probability(now, a) for a in allowed) if forget else 1.0
        for action in allowed:
            if action == "shift":
                for tag in range(plain.num_tags):
                    made = {"tag": tag, "word": words[place]}
                    step = plain.probability(now, action, **made) / kept
                    event = plain.events(now, action, 0, tag, words[place])[-1]
                    longer = (*path, (action, tag))
                    add(place, longer, p * step, plain.predict(*event))
                    go_on(plain.system.apply(now, action, **made), longer, p * step)
            elif action == "end":
                step = plain.probability(now, action) / kept
                go_on(plain.system.apply(now, action), (*path, (action, 0)), p * step)
            else:
                for label, step in labelled_steps(twin, now, action):
                    after = plain.system.apply(now, action, label=label)
                    go_on(after, (*path, (action, label)), p * step / kept)

    go_on(plain.system.start(), (), 1.0)
    return found


def agrees(twin: Twin, now: Configuration, action: Action, size: int) -> bool:
    """Tell whether an action neither generates a word too many nor ends the sentence too soon."""
    done = len(now.words) == size
    if action in ("shift", "end"):
        return done == (action == "end")
    return done or not twin.plain.system.is_final(twin.plain.system.apply(now, action))


def labelled_steps(twin: Twin, now: Configuration, action: Action) -> list[tuple[int, float]]:
    """Labels that later contexts see are part of a derivation, others are added up."""
    plain = twin.plain
    labels = range(plain.num_labels if plain.labels != "none" else 1)
    steps = [(label, plain.probability(now, action, label=label)) for label in labels]
    return steps if twin.kind.sees_labels else [(0, sum(step for _, step in steps))]


def runs_of(
    twin: Twin,
    forms: Sequence[str],
    particles: int,
    runs: int,
    seed: int = 1,
    *,
    graph: bool = False,
) -> NDArray[np.float64]:
    """Independent estimates of the probabilities of all prefixes, one row per run."""
    request = ScoreRequest(
        draws=not graph,
        particles=particles,
        by_weight=True,
        all_tags=True,
        both_reduces=True,
        tags_per_word=len(twin.model.codec.tags),
        labels_per_arc=len(twin.model.codec.labels),
        repeats=runs,
        seed=seed,
        purpose=0,
        graph=graph,
    )
    batch = twin.model.codec.encode([Sentence.from_columns(forms)], None)
    parser = twin.model._parser
    score = parser.graph_scores if graph else parser.score
    found: NDArray[np.float64] = score(batch, request, 1)["log_prefix"]
    return np.exp(found).reshape(runs, len(forms) + 1)
