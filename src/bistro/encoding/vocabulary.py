"""Convert words to numbers and back.

Ids are dense. The classes of unknown words come first (0 is ``<unk>``). The words follow in order
of decreasing frequency, and equally frequent words are sorted by code point. `len` counts these.
The last two ids are `end` (``</s>``), which a model of whole sentences predicts, and `start`
(``<s>``), which only pads contexts. The symbols `end` and `start` are ids, not strings, so ``</s>``
in a text is a word like any other.

A word seen fewer than `unknown_below` times in training is unknown, there and later, and is encoded
as its class (see `bistro.encoding.unknown`). With ``unknown = "spelling"``, every training word is
known. In that case, ``<unk>`` represents all other words, which a model distinguishes by their
spelling. Zero-width characters make no difference between words (see `bistro.treebank.invisible`).

>>> vocabulary = Vocabulary.build([["the", "dog"], ["the", "cat"]], unknown="single")
>>> vocabulary.encode(["the", "dog", "barks"]).tolist(), vocabulary.end, vocabulary.start
([1, 0, 0], 2, 3)
>>> vocabulary.decode([1, 0, 2])
['the', '<unk>', '</s>']
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.markers import EnglishMarkers
from bistro.encoding.unknown import UNKNOWN, UnknownClasses, sentence_start
from bistro.errors import ConfigError, ModelFileError, nearest
from bistro.treebank.invisible import seen

UnknownMode = Literal["classes", "markers", "single", "spelling"]
START_SYMBOL = "<s>"
END_SYMBOL = "</s>"
# The classes of unknown words are cached by form; the cache is emptied at this size.
_CACHE_SIZE = 1 << 16
_ABSENT = -1
_SETTINGS = ("unknown", "unknown_below", "unknown_suffixes")


@dataclass
class WordCounts:
    """The counts of each word, in total and at the start of sentences. Counts can be added."""

    all: Counter[str] = field(default_factory=Counter)
    initial: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> WordCounts:
        """Count the words in sentences. The sentences are read once."""
        counts = cls()
        for sentence in sentences:
            counts.all.update(sentence)
            counts.initial.update(sentence[: sentence_start(sentence)])
        return counts

    def add(self, other: WordCounts) -> None:
        """Add the word counts from other sentences."""
        self.all.update(other.all)
        self.initial.update(other.initial)


class Vocabulary:
    """The known words with their ids, and the classes of unknown words."""

    def __init__(
        self,
        words: Sequence[str],
        classes: UnknownClasses,
        *,
        unknown: UnknownMode,
        unknown_below: int,
        unknown_suffixes: int,
    ) -> None:
        self.classes = classes
        self.unknown = unknown
        self.unknown_below = unknown_below
        self.unknown_suffixes = unknown_suffixes
        self._strings = [*classes.names, *words, END_SYMBOL, START_SYMBOL]
        self._ids = {word: i for i, word in enumerate(words, start=self.num_classes)}
        self._class_ids: dict[tuple[str, bool], int] = {}

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sequence[str]],
        *,
        unknown: UnknownMode = "classes",
        unknown_below: int = 2,
        unknown_suffixes: int = 100,
    ) -> Vocabulary:
        """Count the words in `sentences` and learn the classes from the rare words.

        The sentences are read once.
        """
        return cls.counted(
            WordCounts.of(sentences),
            unknown=unknown,
            unknown_below=unknown_below,
            unknown_suffixes=unknown_suffixes,
        )

    @classmethod
    def counted(
        cls,
        words: WordCounts,
        *,
        unknown: UnknownMode = "classes",
        unknown_below: int = 2,
        unknown_suffixes: int = 100,
    ) -> Vocabulary:
        """Build a vocabulary from word counts.

        The classes of unknown words are learned from the rare words.
        """
        _check_settings(unknown, unknown_below, unknown_suffixes)
        counts, initial = _merged(words.all), _merged(words.initial)
        fewest = 1 if unknown == "spelling" else unknown_below
        known = [word for word, count in counts.items() if count >= fewest]
        known.sort(key=lambda word: (-counts[word], word))
        classes = UnknownClasses()
        if unknown in ("classes", "markers"):
            rare = Counter({word: n for word, n in counts.items() if n < unknown_below})
            rare_initial = {word: n for word, n in initial.items() if word in rare}
            if unknown == "markers":
                classes = EnglishMarkers.learn_markers(rare_initial, rare - initial, known)
            else:
                classes = UnknownClasses.learn(rare_initial, rare - initial, unknown_suffixes)
        return cls(
            known,
            classes,
            unknown=unknown,
            unknown_below=unknown_below,
            unknown_suffixes=unknown_suffixes,
        )

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]] | WordCounts, config: Any) -> Vocabulary:
        """Build the vocabulary of `sentences` with the unknown-word settings in `config`."""
        settings = {name: getattr(config, name) for name in _SETTINGS if hasattr(config, name)}
        words = sentences if isinstance(sentences, WordCounts) else WordCounts.of(sentences)
        return cls.counted(words, **settings)

    def __len__(self) -> int:
        return len(self._strings) - 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.to_header() == other.to_header()

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        words = len(self) - self.num_classes
        return f"Vocabulary({words} words, {self.num_classes} unknown classes)"

    def has_same_events(self, other: Vocabulary) -> bool:
        """Return whether another vocabulary distinguishes the same words, in any order."""
        one, two = self.to_header(), other.to_header()
        alike = ("words", "classes", "suffixes")
        return self.unknown == other.unknown and all(set(one[n]) == set(two[n]) for n in alike)

    @property
    def num_classes(self) -> int:
        """The number of classes of unknown words. Every id below this number belongs to a class."""
        return len(self.classes.names)

    @property
    def is_open(self) -> bool:
        """True if every string is a word with its own probability."""
        return self.unknown == "spelling"

    @property
    def scored_if_unknown(self) -> str:
        """A phrase that tells users what a model scores instead of unknown words."""
        if self.is_open:
            return "their spelling"
        symbol = "their class" if self.num_classes > 1 else f"one symbol {UNKNOWN} for all of them"
        return f"{symbol}, not their spelling"

    @property
    def end(self) -> int:
        """The id of the end of a sentence, which follows the ids of all words."""
        return len(self)

    @property
    def start(self) -> int:
        """The id that pads contexts before the first word of a sentence. It is never predicted."""
        return len(self) + 1

    @property
    def words(self) -> list[str]:
        """The known words in the order of their ids."""
        return self._strings[self.num_classes : len(self)]

    def is_unknown(self, word: str) -> bool:
        """Return whether `word` is encoded as a class of unknown words."""
        return word not in self._ids and seen(word) not in self._ids

    def unknown_mask(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return a mask of the ids that are classes of unknown words."""
        return ids < self.num_classes

    def encode(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the ids of one sentence."""
        return np.array(self._encode(words), dtype=np.int32)

    def encode_all(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the ids of all words, and the offsets of the sentences.

        Sentence i is ``ids[offsets[i]:offsets[i+1]]``.
        """
        ids: list[int] = []
        offsets = [0]
        for sentence in sentences:
            ids += self._encode(sentence)
            offsets.append(len(ids))
        return np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the words of ids.

        Unknown-word classes and the start and end of a sentence are returned as their symbols.
        """
        return [self._strings[i] for i in ids]

    def to_header(self) -> dict[str, Any]:
        """Return the vocabulary as a dict that can be stored as JSON."""
        return {
            **{name: getattr(self, name) for name in _SETTINGS},
            "suffixes": sorted(self.classes.suffixes),
            "classes": list(self.classes.names),
            "words": self.words,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Vocabulary:
        """Restore a vocabulary from the result of `to_header`."""
        try:
            settings = {name: header[name] for name in _SETTINGS}
            _check_settings(**settings)
            names = _unique_strings(header["classes"])
            if names[:1] != [UNKNOWN]:
                raise ValueError(f"class 0 is not {UNKNOWN}")
            words = _unique_strings(header["words"])
            if header["unknown"] == "markers":
                classes: UnknownClasses = EnglishMarkers(tuple(names), known=frozenset(words))
            else:
                suffixes = frozenset(_unique_strings(header["suffixes"]))
                classes = UnknownClasses(tuple(names), suffixes)
            return cls(words, classes, **settings)
        except KeyError as error:
            raise ModelFileError(f"the vocabulary has no entry {error}") from None
        except (TypeError, ValueError, ConfigError) as error:
            raise ModelFileError(f"the vocabulary is damaged: {error}") from None

    @property
    def hash(self) -> str:
        """The hexadecimal SHA-256 hash of the header's JSON text (sorted keys, no spaces)."""
        canonical = json.dumps(self.to_header(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def _encode(self, words: Sequence[str]) -> list[int]:
        ids = list(map(self._ids.get, words, repeat(_ABSENT)))
        if _ABSENT in ids:
            start = sentence_start(words)
            for place, i in enumerate(ids):
                if i == _ABSENT:
                    ids[place] = self._class_id(words[place], place < start)
        return ids

    def _class_id(self, word: str, initial: bool) -> int:
        key = (word, initial)
        if key not in self._class_ids:
            if len(self._class_ids) >= _CACHE_SIZE:
                self._class_ids.clear()
            visible = seen(word)
            known = self._ids.get(visible, _ABSENT)
            self._class_ids[key] = (
                self.classes.index(visible, initial=initial) if known == _ABSENT else known
            )
        return self._class_ids[key]


def _merged(counts: Counter[str]) -> Counter[str]:
    """Merge the counts of words that differ only in invisible characters."""
    merged = Counter[str]()
    for word, count in counts.items():
        merged[seen(word)] += count
    return merged


def _check_settings(unknown: str, unknown_below: int, unknown_suffixes: int) -> None:
    modes = get_args(UnknownMode)
    if unknown not in modes:
        hint = nearest(str(unknown), modes)
        choices = ", ".join(f"'{mode}'" for mode in modes)
        raise ConfigError(f"unknown = '{unknown}' is not valid{hint}: choose one of {choices}")
    for name, value, least in (
        ("unknown_below", unknown_below, 1),
        ("unknown_suffixes", unknown_suffixes, 0),
    ):
        if not isinstance(value, int) or value < least:
            raise ConfigError(
                f"{name} = {value!r} is not valid: give a whole number that is at least {least}"
            )


def _unique_strings(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("expected a list of strings")
    if len(set(values)) != len(values):
        raise ValueError("an entry occurs twice")
    return values


def vocabulary_of(header: Mapping[str, Any]) -> Vocabulary:
    """Return the vocabulary from a model's header, or raise an error if its hash is wrong."""
    vocabulary = Vocabulary.from_header(header["vocabulary"])
    if vocabulary.hash != header["vocabulary_hash"]:
        raise ModelFileError("the vocabulary differs from the one that the model was trained with")
    return vocabulary
