"""Training while an annotator works, with a new model after every few confirmed sentences.

The newest confirmed sentences form the test set. A candidate is trained on all other complete
sentences. The candidate and the current model parse the test set, given its words and tags. If the
candidate is at least as good as the current model, a new model is trained on all sentences,
including the newest, and replaces the current model. Otherwise, the current model is kept. A good
model is therefore not replaced by a worse model when there is little annotation to learn from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.models import kinds
from bistro.models.abilities import PARSE, Parser
from bistro.models.base import Model
from bistro.tasks.train import train
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

FEWEST = 10
"""Minimum number of sentences needed to train a candidate."""
DEFAULT_KIND = "transition"


@dataclass(frozen=True)
class Lesson:
    """A training attempt and its result."""

    sentences: int
    """Number of complete sentences that the candidate was trained on."""
    judged_words: int
    """Number of words in the test set, which consists of the newest confirmed sentences."""
    las: float | None
    """Percentage of labelled arcs in the test set that the current model predicts correctly."""
    las_candidate: float | None
    taken: bool
    """Whether the new model replaced the current model."""
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """The result of a training attempt, and the new model if it replaces the current model."""

    lesson: Lesson
    model: Model | None


def learn(
    current: Model,
    known: Sequence[Sentence],
    newest: Sequence[Sentence],
    *,
    seed: int = 1,
    stop_requested: Callable[[], bool] = lambda: False,
    settings: dict[str, Any] | None = None,
) -> Outcome:
    """Train a candidate, and replace the current model unless the current model is better.

    Parameters
    ----------
    current
        The current model.
    known
        Complete sentences for training, without the newest sentences.
    newest
        The sentences confirmed since the last training attempt.
    seed
        Seed of the training.
    stop_requested
        Function that is called between sweeps. Training stops if the function returns true.
    settings
        Changes to individual settings of the family.
    """
    begin = time.monotonic()
    kind = _kind(current)
    session = Session(stop_requested=stop_requested)
    options = {"seed": seed, "session": session, **(settings or {})}
    las = labelled_score(PARSE.of(current), newest)
    candidate_las = None
    taken = len(known) < FEWEST and len(newest) >= FEWEST and las is None
    if len(known) >= FEWEST:
        candidate = train(kind, list(known), **options)
        candidate_las = labelled_score(PARSE.of(candidate), newest)
        taken = candidate_las is not None and (las is None or candidate_las >= las)
    model = train(kind, [*known, *newest], **options) if taken else None
    words = sum(map(len, newest))
    seconds = time.monotonic() - begin
    return Outcome(Lesson(len(known), words, las, candidate_las, taken, seconds), model)


def labelled_score(parser: Parser, sentences: Sequence[Sentence]) -> float | None:
    """Return the percentage of labelled arcs predicted correctly from words and tags."""
    bare = [
        s.replace(heads=[MISSING] * len(s), deprels=[EMPTY] * len(s)) for s in sentences if len(s)
    ]
    total = sum(map(len, bare))
    if not total:
        return None
    parses = parser.parse_all(bare, seed=1, tags="given", partial=True, threads=1)
    right = 0
    for gold, parse in zip((s for s in sentences if len(s)), parses, strict=True):
        labels = parse.labels if parser.is_labelled else gold.deprels
        rows = zip(gold.heads, gold.deprels, parse.heads, labels, strict=True)
        right += sum(head == own and label == mine for head, label, own, mine in rows)
    return 100 * right / total


def _kind(model: Model) -> str:
    """Return the kind of the model if it can parse and tag, or else the default kind."""
    try:
        family = kinds.find(model.kind)
    except BistroError:
        return DEFAULT_KIND
    return model.kind if family.can("parse") and family.can("tag") else DEFAULT_KIND
