"""The next word of a parser that generates words: summed over analyses, with its tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.next_words import VocabularySums
from bistro.models.results.next_words import Flags, Floats, run_weights, shown_tags
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro._core import NextWordSums
    from bistro.models.parsing.codec import Codec


class ParsedSums(VocabularySums):
    """What the core found, run by run.

    Sums are over all tags of the next word, whatever tags the words of the context may have.
    """

    def __init__(
        self, codec: Codec, context: Sequence[str], sums: NextWordSums, tag_names: Sequence[str]
    ) -> None:
        log_prefix = sums.log_prefix
        shares = sums.words.reshape(len(log_prefix), -1)
        super().__init__(codec.vocabulary, context, shares, run_weights(log_prefix))
        self._codec, self._sums, self._tag_names = codec, sums, list(tag_names)
        classes = self.names[: self.vocabulary.num_classes]
        self._class_names = {name: i for i, name in enumerate(classes)}

    def of(self, words: Sequence[str]) -> tuple[Floats, Flags]:
        """Return the probabilities of events; unknown words are spelled, tag by tag."""
        shares, oov = super().of(words)
        if self._codec.speller is not None and oov.any():
            by_tag = self._by_tag([w for w, flag in zip(words, oov, strict=True) if flag])
            shares[:, oov] = by_tag.sum(axis=2)
        return shares, oov

    def tags(self, words: Sequence[str]) -> list[dict[str, float]]:
        """Return the probabilities of the tags of words; the end has none."""
        is_end = [word == END_SYMBOL and self.vocabulary.is_unknown(word) for word in words]
        known = [word for word, end in zip(words, is_end, strict=True) if not end]
        masses = iter(np.einsum("r,rwt->wt", self.weights, self._by_tag(known)))
        return [{} if end else shown_tags(self._tag_names, next(masses)) for end in is_end]

    def _by_tag(self, words: Sequence[str]) -> Floats:
        """Return the probabilities of words with each tag, shape (runs, words, tags)."""
        ids = np.array([self._id_of(word) for word in words], dtype=np.int32)
        shape = (len(self.weights), len(words), len(self._tag_names))
        masses: Floats = self._sums.tags(ids).reshape(shape)
        unknown = self.is_oov[ids]
        speller = self._codec.speller
        # A class that is listed stands for all its words: nothing is spelled.
        spelled = [
            i for i, word in enumerate(words) if unknown[i] and word not in self._class_names
        ]
        if speller is not None and spelled:
            logs = speller.log_unseen([seen(words[i]) for i in spelled])
            masses[:, spelled] *= np.exp(np.broadcast_to(logs, (len(spelled), shape[2])))
        return masses

    def _id_of(self, word: str) -> int:
        """Return the event of a word, or of a class that is named as it is listed."""
        return self._class_names[word] if word in self._class_names else self.ids([word])[0]
