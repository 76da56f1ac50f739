"""Perplexity, bits per word and bits per character of a language model on a text.

A text of N words in S sentences has N + S events. The events are all words and all
sentence ends (`</s>`). Let L be the sum of the natural logarithms of the probabilities of all
events.

    perplexity        = exp(-L / (N + S))              with </s>
    perplexity_no_eos = exp(-L_words / N)              without </s>
    perplexity_known  = exp(-L_known / (N_known + S))  without out-of-vocabulary words, with </s>
    bits_per_word     = -L / ln 2 / (N + S)            the base-2 logarithm of `perplexity`
    bits_per_char     = -L / ln 2 / C
    bits_per_byte     = -L / ln 2 / B

C counts the characters of the tokens and one space or newline after each token, which is the size
of the text written with one sentence per line. Let B be the size of the same text in UTF-8 bytes.
With an open vocabulary, where every string has a probability, bits_per_char measures the whole text
and can be compared between models. With a closed vocabulary, the letters of unknown words are not
predicted, so bits_per_char does not measure the whole text.

An event with probability zero makes the perplexity infinite. A figure is NaN if there are no events
to compute it from.

>>> half, quarter = math.log(0.5), math.log(0.25)
>>> figures = language_figures([half, quarter, half], [False, False, True], [False] * 3, 8)
>>> round(figures.perplexity ** 3), figures.bits_per_char
(16, 0.5)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bistro.treebank.invisible import seen

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
BITS_PER_NAT = 1.0 / math.log(2.0)
UNKNOWN_BY_CLASS = "scored as their unknown-word class, their letters not counted"
UNKNOWN_SPELLED = "spelled character by character"


@dataclass(frozen=True)
class LanguageFigures:
    """The evaluation figures for a model on a text.

    The docstring of this module defines each figure.
    """

    perplexity: float
    perplexity_no_eos: float
    perplexity_known: float
    bits_per_word: float
    bits_per_char: float
    oov_rate: float
    """Share of words (not of events) that are outside the vocabulary, from 0 to 1."""
    words: int
    """Number of words, not counting `</s>`."""
    sentences: int
    characters: int
    bits_per_byte: float
    """Bits per byte of the text, or NaN if the bytes were not counted."""
    bytes: int
    log_prob: float
    """Natural logarithm of the probability of the whole text, including `</s>`."""
    open_vocabulary: bool
    """True if every string has a probability. Only models with this property can be compared by
    bits_per_char."""
    protocol: str

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name, without rounding. Undefined figures are None."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in vars(self).items()
        }


def count_characters(sentences: Iterable[Iterable[str]]) -> int:
    """Count the characters of all tokens, and one space or newline after each token."""
    return sum(len(seen(token)) + 1 for sentence in sentences for token in sentence)


def count_bytes(sentences: Iterable[Iterable[str]]) -> int:
    """Count the UTF-8 bytes of all tokens, and one space or newline after each token."""
    tokens = (seen(token) for sentence in sentences for token in sentence)
    return sum(len(token.encode("utf-8", "surrogatepass")) + 1 for token in tokens)


def language_figures(
    log_probs: npt.ArrayLike,
    is_eos: npt.ArrayLike,
    is_oov: npt.ArrayLike,
    characters: int,
    *,
    bytes: int = 0,
    open_vocabulary: bool = False,
) -> LanguageFigures:
    """Compute perplexity and related figures from the log-probabilities of the events in a text.

    `log_probs` contains one natural logarithm per event. `is_eos` marks the events that end a
    sentence, and `is_oov` marks the words outside the vocabulary. `characters` is the result of
    `count_characters`, and `bytes` is the result of `count_bytes`. With an open vocabulary, unknown
    words are scored by their spelling. Otherwise, unknown words are scored as classes.
    """
    logs = np.asarray(log_probs, dtype=np.float64)
    ends = np.asarray(is_eos, dtype=np.bool_)
    strangers = np.asarray(is_oov, dtype=np.bool_)
    _check(logs, ends, strangers, characters)
    words = int(np.count_nonzero(~ends))
    log_prob = _total(logs)
    return LanguageFigures(
        perplexity=_perplexity(logs),
        perplexity_no_eos=_perplexity(logs[~ends]),
        perplexity_known=_perplexity(logs[~strangers]),
        bits_per_word=_per(-log_prob * BITS_PER_NAT, logs.size),
        bits_per_char=_per(-log_prob * BITS_PER_NAT, characters),
        oov_rate=_per(float(np.count_nonzero(strangers)), words),
        words=words,
        sentences=int(np.count_nonzero(ends)),
        characters=characters,
        bits_per_byte=_per(-log_prob * BITS_PER_NAT, bytes),
        bytes=bytes,
        log_prob=log_prob,
        open_vocabulary=open_vocabulary,
        protocol=_protocol(open_vocabulary),
    )


def _check(logs: Floats, ends: Flags, strangers: Flags, characters: int) -> None:
    if logs.ndim != 1 or logs.shape != ends.shape or logs.shape != strangers.shape:
        raise ValueError(
            "log_probs, is_eos and is_oov must be one-dimensional and have the same length, but "
            f"their shapes are {logs.shape}, {ends.shape} and {strangers.shape}"
        )
    if np.isnan(logs).any():
        raise ValueError("a log-probability is NaN")
    # A sum of probabilities may exceed 1 by rounding, never by more than this.
    if (logs > 1e-9).any():
        raise ValueError(f"log-probabilities must not be positive, but one of them is {logs.max()}")
    if (ends & strangers).any():
        raise ValueError(
            "</s> cannot be out of vocabulary: is_oov must be false where is_eos is true"
        )
    if characters < 0:
        raise ValueError(f"characters is {characters}, but must not be negative")


def _total(logs: Floats) -> float:
    # `or 0.0` because an empty sum, negated, would print as -0.0.
    return float(logs.sum()) or 0.0


def _per(amount: float, count: int) -> float:
    return amount / count if count else math.nan


def _perplexity(logs: Floats) -> float:
    mean = _per(-_total(logs), logs.size)
    try:
        return math.exp(mean)
    except OverflowError:
        return math.inf


def _protocol(open_vocabulary: bool) -> str:
    unknown, comparable = UNKNOWN_BY_CLASS, "of the same vocabulary"
    if open_vocabulary:
        unknown, comparable = UNKNOWN_SPELLED, "of any open vocabulary"
    return (
        "perplexity and bits per word over words and </s>; perplexity_no_eos over words alone; "
        "perplexity_known over the words of the vocabulary and </s>; bits per character over the "
        "characters of the tokens and one space or newline after each token, comparable between "
        f"models {comparable}; out-of-vocabulary words {unknown}; log_prob is a natural logarithm"
    )
