"""Splitting of tokens into words, for example *du* into *de le* and *can't* into *ca n't*.

Most tokens are one word. An edit rule derives the words from the token (`bistro.encoding.edits`).
The rule is chosen by a Pitman-Yor process that depends on the beginning or end of the token, its
whole form and the previous token. Tokens seen in training are split as in training, and all other
tokens are split according to their spelling. Whether the end of a token is more informative than
its beginning depends on the language. Therefore one model for each order of context elements
is trained on nine tenths of the token types, and the order whose model better predicts the
remaining tenth is chosen.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bistro.encoding.edits import EditRule, chosen_rules
from bistro.errors import ModelFileError
from bistro.inference.choices import Choice, ChoiceLearner
from bistro.inference.settings import SamplerSettings
from bistro.modelfile import Arrays
from bistro.sums import added

SPLITS = "splits"
ENDS = ("back", "front")
_LONGEST = 4
_CANDIDATES = 12
_TENTH = 10
_MOST_CACHED = 100_000
_SEPARATOR = " "
_ANY = "\0"
"""Placeholder for any previous token that never preceded this token in training."""

Example = tuple[str, tuple[str, ...], str]
"""A training example, which consists of a token, its words and the previous token."""
Key = str | tuple[str, str]
"""A cache key: a token, alone or together with the previous token."""


class Splits:
    """A trained model that splits tokens into words."""

    def __init__(self, choice: Choice, rules: Sequence[EditRule], end: str) -> None:
        if end not in ENDS or len(rules) != len(choice.outcomes):
            raise ModelFileError("the rules that split tokens into words are damaged")
        self.choice, self.rules, self.end = choice, list(rules), end
        self._cache: dict[Key, tuple[tuple[str, ...], float]] = {}
        # Most pairs of tokens do not occur in training; all such pairs with a token share a result.
        self._pairs = choice.known_endings(len(context("", "", end)))
        self._in_pairs = frozenset(token for token, _ in self._pairs)

    def split(
        self, tokens: Sequence[str], before: str
    ) -> tuple[list[tuple[str, ...]], list[float]]:
        """Return the words of each token in a sentence, with their probabilities."""
        cache, known, seen = self._cache, self._pairs, self._in_pairs
        pairs = zip(tokens, [before, *tokens[:-1]], strict=True)
        keys: list[Key] = [
            (token, last) if token in seen and (token, last) in known else token
            for token, last in pairs
        ]
        splits = [cache.get(key) for key in keys]
        if None in splits:
            if len(cache) > _MOST_CACHED:
                cache.clear()
            missing = list(dict.fromkeys(key for key in keys if key not in cache))
            cache |= zip(missing, self._splits(missing), strict=True)
            splits = [cache[key] for key in keys]
        words, probabilities = zip(*splits, strict=True) if splits else ((), ())
        return list(words), list(probabilities)

    def _splits(self, keys: Sequence[Key]) -> list[tuple[tuple[str, ...], float]]:
        pairs = [(key, _ANY) if isinstance(key, str) else key for key in keys]
        contexts = [context(token, before, self.end) for token, before in pairs]
        numbers, probabilities = self.choice.ranked(contexts, _CANDIDATES)
        return [
            self._best(token, rules, weights)
            for (token, _), rules, weights in zip(
                pairs, numbers.tolist(), probabilities.tolist(), strict=True
            )
        ]

    def _best(
        self, token: str, rules: Sequence[int], weights: Sequence[float]
    ) -> tuple[tuple[str, ...], float]:
        """Return the most probable words of a token, summing over all rules that apply to it."""
        sums: dict[str, float] = {}
        for number, weight in zip(rules, weights, strict=True):
            words = self.rules[number].apply(token) if number >= 0 else None
            if words is not None and all(words.split(_SEPARATOR)):
                sums[words] = sums.get(words, 0.0) + weight
        if not sums:
            return (token,), 1.0
        best = max(sums, key=lambda words: sums[words])
        probability = sums[best] / added(sums.values())
        return ((token,) if best == token else tuple(best.split(_SEPARATOR))), probability

    def header(self) -> dict[str, Any]:
        """Return the content in a JSON-serialisable form, without the arrays."""
        rules = [rule.to_header() for rule in self.rules]
        return {"end": self.end, "rules": rules, "elements": self.choice.elements.names}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays) -> Splits:
        """Restore the model from the values in `header` and the arrays of the distribution."""
        rules = [EditRule.from_header(fields) for fields in header["rules"]]
        names = [str(number) for number in range(len(rules))]
        parts = {"elements": header["elements"], "outcomes": names}
        return cls(Choice.from_parts(parts, arrays), rules, header["end"])


def context(token: str, before: str, end: str) -> tuple[str, ...]:
    """Return the context for splitting a token, with the most informative element first."""
    low = token.lower()
    back = [f"-{low[-size:]}" for size in range(1, _LONGEST + 1)]
    front = [f"{low[:size]}-" for size in range(1, _LONGEST + 1)]
    nearest, other = (back, front) if end == "back" else (front, back)
    return (*nearest[:3], *other[:2], nearest[3], token, before)


def learned(
    examples: Sequence[Example], settings: SamplerSettings, seed: int
) -> tuple[ChoiceLearner, list[EditRule], str] | None:
    """Return the learner that splits tokens into words, or None if every token is one word."""
    pairs = Counter(
        (token, _SEPARATOR.join(words)) for token, words, _ in examples if len(words) > 1
    )
    if not pairs:
        return None
    rules = chosen_rules(pairs)
    used = sorted({EditRule(), *rules.values()})
    numbers = {rule: str(number) for number, rule in enumerate(used)}
    outcomes = [
        numbers[rules[token, _SEPARATOR.join(words)] if len(words) > 1 else EditRule()]
        for token, words, _ in examples
    ]
    end = max(ENDS, key=lambda end: _held_out(examples, outcomes, end, settings, seed))
    return _learner(examples, outcomes, end, settings, seed), used, end


def _learner(
    examples: Sequence[Example],
    outcomes: Sequence[str],
    end: str,
    settings: SamplerSettings,
    seed: int,
) -> ChoiceLearner:
    contexts = [context(token, before, end) for token, _, before in examples]
    return ChoiceLearner(SPLITS, contexts, outcomes, settings, seed)


def _held_out(
    examples: Sequence[Example],
    outcomes: Sequence[str],
    end: str,
    settings: SamplerSettings,
    seed: int,
) -> float:
    """Return the mean log-probability of the tokens in a held-out tenth of the token types."""
    tenth = [zlib.crc32(token.encode()) % _TENTH == 0 for token, _, _ in examples]
    kept = [i for i, held in enumerate(tenth) if not held]
    held = [i for i, one in enumerate(tenth) if one]
    if not kept or not held:
        return 0.0
    quick = SamplerSettings(seating="minimal", hyper="map", sweeps=1, samples=1)
    learner = _learner([examples[i] for i in kept], [outcomes[i] for i in kept], end, quick, seed)
    learner.seat()
    learner.step(0, keep=True)
    contexts = [context(examples[i][0], examples[i][2], end) for i in held]
    logs = learner.choice().log_probabilities(contexts, [outcomes[i] for i in held])
    return float(np.mean(np.maximum(logs, -20.0)))
