"""The memory of a reader makes recent words of the same document more probable.

Speakers and writers often repeat words. The memory is a hierarchy of Pitman-Yor restaurants that
belongs to one document. Level 0 is the mixture of the members, p_0(w | sentence so far). Levels 1,
2 and 3 hold the words of the document so far, in contexts of 0, 1 and 2 words (`recall`):

    p_l(w) = (c - d_l t) / (n + θ_l) + (θ_l + d_l T) / (n + θ_l) p_{l-1}(w)

c is the number of customers who eat w, and t the number of their tables, which is 0 or 1. The
restaurant has n customers at T tables. The top level is a probability distribution over the same
words as the mixture. At the beginning of a document, all restaurants are empty, and the top level
is equal to the mixture.

Each level has a discount d_l and a strength θ_l, which are fitted on the development set
(`fit_memory`).

>>> memory = Memory(words=100, discounts=(0.5, 0.9, 0.9), strengths=(500.0, 2.0, 0.5))
>>> memory.describe()
'memory of the last 100 words of the document'
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import ModelFileError
from bistro.models.reader.config import MOST_WORDS
from bistro.models.reader.recall import LEVELS, Counts, counts_of, events_of
from bistro.models.results.scores import TextScores, deviation_of_steps

LARGEST_STRENGTH = 1e9
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Memory:
    """The parameters of a reader's memory."""

    words: int
    """Number of words and sentence ends that are remembered. Older ones are forgotten."""
    discounts: tuple[float, ...]
    """One discount d per level, with 0 <= d < 1."""
    strengths: tuple[float, ...]
    """One strength θ per level, with θ > -d."""

    def __post_init__(self) -> None:
        """Raise an error if a value is invalid, for example in a damaged model file."""
        numbers = (*self.discounts, *self.strengths)
        if type(self.words) is not int or not 0 < self.words <= MOST_WORDS:
            raise ModelFileError(f"the memory of a reader must hold 1 to {MOST_WORDS:,} words")
        if len(self.discounts) != LEVELS or len(self.strengths) != LEVELS:
            raise ModelFileError(f"the memory of a reader must have {LEVELS} levels")
        if not all(type(x) in (int, float) and math.isfinite(x) for x in numbers):
            raise ModelFileError(
                "the discounts and strengths of a reader's memory must be finite numbers"
            )
        for discount, strength in zip(self.discounts, self.strengths, strict=True):
            if not 0 <= discount < 1 or not -discount < strength <= LARGEST_STRENGTH:
                raise ModelFileError(
                    "each discount of a reader's memory must be at least 0 and less than 1, and "
                    "each strength must be greater than minus its discount"
                )

    def header(self) -> dict[str, Any]:
        """Return the parameters in the form in which a model file stores them."""
        return {name: getattr(self, name) for name in ("words", "discounts", "strengths")}

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Self:
        """Restore a memory from the header of a model file."""
        return cls(header["words"], tuple(header["discounts"]), tuple(header["strengths"]))

    def describe(self) -> str:
        """Return a short description of the memory, to be shown with the scores."""
        return f"memory of the last {self.words:,} words of the document"

    def scores(
        self,
        base: TextScores,
        vocabulary: Vocabulary,
        sentences: Sequence[Sequence[str]],
        documents: Sequence[Hashable],
    ) -> TextScores:
        """Return a text's scores with memory, given its scores without memory.

        A Monte Carlo error of p_0 counts in proportion to the share of p_0 in the probability of
        the word, as in `bistro.models.mixing`.
        """
        counts = counts_of(events_of(vocabulary, sentences), documents, self.words)
        log_probs, shares = self.with_counts(base.log_probs, counts)
        steps = base.relative_steps()
        deviation = None
        if steps is not None:
            deviation = deviation_of_steps(np.where(shares > 0, shares * steps, 0.0), base.offsets)
        # The parts of a surprisal and the entropies are not defined for a mixture.
        return TextScores(log_probs, base.is_eos, base.is_oov, base.offsets, deviation=deviation)

    def with_counts(self, log_probs: Floats, counts: Counts) -> tuple[Floats, Floats]:
        """Return log-probabilities with memory, and the share of p_0 in each event's probability.

        Parameters
        ----------
        log_probs
            Natural logarithms of p_0, one per event.
        counts
            Counts in memory before each event, from `counts_of`.
        """
        own, factor = self.parts(counts)
        # Spelled words can have probabilities that are too small for floating-point numbers.
        with np.errstate(divide="ignore"):
            from_mixture = np.log(factor) + log_probs
            total = np.logaddexp(np.log(own), from_mixture)
        with np.errstate(invalid="ignore"):
            shares = np.where(np.isfinite(total), np.exp(from_mixture - total), 1.0)
        return total, shares

    def parts(self, counts: Counts) -> tuple[Floats, Floats]:
        """Return `own` and `factor` for every event, so that p = own + factor · p_0."""
        own, factor = np.zeros(len(counts)), np.ones(len(counts))
        for level, (d, theta) in enumerate(zip(self.discounts, self.strengths, strict=True)):
            count, customers, tables = counts[:, level].T
            is_empty = customers == 0
            total = np.where(is_empty, 1.0, customers + theta)
            kept = np.where(is_empty, 1.0, (theta + d * tables) / total)
            own = (count - d * (count > 0)) / total + kept * own
            factor = kept * factor
        return own, factor
