"""The next-word distribution of a character or byte model, over training words and other strings.

A word is complete if it is followed by a space or the sentence end. In a surprisal table, the space
or sentence end after a word is part of the next event. In a next-word distribution, the space or
sentence end is part of the word itself. The probability of the word *a* therefore does not include
the probability of *an*, and the context ends with a complete word.

    p(w | context) = p(space) Π p(character) p(space or end) / p(space or end | context)

The probabilities of all strings and of the end sum to 1. Strings with repeated spaces are included
in the total for unlisted strings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bistro.encoding.unknown import UNKNOWN
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.results.next_words import Estimates, Floats, NextSums, with_rest

if TYPE_CHECKING:
    from bistro.models.ngram.text_model import TextModel


class TextSums(NextSums):
    """The next-word distribution of a character or byte model."""

    spells_unknown = True

    def __init__(self, model: TextModel, context: Sequence[str]) -> None:
        self._model, self._context = model, list(context)
        self._log_boundary, self._log_end = 0.0, -math.inf
        if context:
            end, space = self._logs([self._context], len(context))[0].tolist()
            self._log_boundary = float(np.logaddexp(end, space))
            self._log_end = end - self._log_boundary
        words = model.vocabulary.words
        self.names = [UNKNOWN, *words, END_SYMBOL]
        self.listed = with_rest(self.of([*words, END_SYMBOL]))

    def of(self, words: Sequence[str]) -> Estimates:
        """Return the probabilities of words, which may be unknown, and of the sentence end."""
        unknown = np.array([self._model.vocabulary.is_unknown(word) for word in words], np.bool_)
        is_end = np.array([word == END_SYMBOL for word in words], np.bool_) & unknown
        texts = [[*self._context, word] for word in words]
        logs = np.logaddexp.reduce(self._logs(texts, len(self._context)), axis=1)
        log_probs = np.where(is_end, self._log_end, logs - self._log_boundary)
        return Estimates(log_probs, unknown & ~is_end)

    def _logs(self, texts: Sequence[Sequence[str]], first: int) -> Floats:
        """Return the log-probabilities of texts, starting at word `first`.

        The first column includes a sentence end after the last word, and the second column includes
        a space instead.
        """
        units = self._model.units
        with_end, begins = units.encode(texts)
        space = int(units.numbers(" ")[0])
        with_space = [np.append(ids[:-1], np.int32(space)).astype(np.int32) for ids in with_end]
        sums = []
        for sequences in (with_end, with_space):
            logs = self._model.unit_log_probs(sequences)
            ends = np.cumsum([sequence.size for sequence in sequences])
            starts = ends - [s.size - b[first] for s, b in zip(sequences, begins, strict=True)]
            before = np.concatenate(([0.0], np.cumsum(logs)))
            sums.append(before[ends] - before[starts])
        return np.stack(sums, axis=1)
