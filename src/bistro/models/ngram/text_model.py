"""The n-gram model of characters or bytes predicts each unit from the preceding units.

The probability of a word is the product of the probabilities of its characters and of the space
before it. The end of the sentence is an additional character. Every string has a probability, so
word models and character models can be compared in bits per byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream, pause
from bistro.encoding.vocabulary import Vocabulary, vocabulary_of
from bistro.inference.chains import Figures
from bistro.inference.gibbs import level_figures
from bistro.modelfile import Arrays
from bistro.models.base import Origin, by_owner, flat, megabytes
from bistro.models.inputs import Words, as_words, check_draws
from bistro.models.ngram.base import AnyNgramModel
from bistro.models.ngram.config import NgramConfig
from bistro.models.ngram.next_text import TextSums
from bistro.models.ngram.units import Ids, Units, units_from, units_of
from bistro.models.results.scores import TextScores
from bistro.models.runs import Run
from bistro.pitman_yor import TEXT_DISCOUNTS, PitmanYor
from bistro.rng import purpose_key

PROCESS = "process"
"""Prefix for the names of the process's arrays in a model file."""
_AT_ONCE = 500
"""Number of sentences that are scored together."""


def process_of(config: NgramConfig, units: Units, seed: int) -> PitmanYor:
    """Return an untrained Pitman-Yor process over characters or bytes."""
    base, sampler = units.base(), config.sampler
    settings: dict[str, Any] = {"discount": sampler.first_discount, "strength": sampler.strength}
    if config.order == 0:
        settings = {"discount": TEXT_DISCOUNTS, "hyper": "online", "strength": 0.5}
    else:
        settings |= {"hyper": sampler.hyper, "discount_prior": sampler.discount_prior}
        settings |= {"strength_prior": sampler.strength_prior}
    return PitmanYor(
        None if config.order == 0 else config.order - 1,
        outcomes=range(len(base)),
        base=dict(enumerate(base)),
        seating=sampler.seating,
        seed=seed,
        **settings,
    )


@dataclass(eq=False, repr=False)
class TextModel(AnyNgramModel):
    """A trained n-gram model of characters or bytes."""

    config: NgramConfig
    vocabulary: Vocabulary
    """The training words. All other words are reported as unknown, although the model predicts
    their characters in the same way as those of known words."""
    units: Units
    process: PitmanYor
    origin: Origin

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every word and every sentence end. There are no options."""
        self.score_options.of(options, self.kind, "score words")
        words = as_words(sentences)
        sequences, begins = self.units.encode(words)
        is_eos, offsets = TextScores.ends(map(len, words))
        if not words:
            return TextScores(np.zeros(0), is_eos, is_eos, offsets)
        logs = self.unit_log_probs(sequences)
        starts = np.cumsum([0, *(sequence.size for sequence in sequences)])[:-1]
        places = np.concatenate([at + own for at, own in zip(starts, begins, strict=True)])
        strangers = [[*map(self.vocabulary.is_unknown, sentence), False] for sentence in words]
        is_oov = np.array([flag for row in strangers for flag in row], dtype=np.bool_)
        return TextScores(np.add.reduceat(logs, places), is_eos, is_oov, offsets)

    def next_sums(self, context: Sequence[str], **options: Any) -> TextSums:
        """Return the next-word distribution after a context. There are no options."""
        self.score_options.of(options, self.kind, "score words")
        return TextSums(self, context)

    def unit_log_probs(self, sequences: Sequence[Ids]) -> NDArray[np.float64]:
        """Return the log-probability of every character or byte.

        The computation can be interrupted.
        """
        parts = []
        for first in range(0, len(sequences), _AT_ONCE):
            pause()
            parts.append(self.process.log_probs(sequences[first : first + _AT_ONCE]))
        logs: NDArray[np.float64] = np.concatenate(parts)
        return logs + self.units.log_share(np.concatenate(sequences))

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw `n` sentences that begin with `prefix`.

        Sentence i depends only on the seed and on i.

        Characters are drawn with probabilities proportional to p^(1/temperature).
        """
        check_draws(n, seed, temperature, prefix)
        start = self.units.encode([prefix])[0][0][:-1].tolist() if prefix else []
        for i in range(n):
            stream = Stream(seed, purpose_key("ngram.generate.units"), i)
            text = self.units.decode(self._drawn(start, temperature, stream))
            yield [word for word in text.split(" ") if word]

    def _drawn(self, start: list[int], temperature: float, stream: Stream) -> list[int]:
        """Draw the characters or bytes of one sentence, without the end symbol."""
        space = int(self.units.numbers(" ")[0])
        ids, words = list(start), start.count(space)
        while True:
            pause()
            weights = self.process.distribution(ids)
            allowed = np.ones(weights.size, dtype=np.bool_)
            if not ids or ids[-1] == space:
                allowed[[space, self.units.end]] = False  # a word has characters
            elif len(ids) == len(start):
                allowed[:] = False  # the last word of a prefix is complete
                allowed[[space, self.units.end]] = True
            weights = np.where(allowed, weights, 0.0)
            sums = np.cumsum((weights / weights.max()) ** (1 / temperature))
            drawn = int(np.searchsorted(sums, stream.uniform() * sums[-1], side="right"))
            words += drawn == space
            if drawn == self.units.end or words >= self.longest_generated:
                return ids
            ids.append(drawn)

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, including the vocabulary and the alphabet."""
        return {
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
            **self.units.header(),
        }

    def arrays(self) -> Arrays:
        """Return the arrays of the Pitman-Yor process."""
        (state,) = self.process.states()
        return flat({PROCESS: state})

    @classmethod
    def from_parts(
        cls, config: NgramConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        units = units_from(config.units, header)
        process = process_of(config, units, origin.seed)
        process.restore([by_owner(arrays, [PROCESS])[PROCESS]], [], 0)
        return cls(config, vocabulary_of(header), units, process, origin)

    def summary(self) -> dict[str, Any]:
        """Return the units, the order, the number of contexts and the size of the model."""
        counts = self.process.counts()
        return {
            "units": self.config.units,
            "order": self.config.order or "unbounded",
            "words known": len(self.vocabulary) - self.vocabulary.num_classes,
            "contexts": sum(restaurants for restaurants, _, _ in counts),
            "megabytes": megabytes(self.arrays()),
        }


class TextChain:
    """A Markov chain over the states of the character or byte process, used for training."""

    def __init__(self, process: PitmanYor, sequences: list[Ids]) -> None:
        self.process = process
        self._sequences = sequences

    @property
    def is_deterministic(self) -> bool:
        """Whether further sweeps would leave the state unchanged."""
        return self.process.hyper == "online" or (
            self.process.seating != "gibbs" and self.process.hyper in ("map", "fixed")
        )

    def seat(self) -> None:
        """Add the whole training text to the process."""
        self.process.observe_all(self._sequences)

    def step(self, sweep: int, *, keep: bool) -> None:
        """Perform one sweep. Only the state after the last sweep is kept."""
        if self.process.hyper != "online":
            self.process.sweep()

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the current seating."""
        return float(self.process.log_likelihood()[0])

    def figures(self) -> Figures:
        """Return the discount, strength and number of tables for each context length."""
        discounts, strengths = self.process.discounts[0], self.process.strengths[0]
        every = np.broadcast_to(strengths, discounts.shape)
        tables = [tables for _, _, tables in self.process.counts()]
        return level_figures("text", list(zip(discounts, every, strict=True)), tables)

    def state(self) -> dict[str, Any]:
        """Return all values that change during sweeps, to be saved in a checkpoint."""
        (state,) = self.process.states()
        return {**flat({PROCESS: state}), "calls": np.array([self.process.calls])}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the process from a saved state."""
        self.process.restore([by_owner(state, [PROCESS])[PROCESS]], [], int(state["calls"][0]))


def train_text(data: Sequence[Words], config: NgramConfig, run: Run) -> TextModel:
    """Train an n-gram model on the characters or bytes of a treebank or text."""
    texts = as_words(data)
    vocabulary = Vocabulary.build(texts, unknown="spelling")
    units = units_of(config.units, texts)
    sequences, _ = units.encode(texts)
    process = process_of(config, units, run.seed)
    chain = TextChain(process, sequences)
    trace = run.sweep(TextModel.kind, config, [vocabulary.hash, _digest(sequences)], [chain])
    return TextModel(config, vocabulary, units, process, run.origin(trace))


def _digest(sequences: Iterable[Ids]) -> str:
    digest = hashlib.sha256()
    for sequence in sequences:
        digest.update(sequence.tobytes())
    return digest.hexdigest()
