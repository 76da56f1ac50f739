"""Stacked decisions, in which another model weights the votes of several members.

In a mixture, each member has the same weight in all decisions. However, the members make different
errors. For example, one member is good at short arcs, and another is good at conjunctions. A
*stack* learns such differences from votes on sentences that the members have not seen. A stack is a
conditional logit model.

    p(candidate) ∝ exp Σ_k θ_k f_k(candidate)

The candidates are proposed by the members. The features of a candidate are the members'
log-probabilities (alone, and combined with tags, labels and distances) and the members that rank
the candidate first. Further features are the surrounding words, tags and arcs in the tree of the
plain mixture. Decisions are made in this order:

    tags      given the tree of the mixture
    heads     given these tags
    labels    given the heads of the tree with the highest sum of head probabilities

A second round with its own weights may use the tree of the first round instead of the tree of the
mixture. For every word, each decision yields probabilities that replace those of the mixture.
Values that no member proposes are not candidates, so the given annotation does not change. An
additional candidate represents the case in which all proposed heads of a word are wrong. The
probability of the additional candidate is not part of the result, so the probabilities of a word's
heads may sum to less than 1. Stacking of parsers was introduced by Nivre and McDonald (2008) and by
Martins et al. (2008), who used the tree of one parser to provide features for another parser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import STACK_FORMS, StackBatch, StackWeights, stack_probabilities
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.committee.classes import NO_CLASSES, WordClasses
from bistro.models.committee.looks import checksum, looks
from bistro.models.committee.mixture import Mixture
from bistro.models.committee.stack_weights import (
    AGAIN,
    DAMAGED,
    HEADS,
    LABELS,
    PLACE_AND_WEIGHT,
    TAGS,
    Weights,
    checked,
    restored,
    sparse,
)
from bistro.models.committee.templates import Templates, compiled
from bistro.models.parsing.votes import Ints, Rows
from bistro.treebank.sentence import Sentence

LEAST = {TAGS: 0.002, HEADS: 0.005, LABELS: 0.003}
"""Minimum probability of a candidate under the mixture."""

NO_TAG = -5
"""Tag index for the other tag column if no member uses it."""
NO_LABEL = -9
"""Label index of the candidate "none of these heads"."""


@dataclass(frozen=True)
class Candidates:
    """The candidates for each word, and the votes for each candidate.

    The last voter is the mixture.
    """

    rows: Rows
    votes: NDArray[np.float32]
    """Probability of each candidate under each voter, shape (candidates, voters)."""
    context: Ints
    """Context of each candidate. For a candidate head, the context is the likeliest label of the
    arc. For a candidate label, the context is the head."""

    def places_of(self, gold: Ints) -> NDArray[np.int32]:
        """Return the index of each word's gold candidate, or -1 if there is no such candidate."""
        places = np.full(len(self.rows), -1, dtype=np.int32)
        row = self.rows.row
        hits = np.flatnonzero(self.rows.what == gold[row])
        places[row[hits]] = hits - self.rows.begin[row[hits]]
        return places


@dataclass(frozen=True)
class Tree:
    """Heads, label indices and tag indices of all words in a batch of sentences."""

    heads: Ints
    labels: Ints
    tags: Ints


@dataclass(frozen=True)
class Ballot:
    """The votes of all members on a batch of sentences, and the mixture of these votes."""

    sentences: Sequence[Sentence]
    mixture: Mixture
    arcs: Sequence[Rows]
    tags: Sequence[Rows]
    """The tag votes of the members that use the committee's tag column."""
    single_root: bool
    threads: int = 1
    has_head: NDArray[np.bool_] | None = None
    """Mask of the words whose heads are given, or None if no heads are given."""
    classes: WordClasses = NO_CLASSES

    @cached_property
    def positions(self) -> Ints:
        """The position of every word in its sentence, counted from 1.

        A candidate head equal to the word's own position means "none of these heads".
        """
        lengths = np.diff(self.mixture.offsets)
        first = np.repeat(self.mixture.offsets[:-1], lengths)
        return np.arange(first.size) - first + 1

    @cached_property
    def _forms(self) -> list[str]:
        return [form for sentence in self.sentences for form in sentence.forms]

    @cached_property
    def looks(self) -> NDArray[np.int32]:
        """Numeric features of the words' spelling, one row per word."""
        return looks(self._forms)

    @cached_property
    def words(self) -> NDArray[np.int32]:
        """Word features for the templates, one row per word."""
        seen, classes = self.looks, self.classes.of(self._forms)
        own = (
            seen[:, : STACK_FORMS - 1],
            seen[:, STACK_FORMS:],
            classes,
            self._other_tags[:, None],
        )
        return np.concatenate(own, axis=1)

    @property
    def _other_tags(self) -> NDArray[np.int32]:
        """Checksums of the likeliest tags in the other column, or `NO_TAG` if no tag is known."""
        for column, other in self.mixture.symbols.other_tags.items():
            names = np.array([*map(checksum, other.names), NO_TAG], dtype=np.int32)
            return names[self.mixture.other_tags[column].likeliest()]
        return np.full(len(self.mixture.tags), NO_TAG, dtype=np.int32)

    @cached_property
    def tree(self) -> Tree:
        """The best trees under the plain mixture of the votes."""
        return self.tree_of(self.mixture)

    def tree_of(self, mixture: Mixture) -> Tree:
        """Return the best trees under a mixture of these votes."""
        return Tree(*mixture.trees(self.single_root, self.threads))

    @cached_property
    def tag_candidates(self) -> Candidates:
        """The candidate tags of all words."""
        rows, votes = tabled(self.mixture.tags, self.tags, LEAST[TAGS])
        return Candidates(rows, votes, np.zeros(rows.what.size, dtype=np.int64))

    @cached_property
    def head_candidates(self) -> Candidates:
        """The candidate heads of all words, with the likeliest label of each arc."""
        code, arcs = self.mixture.code, self.mixture.arcs
        by_head = [rows.mapped(code.head(rows.what)) for rows in self.arcs]
        rows, votes = tabled(self.mixture.heads, by_head, LEAST[HEADS])
        head = code.head(arcs.what)
        span = int(head.max(initial=0)) + 1
        key = arcs.row * span + head
        # Arcs are sorted by head, so that arcs with the same head are adjacent.
        first = np.flatnonzero(np.diff(key, prepend=-1))
        labels = Rows(np.append(first, key.size), code.label(arcs.what), arcs.probability)
        of_arc = np.searchsorted(key[first], rows.row * span + rows.what)
        return self._with_none(Candidates(rows, votes, labels.likeliest()[of_arc]))

    def _with_none(self, candidates: Candidates) -> Candidates:
        """Add the candidate "none of these heads" to all words whose head is not given."""
        rows, n = candidates.rows, len(candidates.rows)
        words = np.arange(n) if self.has_head is None else np.flatnonzero(~self.has_head)
        none = self.positions[words]
        span = 1 + max(int(rows.what.max(initial=0)), int(none.max(initial=0)))
        at = np.searchsorted(rows.row * span + rows.what, words * span + none)
        added = np.zeros(n + 1, dtype=np.int64)
        added[words + 1] = 1
        wider = Rows(
            rows.begin + np.cumsum(added),
            np.insert(rows.what, at, none),
            np.insert(rows.probability, at, 0.0),
        )
        votes = np.insert(candidates.votes, at, 0.0, axis=0)
        return Candidates(wider, votes, np.insert(candidates.context, at, NO_LABEL))

    def label_candidates(self, heads: Ints) -> Candidates:
        """Return the candidate labels of all words, given their heads."""
        code, arcs = self.mixture.code, self.mixture.arcs

        def of_arc(rows: Rows) -> Rows:
            mask = (code.head(rows.what) == heads[rows.row]) & (code.label(rows.what) >= 0)
            return normalised(rows.among(mask))

        given_head = of_arc(arcs)
        rows, votes = tabled(given_head, [of_arc(one) for one in self.arcs], LEAST[LABELS])
        labels = Rows(rows.begin, code.label(rows.what), rows.probability)
        return Candidates(labels, votes, heads[rows.row])

    def batch(self, tree: Tree, candidates: Candidates, *, has_words: bool) -> StackBatch:
        """Return the words, the tree and the candidates in the format that the C++ core expects.

        Only feature templates require word features (`has_words`).
        """
        words = self.words if has_words else np.zeros(0, dtype=np.int32)
        return StackBatch(
            offsets=self.mixture.offsets.astype(np.int64),
            forms=np.ascontiguousarray(self.looks[:, :STACK_FORMS]).reshape(-1),
            tags=tree.tags.astype(np.int32),
            heads=tree.heads.astype(np.int32),
            labels=tree.labels.astype(np.int32),
            begin=candidates.rows.begin.astype(np.int64),
            what=candidates.rows.what.astype(np.int32),
            with_=candidates.context.astype(np.int32),
            votes=candidates.votes.reshape(-1),
            words=words.reshape(-1),
        )


@dataclass(frozen=True, eq=False)
class Stack:
    """The trained weights of all decisions for one source of tags."""

    weights: Mapping[str, Weights]
    """The weights of each decision. If a decision has no weights, the result of the mixture is
    used."""
    templates: Mapping[str, Templates] = field(default_factory=dict)
    """The feature templates for each decision. Older files have no templates and use the
    features of the core."""

    def decided(self, ballot: Ballot) -> Mixture:
        """Return the mixture with the probabilities of the stack's last round."""
        mixture = self._round("", ballot, ballot.tree)
        if any(name.endswith(AGAIN) for name in self.weights):
            mixture = self._round(AGAIN, ballot, ballot.tree_of(mixture))
        return mixture

    def _round(self, suffix: str, ballot: Ballot, tree: Tree) -> Mixture:
        """Return the mixture with the probabilities of one round. Features may use `tree`."""
        mixture = ballot.mixture
        if TAGS + suffix in self.weights:
            tags = self._probabilities(TAGS, suffix, ballot, tree, ballot.tag_candidates)
            tree = replace(tree, tags=tags.likeliest())
            mixture = replace(mixture, tags=tags)
        if HEADS + suffix in self.weights:
            heads = self._probabilities(HEADS, suffix, ballot, tree, ballot.head_candidates)
            heads = heads.among(heads.what != ballot.positions[heads.row])
            mixture = replace(mixture, arcs=_with_heads(mixture, heads))
        if LABELS + suffix in self.weights:
            best_heads = mixture.trees(ballot.single_root, ballot.threads)[0]
            candidates = ballot.label_candidates(best_heads)
            labels = self._probabilities(LABELS, suffix, ballot, tree, candidates)
            mixture = replace(mixture, arcs=_with_labels(mixture, best_heads, labels))
        return mixture

    def _probabilities(
        self, name: str, suffix: str, ballot: Ballot, tree: Tree, candidates: Candidates
    ) -> Rows:
        templates = self.templates.get(name + suffix)
        probability = stack_probabilities(
            batch=ballot.batch(tree, candidates, has_words=templates is not None),
            task=name,
            weights=self.weights[name + suffix],
            threads=ballot.threads,
            templates=None if templates is None else compiled(*templates),
        )
        return Rows(candidates.rows.begin, candidates.rows.what, probability)

    def arrays(self) -> Arrays:
        """Return the arrays with the weights of each decision.

        If there are templates, the weights are stored in half precision, and the arrays are sparse
        if most of the weights are 0.
        """
        if not self.templates:
            return {name: np.asarray(weights) for name, weights in self.weights.items()}
        arrays: dict[str, NDArray[Any]] = {}
        for name, weights in self.weights.items():
            kept = weights if isinstance(weights, StackWeights) else sparse(weights)
            arrays[f"{name}.size"] = np.array([weights.size], dtype=np.int64)
            places, values = kept.places(), kept.values()
            if PLACE_AND_WEIGHT * places.size < weights.size:
                arrays[f"{name}.places"] = places
            else:
                values = np.asarray(weights)
            arrays[f"{name}.weights"] = values.astype(np.float16)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays, templates: Mapping[str, Templates] | None = None) -> Stack:
        """Restore a stack from the arrays of a file and check it.

        Older files contain dense weights and no templates.
        """
        if not templates:
            return cls({name: checked(name, weights) for name, weights in arrays.items()})
        names = {name.partition(".")[0] for name in arrays}
        if not names <= set(templates):
            raise ModelFileError(DAMAGED)
        weights = {name: restored(name, arrays) for name in sorted(names)}
        return cls(weights, {name: templates[name] for name in weights})


def tabled(
    mixture: Rows, members: Sequence[Rows], least: float
) -> tuple[Rows, NDArray[np.float32]]:
    """Return the likely entries of a mixture, and their probabilities under each voter."""
    rows = mixture.among(mixture.probability >= least)
    tops = [int(one.what.max(initial=0)) for one in (mixture, *members)]
    span = max(tops) + 1
    places = rows.row * span + rows.what
    votes = np.zeros((places.size, len(members) + 1), dtype=np.float32)
    votes[:, -1] = rows.probability
    if not places.size:
        return rows, votes
    for voter, one in enumerate(members):
        key = one.row * span + one.what
        at = np.minimum(np.searchsorted(places, key), places.size - 1)
        known = places[at] == key
        sums = np.bincount(at[known], one.probability[known], minlength=places.size)
        votes[:, voter] = sums
    return rows, votes


def normalised(rows: Rows) -> Rows:
    """Normalise the probabilities of each word's entries so that they sum to 1."""
    row = rows.row
    total = np.bincount(row, rows.probability, minlength=len(rows))
    return Rows(rows.begin, rows.what, rows.probability / np.maximum(total, 1e-300)[row])


def _with_heads(mixture: Mixture, heads: Rows) -> Rows:
    """Return the arcs of a mixture with new head probabilities.

    The probabilities of labels given the head do not change.
    """
    code, arcs = mixture.code, mixture.arcs
    row, head = arcs.row, code.head(arcs.what)
    before = mixture.heads
    span = int(max(before.what.max(initial=0), heads.what.max(initial=0))) + 1
    places = before.row * span + before.what
    factor = np.zeros(places.size)
    at = np.searchsorted(places, heads.row * span + heads.what)
    factor[at] = heads.probability / np.maximum(before.probability[at], 1e-300)
    of_arc = factor[np.searchsorted(places, row * span + head)]
    return Rows(arcs.begin, arcs.what, arcs.probability * of_arc)


def _with_labels(mixture: Mixture, heads: Ints, labels: Rows) -> Rows:
    """Return the arcs of a mixture with new label probabilities for the given heads."""
    code, arcs = mixture.code, mixture.arcs
    row = arcs.row
    is_chosen = code.head(arcs.what) == heads[row]
    of_head = np.bincount(row[is_chosen], arcs.probability[is_chosen], minlength=len(arcs))
    listed = np.diff(labels.begin) > 0
    probability = np.where(is_chosen & listed[row], 0.0, arcs.probability)
    span = int(arcs.what.max(initial=0)) + 1
    wanted = labels.row * span + code.join(heads[labels.row], labels.what)
    at = np.searchsorted(row * span + arcs.what, wanted)
    probability[at] = of_head[labels.row] * labels.probability
    return Rows(arcs.begin, arcs.what, probability)
