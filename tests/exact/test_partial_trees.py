"""The analyses alive after each word, against the enumeration of all derivations."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pytest
from prefix_twins import EVERYTHING, Path, moments
from transition_twins import SPECIAL, SYSTEMS, Kind, Twin, twin_of

from bistro.models.parsing.language import ScoreOptions
from bistro.models.results.readings import Live, Reading
from bistro.reference.arc_standard import Action, Configuration

FOLLOWED = [
    *SYSTEMS,
    Kind("first", "one", "joint"),
    Kind("last", "several", "joint"),
    Kind("first", "several", "none"),
    *(k for k in SPECIAL if k.direction == "left-to-right" and k.lexical != "none"),
]
UNSEEN_LABELS = [kind for kind in FOLLOWED if kind.labels != "none" and not kind.sees_labels]
SENTENCES = [["a"], ["b", "never-seen"], ["d", "c", "a"]]
ALL: dict[str, Any] = {"particles": EVERYTHING.particles, "analyses": 10**6}


class Partial(NamedTuple):
    """A partial tree; labels only where contexts see them."""

    heads: tuple[int, ...]
    labels: tuple[int, ...]
    tags: tuple[int, ...]
    stack: tuple[int, ...]


def replayed(
    twin: Twin, path: Path, forms: Sequence[str]
) -> tuple[list[tuple[Configuration, Action]], Configuration]:
    """Return every configuration of a derivation with the action taken there, and the last one."""
    system = twin.plain.system
    steps: list[tuple[Configuration, Action]] = []
    now, words = system.start(), iter(twin.words(forms))
    for action, number in path:
        steps.append((now, action))
        word = next(words) if action == "shift" else 0
        now = system.apply(now, action, label=number, tag=number, word=word)
    return steps, now


def partial_of(twin: Twin, path: Path, forms: Sequence[str]) -> Partial:
    _, now = replayed(twin, path, forms)
    heads, labels = [-1] * len(now.words), [-1] * len(now.words)
    for head, dependent, label in now.arcs:
        heads[dependent - 1] = head
        labels[dependent - 1] = label if twin.kind.sees_labels else 0
    stack = tuple(word for word in now.stack if word > 0)
    return Partial(tuple(heads), tuple(labels), now.tags, stack)


def key_of(twin: Twin, live: Live) -> Partial:
    codec = twin.model.codec
    number = codec.labels.index if twin.kind.sees_labels else lambda label: 0
    labels = (-1 if h < 0 else number(la) for h, la in zip(live.heads, live.labels, strict=True))
    tags = map(codec.tags.index, live.tags)
    return Partial(tuple(live.heads), tuple(labels), tuple(tags), tuple(live.stack))


def before_the_word(path: Path) -> Path:
    """Return a derivation as it was when the word before the last had come, or all had."""
    shifts = [i for i, (action, _) in enumerate(path) if action == "shift"]
    return path[: shifts[-2 if shifts[-1] == len(path) - 1 else -1] + 1]


def label_masses(twin: Twin, path: Path, forms: Sequence[str]) -> dict[int, list[float]]:
    """By dependent: p(label | the configuration in which a derivation makes the arc)."""
    plain, steps = twin.plain, replayed(twin, path, forms)[0]
    masses: dict[int, list[float]] = {}
    for now, action in steps:
        if action.endswith("arc"):
            p = [plain.probability(now, action, label=la) for la in range(plain.num_labels)]
            masses[plain.system.arc(now, action).dependent] = [x / sum(p) for x in p]
    return masses


@pytest.mark.parametrize("kind", FOLLOWED, ids=str)
def test_a_search_without_limits_finds_every_partial_tree_with_its_probability(kind: Kind) -> None:
    twin = twin_of(kind)
    for forms in SENTENCES[: 2 if kind.sees_labels else 3]:
        reading = twin.model.follow(forms, **ALL)
        for step, moment in zip(reading.steps, moments(kind, tuple(forms)), strict=True):
            expected: dict[Partial, float] = defaultdict(float)
            for path, p in moment.joint.items():
                expected[partial_of(twin, path, forms)] += p / moment.total
            found = {key_of(twin, live): live.probability for live in step.analyses}
            assert step.alive == len(step.analyses) == len(found)
            assert set(found) <= set(expected)
            for key, p in expected.items():
                assert found.get(key, 0.0) == pytest.approx(p, rel=0, abs=1e-9)
            entropy = -sum(p * math.log2(p) for p in expected.values() if p > 0)
            assert step.entropy == pytest.approx(entropy, abs=1e-7)


@pytest.mark.parametrize("kind", FOLLOWED, ids=str)
def test_the_parent_is_the_analysis_that_gave_most(kind: Kind) -> None:
    twin = twin_of(kind)
    forms = SENTENCES[1 if kind.sees_labels else 2]
    reading = twin.model.follow(forms, **ALL)
    assert all(live.parent is None for live in reading.steps[0].analyses)
    several = 0
    for before, step, moment in zip(
        reading.steps, reading.steps[1:], moments(kind, tuple(forms))[1:], strict=False
    ):
        given: dict[Partial, dict[Partial, float]] = defaultdict(lambda: defaultdict(float))
        for path, p in moment.joint.items():
            parent = partial_of(twin, before_the_word(path), forms)
            given[partial_of(twin, path, forms)][parent] += p
        names = {live.id: key_of(twin, live) for live in before.analyses}
        for live in step.analyses:
            masses = given[key_of(twin, live)]
            several += len(masses) > 1
            assert live.parent is not None
            assert masses[names[live.parent]] == pytest.approx(max(masses.values()), rel=1e-6)
    assert several or kind.sees_labels


@pytest.mark.parametrize("kind", UNSEEN_LABELS, ids=str)
def test_an_arc_that_stands_for_all_labels_shows_the_likeliest(kind: Kind) -> None:
    twin = twin_of(kind)
    forms = SENTENCES[2]
    for step, moment in zip(
        twin.model.follow(forms, **ALL).steps, moments(kind, tuple(forms)), strict=True
    ):
        masses: dict[Partial, dict[int, list[float]]] = {}
        for path, p in moment.joint.items():
            sums = masses.setdefault(partial_of(twin, path, forms), {})
            for word, row in label_masses(twin, path, forms).items():
                old = sums.get(word, [0.0] * len(row))
                sums[word] = [a + p * b for a, b in zip(old, row, strict=True)]
        for live in step.analyses:
            for word, label in enumerate(live.labels, start=1):
                if live.heads[word - 1] < 0:
                    assert label == "_"
                    continue
                row = masses[key_of(twin, live)][word]
                shown = row[twin.model.codec.labels.index(label)]
                assert shown == pytest.approx(max(row), rel=1e-6)


def sums_and_names(reading: Reading) -> None:
    """Assert what every reading promises."""
    ids = [live.id for step in reading.steps for live in step.analyses]
    assert len(set(ids)) == len(ids)
    shown: set[int] = set()
    for place, step in enumerate(reading.steps, start=1):
        assert step.word == place
        assert sum(live.probability for live in step.analyses) <= 1 + 1e-9
        ranks = [live.probability for live in step.analyses]
        assert ranks == sorted(ranks, reverse=True)
        size = min(place, len(reading.words))
        for live in step.analyses:
            assert len(live.heads) == len(live.labels) == len(live.tags) == size
            assert live.parent is None or live.parent in shown
            assert live.stack == [i for i, head in enumerate(live.heads, 1) if head < 0]
        shown = {live.id for live in step.analyses}


@pytest.mark.parametrize("tags", ["all", "seen"])
@pytest.mark.parametrize("particles", [1, 20, 1000])
@pytest.mark.parametrize("kind", [SYSTEMS[0], SYSTEMS[3], SPECIAL[0]], ids=str)
def test_surprisals_are_those_of_the_search_and_probabilities_sum_to_one(
    kind: Kind, particles: int, tags: Literal["all", "seen"]
) -> None:
    model = twin_of(kind).model
    forms = ["d", "c", "never-seen", "b", "a", "a"]
    reading = model.follow(forms, 10**6, particles=particles, tags=tags)
    options = ScoreOptions("search", particles=particles, tags=tags, threads=1)
    expected = -model.score([forms], **vars(options)).log_probs / math.log(2)
    assert [step.surprisal for step in reading.steps] == pytest.approx(expected, abs=1e-12)
    for step in reading.steps:
        assert sum(live.probability for live in step.analyses) == pytest.approx(1.0, abs=1e-9)
    sums_and_names(reading)


def test_fewer_shown_are_the_first_of_all() -> None:
    model = twin_of(SYSTEMS[0]).model
    forms = ["d", "c", "b", "a"]
    everything, few = (model.follow(forms, n, particles=1000) for n in (10**6, 2))
    sums_and_names(few)
    dropped = 0
    for whole, part in zip(everything.steps, few.steps, strict=True):
        assert (part.alive, part.entropy, part.surprisal) == (
            whole.alive,
            whole.entropy,
            whole.surprisal,
        )
        for a, b in zip(whole.analyses, part.analyses, strict=False):
            assert (a.id, a.probability, a.heads) == (b.id, b.probability, b.heads)
            assert b.parent in (a.parent, None)
            dropped += b.parent != a.parent
        assert len(part.analyses) == min(2, whole.alive)
    assert dropped
