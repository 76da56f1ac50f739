"""A model of lemmas, in which a Pitman-Yor process chooses the edit rule that derives a lemma."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bistro.encoding.edits import EditRule
from bistro.errors import ModelFileError
from bistro.inference.choices import Choice
from bistro.modelfile import Arrays
from bistro.models.columns.config import ColumnsConfig
from bistro.models.columns.elements import TAGS, Words
from bistro.models.columns.tags import Doubt
from bistro.models.results.columns import alternatives_to
from bistro.sums import added
from bistro.treebank.fields import EMPTY

_CANDIDATES = 6
_MOST_CACHED = 20_000
_LEAST_SHARE = 1e-3
"""Minimum probability of a rule, relative to the probability of the best rule. Less probable rules
are used only if no other rule applies."""

Chances = dict[str, float]
"""Lemmas with their probabilities."""
Weighted = list[tuple[tuple[str, ...], float]]
"""Pairs of a form and a context, with weights that sum to 1."""


class Lemmas:
    """A trained model that predicts lemmas."""

    def __init__(
        self,
        config: ColumnsConfig,
        choice: Choice,
        rules: Sequence[EditRule],
        known: Sequence[str],
    ) -> None:
        """Initialise the model with rules, their distribution and the lemmas seen in training."""
        if len(rules) != len(choice.outcomes) or not all(isinstance(name, str) for name in known):
            raise ModelFileError("the lemma rules are damaged")
        self.config, self.choice, self.rules = config, choice, list(rules)
        self.known = frozenset(known)
        self._cache: dict[tuple[str, ...], Chances] = {}

    def find(
        self,
        words: Words,
        kept: list[str] | None,
        doubts: Sequence[Doubt],
        alternatives: int = 0,
    ) -> tuple[list[str], list[float], list[list[tuple[str, float]]]]:
        """Return the lemma of each word, its probability and its alternatives.

        Lemmas that are kept from the input have probability 1.

        If the tags of a word are uncertain, its lemma is the candidate with the highest score,
        summed over the likely tags (`Doubt.deciding`). The probability of the lemma is the sum with
        the probabilities of the tags (`Doubt.weights`).
        """
        names = self.config.contexts.lemmas
        contexts = [words.element(name) for name in names]
        keys = list(zip(words.forms, *contexts, strict=True))
        changing = [(place, name) for place, name in enumerate(names, start=1) if name in TAGS]
        doubted = {doubt.place: _other_keys(keys[doubt.place], changing, doubt) for doubt in doubts}
        self._learn([*keys, *(key for others in doubted.values() for key in others)])
        answers = [_best(self._cache[key], key[0]) for key in keys]
        for doubt in doubts:
            own = doubted[doubt.place]
            lemma, _ = _best(
                self._summed(zip(own, doubt.deciding, strict=True)), keys[doubt.place][0]
            )
            chances = self._summed(zip(own, doubt.weights, strict=True))
            answers[doubt.place] = lemma, min(1.0, chances.get(lemma, 0.0))
        old_lemmas = kept or [EMPTY] * len(answers)
        pairs = list(zip(old_lemmas, answers, strict=True))
        lemmas = [new if old == EMPTY else old for old, (new, _) in pairs]
        probabilities = [p if old == EMPTY else 1.0 for old, (_, p) in pairs]
        if not alternatives:
            return lemmas, probabilities, []
        weighted: list[Weighted] = [[(key, 1.0)] for key in keys]
        for doubt in doubts:
            weighted[doubt.place] = list(zip(doubted[doubt.place], doubt.weights, strict=True))
        others = [
            alternatives_to(new, self._summed(own), alternatives) if old == EMPTY else []
            for own, (old, (new, _)) in zip(weighted, pairs, strict=True)
        ]
        return lemmas, probabilities, others

    def _summed(self, weighted: Iterable[tuple[tuple[str, ...], float]]) -> Chances:
        """Return the weighted sum of the lemma probabilities over several contexts."""
        sums: Chances = {}
        for key, weight in weighted:
            for lemma, p in self._cache[key].items():
                sums[lemma] = sums.get(lemma, 0.0) + weight * p
        return sums

    def _learn(self, keys: Sequence[tuple[str, ...]]) -> None:
        """Compute and cache the lemma probabilities for pairs of a form and a context."""
        cache = self._cache
        if len(cache) > _MOST_CACHED:
            cache.clear()
        if missing := [key for key in dict.fromkeys(keys) if key not in cache]:
            numbers, weights = self.choice.ranked([key[1:] for key in missing], _CANDIDATES)
            ranked = zip(missing, numbers.tolist(), weights.tolist(), strict=True)
            cache |= {key: self._chances(key[0], n, p) for key, n, p in ranked}

    def _chances(self, form: str, numbers: Sequence[int], weights: Sequence[float]) -> Chances:
        sums: Chances = {}
        for number, weight in zip(numbers, weights, strict=True):
            if weight < _LEAST_SHARE * weights[0] and sums:
                break
            lemma = self.rules[number].apply(form) if number >= 0 else None
            if lemma:
                factor = self.config.known_lemmas if lemma in self.known else 1.0
                sums[lemma] = sums.get(lemma, 0.0) + factor * weight
        total = added(sums.values())
        return {lemma: p / total for lemma, p in sums.items()} if total > 0 else {}

    def header(self) -> dict[str, Any]:
        """Return the JSON-serialisable content of the model, without its arrays."""
        rules = [rule.to_header() for rule in self.rules]
        return {"rules": rules, "known": sorted(self.known), **self.choice.header()}

    @classmethod
    def from_parts(cls, config: ColumnsConfig, header: Mapping[str, Any], arrays: Arrays) -> Lemmas:
        """Rebuild the lemma model from the content of a file."""
        rules = [EditRule.from_header(rule) for rule in header["rules"]]
        # Files of earlier versions do not have the lemmas of training.
        return cls(config, Choice.from_parts(header, arrays), rules, header.get("known", []))


def _other_keys(
    key: tuple[str, ...], changing: Sequence[tuple[int, str]], doubt: Doubt
) -> list[tuple[str, ...]]:
    """Return the form and context of a word under each of its likely tags.

    `changing` lists the context positions that contain tags, with the names of their columns.
    """
    keys = []
    for tags in doubt.tags:
        other = list(key)
        for place, name in changing:
            other[place] = tags.get(name, other[place])
        keys.append(tuple(other))
    return keys


def _best(chances: Chances, form: str) -> tuple[str, float]:
    """Return the best lemma with its probability, or the form if there are no candidates."""
    if not chances:
        return form, 0.0
    best = max(chances, key=lambda lemma: chances[lemma])
    return best, min(1.0, chances[best])
