"""The mixture of the members' votes in a committee, and the resulting trees."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import LONGEST_FOR_RISK, least_risk
from bistro.errors import BistroError, ModelFileError
from bistro.models.committee.calibration import UNCHANGED, LogOddsMap
from bistro.models.parsing.votes import ArcCode, Floats, Ints, Rows, Votes, gathered, mixed
from bistro.models.results.parses import Analysis, Marginals
from bistro.treebank.projectivity import LIFTED, Scheme

if TYPE_CHECKING:
    from bistro.models.abilities import Voter

USUAL_SHARPNESS = 1.4
"""The default sharpness if there is no development set. The values fitted on three treebanks were
1.2 to 1.5."""


@dataclass(frozen=True)
class Fit:
    """The weight of each member, the sharpness of the mixture, and the calibration of its trees."""

    heads: tuple[float, ...]
    """Weight of each member's votes for heads and labels. These weights sum to 1, and so do the
    weights for tags."""
    tags: tuple[float, ...]
    sharpness: float = USUAL_SHARPNESS
    log_odds: LogOddsMap = UNCHANGED
    """The change of log-odds that calibrates the heads of the best tree."""

    @classmethod
    def equal(cls, members: int) -> Fit:
        """Return equal weights."""
        return cls((1 / members,) * members, (1 / members,) * members)

    @classmethod
    def together(cls, fits: Sequence[Fit]) -> Fit:
        """Return the weights of a committee that combines several committees with equal weights."""
        share = 1 / len(fits)
        return cls(
            tuple(share * weight for fit in fits for weight in fit.heads),
            tuple(share * weight for fit in fits for weight in fit.tags),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the weights as a JSON-serialisable dictionary."""
        parts = {"heads": list(self.heads), "tags": list(self.tags), "sharpness": self.sharpness}
        return parts | (self.log_odds._asdict() if self.is_calibrated else {})

    @property
    def is_calibrated(self) -> bool:
        """Whether the probabilities of the heads in the best tree are calibrated."""
        return self.log_odds != UNCHANGED

    def describe(self, names: Sequence[str]) -> str:
        """Return each member's weight for heads, and the calibration, on one line."""
        weights = zip(names, self.heads, strict=True)
        shown = ", ".join(f"{name} {weight:.2f}" for name, weight in weights)
        shown += f"; sharpness {self.sharpness:.2f}"
        if not self.is_calibrated:
            return shown
        low_slope, slope, offset = self.log_odds
        return f"{shown}, log-odds {low_slope:.2f} or {slope:.2f} x {offset:+.2f}"

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any], members: int) -> Fit:
        """Restore the weights from a dictionary and check them.

        Older files have a single slope for all probabilities.
        """
        weights = [np.asarray(entries[name], dtype=np.float64) for name in ("heads", "tags")]
        sharpness = float(entries["sharpness"])
        slope, offset = float(entries.get("slope", 1.0)), float(entries.get("offset", 0.0))
        log_odds = LogOddsMap(float(entries.get("low_slope", slope)), slope, offset)
        sums = all(
            w.shape == (members,) and (w >= 0).all() and abs(w.sum() - 1) < 1e-6 for w in weights
        )
        if not sharpness > 0 or not log_odds.is_increasing or not sums:
            raise ModelFileError("the weights of the members are damaged")
        heads, tags = (tuple(w.tolist()) for w in weights)
        return cls(heads, tags, sharpness, log_odds)


@dataclass(frozen=True)
class OtherVotes:
    """The tags of members whose tag column differs from the committee's tag column."""

    names: list[str]
    numbers: dict[int, Ints]
    """The indices of each member's tags in `names`, keyed by the index of the member."""

    @classmethod
    def of(cls, members: Sequence[Voter], column: str) -> OtherVotes:
        """Collect the tags of the members that use the given tag column."""
        own = {i: m.tag_names for i, m in enumerate(members) if m.tag_column == column}
        names = sorted({name for tags in own.values() for name in tags})
        return cls(names, {i: _numbers(tags, names) for i, tags in own.items()})

    def mixed(self, votes: Sequence[Votes], counted: Sequence[NDArray[np.bool_]]) -> Rows:
        """Mix the votes of the members that use this tag column, with equal weights."""
        rows = [votes[i].tags.renamed(own[votes[i].tags.what]) for i, own in self.numbers.items()]
        return mixed(rows, _row_weights([1.0] * len(rows), [counted[i] for i in self.numbers]))


@dataclass(frozen=True)
class Symbols:
    """The labels and tags of a committee, with mappings from its members' indices to its own."""

    labels: list[str]
    tags: list[str]
    tag_column: str
    nonprojective: Scheme | None
    label_numbers: list[Ints]
    """The committee's index for each label of each member. The last entry is -1, which means that
    there is no label."""
    tag_numbers: list[Ints | None]
    """The committee's index for each tag of each member, or None if the member uses another
    column."""
    other_tags: dict[str, OtherVotes]
    """The tags of members that use another tag column, keyed by the name of the column."""

    @cached_property
    def is_lifted(self) -> NDArray[np.bool_]:
        """Whether each label encodes a crossing arc. The last entry is for arcs without a label."""
        return np.array([LIFTED in label for label in [*self.labels, ""]])

    @classmethod
    def of(cls, members: Sequence[Voter], like: Symbols | None = None) -> Symbols:
        """Collect the labels and tags of all members. Tags come from the first member's tag column.

        If `like` is given, it must contain all labels and tags, and each of them keeps its index in
        `like`.
        """
        if len({bool(member.label_names) for member in members}) > 1:
            raise BistroError("models with labels cannot be combined with models without labels")
        schemes = {member.nonprojective for member in members}
        if len(schemes) > 1:
            raise BistroError(
                "the models encode crossing arcs in different ways, so their labels cannot be "
                "combined: train them with the same value of 'nonprojective'"
            )
        column = members[0].tag_column
        others = dict.fromkeys(m.tag_column for m in members if m.tag_column != column)
        labels = sorted({label for member in members for label in member.label_names})
        tags = sorted({t for m in members if m.tag_column == column for t in m.tag_names})
        if like is not None:
            labels, tags = like.labels, like.tags
        return cls(
            labels,
            tags,
            column,
            schemes.pop(),
            [_numbers([*m.label_names], labels, last=-1) for m in members],
            [_numbers(m.tag_names, tags) if m.tag_column == column else None for m in members],
            {c: OtherVotes.of(members, c) for c in others},
        )


def _numbers(names: Sequence[str], among: Sequence[str], last: int | None = None) -> Ints:
    places = {name: i for i, name in enumerate(among)}
    numbers = [places[name] for name in names] + ([] if last is None else [last])
    return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True)
class Mixture:
    """The mixture of the members' marginals for a batch of sentences."""

    arcs: Rows
    tags: Rows
    code: ArcCode
    symbols: Symbols
    offsets: Ints
    relaxed: NDArray[np.bool_]
    other_tags: dict[str, Rows]
    longest: int = LONGEST_FOR_RISK
    """Maximum length of a sentence for which the minimum-risk tree is computed."""
    best_trees: tuple[Ints, Ints, Ints] | None = None
    """Heads, labels and tags of the best trees, if they were found before the calibration."""

    @classmethod
    def of(
        cls, votes: Sequence[Votes], fit: Fit, symbols: Symbols, lengths: Sequence[int]
    ) -> Mixture:
        """Mix the votes of all members on a batch of sentences."""
        code = ArcCode(len(symbols.labels))
        arcs, tags = in_common(votes, symbols)
        counted = _counted(votes, lengths)
        by_head = mixed(arcs, _row_weights(fit.heads, counted))
        has_tags = [numbers is not None for numbers in symbols.tag_numbers]
        tag_weights = [w for w, has in zip(fit.tags, has_tags, strict=True) if has]
        tag_counted = [c for c, has in zip(counted, has_tags, strict=True) if has]
        return cls(
            _with_sharper_heads(by_head, code, fit.sharpness),
            mixed([t for t in tags if t is not None], _row_weights(tag_weights, tag_counted)),
            code,
            symbols,
            np.concatenate(([0], np.cumsum(lengths))),
            np.logical_and.reduce([vote.relaxed for vote in votes]),
            {c: other.mixed(votes, counted) for c, other in symbols.other_tags.items()},
        )

    @cached_property
    def heads(self) -> Rows:
        """The distribution over heads for each word, summed over labels."""
        return self.arcs.mapped(self.code.head(self.arcs.what))

    def span(self, sentence: int) -> slice:
        """Return the slice that contains the words of a sentence."""
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def trees(self, single_root: bool, threads: int) -> tuple[Ints, Ints, Ints]:
        """Return minimum-risk heads, the likeliest label of each arc, and the likeliest tags."""
        if self.best_trees is not None:
            return self.best_trees
        heads = least_risk(
            offsets=self.offsets,
            begin=self.heads.begin,
            head=self.heads.what.astype(np.int32),
            score=self.heads.probability,
            single_root=single_root,
            threads=threads or os.cpu_count() or 1,
        ).astype(np.int64)
        labelled = self._labelled
        of_arc = labelled.among(self.code.head(labelled.what) == heads[labelled.row]).likeliest()
        labels = self.code.label(of_arc)
        # An arc that no member proposed with a label gets the word's likeliest label.
        if (missing := np.flatnonzero(of_arc < 0)).size:
            labels[missing] = self._without_heads(labelled.reordered(missing)).likeliest()
        return heads, labels, self.tags.likeliest()

    def marginals(self, sentence: int) -> Marginals:
        """Return the marginals of heads, labels and tags in one sentence."""
        span = self.span(sentence)
        first, last = span.start, span.stop
        labels, tags = self.symbols.labels, self.symbols.tags
        return Marginals(
            self.heads.listed(first, last),
            [[(labels[i], p) for i, p in row] for row in self._labels.listed(first, last)],
            [[(tags[i], p) for i, p in row] for row in self.tags.listed(first, last)],
            {
                column: [
                    [(other.names[i], p) for i, p in row]
                    for row in self.other_tags[column].listed(first, last)
                ]
                for column, other in self.symbols.other_tags.items()
            },
        )

    def judged(self, sentence: int, analysis: Analysis) -> Analysis:
        """Return the analysis with its expected proportion of correct heads."""
        first, last = (int(self.offsets[sentence + i]) for i in (0, 1))
        begin = self.heads.begin[first : last + 1]
        inside = slice(int(begin[0]), int(begin[-1]))
        wanted = np.repeat(analysis.heads, np.diff(begin))
        sure = self.heads.probability[inside][self.heads.what[inside] == wanted].sum()
        return replace(analysis, expected_uas=min(1.0, float(sure) / (last - first)))

    @cached_property
    def _labelled(self) -> Rows:
        return self.arcs.among(self.code.label(self.arcs.what) >= 0)

    def _without_heads(self, arcs: Rows) -> Rows:
        return arcs.mapped(self.code.label(arcs.what))

    @cached_property
    def _labels(self) -> Rows:
        return self._without_heads(self._labelled)


def in_common(votes: Sequence[Votes], symbols: Symbols) -> tuple[list[Rows], list[Rows | None]]:
    """Return the votes, with labels and tags converted to the committee's indices.

    A word may then have several entries with the same index. Mixing adds up the probabilities of
    entries with the same index.
    """
    code = ArcCode(len(symbols.labels))
    arcs: list[Rows] = []
    tags: list[Rows | None] = []
    for vote, labels, names in zip(votes, symbols.label_numbers, symbols.tag_numbers, strict=True):
        own = ArcCode(labels.size - 1)
        what = code.join(own.head(vote.arcs.what), labels[own.label(vote.arcs.what)])
        arcs.append(vote.arcs.renamed(what))
        tags.append(None if names is None else vote.tags.renamed(names[vote.tags.what]))
    return arcs, tags


def _counted(votes: Sequence[Votes], lengths: Sequence[int]) -> list[NDArray[np.bool_]]:
    """Return, for each member, a mask of the words for which its vote counts.

    The vote of a member that could not use the given annotation counts only if no other member
    could use it.
    """
    relaxed = np.stack([vote.relaxed for vote in votes])
    counts = ~relaxed | relaxed.all(axis=0)
    return [np.repeat(row, lengths) for row in counts]


def _row_weights(weights: Sequence[float], counted: Sequence[NDArray[np.bool_]]) -> list[Floats]:
    shares = np.asarray(weights)[:, None] * np.stack(counted)
    total = shares.sum(axis=0)
    # If all members that used the evidence have weight 0, they count equally.
    shares = np.where(total > 0, shares, np.stack(counted))
    return list(shares / shares.sum(axis=0))


def sharper(mixture: Mixture, power: float) -> Mixture:
    """Return a mixture in which the distributions over heads are raised to a power."""
    return replace(mixture, arcs=_with_sharper_heads(mixture.arcs, mixture.code, power))


def with_calibrated_trees(mixture: Mixture, fit: Fit, single_root: bool, threads: int) -> Mixture:
    """Return a mixture in which the probabilities of the heads in the best trees are calibrated.

    The remaining probability is divided among the other heads of a word in the same proportions as
    before.
    """
    if not fit.is_calibrated:
        return mixture
    trees = mixture.trees(single_root, threads)
    before = mixture.heads.probability_of(trees[0]).clip(0, 1)
    after = np.where(before > 0, fit.log_odds.calibrated(before), 0.0)
    of_tree = after / np.where(before > 0, before, 1.0)
    of_others = np.where(before < 1, (1 - after) / np.where(before < 1, 1 - before, 1.0), 1.0)
    arcs, row = mixture.arcs, mixture.arcs.row
    is_chosen = mixture.code.head(arcs.what) == trees[0][row]
    factor = np.where(is_chosen, of_tree[row], of_others[row])
    return replace(
        mixture, arcs=Rows(arcs.begin, arcs.what, arcs.probability * factor), best_trees=trees
    )


def _with_sharper_heads(arcs: Rows, code: ArcCode, power: float) -> Rows:
    """Sharpen the distributions over heads.

    The distributions over labels given the head do not change.
    """
    if power == 1:
        return arcs
    head = code.head(arcs.what)
    heads = gathered(arcs.row, head, arcs.probability, len(arcs))
    factor = heads.sharpened(power).probability / np.maximum(heads.probability, 1e-300)
    # Arcs are sorted by head, so that arcs with the same head are adjacent.
    row = arcs.row
    is_new = np.concatenate(([0], (head[1:] != head[:-1]) | (row[1:] != row[:-1])))
    return Rows(arcs.begin, arcs.what, arcs.probability * factor[np.cumsum(is_new)])
