"""Next-word distributions for all families of models.

`VocabularySums` is for models that predict vocabulary ids. `ScoredSums` works for any model that
scores text, and scores every word of the vocabulary separately. This class is slow and serves as
the reference implementation. `MixedSums` mixes the probabilities of several models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bistro.encoding.unknown import UNKNOWN
from bistro.encoding.vocabulary import END_SYMBOL, Vocabulary
from bistro.errors import BistroError
from bistro.inference.speller import Speller
from bistro.models.mixing import shares_of
from bistro.models.results.next_words import Estimates, Floats, NextSums, with_rest
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.abilities import Scorer


class VocabularySums(NextSums):
    """The next-word distribution of a model that predicts vocabulary ids and the sentence end."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        context: Sequence[str],
        shares: Floats,
        *,
        weights: Floats | None = None,
        speller: Speller | None = None,
    ) -> None:
        """Initialise the distribution with run weights and event probabilities, one row per run."""
        self.vocabulary = vocabulary
        self.spells_unknown = vocabulary.is_open
        self.context = list(context)
        self.names = vocabulary.decode(range(vocabulary.end + 1))
        oov = vocabulary.unknown_mask(np.arange(vocabulary.end + 1, dtype=np.int32))
        self.listed = Estimates.of_runs(shares, np.ones(1) if weights is None else weights, oov)
        self._speller = speller

    def ids(self, words: Sequence[str]) -> list[int]:
        """Return the vocabulary id that represents each word at this position."""
        return [
            self.vocabulary.end
            if word == END_SYMBOL and self.vocabulary.is_unknown(word)
            else int(self.vocabulary.encode([*self.context, word])[-1])
            for word in words
        ]

    def of(self, words: Sequence[str]) -> Estimates:
        """Return the probabilities of the given words.

        If the model has a spelling model, the probability of an unknown word includes its spelling.
        """
        estimates = self.listed.at(self.ids(words))
        if self._speller is not None and estimates.is_oov.any():
            pairs = zip(words, estimates.is_oov, strict=True)
            strangers = [seen(word) for word, is_oov in pairs if is_oov]
            estimates.log_probs[estimates.is_oov] += self._speller.log_unseen(strangers)[:, 0]
        return estimates


class ScoredSums(NextSums):
    """The next-word distribution of any model that scores text.

    Each word of the vocabulary is scored separately.

    The remaining probability belongs to unknown words.
    """

    def __init__(self, model: Scorer, context: Sequence[str], options: Mapping[str, Any]) -> None:
        self._model, self._context, self._options = model, list(context), dict(options)
        words = model.vocabulary.words
        self.spells_unknown = model.vocabulary.is_open
        self.names = [UNKNOWN, *words, END_SYMBOL]
        self.listed = with_rest(self.of([*words, END_SYMBOL]))

    def of(self, words: Sequence[str]) -> Estimates:
        """Score words. The end symbol counts as the sentence end unless it is a known word."""
        is_end = np.array(
            [w == END_SYMBOL and self._model.vocabulary.is_unknown(w) for w in words], np.bool_
        )
        texts = [
            # Without a context there is no sentence to end: any word serves as a placeholder.
            self._context if end and self._context else [*self._context, word]
            for word, end in zip(words, is_end, strict=True)
        ]
        scores = self._model.score(texts, **self._options)
        places = scores.offsets[:-1] + len(self._context)
        logs = scores.log_probs[places]
        if not self._context:
            logs[is_end] = -np.inf
        steps = scores.relative_steps()
        return Estimates(
            logs, scores.is_oov[places] & ~is_end, None if steps is None else steps[:, places]
        )


class MixedSums(NextSums):
    """The next-word distribution of a mixture, the weighted mean of its members' probabilities."""

    def __init__(self, members: Sequence[NextSums], mixing: Sequence[float]) -> None:
        self._members, self._mixing = members, mixing
        self.spells_unknown = all(member.spells_unknown for member in members)
        first = members[0].names
        if all(set(member.names) == set(first) for member in members):
            self.names = first
            self.listed = self._mixed([_in_order(member, first) for member in members])
        else:
            # Words known to any member; all others, which every member can spell, are the rest.
            known = [
                n
                for m in members
                for n, oov in zip(m.names, m.listed.is_oov, strict=True)
                if not oov
            ]
            words = list(dict.fromkeys(known))
            self.names = [UNKNOWN, *words]
            self.listed = with_rest(self.of(words))

    def of(self, words: Sequence[str]) -> Estimates:
        """Return the mixed probabilities of words.

        A word counts as unknown if it is unknown to any member.
        """
        return self._mixed([member.of(words) for member in self._members])

    def _mixed(self, parts: Sequence[Estimates]) -> Estimates:
        require_same_runs([part.steps for part in parts])
        logs = np.stack([part.log_probs for part in parts])
        total, shares = shares_of(logs, np.array(self._mixing))
        moved = [
            share * part.steps
            for share, part in zip(shares, parts, strict=True)
            if part.steps is not None
        ]
        oov = np.any([part.is_oov for part in parts], axis=0)
        return Estimates(total, oov, np.sum(moved, axis=0) if moved else None)


def require_same_runs(runs: Sequence[Floats | None]) -> None:
    """Raise an error if the members of a mixture have different numbers of runs."""
    numbers = {len(one) for one in runs if one is not None}
    if len(numbers) > 1:
        shown = " and ".join(map(str, sorted(numbers)))
        raise BistroError(
            f"the models of a mixture have different numbers of runs ({shown}): set repeats "
            "to the same number for all of them"
        )


def _in_order(member: NextSums, names: Sequence[str]) -> Estimates:
    """Return a member's estimates in the order of the given names."""
    if list(member.names) == list(names):
        return member.listed
    place = {name: i for i, name in enumerate(member.names)}
    return member.listed.at([place[name] for name in names])
