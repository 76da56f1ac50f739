"""The n-gram language model predicts each word from the preceding n-1 words.

The model is a hierarchical Pitman-Yor process over words (Teh 2006). The context of a word consists
of the words before it, nearest first, padded with start symbols. The end of the sentence, `</s>`,
is predicted like a word. The n-gram model is the baseline for all syntactic language models in
Bistro.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)
>>> scores = model.score([["The", "dog", "sleeps", "."]])
>>> len(scores.log_probs), bool((scores.log_probs < 0).all())
(5, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen, Stream, pause
from bistro.encoding.events import text_events
from bistro.encoding.vocabulary import Vocabulary, vocabulary_of
from bistro.inference.speller import Speller, spelled
from bistro.modelfile import Arrays
from bistro.models.base import Origin, by_owner, flat, megabytes
from bistro.models.inputs import Words, as_words, check_draws
from bistro.models.next_words import VocabularySums
from bistro.models.ngram.base import AnyNgramModel
from bistro.models.ngram.config import WORDS, NgramConfig
from bistro.models.results.scores import TextScores
from bistro.rng import purpose_key
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.results.explanations import Explanation


@dataclass(eq=False, repr=False)
class NgramModel(AnyNgramModel):
    """A trained n-gram model."""

    config: NgramConfig
    vocabulary: Vocabulary
    words: Arrays
    """The arrays of the frozen distribution, by name."""
    origin: Origin
    speller: Speller | None = None
    """The model that generates the spellings of unknown words, or None if it is not used."""

    def __post_init__(self) -> None:
        self.frozen = Frozen(**self.words, dishes=len(self.vocabulary) + 1)

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every word and every sentence end in `sentences`.

        This model does not accept any `options`.
        """
        self.score_options.of(options, self.kind, "score words")
        vocabulary = self.vocabulary
        words = as_words(sentences)
        events = text_events(words, vocabulary, self.config.order)
        log_probs = self.frozen.log_probabilities(events.contexts, events.outcomes)
        is_oov = vocabulary.unknown_mask(events.outcomes)
        if self.speller:
            strangers = [seen(w) for s in words for w in s if vocabulary.is_unknown(w)]
            log_probs[is_oov] += self.speller.log_unseen(strangers)[:, 0]
        is_eos, offsets = TextScores.ends(map(len, words))
        return TextScores(log_probs, is_eos, is_oov, offsets)

    def next_sums(self, context: Sequence[str], **options: Any) -> VocabularySums:
        """Return the next-word distribution after a context. There are no options."""
        self.score_options.of(options, self.kind, "score words")
        ids = self.vocabulary.encode(context)
        shares = self.frozen.distribution(self._padded(ids))[None]
        return VocabularySums(self.vocabulary, context, shares, speller=self.speller)

    def _padded(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the context after the given words, nearest word first, padded to full length."""
        pad = self.config.order - 1
        starts = np.full(pad, self.vocabulary.start, dtype=np.int32)
        return np.concatenate((ids[::-1], starts))[:pad]

    def explain(self, sentence: Words, training: Iterable[Words] | None = None) -> Explanation:
        """Explain the probability of every word and of the sentence end in terms of its contexts.

        If `training` data is given, the result also contains the counts of each context and of the
        word in each context.
        """
        from bistro.models.ngram.explain import explain_words

        return explain_words(self, sentence, training)

    def generate(
        self, n: int, seed: int = 1, *, temperature: float = 1.0, prefix: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Draw sentences as lists of words.

        Parameters
        ----------
        n
            Number of sentences.
        seed
            Seed; sentence i depends only on the seed and i.
        temperature
            Words are drawn with probabilities proportional to p^(1/temperature). At temperatures
            below 1, probable words are drawn more often than at temperature 1.
        prefix
            Words with which every sentence begins.
        """
        check_draws(n, seed, temperature, prefix)
        return self._drawn(n, seed, temperature, prefix, int(self.longest_generated))

    def draw_word(self, prefix: Sequence[str], seed: int, *, temperature: float) -> str | None:
        """Draw the next word after a prefix. With the same seed, `generate` draws the same word."""
        check_draws(1, seed, temperature, prefix)
        (words,) = self._drawn(1, seed, temperature, prefix, len(prefix) + 1)
        return words[-1] if len(words) > len(prefix) else None

    def _drawn(
        self, n: int, seed: int, temperature: float, prefix: Sequence[str], longest: int
    ) -> Iterator[list[str]]:
        start = self._padded(self.vocabulary.encode(prefix))
        most = longest - len(prefix)
        for i in range(n):
            stream = Stream(seed, purpose_key("ngram.generate"), i)
            if temperature == 1:
                drawn = self.frozen.sample_sequence(
                    start, end=self.vocabulary.end, max_length=most, rng=stream
                )
                ids = drawn.tolist()
            else:
                ids = self._tempered(start, temperature, most, stream)
            words = self.vocabulary.decode(ids)
            if self.speller:
                words = spelled(self.speller, self.vocabulary, words, ids, seed=seed, number=i)
            yield [*prefix, *words]

    def _tempered(
        self, start: NDArray[np.int32], temperature: float, most: int, stream: Stream
    ) -> list[int]:
        ids: list[int] = []
        context = start
        while len(ids) < most:
            pause()
            weights = self.frozen.distribution(context)
            weights = (weights / weights.max()) ** (1 / temperature)
            sums = np.cumsum(weights)
            drawn = int(np.searchsorted(sums, stream.uniform() * sums[-1], side="right"))
            if drawn == self.vocabulary.end:
                break
            ids.append(drawn)
            context = np.concatenate(([drawn], context)).astype(np.int32)[: start.size]
        return ids

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, including the vocabulary."""
        return {
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
            **({"spelling": self.speller.header()} if self.speller else {}),
        }

    def arrays(self) -> Arrays:
        """Return the arrays of the frozen distribution and of the spelling model."""
        return {**flat({WORDS: self.words}), **(self.speller.arrays() if self.speller else {})}

    @classmethod
    def from_parts(
        cls, config: NgramConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        vocabulary = vocabulary_of(header)
        words = by_owner(arrays, [WORDS])[WORDS]
        speller = None
        if vocabulary.is_open:
            speller = Speller.from_parts(header["spelling"], arrays, config.spelling)
        return cls(config, vocabulary, words, origin, speller)

    def summary(self) -> dict[str, Any]:
        """Return the order, the size of the vocabulary and the size of the model."""
        return {
            "order": self.config.order,
            "words known": len(self.vocabulary) - self.vocabulary.num_classes,
            "unknown classes": self.vocabulary.num_classes,
            "contexts": int(np.count_nonzero(self.words["element"] != 2**32 - 1)) + 1,
            "n-grams": int(np.count_nonzero(self.words["dish"] != 2**32 - 1)),
            "megabytes": megabytes(self.words),
        }
