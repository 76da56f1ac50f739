"""The running text of a treebank, and the positions where its words and sentences end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.characters import BREAK, GOES_ON, SENTENCE_END, WORD_END, Characters
from bistro.encoding.events import Events
from bistro.treebank.sentence import Sentence
from bistro.treebank.text_tokens import TextToken, paragraphs, text_tokens

PARAGRAPH = "\n\n"


def has_spaces(data: Sequence[Sentence]) -> bool:
    """Return whether the sentences mark words that have no space after them."""
    return any(s.text is not None or any("Space" in misc for misc in s.misc) for s in data)


def running_text(
    sentences: Sequence[Sentence],
) -> tuple[str, list[TextToken], NDArray[np.bool_]]:
    """Return the text of a treebank, its tokens, and whether each token ends a sentence."""
    pieces: list[str] = []
    tokens: list[TextToken] = []
    ends: list[bool] = []
    for paragraph in paragraphs(sentences):
        for sentence in paragraph:
            sentence_tokens = text_tokens(sentence)
            tokens += sentence_tokens
            ends += [False] * (len(sentence_tokens) - 1) + [True]
            pieces += [token.form + token.spaces for token in sentence_tokens]
        if not pieces[-1].endswith(PARAGRAPH):
            pieces[-1] = tokens[-1].form + PARAGRAPH
            tokens[-1] = TextToken(tokens[-1].form, tokens[-1].words, PARAGRAPH)
    return "".join(pieces), tokens, np.array(ends)


def last_places(tokens: Sequence[TextToken]) -> NDArray[np.int64]:
    """Return the position of the last character of each token."""
    lengths = np.array([len(token.form) for token in tokens])
    spaces = np.array([len(token.spaces) for token in tokens])
    return np.asarray(np.cumsum(lengths + spaces) - spaces - 1)


def hidden_stream(
    characters: Characters,
    text: str,
    tokens: Sequence[TextToken],
    ends: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Return the symbols of a text, interleaved with the hidden events in the treebank."""
    encoded = characters.encode(text)
    spaces = np.array([len(token.spaces) for token in tokens])
    last = last_places(tokens)
    events = np.full(len(text), -1, np.int64)
    events[last[spaces == 0]] = WORD_END
    events[last[ends]] = SENTENCE_END
    for token, end in zip(tokens, last.tolist(), strict=True):
        if any(map(str.isspace, token.form)):
            start = end + 1 - len(token.form)
            inner = [i for i, c in enumerate(token.form) if c.isspace() and i]
            events[[start + i - 1 for i in inner]] = GOES_ON
    after = events[encoded.places]
    stream = np.full(2 * encoded.symbols.size + 2, BREAK, np.int32)
    stream[1:-1:2] = encoded.symbols
    stream[2:-1:2] = after
    return stream[stream >= 0]


def window_events(stream: NDArray[np.int32], order: int) -> Events:
    """Return every symbol in a stream with the preceding symbols as context, nearest first."""
    padded = np.concatenate((np.full(order - 1, BREAK, np.int32), stream))
    places = np.arange(order - 1, padded.size)
    return Events(np.ascontiguousarray(padded[places[:, None] - 1 - np.arange(order - 1)]), stream)
