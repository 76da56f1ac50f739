"""Incremental reading of a sentence, with the most probable analyses after each word.

The particle search keeps many derivations of the words so far. Derivations with the same tags and
arcs count as one analysis, which is a partial tree. Words without a head are still on the stack.
The probability of an analysis, given the words so far, is as follows.

    p(tree | w_1 ... w_i) = Σ_{derivations d of tree} p(d, w_1 ... w_i) / p(w_1 ... w_i)

A garden path is an analysis that has most of the probability until a word makes it improbable.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1)
>>> reading = model.follow("The dog sleeps .".split(), analyses=3)
>>> [step.token for step in reading.steps]
['The', 'dog', 'sleeps', '.', '</s>']
>>> best = reading.steps[2].analyses[0]
>>> best.tags, best.heads, best.stack
(['DET', 'NOUN', 'VERB'], [2, -1, -1], [2, 3])
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bistro._core import pause
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.errors import ConfigError
from bistro.models.inputs import as_sentence
from bistro.models.options import Options
from bistro.models.parsing.codec import Codec
from bistro.models.parsing.language import LanguageAbility, ScoreOptions
from bistro.models.results.readings import Live, Reading, Step
from bistro.treebank.sentence import Sentence


@dataclass(frozen=True)
class FollowOptions(Options):
    """Options of the particle search, the same as for scoring with ``method="search"``."""

    particles: int = 10_000
    tags: Literal["all", "seen"] = "all"
    """The tags that a word may have: all tags, or only the tags that it had in training. Trying
    only the tags from training is faster than trying all tags."""

    def score_options(self) -> ScoreOptions:
        """Return the corresponding options for scoring."""
        return ScoreOptions("search", particles=self.particles, tags=self.tags)

    def protocol(self) -> str:
        """Return a description of how a reading is computed."""
        tags = "all tags" if self.tags == "all" else "tags seen in training"
        return (
            f"Particle search with {self.particles:,} particles over {tags}. Probabilities are "
            "relative to all analyses found. The probability of a prefix is a lower bound."
        )


class FollowingAbility(LanguageAbility):
    """Mixin for left-to-right parsers, with a method that returns the analyses after each word."""

    def follow(self, words: Sentence | Sequence[str], analyses: int = 5, **options: Any) -> Reading:
        """Read a sentence, and return its most probable partial analyses after each word.

        Parameters
        ----------
        words
            The sentence.
        analyses
            Number of analyses to return after each word.
        **options
            ``particles`` and ``tags``, as in `FollowOptions`.
        """
        settings = FollowOptions.of(options, self.kind, "follow a sentence")
        request = settings.score_options().request(len(self.codec.tags), len(self.codec.labels))
        self.require_prefixes()
        if analyses < 1:
            raise ConfigError(f"analyses is {analyses}, but must be at least 1")
        sentence = Sentence.from_columns(as_sentence(words).forms)
        unseen = self.codec.unseen([sentence])
        columns = self._parser.follow(
            self.codec.encode([sentence], None, unseen), request, min(analyses, 2**31)
        )
        log_probs = np.diff(columns["log_prefix"], prepend=0.0)
        log_probs[:-1] += unseen.log_scale
        surprisals = (-log_probs / math.log(2)).tolist()
        steps = list(_steps(self.codec, sentence.forms, columns, surprisals))
        return Reading(sentence.forms, steps, settings.protocol())


def _steps(
    codec: Codec, words: list[str], columns: Mapping[str, Any], surprisals: list[float]
) -> Iterator[Step]:
    """Convert flat arrays from the C++ core into the steps of a reading."""
    shown = columns["shown_begin"].tolist()
    shown_before: set[int] = set()
    at = 0
    for i, token in enumerate([*words, END_SYMBOL]):
        pause()
        size = min(i + 1, len(words))
        analyses = []
        for row in range(*shown[i : i + 2]):
            arrays = [columns[name][at : at + size] for name in ("heads", "labels", "tags")]
            parent = int(columns["parents"][row])
            analyses.append(
                _live(
                    codec,
                    int(columns["ids"][row]),
                    parent if parent in shown_before else None,
                    float(columns["probabilities"][row]),
                    arrays,
                )
            )
            at += size
        shown_before = {live.id for live in analyses}
        entropy = max(0.0, float(columns["entropy"][i]) / math.log(2))
        yield Step(i + 1, token, surprisals[i], entropy, int(columns["alive"][i]), analyses)


def _live(
    codec: Codec, number: int, parent: int | None, probability: float, arrays: list[Any]
) -> Live:
    tree = codec.decode(*arrays)
    stack = [place for place, head in enumerate(tree.heads, start=1) if head < 0]
    return Live(number, parent, probability, tree.heads, tree.labels, tree.tags, stack)
