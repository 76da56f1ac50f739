"""A second model of word and sentence ends uses the text on both sides of a position.

The model of characters (`bistro.models.tokens.model`) predicts exact characters, each given the
characters before it. From a small treebank, this model cannot learn that every opening bracket is a
separate word, regardless of the next letter, or that a sentence never consists of ``2.`` alone.
Therefore two more distributions are learned from the same text. The first distribution predicts
whether a word ends between two characters, at least one of which is not a letter. The second
distribution predicts whether a sentence ends before a space. The contexts of both distributions
start with character types and end with exact words. The log-odds of the two models are added.

>>> word_context("He said (again)", 8)
('(a', 'START', 'a', '(', 'a)', '1+', '(', 'again')
>>> sentence_context("It is 5 p.m. Go.", 11)
('.', 'a.a3', 'A', '0', 'Aa.', 'p.m', 'go.')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.characters import (
    BREAK,
    HIDDEN,
    SENTENCE_END,
    SPACE,
    WORD_END,
    EncodedText,
)
from bistro.encoding.shapes import kind_of, shape
from bistro.errors import ModelFileError
from bistro.inference.choices import Choice, ChoiceLearner, Names
from bistro.inference.settings import SamplerSettings
from bistro.modelfile import Arrays

WORDS, SENTENCES = OPINIONS = ("word_ends", "sentence_ends")
ENDS, GOES = "ends", "goes on"
_WINDOW = 30
_LONGEST = 20
_LONG = 4
_UNSURE = 1e-3
"""The second model is used if the probability of an end is above this value and below 1 minus this
value."""
_OPENING = "\"'([{«“‘¿¡"
_SAME = frozenset(("aa", "aA", "Aa", "AA", "00"))
_FIRST_RUN = re.compile(r"[^\W_]+|[\W_]+")
_LAST_RUN = re.compile(r"(?:[^\W_]+|[\W_]+)\Z")
_CORE = re.compile(r".*[^\W_]", re.DOTALL)

Context = tuple[str, ...]


def word_context(text: str, place: int) -> Context | None:
    """Return the context for a word end after a position, or None between two letters."""
    if kind_of(text[place]) + kind_of(text[place + 1]) in _SAME:
        return None
    before = text[max(0, place + 1 - _WINDOW) : place + 1].rsplit(None, 1)[-1]
    after = text[place + 1 : place + 1 + _WINDOW].split(None, 1)[0]
    return _between(before, after)


@lru_cache(maxsize=20_000)
def _between(before: str, after: str) -> Context:
    """Return the context between two adjacent, non-empty parts of a chunk."""
    first, last = _FIRST_RUN.match(after), _LAST_RUN.search(before)
    assert first is not None and last is not None
    return (
        kind_of(before[-1]) + kind_of(after[0]),
        kind_of(before[-2]) if len(before) > 1 else "START",
        kind_of(after[1]) if len(after) > 1 else "END",
        shape(before)[-3:],
        shape(after)[:3],
        _size(last.group()) + _size(first.group()),
        last.group().lower(),
        first.group().lower(),
    )


def sentence_context(text: str, place: int) -> Context:
    """Return the context of a possible sentence end at a position that is followed by a space."""
    chunks = text[max(0, place + 1 - _WINDOW) : place + 1].rsplit(None, 2)
    following = text[place + 1 : place + 1 + _WINDOW].split(None, 1)
    after = following[0][:_LONGEST] if following else ""
    tail, core_shape, core = _end_of_chunk(chunks[-1])
    next_shape = shape(after)
    return (
        tail,
        core_shape,
        next_shape[:1],
        kind_of(chunks[-2][-1]) if len(chunks) > 1 else "START",
        next_shape,
        core,
        after.lower(),
    )


@lru_cache(maxsize=20_000)
def _end_of_chunk(chunk: str) -> tuple[str, str, str]:
    """Return the final punctuation of a chunk, and the shape and the form of the text before it."""
    match = _CORE.match(chunk)
    core = match.group() if match else ""
    tail = chunk[len(core) :]
    core = core.lstrip(_OPENING)
    return tail[-3:] or kind_of(chunk[-1]), shape(core) + _size(core), core.lower()


def _size(chunk: str) -> str:
    return str(len(chunk)) if len(chunk) < _LONG else "+"


class Around:
    """Trained distributions that predict the ends of words and sentences."""

    def __init__(self, choices: Mapping[str, Choice]) -> None:
        for choice in choices.values():
            if choice.outcomes.names != [ENDS, GOES]:
                raise ModelFileError("the distributions over word and sentence ends are damaged")
        self.choices = dict(choices)

    def correct(self, text: EncodedText, probabilities: NDArray[np.float32]) -> None:
        """Correct uncertain probabilities of hidden events (one row per symbol) in place."""
        after = np.append(text.symbols[1:], np.int32(BREAK))
        in_words = (text.symbols > SPACE) & (after > SPACE)
        self._change(WORDS, word_context, text, probabilities, in_words, [WORD_END, SENTENCE_END])
        before_space = (text.symbols > SPACE) & (after == SPACE)
        self._change(SENTENCES, sentence_context, text, probabilities, before_space, [SENTENCE_END])

    def _change(
        self,
        name: str,
        context_of: Callable[[str, int], Context | None],
        text: EncodedText,
        probabilities: NDArray[np.float32],
        possible: NDArray[np.bool_],
        events: list[int],
    ) -> None:
        if name not in self.choices:
            return
        ends = probabilities[:, events].sum(axis=1, dtype=np.float64)
        rows = np.flatnonzero(possible & (ends > _UNSURE) & (ends < 1 - _UNSURE))
        contexts = [context_of(text.text, place) for place in text.places[rows].tolist()]
        with_context = [i for i, context in enumerate(contexts) if context is not None]
        if not with_context:
            return
        rows = rows[with_context]
        old = ends[rows]
        logs = self._log_odds(name, [c for c in contexts if c is not None])
        new = 1 / (1 + np.exp(-(np.log(old) - np.log1p(-old) + logs)))
        is_end = np.isin(np.array(HIDDEN), events)
        factors = np.where(is_end, (new / old)[:, None], ((1 - new) / (1 - old))[:, None])
        probabilities[rows] *= factors

    def _log_odds(self, name: str, contexts: Sequence[Context]) -> NDArray[np.float64]:
        logs = self.choices[name].log_probabilities(contexts, [ENDS] * len(contexts))
        return np.asarray(logs - np.log1p(-np.minimum(np.exp(logs), 1 - 1e-12)))

    def header(self) -> dict[str, Any]:
        """Return the content in a JSON-serialisable form, without the arrays."""
        return {name: choice.elements.names for name, choice in self.choices.items()}

    def parts(self) -> dict[str, Arrays]:
        """Return the arrays of each distribution."""
        return {name: choice.arrays for name, choice in self.choices.items()}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], parts: Mapping[str, Arrays]) -> Around:
        """Restore the distributions from the values in `header` and `parts`."""
        if set(header) != set(OPINIONS) & set(parts):
            raise ModelFileError("the distributions over word and sentence ends are damaged")
        outcomes = Names([ENDS, GOES])
        return cls({name: Choice(Names(header[name]), outcomes, parts[name]) for name in header})


def learners(
    text: str, ends: Mapping[str, Iterable[int]], settings: SamplerSettings, seed: int
) -> dict[str, ChoiceLearner]:
    """Return the learners for both distributions.

    `ends` contains the positions where the words and sentences of the text end.
    """
    spaces = [character.isspace() for character in text]
    solid = [place for place in range(len(text) - 1) if not spaces[place]]
    places: dict[str, list[tuple[int, Context | None]]] = {
        WORDS: [(p, word_context(text, p)) for p in solid if not spaces[p + 1]],
        SENTENCES: [(p, sentence_context(text, p)) for p in solid if _single(text, p + 1)],
    }
    by_name = {}
    for name, rows in places.items():
        last = frozenset(ends[name])
        pairs = [(ENDS if place in last else GOES, c) for place, c in rows if c is not None]
        outcomes = [outcome for outcome, _ in pairs]
        if len(set(outcomes)) == 2:
            contexts = [c for _, c in pairs]
            by_name[name] = ChoiceLearner(name, contexts, outcomes, settings, seed)
    return by_name


def _single(text: str, place: int) -> bool:
    """Return whether white space begins at a position and does not end a paragraph."""
    return text[place].isspace() and text[place : place + 2] != "\n\n"
