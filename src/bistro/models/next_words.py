"""Ways to find the probability of every next word that do not belong to one family.

`VocabularySums` is for models that predict numbers of a vocabulary; `ScoredSums` asks the scores of
any model about every word that it knows, one after the other: slow, and the measure of the others.
`MixedSums` mixes what several models say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bistro.encoding.unknown import UNKNOWN
from bistro.encoding.vocabulary import END_SYMBOL, Vocabulary
from bistro.inference.speller import Speller
from bistro.models.results.next_words import Flags, Floats, NextSums
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.abilities import Scorer

EXACT = np.ones(1)
"""The weight of a single run."""


class VocabularySums(NextSums):
    """The next word of a model that predicts the ids of a vocabulary and the end."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        context: Sequence[str],
        shares: Floats,
        weights: Floats = EXACT,
        speller: Speller | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.context = list(context)
        self.shares, self.weights = shares, weights
        self.names = vocabulary.decode(range(vocabulary.end + 1))
        self.is_oov = vocabulary.unknown_mask(np.arange(vocabulary.end + 1, dtype=np.int32))
        self.speller = speller

    def ids(self, words: Sequence[str]) -> list[int]:
        """Return the event of each word, as it is encoded in its place."""
        return [
            self.vocabulary.end
            if word == END_SYMBOL and self.vocabulary.is_unknown(word)
            else int(self.vocabulary.encode([*self.context, word])[-1])
            for word in words
        ]

    def of(self, words: Sequence[str]) -> tuple[Floats, Flags]:
        """Return the probabilities of events; unknown words are spelled if the model can."""
        ids = self.ids(words)
        shares, oov = self.shares[:, ids], self.is_oov[ids]
        if self.speller is not None and oov.any():
            strangers = [seen(word) for word, flag in zip(words, oov, strict=True) if flag]
            shares[:, oov] *= np.exp(self.speller.log_unseen(strangers)[:, 0])
        return shares, oov


class ScoredSums(NextSums):
    """The next word of any model that scores: each word of its vocabulary is scored by itself.

    What these and the end leave of the probability belongs to words that the model does not know.
    """

    def __init__(
        self, model: Scorer, context: Sequence[str], options: Mapping[str, Any]
    ) -> None:
        self._model, self._context, self._options = model, list(context), dict(options)
        words = model.vocabulary.words
        listed, _ = self.of([*words, END_SYMBOL])
        rest = np.maximum(1 - listed.sum(axis=1, keepdims=True), 0.0)
        self.names = [UNKNOWN, *words, END_SYMBOL]
        self.is_oov = np.arange(len(self.names)) == 0
        self.shares = np.concatenate([rest, listed], axis=1)
        self.weights = np.full(len(listed), 1 / len(listed))

    def of(self, words: Sequence[str]) -> tuple[Floats, Flags]:
        """Score words and, if the model does not know a word of that form, the end."""
        is_end = [w == END_SYMBOL and self._model.vocabulary.is_unknown(w) for w in words]
        texts = [
            # Without a context there is no sentence to end: any word holds the place.
            self._context if end and self._context else [*self._context, word]
            for word, end in zip(words, is_end, strict=True)
        ]
        scores = self._model.score(texts, **self._options)
        places = scores.offsets[:-1] + len(self._context)
        shares = np.exp(scores.log_probs[places])[None]
        if scores.deviation is not None:
            before = scores.deviation[:, places - 1] if self._context else 1.0
            shares = shares * (1 + scores.deviation[:, places] - before)
        if not self._context:
            shares[:, is_end] = 0.0
        return shares, scores.is_oov[places] & ~np.array(is_end, dtype=np.bool_)


class MixedSums(NextSums):
    """The next word of a mixture: the weighted mean of what its members say.

    Runs of different members are independent of each other (`independent_runs`).
    """

    def __init__(self, members: Sequence[NextSums], mixing: Sequence[float]) -> None:
        self._members, self._mixing = members, mixing
        first = members[0]
        if all(set(member.names) == set(first.names) for member in members):
            self.names, self.is_oov = first.names, first.is_oov
            self.shares = self._mixed([_in_order(member, self.names) for member in members])
        else:
            self._list_words_of_any()
        self.weights = np.full(len(self.shares), 1 / len(self.shares))

    def _list_words_of_any(self) -> None:
        """List the words that any member knows; the others, which all can spell, are the rest."""
        known = dict.fromkeys(
            name
            for member in self._members
            for name, oov in zip(member.names, member.is_oov.tolist(), strict=True)
            if not oov
        )
        listed, _ = self.of(list(known))
        rest = np.maximum(1 - listed.sum(axis=1, keepdims=True), 0.0)
        self.names = [UNKNOWN, *known]
        self.is_oov = np.arange(len(self.names)) == 0
        self.shares = np.concatenate([rest, listed], axis=1)

    def of(self, words: Sequence[str]) -> tuple[Floats, Flags]:
        """Return the mixed probabilities of any words, which are unknown if all members say so."""
        found = [member.of(words) for member in self._members]
        oov = np.all([flags for _, flags in found], axis=0)
        return self._mixed([shares for shares, _ in found]), oov

    def _mixed(self, shares: Sequence[Floats]) -> Floats:
        members = list(zip(self._mixing, self._members, shares, strict=True))
        means = [member.weights @ own for _, member, own in members]
        mean = np.sum([w * m for (w, _, _), m in zip(members, means, strict=True)], axis=0)
        apart = [
            weight * len(member.weights) * member.weights[:, None] * (own - its_mean)
            for (weight, member, own), its_mean in zip(members, means, strict=True)
        ]
        runs = independent_runs(apart)
        mixed: Floats = mean[None] if runs is None else mean + runs
        return mixed


def independent_runs(parts: Sequence[Floats | None]) -> Floats | None:
    """Return runs of a sum, as many as all its independent parts have together.

    A part has a row per run, each the run's distance from the mean of the part; None, or a single
    row, is exact. The standard error of the mean over the rows returned is the root of the summed
    squares of the parts' standard errors.

    >>> one, other = np.array([[1.0], [-1.0]]), np.array([[0.5], [0.0], [-0.5]])
    >>> rows = independent_runs([one, other])
    >>> rows.shape, round(float(np.var(rows, ddof=1) / 5), 9)
    ((5, 1), 1.083333333)
    """
    drawn = [part for part in parts if part is not None and len(part) > 1]
    if not drawn:
        return None
    total = sum(map(len, drawn))
    rows = []
    for part in drawn:
        runs = len(part)
        factor = np.sqrt(total * (total - 1) / (runs * (runs - 1)))
        rows.append((part - part.mean(axis=0)) * factor)
    return np.concatenate(rows)


def _in_order(member: NextSums, names: Sequence[str]) -> Floats:
    """Return the shares of a member's events in the order of another's names."""
    if list(member.names) == list(names):
        return member.shares
    place: Callable[[str], int] = {name: i for i, name in enumerate(member.names)}.__getitem__
    shares: Floats = member.shares[:, [place(name) for name in names]]
    return shares
