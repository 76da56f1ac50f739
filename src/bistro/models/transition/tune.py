"""Search for the transition-parser contexts and settings that score best on a development set.

The search uses hill climbing. The parts of the configuration are improved in turn until no change
helps.

- Contexts of a distribution: every absent element is tried at one position (words at the end, other
  elements before the words). The best few elements are then moved in either direction for as long
  as each move improves the score. The best of all trials is accepted if it is better than the
  current configuration. When no addition helps, single elements are removed, or exchanged with
  their neighbours. After the first round, only elements that were promising in their last trial are
  tried again.
- Settings: all values of each setting are tried (`ALTERNATIVES`). Features are added to the tags
  one by one.

A trial trains only the chains that changed (`bistro.models.transition.workbench`) with few sweeps,
and a judge evaluates the resulting model. A judge is a function that maps a model to a dictionary
of figures, including ``score``.

>>> search = Search(bench, judge, Journal(None, {}))                          # doctest: +SKIP
>>> best = search.run(TransitionConfig(), ["actions", "tag_features"])        # doctest: +SKIP
>>> best.config.contexts.actions, best.figures["score"]                       # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from bistro import config as configuration
from bistro.encoding.contexts import NUMBERS, is_lexical, sees_kinds, sees_labels
from bistro.errors import ConfigError
from bistro.inference.journal import Journal
from bistro.inference.workers import Workers
from bistro.models.transition.config import DISTRIBUTIONS, OWNERS, TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.workbench import Workbench, with_elements

Figures = dict[str, float]

ALTERNATIVES: dict[str, tuple[Any, ...]] = {
    "tagset": ("upos", "xpos"),
    "unknown_below": (2, 3, 4, 6),
    "unknown_suffixes": (30, 100, 300),
    "labels": ("two-step", "joint"),
    "root": ("first", "last"),
    "direction": ("left-to-right", "right-to-left"),
    "nonprojective": ("head", "path", "head+path", "lift"),
}
SETTINGS = ("tagset", "tag_features", *list(ALTERNATIVES)[1:])
PARTS = (*DISTRIBUTIONS, *SETTINGS)
RARE_FEATURE = 0.01
"""Minimum frequency of a feature, as a proportion of all words. Rarer features are not tried."""


@dataclass(frozen=True)
class Trial:
    """A configuration, the change that led to it, and the figures computed by the judge."""

    config: TransitionConfig
    figures: Figures
    change: str

    @property
    def score(self) -> float:
        """The score of the configuration, which the search maximises."""
        return self.figures["score"]


@dataclass(frozen=True)
class Effort:
    """Settings that determine how thorough the search is."""

    least_gain: float = 0.03
    """Minimum gain in score for which a change is accepted. Smaller gains may be noise, and longer
    contexts need more computing time."""
    best_places: int = 3
    """How many of the best new elements are also tried at other positions."""
    promising: int = 12
    """Number of elements or features that are tried again after the first round."""
    label_elements: bool = True
    """Whether contexts may contain labels of earlier arcs, which make parsing slower."""


class OutOfTimeError(Exception):
    """Raised when a request to stop interrupts the search."""


@dataclass
class Search:
    """A hill-climbing search over configurations, with a journal of all trials."""

    bench: Workbench
    judge: Callable[[TransitionModel], Figures]
    journal: Journal
    effort: Effort = Effort()
    on_trial: Callable[[Trial, Trial], None] = lambda trial, best: None
    stop_requested: Callable[[], bool] = lambda: False
    workers: Workers | None = None
    """Workers that try several configurations in parallel. Without workers, configurations are
    tried one by one."""

    def __post_init__(self) -> None:
        self.accepted: list[Trial] = []
        """The initial configuration and every accepted change, in order."""
        self._promise: dict[str, dict[str, float]] = {}
        self._tried: list[Trial] = []

    @property
    def best(self) -> Trial:
        """The best configuration so far."""
        return self.accepted[-1]

    @property
    def ends(self) -> tuple[Trial, Trial]:
        """The initial configuration and the best configuration so far."""
        return self.accepted[0], self.accepted[-1]

    def run(self, start: TransitionConfig, parts: Sequence[str]) -> Trial:
        """Improve `start` part by part until no change helps or a stop is requested."""
        for part in parts:
            if part not in PARTS:
                raise ConfigError(
                    f"unknown part '{part}' of the search: choose one of {', '.join(PARTS)}"
                )
        try:
            self.accepted = [self._try(start, "the beginning", needed=True)]
            has_improved = True
            while has_improved:
                has_improved = False
                for part in parts:
                    while self._improve(part):
                        has_improved = True
        except OutOfTimeError:
            self._accept(self._tried)
        return self.best

    def _improve(self, part: str) -> bool:
        """Make the best change to one part of the configuration, if its gain is large enough."""
        if part == "tag_features":
            return self._change_features()
        if part not in DISTRIBUTIONS:
            return self._take(self._values_of(part))
        return self._add_element(part) or self._take(self._shorter_or_swapped(part))

    def _take(self, changes: Iterable[tuple[TransitionConfig, str]]) -> bool:
        listed = list(changes)
        self._try_together([config for config, _ in listed])
        return self._accept([self._try(config, change) for config, change in listed])

    def _try_together(self, configs: Sequence[TransitionConfig]) -> None:
        """Let the workers try configurations in parallel, and add the results to the journal."""
        if self.workers is None:
            return
        missing = [c for c in configs if self.journal.find(configuration.to_dict(c)) is None]
        results = self.workers.run(_judged, (self.bench, self.judge), missing)
        for config, figures in zip(missing, results, strict=True):
            self.journal.add(configuration.to_dict(config), figures)
            if self.stop_requested():
                results.close()
                return

    def _accept(self, trials: Sequence[Trial]) -> bool:
        winner = max(trials, key=lambda trial: trial.score, default=None)
        if winner is None or winner.score < self.best.score + self.effort.least_gain:
            return False
        self.accepted.append(winner)
        self._tried = []
        return True

    def _try(self, config: TransitionConfig, change: str, *, needed: bool = False) -> Trial:
        plain = configuration.to_dict(config)
        figures = self.journal.find(plain)
        if figures is None:
            if self.stop_requested() and not needed:
                raise OutOfTimeError
            figures = self.judge(self.bench.model(config))
            self.journal.add(plain, figures)
        trial = Trial(config, figures, change)
        self._tried.append(trial)
        self.on_trial(trial, self.best if self.accepted else trial)
        return trial

    def _add_element(self, part: str) -> bool:
        """Try each new element at one position, and the best elements at other positions too."""
        now = getattr(self.best.config.contexts, part)
        absent = [element for element in self._elements(part) if element not in now]
        probes: list[tuple[str, Trial]] = []
        likely = self._promising(part, absent)
        places = [(element, _usual_place(now, element)) for element in likely]
        self._try_together([self._with_element(part, *place) for place in places])
        for element in likely:
            trial = self._insert(part, element, _usual_place(now, element))
            self._promise[part][element] = trial.score - self.best.score
            probes.append((element, trial))
        probes.sort(key=lambda probe: -probe[1].score)
        trials = [trial for _, trial in probes]
        for element, trial in probes[: self.effort.best_places]:
            trials += self._walk(part, element, trial.score)
        return self._accept(trials)

    def _walk(self, part: str, element: str, score: float) -> Iterator[Trial]:
        """Move a new element in either direction as long as the score improves."""
        now = getattr(self.best.config.contexts, part)
        usual = _usual_place(now, element)
        for places in (range(usual - 1, -1, -1), range(usual + 1, len(now) + 1)):
            last = score
            for place in places:
                trial = self._insert(part, element, place)
                yield trial
                if trial.score <= last:
                    break
                last = trial.score

    def _insert(self, part: str, element: str, place: int) -> Trial:
        config = self._with_element(part, element, place)
        return self._try(config, f"{part}: {element} at position {place + 1}")

    def _with_element(self, part: str, element: str, place: int) -> TransitionConfig:
        now = getattr(self.best.config.contexts, part)
        return with_elements(self.best.config, part, (*now[:place], element, *now[place:]))

    def _elements(self, part: str) -> Iterator[str]:
        """Yield the possible elements of a context.

        For the fourth stack item, only the tag is tried.
        """
        for element in NUMBERS:
            if element.startswith("s4.") and element != "s4.tag":
                continue
            if sees_kinds([element]) and not self.best.config.tag_features:
                continue
            if sees_labels([element]) and not (self._has_labels and self.effort.label_elements):
                continue
            if OWNERS.get(element, part) == part:
                yield element

    @property
    def _has_labels(self) -> bool:
        labels = {label for sentence in self.bench.sentences for label in sentence.deprels}
        return len(labels) > 1 and self.best.config.labels != "none"

    def _shorter_or_swapped(self, part: str) -> Iterator[tuple[TransitionConfig, str]]:
        best = self.best.config
        now = getattr(best.contexts, part)
        for i, element in enumerate(now):
            if len(now) > 1:
                yield with_elements(best, part, now[:i] + now[i + 1 :]), f"{part}: less {element}"
        for i, (one, other) in enumerate(pairwise(now)):
            swapped = (*now[:i], other, one, *now[i + 2 :])
            yield with_elements(best, part, swapped), f"{part}: {other} before {one}"

    def _change_features(self) -> bool:
        """Try adding a feature to the tags or removing a feature, and accept the best change."""
        best = self.best
        now = best.config.tag_features
        absent = [name for name in self._features() if name not in now]

        def trial_with(names: tuple[str, ...]) -> Trial:
            config = replace(best.config, tag_features=names)
            return self._try(config, f"tags with {', '.join(names) or 'no features'}")

        shorter = [tuple(other for other in now if other != name) for name in now]
        likely = self._promising("tag_features", absent)
        lists = [*shorter, *((*now, name) for name in likely)]
        self._try_together([replace(best.config, tag_features=names) for names in lists])
        trials = [trial_with(names) for names in shorter]
        for name in likely:
            trials.append(trial_with((*now, name)))
            self._promise["tag_features"][name] = trials[-1].score - best.score
        return self._accept(trials)

    def _values_of(self, setting: str) -> Iterator[tuple[TransitionConfig, str]]:
        best = self.best.config
        for value in ALTERNATIVES[setting]:
            if value != getattr(best, setting):
                changed: Any = {setting: value}
                yield replace(best, **changed), f"{setting} = {value}"

    def _promising(self, part: str, absent: Sequence[str]) -> list[str]:
        """Return all candidates in the first round, and the most promising candidates later."""
        promise = self._promise.setdefault(part, {})
        ranked = sorted(absent, key=lambda name: -promise.get(name, 0.0))
        return ranked[: self.effort.promising] if promise else ranked

    def _features(self) -> list[str]:
        words = sum(map(len, self.bench.sentences))
        counts = Counter(
            pair.partition("=")[0]
            for sentence in self.bench.sentences
            for feats in sentence.feats
            for pair in feats.split("|")
            if "=" in pair
        )
        return sorted(name for name, count in counts.items() if count >= RARE_FEATURE * words)


def _judged(
    shared: tuple[Workbench, Callable[[TransitionModel], Figures]], config: TransitionConfig
) -> Figures:
    """Try one configuration. Workers run this function."""
    bench, judge = shared
    return judge(bench.model(config))


def _usual_place(now: Sequence[str], element: str) -> int:
    """Return the default position of a new element in a context. Words come last."""
    place = len(now)
    while not is_lexical(element) and place and is_lexical(now[place - 1]):
        place -= 1
    return place
