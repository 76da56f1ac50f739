"""A spelling model that gives every string a probability, so that no word is out of vocabulary.

A hierarchical Pitman-Yor process over characters and an end symbol spells a word from left to
right, predicting each character from the characters before it.

    H(s) = Π_i p(s_i | s_{i-1}, s_{i-2}, ...) · p(end | ...) / (1 - p(end | nothing))

The divisor excludes the empty string, so H is a distribution over all strings of at least one
character. If words have tags, a single process models a separate distribution H for each tag. In a
word model, all training words are known, and the single dish `<unk>` represents all other strings.

    p(s | context) = p(<unk> | context) · H(s) / (1 - Σ_known H(w))

Over all unknown strings, this probability sums to p(<unk> | context).

>>> import bistro
>>> words = [["a", "rose", "is", "a", "rose"]] * 2
>>> model = bistro.train("ngram", words, seed=1, order=2, unknown="spelling")
>>> speller = model.speller
>>> bool(speller.log_unseen(["roses"])[0, 0] < speller.log_unseen(["as"])[0, 0] < 0)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen, Stream
from bistro.encoding.alphabet import Alphabet
from bistro.encoding.events import Events, padded_events
from bistro.encoding.unknown import UNKNOWN
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ModelFileError
from bistro.inference.settings import SpellingSettings
from bistro.modelfile import Arrays
from bistro.rng import purpose_key

SPELLING = "spelling"
# Smaller values are noise in single precision; a larger divisor only makes words less likely.
LEAST_RESERVE = 1e-6
WORDS_AT_ONCE = 20_000
MOST_TRIES = 20_000
LONGEST_SPELLED = 1000

Logs = NDArray[np.float64]


class Untagged(NamedTuple):
    """The events of a list of words, one per character or word end, without the words' tags."""

    events: Events
    begins: NDArray[np.int64]
    """The index of the first event of each word."""
    lengths: NDArray[np.int64]
    """The number of events for each word."""


class Spelling:
    """Convert strings to events whose contexts are preceding characters and, optionally, a tag."""

    def __init__(self, alphabet: Alphabet, settings: SpellingSettings, num_tags: int) -> None:
        self.alphabet = alphabet
        self.num_tags = num_tags
        """Number of tags, or 1 if words have no tags."""
        self._order = settings.order
        self._tag_place = min(settings.tag_after, settings.order - 1) if num_tags > 1 else None

    def is_same(self, other: Spelling) -> bool:
        """Return whether another object converts every string to the same events."""
        own, others = ((s._order, s._tag_place, s.num_tags) for s in (self, other))
        return own == others and self.alphabet.characters == other.alphabet.characters

    @property
    def levels(self) -> int:
        """The number of levels in the process."""
        return self._order + (self._tag_place is not None)

    def events(
        self, words: Sequence[str], tags: NDArray[np.int32]
    ) -> tuple[Events, NDArray[np.int64]]:
        """Return one event per character or word end, and the index of each word's first event."""
        plain = self.untagged(words)
        return self.tagged(plain, tags), plain.begins

    def untagged(self, words: Sequence[str]) -> Untagged:
        """Return the events for a list of words, with contexts that do not contain tags."""
        if "" in words:
            raise BistroError("a word without characters cannot be spelled: leave it out")
        ids, offsets = self.alphabet.encode(words)
        events = padded_events(
            ids, offsets, self._order, start=self.alphabet.start, end=self.alphabet.end
        )
        begins = (offsets[:-1] + np.arange(len(words))).astype(np.int64)
        return Untagged(events, begins, np.diff(offsets) + 1)

    def tagged(self, plain: Untagged, tags: NDArray[np.int32]) -> Events:
        """Insert the tag of each word into the contexts of its events."""
        contexts = self._with_tags(plain.events.contexts, np.repeat(tags, plain.lengths))
        return Events(contexts, plain.events.outcomes)

    def empty_words(self) -> Events:
        """Return one event per tag: an end symbol at the start of a word."""
        start = np.full((self.num_tags, self._order - 1), self.alphabet.start, dtype=np.int32)
        tags = np.arange(self.num_tags, dtype=np.int32)
        ends = np.full(self.num_tags, self.alphabet.end, dtype=np.int32)
        return Events(self._with_tags(start, tags), ends)

    def context(self, before: Sequence[int], tag: int) -> NDArray[np.int32]:
        """Return the context of the next character. The ids in `before` are in reading order."""
        padded = [*before[::-1], *[self.alphabet.start] * self._order][: self._order - 1]
        rows = self._with_tags(np.array([padded], np.int32), np.array([tag], np.int32))
        return rows.reshape(-1)

    def _with_tags(self, contexts: NDArray[np.int32], tags: NDArray[np.int32]) -> NDArray[np.int32]:
        if self._tag_place is None:
            return contexts
        wider: NDArray[np.int32] = np.insert(contexts, self._tag_place, tags, axis=1)
        return np.ascontiguousarray(wider)


class Speller:
    """A trained spelling model."""

    def __init__(self, spelling: Spelling, arrays: Arrays, log_reserve: Logs) -> None:
        if log_reserve.shape != (spelling.num_tags,):
            raise ModelFileError("the spelling model does not match the tags")
        if not ((log_reserve >= np.log(LEAST_RESERVE) - 1e-3) & (log_reserve <= 0)).all():
            raise ModelFileError("the spelling model reserves no probability for unknown words")
        self.spelling = spelling
        self.log_reserve = log_reserve
        """The value of log(1 - Σ_known H(w)) for each tag."""
        self._arrays = arrays
        self._frozen = Frozen(**arrays, dishes=spelling.alphabet.end + 1)
        empty = spelling.empty_words()
        ends = self._frozen.log_probabilities(empty.contexts, empty.outcomes)
        self._log_not_empty = np.log1p(-np.exp(ends))
        self._last: tuple[list[str], Logs] | None = None

    def is_same(self, other: Speller) -> bool:
        """Return whether another speller gives every string the same probability."""
        own, others = self.arrays(), other.arrays()
        return self.spelling.is_same(other.spelling) and all(
            np.array_equal(own[name], others[name]) for name in own
        )

    @classmethod
    def closing(cls, spelling: Spelling, arrays: Arrays, known: Sequence[str]) -> Speller:
        """Return a speller that reserves probability for all strings other than the known words."""
        speller = cls(spelling, arrays, np.zeros(spelling.num_tags))
        used = np.zeros(spelling.num_tags)
        for first in range(0, len(known), WORDS_AT_ONCE):
            used += np.exp(speller.log_prob_by_tag(known[first : first + WORDS_AT_ONCE])).sum(0)
        return cls(spelling, arrays, np.log(np.maximum(1 - used, LEAST_RESERVE)))

    def log_prob(self, words: Sequence[str], tags: NDArray[np.int32] | None = None) -> Logs:
        """Return log H of each string, in nats.

        `tags` contains one tag id per string.
        """
        if not len(words):
            return np.zeros(0)
        tag_ids = np.zeros(len(words), np.int32) if tags is None else tags
        return self._log_prob(self.spelling.untagged(words), tag_ids)

    def _log_prob(self, plain: Untagged, tags: NDArray[np.int32]) -> Logs:
        events = self.spelling.tagged(plain, tags)
        logs = self._frozen.log_probabilities(events.contexts, events.outcomes)
        # `other` represents many characters, which are equally probable.
        alphabet = self.spelling.alphabet
        logs[events.outcomes == alphabet.other] -= math.log(alphabet.others)
        spelled_out: Logs = np.add.reduceat(logs, plain.begins) - self._log_not_empty[tags]
        return spelled_out

    def log_prob_by_tag(self, words: Sequence[str]) -> Logs:
        """Return log H of each string (rows) for each tag (columns), in nats."""
        tags = range(self.spelling.num_tags)
        if not len(words):
            return np.zeros((0, len(tags)))
        plain = self.spelling.untagged(words)
        columns = [self._log_prob(plain, np.full(len(words), tag, np.int32)) for tag in tags]
        return np.stack(columns, axis=1)

    def log_unseen(self, words: Sequence[str]) -> Logs:
        """Return log p(string | tag, string is unknown): rows are strings, columns are tags.

        The last result is cached, since the members of a committee score the same strings in turn.
        """
        last, strings = self._last, list(words)
        if last is None or last[0] != strings:
            last = strings, self.log_prob_by_tag(strings) - self.log_reserve
            self._last = last
        return last[1]

    def draw(self, stream: Stream, is_known: Callable[[str], bool], tag: int = 0) -> str:
        """Draw an unknown string that contains only characters from the training words.

        Strings are drawn until one of them is unknown. On average, 1 / (1 - Σ_known H(w)) draws are
        needed. After `MOST_TRIES` draws without an unknown string, the symbol for unknown words is
        returned.
        """
        for _ in range(MOST_TRIES):
            word = self._draw_any(stream, tag)
            if word and not is_known(word):
                return word
        return UNKNOWN

    def _draw_any(self, stream: Stream, tag: int) -> str:
        """Draw a string.

        Return "" if the string is empty or too long, or if it contains unseen characters.
        """
        alphabet = self.spelling.alphabet
        ids: list[int] = []
        while len(ids) < LONGEST_SPELLED:
            sums = np.cumsum(self._frozen.distribution(self.spelling.context(ids, tag)))
            drawn = int(np.searchsorted(sums, stream.uniform() * sums[-1], side="right"))
            if drawn == alphabet.end:
                return "".join(alphabet.characters[i] for i in ids)
            if drawn == alphabet.other:
                break
            ids.append(drawn)
        return ""

    def header(self) -> dict[str, Any]:
        """Return all data except the arrays, as values that JSON can store."""
        return {"alphabet": self.spelling.alphabet.characters}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the frozen process, and `log_reserve`, by name."""
        named = {f"{SPELLING}.{name}": array for name, array in self._arrays.items()}
        return {**named, f"{SPELLING}.log_reserve": self.log_reserve}

    @classmethod
    def from_parts(
        cls,
        header: Mapping[str, Any],
        arrays: Arrays,
        settings: SpellingSettings,
        num_tags: int = 1,
    ) -> Speller:
        """Rebuild the speller from the values of `header` and `arrays`."""
        prefix = SPELLING + "."
        own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        log_reserve = own.pop("log_reserve")
        return cls(Spelling(Alphabet(header["alphabet"]), settings, num_tags), own, log_reserve)


def spelled(
    speller: Speller,
    vocabulary: Vocabulary,
    words: Sequence[str],
    ids: Sequence[int],
    tags: Sequence[int] | None = None,
    *,
    seed: int,
    number: int,
) -> list[str]:
    """Return a generated sentence with its unknown words spelled out.

    The spelling depends only on the seed, the sentence's `number` and the word's position in the
    sentence.
    """
    purpose = purpose_key(f"spelling.generate.{number}")
    return [
        word
        if i >= vocabulary.num_classes
        else speller.draw(
            Stream(seed, purpose, place),
            lambda drawn: not vocabulary.is_unknown(drawn),
            tags[place] if tags is not None else 0,
        )
        for place, (word, i) in enumerate(zip(words, ids, strict=True))
    ]
