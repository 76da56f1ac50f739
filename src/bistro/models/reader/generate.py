"""Generation from a mixture. For each word, a member is drawn according to its weight.

    p(w_i | before) = Σ_m weight_m p_m(w_i | before)

The member draws a word given the preceding words. If every member draws from its exact
distribution, the words are distributed according to the mixture. Draws from parsers are
approximate, because parsers use sequential Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from bistro.models.inputs import check_draws
from bistro.rng import Stream

if TYPE_CHECKING:
    from bistro.models.reader.model import ReaderModel


@runtime_checkable
class WordDrawer(Protocol):
    """A model that draws one word at a time."""

    @property
    def longest_generated(self) -> float:
        """Maximum number of words in a drawn sentence. Longer sentences are truncated."""

    def draw_word(self, prefix: Sequence[str], seed: int, *, temperature: float) -> str | None:
        """Draw the next word after a prefix. Return None if the sentence ends after the prefix."""


def draw_sentences(
    model: ReaderModel, n: int, seed: int, temperature: float, prefix: Sequence[str]
) -> Iterator[list[str]]:
    """Yield `n` drawn sentences. Each sentence depends only on the seed and its index."""
    check_draws(n, seed, temperature, prefix)
    sums = np.cumsum(model.weights)
    most = int(model.longest_generated)
    for number in range(n):
        stream = Stream(seed, "reader.generate", number)
        words = list(prefix)
        while len(words) < most:
            place = int(np.searchsorted(sums, stream.uniform() * sums[-1], side="right"))
            drawer = model.drawers[place]
            word = drawer.draw_word(words, seed=stream.next(), temperature=temperature)
            if word is None:
                break
            words.append(word)
        yield words
