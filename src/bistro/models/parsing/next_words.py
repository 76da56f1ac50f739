"""The next-word distribution of a parser that generates words, summed over analyses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bistro.models.next_words import VocabularySums
from bistro.models.results.next_words import Estimates, Floats, run_weights, shown_tags
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro._core import NextWordSums
    from bistro.models.parsing.codec import Codec


class ParsedSums(VocabularySums):
    """The next-word distribution of a parser, computed from the core's sums for each run.

    The sums include all tags of the next word, even if only some tags are allowed for the words in
    the context.
    """

    def __init__(
        self, codec: Codec, context: Sequence[str], sums: NextWordSums, tag_names: Sequence[str]
    ) -> None:
        self._weights = run_weights(sums.log_prefix)
        shares = sums.words.reshape(len(self._weights), -1)
        super().__init__(codec.vocabulary, context, shares, weights=self._weights)
        self._codec, self._sums, self._tag_names = codec, sums, list(tag_names)
        classes = self.names[: self.vocabulary.num_classes]
        self._class_names = {name: i for i, name in enumerate(classes)}

    def of(self, words: Sequence[str]) -> Estimates:
        """Return word probabilities, including the spelling probabilities of unknown words."""
        estimates = super().of(words)
        speller = self._codec.speller
        if speller is None or not estimates.is_oov.any():
            return estimates
        places = np.flatnonzero(estimates.is_oov).tolist()
        logs = speller.log_unseen([seen(words[i]) for i in places])
        highest = logs.max(axis=1)
        by_tag = self._by_tag(np.array(self.ids(words))[places].tolist())
        shares = (by_tag * np.exp(logs - highest[:, None])).sum(axis=2)
        spelled = Estimates.of_runs(shares, self._weights, estimates.is_oov[places])
        estimates.log_probs[places] = spelled.log_probs + highest
        if estimates.steps is not None and spelled.steps is not None:
            estimates.steps[:, places] = spelled.steps
        return estimates

    def tags(self, words: Sequence[str]) -> list[dict[str, float]]:
        """Return the tag probabilities of each word. The sentence end has no tags."""
        ids = [self._class_names.get(w, i) for w, i in zip(words, self.ids(words), strict=True)]
        known = [i for i in ids if i != self.vocabulary.end]
        masses = np.einsum("r,rwt->wt", self._weights, self._by_tag(known))
        rows = iter(masses * self._spellings(words, ids))
        end = self.vocabulary.end
        return [{} if i == end else shown_tags(self._tag_names, next(rows)) for i in ids]

    def _by_tag(self, ids: Sequence[int]) -> Floats:
        """Return the joint probabilities of words and tags, shape (runs, words, tags)."""
        masses: Floats = self._sums.tags(np.array(ids, dtype=np.int32))
        return masses.reshape(len(self._weights), len(ids), len(self._tag_names))

    def _spellings(self, words: Sequence[str], ids: Sequence[int]) -> Floats:
        """Return relative spelling probabilities, shape (words, tags), without the sentence end.

        A class of unknown words represents all its words, so its relative probabilities are 1.
        """
        known = [(w, i) for w, i in zip(words, ids, strict=True) if i != self.vocabulary.end]
        factors = np.ones((len(known), len(self._tag_names)))
        speller = self._codec.speller
        if speller is not None:
            for row, (word, i) in enumerate(known):
                if i < self.vocabulary.num_classes and word not in self._class_names:
                    logs = speller.log_unseen([seen(word)])[0]
                    factors[row] = np.exp(logs - logs.max())
        return factors
