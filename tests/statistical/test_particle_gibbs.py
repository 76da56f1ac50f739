"""Particle Gibbs over derivations: its law against enumeration, and wrong samplers that are caught.

With franchises that stay as they are, a step of conditional SMC must leave the posterior over
derivations (trees, tags, labels) as it is, whatever the number of particles. With franchises that
learn, a chain over one sentence must obey the law of all seatings of its events.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from laws import SUSPICIOUS, Array, batch_means, chi_square_p_value, p_value
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "exact"))

from transition_twins import Kind, random_sentences, settings

from bistro._core import DerivationSampler, Franchise, Stream, UniformBase
from bistro.config import from_dict
from bistro.inference.gibbs import Chain
from bistro.models.parsing.codec import Codec, Tree
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.derivations import ALL_TAGS
from bistro.models.transition.model import outcomes_of
from bistro.models.transition.train import Training
from bistro.reference import exact
from bistro.reference.arc_standard import Configuration
from bistro.reference.transition_model import Event, GenerativeParser
from bistro.treebank.sentence import Sentence

Step = tuple[int, int, int]
"""Action, tag and label."""
Steps = tuple[Step, ...]
Law = dict[Steps, float]
Choice = tuple[Step, Configuration, float, list[Event]]
Particle = tuple[Steps, Configuration, float]

KINDS = [
    Kind("first", "one", "none"),
    Kind("first", "several", "two-step"),
    Kind("last", "one", "joint"),
    Kind("last", "several", "none"),
    Kind("first", "one", "two-step", sees_labels=True),
]
ACTIONS = ("shift", "left-arc", "right-arc", "end")
DRAWN, STEPS, PARTICLES = 6000, 2, 3
NOTHING = np.zeros(0, dtype=np.int16)


class Small:
    """A model of random trees, one sentence of words alone, and all its derivations."""

    def __init__(
        self, kind: Kind, forms: tuple[str, ...], contexts: dict[str, list[str]] | None = None
    ) -> None:
        mapping = settings(kind) if contexts is None else {**settings(kind), "contexts": contexts}
        self.config = from_dict(TransitionConfig, mapping)
        sentences = random_sentences(kind, 12, 4, seed=3)
        self.codec, _ = Codec.learn(sentences, self.config)
        training = Training(self.config, self.codec, sentences, 1, single_root=kind.roots == "one")
        self.training, self.kind = training, kind
        self.words = self.codec.vocabulary.encode(forms).tolist()
        n = len(forms)
        self.batch = self.codec.encode(
            [Sentence.from_columns(list(forms))], [Tree(["_"] * n, [-1] * n, ["_"] * n)]
        )

    def sampler(self, franchises: dict[str, Franchise]) -> DerivationSampler:
        return DerivationSampler(
            self.training.shape,
            self.batch,
            **franchises,
            labels_in_contexts=self.kind.sees_labels,
            tag_begin=ALL_TAGS[0],
            tag_list=ALL_TAGS[1],
        )

    def seated(self) -> dict[str, Franchise]:
        """Franchises that have learned the random trees."""
        for part in self.training.learned.values():
            assert isinstance(part, Chain)
            part.seat()
        return {name: part.franchise for name, part in self.training.learned.items()}

    def plain(self, franchises: dict[str, Franchise]) -> GenerativeParser:
        @cache
        def predict(name: str, context: tuple[int, ...], outcome: int) -> float:
            row = np.array([context], dtype=np.int32).reshape(1, -1)
            return float(franchises[name].probabilities(row, np.array([outcome], np.int32))[0])

        contexts = self.config.contexts
        return GenerativeParser(
            self.kind.system,
            len(self.codec.tags),
            len(self.codec.vocabulary),
            len(self.codec.labels),
            self.kind.labels,
            {name: getattr(contexts, name) for name in ("actions", "labels", "tags", "words")},
            predict,
        )


def alternatives(plain: GenerativeParser, now: Configuration, words: Sequence[int]) -> list[Choice]:
    """(step, next configuration, probability, events) of all that agrees with the words."""
    found: list[Choice] = []
    left = len(words) - len(now.words)
    for action in plain.system.actions(now):
        if (action == "shift" and not left) or (action == "end" and left):
            continue
        made: list[dict[str, int]] = [{}]
        if action == "shift":
            made = [{"tag": t, "word": words[len(now.words)]} for t in range(plain.num_tags)]
        elif action.endswith("arc"):
            labels = 1 if plain.labels == "none" else plain.num_labels
            made = [{"label": label} for label in range(labels)]
        for what in made:
            after = plain.system.apply(now, action, **what)
            if plain.system.is_final(after) and left:
                continue
            step = (ACTIONS.index(action), what.get("tag", 0), what.get("label", 0))
            events = plain.events(now, action, *(what.get(n, 0) for n in ("label", "tag", "word")))
            found.append((step, after, plain.probability(now, action, **what), events))
    return found


def all_derivations(
    plain: GenerativeParser, words: Sequence[int]
) -> dict[Steps, tuple[float, list[Event]]]:
    """Steps of every derivation, with its probability and its events."""
    found: dict[Steps, tuple[float, list[Event]]] = {}

    def go_on(now: Configuration, steps: Steps, p: float, events: list[Event]) -> None:
        if plain.system.is_final(now):
            found[steps] = (p, events)
            return
        for step, after, q, new in alternatives(plain, now, words):
            go_on(after, (*steps, step), p * q, [*events, *new])

    go_on(plain.system.start(), (), 1.0, [])
    return found


def law_of(weights: Law) -> Law:
    total = sum(weights.values())
    return {steps: p / total for steps, p in weights.items()}


def key_of(steps: NDArray[np.int16]) -> Steps:
    """What counts of each step: the tag of a shift, the label of an arc."""
    rows = steps.reshape(-1, 3).tolist()
    return tuple((a, t if a == 0 else 0, max(la, 0) if a in (1, 2) else 0) for a, t, la in rows)


def fits(counts: Counter[Steps], law: Law) -> float:
    assert set(counts) <= set(law)
    return chi_square_p_value([counts[s] for s in law], np.array(list(law.values())))


def exact_starts(law: Law, seed: int) -> list[Steps]:
    return random.Random(seed).choices(list(law), list(law.values()), k=DRAWN)


@cache
def fixed(kind: Kind) -> tuple[DerivationSampler, Law, GenerativeParser, list[int]]:
    small = Small(kind, ("a", "b", "a") if kind.labels == "none" else ("a", "b"))
    franchises = small.seated()
    plain = small.plain(franchises)
    law = law_of({s: p for s, (p, _) in all_derivations(plain, small.words).items()})
    return small.sampler(franchises), law, plain, small.words


# ---- franchises that stay as they are ----------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_step_leaves_the_posterior_as_it_is(kind: Kind) -> None:
    sampler, law, _, _ = fixed(kind)
    counts: Counter[Steps] = Counter()
    for i, begin in enumerate(exact_starts(law, 1)):
        steps, rng = np.array(begin, dtype=np.int16).ravel(), Stream(1, 2, i)
        for _ in range(STEPS):
            steps = sampler.draw(0, steps, particles=PARTICLES, rng=rng)
        counts[key_of(steps)] += 1
    assert fits(counts, law) > SUSPICIOUS


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_it_moves(kind: Kind) -> None:
    sampler, law, _, _ = fixed(kind)
    begin = max(law, key=law.__getitem__)
    steps = np.array(begin, dtype=np.int16).ravel()
    drawn = {key_of(sampler.draw(0, steps, particles=20, rng=Stream(1, 3, i))) for i in range(200)}
    assert len(drawn) > 10


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_filter_that_retains_nothing_is_caught(kind: Kind) -> None:
    sampler, law, _, _ = fixed(kind)
    drawn = (sampler.draw(0, NOTHING, particles=2, rng=Stream(1, 4, i)) for i in range(DRAWN))
    assert fits(Counter(map(key_of, drawn)), law) < SUSPICIOUS


def conditional_smc(
    plain: GenerativeParser,
    words: Sequence[int],
    options: Callable[[Configuration], list[Choice]],
    history: Steps,
    rng: random.Random,
    *,
    weigh: bool,
) -> Steps:
    """The same step in plain Python; particle 0 is retained; `weigh` = False forgets weights."""
    particles: list[Particle] = [((), plain.system.start(), 1.0) for _ in range(PARTICLES)]

    def advance(number: int, steps: Steps, now: Configuration, weight: float) -> Particle:
        while not plain.system.is_final(now):
            choices = options(now)
            if number == 0:
                step, after, *_ = next(c for c in choices if c[0] == history[len(steps)])
            else:
                step, after, *_ = rng.choices(choices, [c[2] for c in choices])[0]
            weight *= sum(c[2] for c in choices) if weigh else 1.0
            steps, now = (*steps, step), after
            if step[0] == 0:
                break
        return steps, now, weight

    for _ in range(len(words) + 1):
        particles = [advance(i, *particle) for i, particle in enumerate(particles)]
        if not plain.system.is_final(particles[0][1]):
            drawn = rng.choices(particles, [w for _, _, w in particles], k=PARTICLES - 1)
            particles = [(s, now, 1.0) for s, now, _ in [particles[0], *drawn]]
    return rng.choices(particles, [w for _, _, w in particles])[0][0]


@pytest.mark.parametrize("weigh", [True, False])
def test_the_plain_twin_agrees_and_forgotten_weights_are_caught(weigh: bool) -> None:
    _, law, plain, words = fixed(KINDS[0])
    options = cache(lambda now: alternatives(plain, now, words))
    rng = random.Random(7)
    counts = Counter(
        conditional_smc(plain, words, options, begin, rng, weigh=weigh)
        for begin in exact_starts(law, 5)
    )
    assert (fits(counts, law) > SUSPICIOUS) == weigh


# ---- franchises that learn ---------------------------------------------------------------------
SHORT: dict[str, list[str]] = {
    "actions": ["s1.tag"],
    "labels": [],
    "tags": ["s1.tag"],
    "words": ["b.tag"],
}
SWEEPS, DISCOUNT, STRENGTH = 40_000, 0.3, 0.5


def joint_probability(events: list[exact.Event], outcomes: int) -> float:
    """p(events), summed over all ways to seat them."""
    priors = exact.Priors([1 / outcomes] * outcomes, [DISCOUNT] * 2, [STRENGTH] * 2)
    return sum(p for p, _ in exact.arrangements(events, priors))


def learning() -> tuple[Array, Law, Law]:
    """A chain over the words "a a" alone; the law of all seatings; the law without learning."""
    small = Small(KINDS[0], ("a", "a"), SHORT)
    outcomes = outcomes_of(small.training.shape, small.codec)
    franchises = {}
    for name in ("actions", "tags", "words"):
        franchises[name] = Franchise(UniformBase(outcomes[name]), 2)
        for level in range(2):
            franchises[name].set_parameters(level, DISCOUNT, STRENGTH)
    static: Law = {}
    learned: Law = {}
    own: dict[tuple[str, Steps], list[exact.Event]] = {}
    for steps, (p, events) in all_derivations(small.plain(franchises), small.words).items():
        static[steps] = learned[steps] = p
        for name in franchises:
            mine = [(e.context, e.outcome) for e in events if e.distribution == name]
            own[name, steps] = mine
            learned[steps] *= joint_probability(mine, outcomes[name]) * outcomes[name] ** len(mine)
    begin = next(iter(static))
    for name, franchise in franchises.items():
        contexts, dishes = zip(*own[name, begin], strict=True)
        entries = franchise.resolve(np.array(contexts, np.int32), np.array(dishes, np.int32))
        franchise.add(entries, Stream(1, 5, 0))
    sampler = small.sampler(franchises)
    sampler.resume(np.array(begin, np.int16).ravel(), np.array([len(begin)], np.int64))
    numbers = {steps: i for i, steps in enumerate(static)}
    rng, chain = Stream(1, 6, 0), np.zeros((SWEEPS, len(static)))
    for sweep in range(SWEEPS):
        sampler.sweep(4, rng)
        chain[sweep, numbers[key_of(sampler.histories()[0])]] = 1
    return chain, law_of(learned), law_of(static)


def test_a_chain_that_learns_obeys_the_law_of_all_seatings() -> None:
    chain, learned, static = learning()
    often = [i for i, p in enumerate(learned.values()) if p > 0.01]
    estimate = batch_means(chain[:, often])
    assert p_value(estimate, np.array(list(learned.values()))[often]) > SUSPICIOUS
    # Draws that are always accepted follow the law without learning.
    assert p_value(estimate, np.array(list(static.values()))[often]) < SUSPICIOUS


def seats_of(franchise: Franchise) -> dict[int, tuple[int, int, list[tuple[int, int]] | None]]:
    """Customers, tables and sizes of the entries that have any; one table needs no list."""
    customers, tables, sizes = franchise.state()
    listed: dict[int, list[tuple[int, int]]] = {}
    for entry, size, number in sizes.reshape(-1, 3).tolist():
        listed.setdefault(entry, []).append((size, number))
    return {
        i: (c, t, listed[i] if t > 1 else None)
        for i, (c, t) in enumerate(zip(customers.tolist(), tables.tolist(), strict=True))
        if c
    }


@pytest.mark.parametrize("kind", KINDS[:3], ids=str)
def test_a_draw_that_is_not_accepted_leaves_no_trace(kind: Kind) -> None:
    small = Small(kind, ("a", "b", "a", "b"))
    n = 4
    tree = Tree([small.codec.tags[0]] * n, [2, 3, 4, 0], [small.codec.labels[0]] * n)
    forms = [Sentence.from_columns(["a", "b", "a", "b"])]
    franchises, open_batch = small.seated(), small.batch
    small.batch = small.codec.encode(forms, [tree])
    seating = small.sampler(franchises)
    seating.seat(Stream(1, 7, 0))
    small.batch = open_batch
    sampler = small.sampler(franchises)
    sampler.resume(*seating.histories())
    refused = 0
    for i in range(400):
        before = [seats_of(f) for f in franchises.values()], sampler.histories()[0].tolist()
        accepted, changed = sampler.sweep(3, Stream(1, 8, i))
        assert changed <= accepted
        if not accepted:
            refused += 1
            after = [seats_of(f) for f in franchises.values()], sampler.histories()[0].tolist()
            assert after == before
    assert 0 < refused < 400
