"""Adjustment of the lengths of generated sentences to those in the treebank.

Every word except the root depends on another word, so a sentence of n words has n - 1 dependents. A
mean of 24 words corresponds to 0.958 dependents per word, so the model must predict the number of
dependents of a word with an error of less than one percent. Smoothed distributions are not accurate
enough to achieve such a small error. A tag or action that backs off to a shorter context ignores
which words are still open, and generated sentences lead to such contexts more often than the
treebank does (docs/decisions/lengths-matched.md). To correct the lengths, the probability of a
shift is multiplied by a factor.

    p(shift | context, n words so far)  ∝  p(shift | context) · (n / begin)^-exponent,   n > begin

The exponent is chosen so that generated sentences are on average about as long as the sentences in
the treebank. Generation and scoring use this factor. Parsing does not use the factor, because the
words of the sentence are known, and p(shift) is accurate on real text.

>>> Pace(begin=10.0, exponent=0.5).factor(40)
0.5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BEGIN = 0.6
"""Number of words at which the factor starts to decrease, as a fraction of the treebank's mean
sentence length. The value was tuned on the development sets of WSJ and EWT."""
ABOVE = 0.02
"""Fraction by which generated sentences may, on average, be longer than those in the treebank. An
exact match would reduce the likelihood too much."""
CLOSE_ENOUGH = 0.01
SENTENCES = 3000
"""Number of sentences drawn for each exponent. The standard error of the mean length of these
sentences is one or two percent."""
FIRST_EXPONENT = 0.5
MOST_TRIALS = 8
USUAL_TRIALS = 4


class Pace(NamedTuple):
    """The factor by which the probability of a shift is multiplied.

    With exponent 0, the factor is 1.
    """

    begin: float = 1.0
    exponent: float = 0.0

    def factor(self, words: int) -> float:
        """Return the factor after the given number of generated words."""
        return math.pow(max(words, self.begin) / self.begin, -self.exponent)

    def array(self) -> NDArray[np.float64]:
        """Return `begin` and `exponent` as an array, which is stored in the model file."""
        return np.array(self)


FREE = Pace()


def matched_pace(
    lengths: Sequence[int], drawn_lengths: Callable[[Pace], NDArray[np.int64]]
) -> Pace:
    """Return the factor that makes generated sentences about as long as the given sentences.

    The exponent is found by applying the method of false position to the logarithm of the mean
    length.

    Parameters
    ----------
    lengths
        Length of each treebank sentence, in words.
    drawn_lengths
        Function that draws sentences from the model with a factor and returns their lengths.

    Returns
    -------
    Pace
        The factor, or `FREE` if generated sentences are short enough without one.
    """
    mean = float(np.mean(lengths))
    begin = max(1.0, BEGIN * mean)

    def excess(exponent: float) -> float:
        drawn = float(np.mean(drawn_lengths(Pace(begin, exponent))))
        return math.log(drawn / (mean * (1 + ABOVE)))

    low, of_low = 0.0, excess(0.0)
    if of_low <= CLOSE_ENOUGH:
        return FREE
    high, of_high = math.inf, -math.inf
    exponent = FIRST_EXPONENT
    for _ in range(MOST_TRIALS):
        of_exponent = excess(exponent)
        if abs(of_exponent) <= CLOSE_ENOUGH:
            break
        if of_exponent > 0:
            low, of_low = exponent, of_exponent
        else:
            high, of_high = exponent, of_exponent
        is_between = math.isfinite(high)
        share = of_low / (of_low - of_high) if is_between else 0.0
        exponent = low + share * (high - low) if is_between else 2 * exponent
    return Pace(begin, exponent)
