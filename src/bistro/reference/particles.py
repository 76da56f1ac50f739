"""Algorithm 1 of Buys & Blunsom (2015) in plain Python, exactly as printed.

Every derivation d in the beam has a weight d.θ, its probability with the words so far, and d.k of K
particles. A pass advances each derivation to the next word.

    nShift = round(d.k · p(shift | d))      nReduce = d.k - nShift

Here nReduce particles continue with the most probable arc and return to the same pass. In the
selection that follows, d.k = floor(θ' · K) with θ' ∝ d.k · d.θ (as in the paper) or θ' ∝ d.θ (by
weight). Derivations without particles are removed. In addition to the printed algorithm, this
module implements the extensions that the paper describes in its text: following both arcs, and
trying several tags. Particles can also be drawn at random instead of being divided by rounding.

Weights are plain products, and every property of a configuration is computed from its arcs, so that
no code is shared with the compiled search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bistro.reference.arc_standard import ROOT, Action, Configuration
from bistro.reference.transition_model import GenerativeParser

Divide: TypeAlias = Callable[[int, Sequence[float]], list[int]]
"""A function that divides particles among alternatives in proportion to probabilities, which need
not sum to 1."""
ORDER: tuple[Action, ...] = ("shift", "left-arc", "right-arc", "end")


@dataclass(frozen=True)
class Derivation:
    """A derivation in the beam."""

    now: Configuration
    weight: float = 1.0
    """The weight θ, which is the joint probability of the derivation and the words so far."""
    particles: int = 1
    importance: float = 1.0
    """The importance weight of particles that are drawn at random."""
    steps: tuple[tuple[Action, int, int], ...] = ()
    """The action, tag and label of every step. A missing tag or label is -1."""


def round_half_up(x: float) -> int:
    """Round a non-negative number to the nearest integer, with halves rounded up."""
    return math.floor(x + 0.5)


def rounded(particles: int, probabilities: Sequence[float]) -> list[int]:
    """Allocate particles in proportion to probabilities.

    The largest share absorbs the rounding error.
    """
    total = sum(probabilities)
    counts = [round_half_up(particles * p / total) for p in probabilities]
    largest = max(range(len(counts)), key=lambda i: probabilities[i])
    counts[largest] = max(0, counts[largest] + particles - sum(counts))
    return counts


def independent(uniform: Callable[[], float]) -> Divide:
    """Return a function that draws an alternative independently for every particle."""

    def divide(particles: int, probabilities: Sequence[float]) -> list[int]:
        counts = [0] * len(probabilities)
        for _ in range(particles):
            counts[_drawn(uniform() * sum(probabilities), probabilities)] += 1
        return counts

    return divide


def _drawn(x: float, probabilities: Sequence[float]) -> int:
    for i, p in enumerate(probabilities):
        x -= p
        if x < 0:
            return i
    return len(probabilities) - 1


def systematic(uniform: Callable[[], float]) -> Divide:
    """Return a function that divides particles by systematic sampling, with one random number."""

    def divide(particles: int, probabilities: Sequence[float]) -> list[int]:
        offset, total, reached, counts = uniform(), sum(probabilities), 0.0, list[int]()
        for p in probabilities:
            reached += p
            upto = min(max(math.ceil(particles * (reached / total) - offset), 0), particles)
            counts.append(upto - sum(counts))
        return counts

    return divide


@dataclass(frozen=True)
class ParticleSearch:
    """A particle search over the derivations of one sentence."""

    parser: GenerativeParser
    words: Sequence[int]
    tags_of: Sequence[Sequence[int]]
    """The tags that each word may have."""
    budget: int
    """The number of particles, K."""
    selection: Literal["paper", "weight"] = "paper"
    tags_per_word: int = 1
    one_reduce: bool = True
    best_labels: bool = True
    """If true, each arc gets its most probable label. Otherwise, the model sums over the labels."""
    draw: Divide | None = None
    """The function that divides particles at random in every pass and selection. If the function is
    None, particles are divided by rounding."""

    def run(self) -> Iterator[list[Derivation]]:
        """Yield the beam before and after every selection, and finally the complete derivations."""
        beam = [Derivation(self.parser.system.start(), particles=self.budget)]
        for _ in self.words:
            shifted, _ = self.advance(beam)
            beam = self.select(shifted)
            yield from (shifted, beam)
        _, complete = self.advance(beam)
        yield complete

    def advance(self, beam: Sequence[Derivation]) -> tuple[list[Derivation], list[Derivation]]:
        """Return the derivations that generated the next word, and the complete derivations."""
        waiting, shifted, complete = list(beam), list[Derivation](), list[Derivation]()
        for d in waiting:  # the list grows while derivations reduce
            if self.parser.system.is_final(d.now):
                complete.append(d)
                continue
            chances = self._chances(d.now)
            counts = self._counts(d, chances)
            if counts["shift"]:
                shifted += self._shift(d, chances, counts["shift"])
            for action in ORDER[1:]:
                if counts[action]:
                    waiting.append(self._reduce(d, action, chances, counts[action]))
        return shifted, complete

    def _chances(self, now: Configuration) -> dict[Action, float]:
        """Return the probability of every action that can still lead to a tree of the sentence."""
        chances: dict[Action, float] = dict.fromkeys(ORDER, 0.0)
        words_left = len(now.words) < len(self.words)
        for action in self.parser.system.actions(now):
            possible = words_left if action == "shift" else not (action == "end" and words_left)
            if action.endswith("arc") and self.parser.system.arc(now, action).head == ROOT:
                # The arc from a root with one child ends the sentence.
                possible = not (self.parser.system.single_root and words_left)
            if possible:
                chances[action] = self.parser.action_probability(now, action)
        return chances

    def _counts(self, d: Derivation, chances: dict[Action, float]) -> dict[Action, int]:
        if self.draw is not None or not self.one_reduce:
            divide = self.draw or rounded
            return dict(zip(ORDER, divide(d.particles, list(chances.values())), strict=True))
        n_shift = round_half_up(d.particles * chances["shift"] / sum(chances.values()))
        counts = dict.fromkeys(ORDER, 0)
        best = max(ORDER[1:], key=lambda action: self._labelled(d.now, action, chances)[1])
        return {**counts, "shift": n_shift, best: d.particles - n_shift}

    def _labelled(
        self, now: Configuration, action: Action, chances: dict[Action, float]
    ) -> tuple[int, float]:
        """Return the label of an arc, and the probability of the arc with this label."""
        if not (chances[action] and self.best_labels and action.endswith("arc")):
            return 0, chances[action]
        labels = range(self.parser.num_labels if self.parser.labels != "none" else 1)
        scored = [self.parser.probability(now, action, label=label) for label in labels]
        best = max(labels, key=scored.__getitem__)
        return best, scored[best]

    def _reduce(
        self, d: Derivation, action: Action, chances: dict[Action, float], particles: int
    ) -> Derivation:
        label, probability = self._labelled(d.now, action, chances)
        now = self.parser.system.apply(d.now, action, label=label)
        step = (action, -1, label if action.endswith("arc") else -1)
        # Particles draw the action, and then the label, of which there is one: it is weighted.
        if self.draw and self.best_labels and self.parser.labels != "none" and action != "end":
            self.draw(particles, [probability])
        left = sum(chances.values()) * probability / chances[action]
        return self._continued(d, now, step, particles, probability, left)

    def _shift(
        self, d: Derivation, chances: dict[Action, float], particles: int
    ) -> Iterator[Derivation]:
        """Yield a derivation for each of the most probable tags that receive particles."""
        place = len(d.now.words)
        word = self.words[place]
        shifting = chances["shift"]
        scored = [
            (self.parser.probability(d.now, "shift", tag=tag, word=word), tag)
            for tag in self.tags_of[place]
        ]
        tried = sorted(scored, key=lambda item: -item[0])[: self.tags_per_word]
        if len(scored) <= self.tags_per_word:
            tried = scored
        # p(shift) p(tag) p(word | tag): the last two divide the particles.
        tags = [p / self.parser.action_probability(d.now, "shift") for p, _ in tried]
        counts = (self.draw or rounded)(particles, tags)
        for (p, tag), count in zip(tried, counts, strict=True):
            if count:
                now = self.parser.system.apply(d.now, "shift", tag=tag, word=word)
                left = sum(chances.values()) / shifting * sum(q for q, _ in tried)
                yield self._continued(d, now, ("shift", tag, -1), count, p, left)

    def _continued(
        self,
        d: Derivation,
        now: Configuration,
        step: tuple[Action, int, int],
        particles: int,
        probability: float,
        left_to_weigh: float,
    ) -> Derivation:
        return Derivation(
            now,
            d.weight * probability,
            particles,
            d.importance * (left_to_weigh if self.draw else 1.0),
            (*d.steps, step),
        )

    def select(self, beam: Sequence[Derivation]) -> list[Derivation]:
        """Redistribute the particles, and remove derivations without particles."""
        if self.draw is not None:
            counts = self.draw(self.budget, [d.particles * d.importance for d in beam])
            shared = [
                replace(d, particles=k, importance=1.0) for d, k in zip(beam, counts, strict=True)
            ]
        else:
            by = [d.weight * (d.particles if self.selection == "paper" else 1) for d in beam]
            total = sum(by)
            shared = [
                replace(d, particles=math.floor(share / total * self.budget))
                for d, share in zip(beam, by, strict=True)
            ]
        kept = [d for d in shared if d.particles > 0]
        # With very few particles all shares may be below one: the best derivation keeps them all.
        return kept or [replace(max(beam, key=lambda d: d.weight), particles=self.budget)]
