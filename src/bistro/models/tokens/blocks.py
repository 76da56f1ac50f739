"""Division of a text of any length into sentences, one block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.characters import BREAK, GOES_ON, SENTENCE_END, SPACE, Characters, EncodedText
from bistro.models.results.tokens import TextSentence
from bistro.models.tokens.events import decided_events
from bistro.models.tokens.splits import Splits

BLOCK = 1 << 16
"""Number of characters in a block. A block is enlarged if it does not contain a whole sentence."""
LONGEST_BLOCK = 1 << 22
_MARGIN = 64
"""Number of characters at the end of a block that are processed again with the next block."""


def pieces_of(text: str | Iterable[str]) -> Iterator[str]:
    """Split a text, or each piece of a text, into pieces of limited length."""
    for part in [text] if isinstance(text, str) else text:
        for begin in range(0, len(part), BLOCK):
            yield part[begin : begin + BLOCK]


@dataclass(frozen=True)
class TextCutter:
    """A segmenter that divides texts into sentences and words."""

    characters: Characters
    boundaries: Callable[[EncodedText], NDArray[np.float32]]
    """A function that returns the probabilities of the hidden events after each symbol."""
    splits: Splits | None

    def sentences(self, text: str | Iterable[str], *, line_ends: bool) -> Iterator[TextSentence]:
        """Yield the sentences of a text. Every character belongs to exactly one sentence.

        The end of a block depends only on the text, so the result does not depend on how the text
        is divided into pieces.
        """
        source = pieces_of(text)
        held, begin, size, before, last = "", 0, BLOCK, "", ""
        while True:
            while len(held) <= size and (piece := next(source, "")):
                held += piece
            block, is_last = held[:size], len(held) <= size
            if not block:
                return
            sentences = self._block(block, begin, line_ends=line_ends, before=before, last=last)
            if not is_last:
                settled = [s for s in sentences if s.starts[-1] - begin < len(block) - _MARGIN]
                if not settled[:-1] and size < LONGEST_BLOCK:
                    size *= 2
                    continue
                sentences = settled[:-1] or sentences
            end = begin
            for sentence in sentences:
                before, last = "", sentence.forms[-1]
                end = sentence.starts[-1] + len(last) + len(sentence.spaces[-1])
                yield sentence
            if not sentences:
                # Only white space: it is prepended to the following text.
                before, end = before + block, begin + len(block)
            held, begin, size = held[end - begin :], end, BLOCK

    def _block(
        self, text: str, offset: int, *, line_ends: bool, before: str, last: str
    ) -> list[TextSentence]:
        """Return all sentences in a block."""
        encoded = self.characters.encode(text, line_ends=line_ends)
        if not encoded.symbols.size:
            return []
        probabilities = self.boundaries(encoded)
        events = decided_events(probabilities)
        events[-1] = SENTENCE_END
        tokens = _Tokens(encoded, probabilities, events)
        return list(tokens.sentences(self.splits, offset, before, last))


class _Tokens:
    """The tokens of a block, with their start and end positions in symbols and in characters."""

    def __init__(
        self,
        encoded: EncodedText,
        probabilities: NDArray[np.float32],
        events: NDArray[np.int64],
    ) -> None:
        symbols = encoded.symbols
        is_space = (symbols == SPACE) | (symbols == BREAK)
        before_space = np.append(is_space[1:], True)
        ends_word = ~is_space & ((events >= 0) | before_space) & (events != GOES_ON)
        ends = np.flatnonzero(ends_word)
        begins = np.concatenate(([0], ends[:-1] + 1))
        begins += is_space[begins]
        self.text = encoded.text
        self.starts = encoded.places[begins]
        self.stops = (encoded.places[ends] + 1).tolist()
        self.sentence_ends = np.flatnonzero(events[ends] == SENTENCE_END).tolist()
        self.end_probabilities = probabilities[ends, SENTENCE_END].tolist()
        breaks = symbols[np.maximum(begins - 1, 0)] == BREAK
        self.after_break = breaks.tolist()
        self.probabilities = _token_probabilities(probabilities, begins, ends, is_space)

    def sentences(
        self, splits: Splits | None, offset: int, before: str, last: str
    ) -> Iterator[TextSentence]:
        text, starts, stops = self.text, self.starts.tolist(), self.stops
        first = 0
        before += text[: starts[0]]
        forms = [text[a:b] for a, b in zip(starts, stops, strict=True)]
        following = [*starts[1:], len(text)]
        spaces = [text[a:b] for a, b in zip(stops, following, strict=True)]
        words, word_probabilities = splits.split(forms, last) if splits else _whole(forms)
        places = (offset + self.starts).tolist()
        for last_token in self.sentence_ends:
            end = last_token + 1
            yield TextSentence(
                forms[first:end],
                places[first:end],
                spaces[first:end],
                self.probabilities[first:end],
                words[first:end],
                word_probabilities[first:end],
                self.end_probabilities[last_token],
                self.after_break[first],
                before,
            )
            before, first = "", end


def _whole(forms: Sequence[str]) -> tuple[list[tuple[str, ...]], list[float]]:
    """Return each token as a single word."""
    return [(form,) for form in forms], [1.0] * len(forms)


def _token_probabilities(
    probabilities: NDArray[np.float32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    is_space: NDArray[np.bool_],
) -> list[float]:
    """Return the probability that each token has a boundary at both ends and none in between."""
    before_space = np.append(is_space[1:], True)
    cut = np.where(before_space, 1 - probabilities[:, GOES_ON], probabilities[:, :2].sum(axis=1))
    cut[is_space] = 0
    whole = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(1 - cut, 1e-12)))))
    inside = np.exp(whole[ends] - whole[begins])
    right = cut[ends]
    left = np.concatenate(([1.0], right[:-1]))
    result: list[float] = np.minimum(inside * right * left, 1.0).tolist()
    return result
