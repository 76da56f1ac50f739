"""Training of a stack from members' votes on sentences that they have not seen.

The training sentences are assigned to folds in short contiguous stretches, so that every fold
contains all genres. For each fold, members are trained briefly on the other folds and then vote on
that fold. In this way, the votes on each sentence come from members that have not seen it. The
weights of the mixture and the stack are learned from these votes.

    the weights of the mixture      as from a development set
    the stack                       by stochastic gradient, a few passes in random order

The second round of a stack uses the trees of the first round. For each fold, the trees of the first
round come from a stack that is trained on the other folds.

Members that are trained on all sentences are slightly more accurate than members that are trained
on only some of the folds. This difference affects only the calibration, which is fitted on a
development set. Without a development set, probabilities are not calibrated. The sharpness could be
fitted on folds that the stack was not trained on, but in experiments the mean probabilities were
then 1 to 3 percentage points below the accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro import progress
from bistro._core import StackBatch, StackLearner, random_bits
from bistro.models.committee.calibration import fitted_map
from bistro.models.committee.config import CommitteeConfig, StackSettings
from bistro.models.committee.fitting import heads_of, weights_of, with_trees
from bistro.models.committee.mixture import Fit, Symbols
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.stack_weights import (
    AGAIN,
    DECISIONS,
    HEADS,
    LABELS,
    TAGS,
    Weights,
    rounded,
)
from bistro.models.committee.stacking import Ballot, Stack, Tree
from bistro.models.committee.templates import Templates, compiled, usual
from bistro.models.parsing.votes import Ints, Votes
from bistro.rng import purpose_key
from bistro.treebank.projectivity import projectivize
from bistro.treebank.sentence import Sentence

STRETCH = 20
"""Number of consecutive sentences that are put into the same fold."""
LEAST_STACKED = 4000
"""Minimum number of training words required to train a stack. With fewer words, a stack reduces
the accuracy."""


def dealt(
    sentences: Sequence[Sentence], folds: int
) -> Iterator[tuple[list[Sentence], list[Sentence]]]:
    """Yield the training sentences and the held-out sentences of each fold.

    >>> treebank = [Sentence.from_columns([str(i)]) for i in range(6 * STRETCH)]
    >>> [(len(rest), len(fold), fold[STRETCH].forms) for rest, fold in dealt(treebank, 2)]
    [(60, 60, ['40']), (60, 60, ['60'])]
    """
    stretch = max(1, min(STRETCH, len(sentences) // (2 * folds)))
    number = np.arange(len(sentences)) // stretch % folds
    for fold in range(folds):
        is_held_out = (number == fold).tolist()
        yield (
            [s for s, out in zip(sentences, is_held_out, strict=True) if not out],
            [s for s, out in zip(sentences, is_held_out, strict=True) if out],
        )


WORDS_FOR_DROPOUT = 100_000
"""Minimum number of training words required to use dropout. With fewer words, dropout makes a
stack underconfident. With a dropout of 0.5, the heads of French ParTUT (24,000 words) had a mean
probability of 79 % and an accuracy of 90 %."""

Lesson = tuple[StackBatch, NDArray[np.int32], int]
"""A batch of candidates, the index of each word's gold candidate, and the number of sentences."""


class Counted(NamedTuple):
    """The members' votes on the sentences of one fold."""

    sentences: list[Sentence]
    votes: list[Votes]
    symbols: Symbols
    """The mapping from the labels and tags of the voting members to those of the whole
    committee."""


@dataclass(frozen=True)
class Judging:
    """Training of a committee's stack."""

    model: CommitteeModel
    config: CommitteeConfig
    seed: int
    threads: int

    def learned(
        self, way: str, folds: Sequence[Counted], dev: Sequence[Sentence] | None
    ) -> tuple[Fit, Stack]:
        """Train a stack and the weights of the members for one source of tags."""
        first = folds[0]
        fit = weights_of(first.votes, first.symbols, first.sentences, self.config.weights)
        ballots = [
            self.model.ballot(one.sentences, one.votes, fit, one.symbols, self.threads)
            for one in folds
        ]
        stack = self._stack(way, ballots)
        if dev:
            unseen = self._ballot(way, fit, with_trees(dev))
            decided = stack.decided(unseen)
            heads = unseen.tree_of(decided).heads
            is_right = heads == heads_of(unseen.sentences)
            log_odds = fitted_map(decided.heads.probability_of(heads), is_right)
            fit = replace(fit, log_odds=log_odds)
        return fit, stack

    def _stack(self, way: str, ballots: Sequence[Ballot]) -> Stack:
        return learned(ballots, self.config.stack, self.seed, tags=way == "joint")

    def _ballot(self, way: str, fit: Fit, sentences: list[Sentence]) -> Ballot:
        model = self.model
        votes = model.votes_of_members(
            sentences, model.with_defaults(tags=way, threads=self.threads)
        )
        return model.ballot(sentences, votes, fit, model.symbols, self.threads)


@dataclass(frozen=True)
class Gold:
    """The gold heads of all words, and the committee's indices for their gold labels and tags."""

    heads: Ints
    labels: Ints
    tags: Ints

    @classmethod
    def of(cls, ballot: Ballot) -> Gold:
        """Return the gold annotation of the sentences in a fold, with crossing arcs lifted."""
        symbols = ballot.mixture.symbols
        label_numbers = {label: i for i, label in enumerate(symbols.labels)}
        tag_numbers = {tag: i for i, tag in enumerate(symbols.tags)}
        heads: list[int] = []
        labels: list[int] = []
        tags: list[int] = []
        for sentence in ballot.sentences:
            scheme = symbols.nonprojective or "head"
            lifted = projectivize(sentence.heads, sentence.deprels, scheme)
            heads += lifted.heads
            labels += [label_numbers.get(label, -1) for label in lifted.labels]
            tags += [tag_numbers.get(tag, -1) for tag in getattr(sentence, symbols.tag_column)]
        return cls(np.array(heads), np.array(labels), np.array(tags))


@dataclass(frozen=True)
class Course:
    """The votes on one fold, with the gold decisions and the tree that is used for features."""

    ballot: Ballot
    gold: Gold
    tree: Tree


def learned(ballots: Sequence[Ballot], settings: StackSettings, seed: int, *, tags: bool) -> Stack:
    """Train a stack on the votes from all folds. A stack for given tags does not predict tags."""
    golds = [Gold.of(ballot) for ballot in ballots]
    wanted = [name for name in DECISIONS if (name != TAGS or tags)]
    if not ballots[0].mixture.symbols.labels:
        wanted.remove(LABELS)
    courses = [
        Course(ballot, gold, ballot.tree) for ballot, gold in zip(ballots, golds, strict=True)
    ]
    # With two rounds, all folds are learned twice, and each fold once without itself.
    share = 1.0 if settings.rounds == 1 else 1 / (len(courses) + 1)
    first = _round(courses, wanted, settings, seed, share)
    if settings.rounds == 1:
        return first
    later: list[Course] = []
    for place, course in enumerate(courses):
        others = [*courses[:place], *courses[place + 1 :]]
        part = share * len(others) / len(courses)
        decided = _round(others, wanted, settings, seed, part).decided(course.ballot)
        later.append(replace(course, tree=course.ballot.tree_of(decided)))
    second = _round(later, wanted, settings, seed, share)
    return Stack(
        {**first.weights, **{name + AGAIN: w for name, w in second.weights.items()}},
        {**first.templates, **{name + AGAIN: t for name, t in second.templates.items()}},
    )


def _round(
    courses: Sequence[Course],
    wanted: Sequence[str],
    settings: StackSettings,
    seed: int,
    share: float,
) -> Stack:
    """Train the decisions of one round.

    The argument `share` is the proportion of the training time that this round takes.
    """
    templates = usual(classes=bool(courses[0].ballot.classes.words))
    weights: dict[str, Weights] = {}
    for name in wanted:
        lessons = [_lesson(name, course) for course in courses]
        with progress.phase(name, total=settings.passes, share=share / len(wanted)) as passes:
            weights[name] = _weights(name, lessons, templates[name], settings, seed, passes)
    return Stack(weights, {name: templates[name] for name in wanted})


def _weights(
    name: str,
    parts: Sequence[Lesson],
    templates: Templates,
    settings: StackSettings,
    seed: int,
    passes: progress.Phase,
) -> Weights:
    """Train one decision and return its weights, averaged over the second half of the passes."""
    has_many = sum(gold.size for _, gold, _ in parts) >= WORDS_FOR_DROPOUT
    dropout = settings.dropout if has_many else 0.0
    learner = StackLearner(bits=settings.bits, rate=settings.rate, dropout=dropout, seed=seed)
    seen = compiled(*templates)
    sums = np.zeros(1 << settings.bits)
    first = settings.passes // 2
    for number in range(settings.passes):
        for fold, (batch, gold, size) in enumerate(parts):
            bits = random_bits(seed, purpose_key(f"committee.stack.{name}.{fold}"), number, size)
            order = np.argsort(bits, kind="stable")
            learner.learn(batch=batch, task=name, gold=gold, order=order, templates=seen)
        passes.advance()
        if number >= first:
            sums += learner.weights()
    return rounded(sums / (settings.passes - first))


def _lesson(name: str, course: Course) -> Lesson:
    """Return the candidates for a decision, the gold candidates, and the number of sentences."""
    ballot, gold = course.ballot, course.gold
    if name == TAGS:
        candidates, wanted = ballot.tag_candidates, gold.tags
    elif name == HEADS:
        candidates, wanted = ballot.head_candidates, gold.heads
    else:
        candidates, wanted = ballot.label_candidates(gold.heads), gold.labels
    places = candidates.places_of(wanted)
    if name == HEADS:
        none = candidates.places_of(ballot.positions)
        places = np.where(places < 0, none, places).astype(np.int32)
    return ballot.batch(course.tree, candidates, has_words=True), places, len(ballot.sentences)
