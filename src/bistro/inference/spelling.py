"""Train a spelling model jointly with a word model, whose base distribution it provides.

The spelling process is trained on each distinct training word, once for each of its tags.
Similarly, in a Chinese restaurant process, a word is spelled only when it is drawn from the base.
After each sweep over the spelling, the probabilities H(w) of all known words become the base of the
word model. Here π_t is the share of tag t among the spelled words.

    base(w) = Σ_t π_t H_t(w)  over the tags of w;      base(<unk>) = 1 - Σ_known base(w)

>>> chain = SpelledChain(learner, Chain("words", events, learner.base, sampler, seed=1))
...                                                                     # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import VectorBase
from bistro.encoding.alphabet import Alphabet
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.chains import Figures, Sweeping
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings, SpellingSettings
from bistro.inference.speller import SPELLING, Speller, Spelling

# A word of many hundred characters has a probability that underflows; its base must be above 0.
LEAST_BASE = 1e-300


class SpellingLearner(Chain):
    """A chain that trains the spelling process and provides the base distribution of words."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: SpellingSettings,
        sampler: SamplerSettings,
        seed: int,
        *,
        tagged: tuple[NDArray[np.int64], NDArray[np.int32], int] | None = None,
        predicts_end: bool = False,
    ) -> None:
        """Initialise the process.

        `tagged` contains the word ids and the tags of all (word, tag) pairs, and the number of
        tags. Word ids count from 0.
        """
        self._known = vocabulary.words
        alphabet = Alphabet.of(self._known)
        everyone = np.arange(len(self._known)), np.zeros(len(self._known), np.int32), 1
        self._owner, self._tags, num_tags = tagged or everyone
        self._shares = np.bincount(self._tags, minlength=num_tags) / self._tags.size
        self._spelling = Spelling(alphabet, settings, num_tags)
        # The end of the sentence is an outcome like the others, as under a uniform base.
        self._end = 1 / (len(vocabulary) + 1) if predicts_end else 0.0
        events, self._begins = self._spelling.events(
            [self._known[i] for i in self._owner.tolist()], self._tags
        )
        super().__init__(SPELLING, events, VectorBase(alphabet.base()), sampler, seed)
        self._in_order = self.franchise.resolve(events.contexts, events.outcomes)
        outcomes = len(vocabulary) + predicts_end
        self.base = VectorBase([1 / outcomes] * outcomes)

    def renew_base(self) -> None:
        """Update the base distribution of words from the current spelling probabilities."""
        logs = np.add.reduceat(
            np.log(self.franchise.entry_probabilities(self._in_order)), self._begins
        )
        empty = self._spelling.empty_words()
        ends = self.franchise.probabilities(empty.contexts, empty.outcomes)
        spelled = np.exp(logs) / (1 - ends[self._tags]) * self._shares[self._tags]
        words = np.zeros(len(self._known))
        np.add.at(words, self._owner, spelled)
        words = np.maximum(words, LEAST_BASE)
        scaled = np.concatenate(([max(0.0, 1 - words.sum())], words)) * (1 - self._end)
        self.base.assign(np.append(scaled, self._end) if self._end else scaled)

    def speller(self) -> Speller:
        """Return the mean of the kept samples as a speller."""
        return Speller.closing(self._spelling, self.frozen(), self._known)


class SpelledChain:
    """A chain of a word model that sweeps over the spelling before each sweep over the words.

    In a later stage, the characters are already seated.
    """

    def __init__(
        self, learner: SpellingLearner, words: Sweeping, *, is_seated: bool = False
    ) -> None:
        self._is_seated = is_seated
        self._learner = learner
        self._words = words

    @property
    def is_deterministic(self) -> bool:
        """True if a second sweep cannot change anything."""
        return self._learner.is_deterministic and self._words.is_deterministic

    def seat(self) -> None:
        """Seat the characters, then the words."""
        if not self._is_seated:
            self._learner.seat()
            self._learner.renew_base()
        self._words.seat()

    def step(self, sweep: int, *, keep: bool) -> None:
        """Sweep over the characters, then over the words."""
        self._learner.step(sweep, keep=keep)
        self._learner.renew_base()
        self._words.step(sweep, keep=keep)

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the words, including their spelling."""
        return self._words.log_likelihood()

    def figures(self) -> Figures:
        """Return the trace values of the spelling chain and the word chain."""
        return {**self._learner.figures(), **self._words.figures()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the states of the spelling chain and the word chain."""
        return {**self._learner.state(), **self._words.state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the spelling chain and the word chain from a saved state."""
        self._learner.restore(state)
        self._learner.renew_base()
        self._words.restore(state)
