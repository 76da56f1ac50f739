"""What every model has in common: a kind, a configuration, where it came from, one file.

A model is made by training or by `load`; it can `save` itself and say what it is. What else it can
do (score a text, generate, parse) it shows by having the method of that name.

>>> model = load("english.bistro")                  # doctest: +SKIP
>>> model.kind, model.origin.seed                   # doctest: +SKIP
('ngram', 1)
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError, ConfigError, ModelFileError, UnknownSettingError
from bistro.modelfile import ModelFile, decode_model, encode_model, read_model, write_model
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.results.surprisal import SurprisalTable

Arrays = Mapping[str, NDArray[Any]]
Words = Sentence | Sequence[str]
"""A sentence as models take it: of a treebank, or a list of words."""


def as_words(sentences: Iterable[Words]) -> list[Sequence[str]]:
    """Return every sentence as a list of words; a plain string is not one, and is refused."""
    words = [s.forms if isinstance(s, Sentence) else s for s in sentences]
    if any(isinstance(sentence, str) for sentence in words):
        raise BistroError(
            "a sentence must be a list of words, not one string: give a list of such lists, "
            "as in ['The dog sleeps .'.split()], or read a file with bistro.read"
        )
    return words


def check_number(n: int) -> None:
    """Refuse a negative number of draws."""
    if n < 0:
        raise ConfigError(f"n = {n} cannot be drawn: give 0 or more")


def check_temperature(temperature: float) -> None:
    """Refuse a temperature of 0 or below, and one that is no number."""
    if not 0 < temperature < math.inf:
        raise ConfigError(f"temperature = {temperature} must be a number above 0")


def flat(distributions: Mapping[str, Arrays]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several distributions under names of a model file, ``words.nodes``."""
    return {
        f"{owner}.{part}": array
        for owner, arrays in distributions.items()
        for part, array in arrays.items()
    }


def by_owner(arrays: Arrays, owners: Collection[str]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays of each distribution that a model file has, as before `flat`."""
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        owner, _, part = name.partition(".")
        if owner in owners:
            found.setdefault(owner, {})[part] = array
    return found


def check_prefix(prefix: Sequence[str]) -> None:
    """Refuse a prefix that is one string, whose words would be its letters."""
    if isinstance(prefix, str):
        raise BistroError("a prefix is a list of words: split the text first")


@dataclass(frozen=True)
class Origin:
    """Where a model came from: the data, the seed, and how training went."""

    seed: int
    treebank: dict[str, Any] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class TextScores:
    """Every event of a text (words, and `</s>` after each sentence) with its log-probability."""

    log_probs: NDArray[np.float64]
    """Natural logarithms, one an event."""
    is_eos: NDArray[np.bool_]
    is_oov: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    """The events of sentence i are ``offsets[i]:offsets[i+1]``, its `</s>` the last of them."""
    lexical: NDArray[np.float64] | None = None
    """The part of each surprisal that the words account for, given their analyses, in nats."""
    entropy: NDArray[np.float64] | None = None
    """Over the analyses after each event, in nats."""
    deviation: NDArray[np.float64] | None = None
    """Of sums that were estimated: a row a run, each prefix's estimate divided by their mean."""

    @property
    def standard_error(self) -> NDArray[np.float64] | None:
        """Monte Carlo error of each log-probability, log(P_i / P_{i-1}), by the delta method.

        Both means come from the same runs, so their errors partly cancel: what counts is the spread
        of the difference of the relative deviations.
        """
        if self.deviation is None:
            return None
        before = np.ones_like(self.deviation)
        before[:, 1:] = self.deviation[:, :-1]
        before[:, self.offsets[:-1]] = 1.0
        spread = np.std(self.deviation - before, axis=0, ddof=1)
        error: NDArray[np.float64] = spread / np.sqrt(len(self.deviation))
        return error


class Model(ABC):
    """The base of all models; subclasses add what they can do."""

    kind: ClassVar[str]
    score_options: ClassVar[type[Any] | None] = None
    """The settings that `score` takes, for models that must sum over analyses."""
    longest_generated: ClassVar[float] = math.inf
    """Sentences that are drawn are cut at so many words."""
    origin: Origin

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return all that is not an array, ready for JSON."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays by name."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, origin: Origin) -> Self:
        """Make the model again from what `header` and `arrays` gave."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return a few facts about the model, by name, for `bistro info`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, which has its name only when complete."""
        write_model(path, self._whole_header(), self.arrays())

    def to_bytes(self) -> bytes:
        """Return what `save` would write."""
        return encode_model(self._whole_header(), self.arrays())

    def _whole_header(self) -> dict[str, Any]:
        return {"kind": self.kind, **vars(self.origin), **self.header()}

    def surprisal(
        self, text: Words | Iterable[Words], *, eos: bool = True, **options: Any
    ) -> SurprisalTable:
        """Return the surprisal of every word of a sentence, or of several, in bits.

        `options` are those of the model's scores, such as ``particles`` for a parser.
        """
        from bistro.models.results.surprisal import SurprisalTable, rows_of, word_tokens

        given = text if isinstance(text, Sentence) else list(text)
        alone = isinstance(given, Sentence) or (bool(given) and isinstance(given[0], str))
        if isinstance(text, str):
            raise BistroError("a sentence is a list of words: split the text first")
        words = as_words([given] if alone else given)  # type: ignore[list-item, arg-type]
        chosen = {"options": self.score_options(**options)} if self.score_options else options
        scores = self.require("score")(words, **chosen)
        named = ((str(i), word_tokens(w)) for i, w in enumerate(words, start=1))
        return SurprisalTable(rows_of(scores, named, eos=eos))

    def require(self, ability: str) -> Any:
        """Return the method named `ability`, or say that this kind of model lacks it."""
        method = getattr(self, ability, None)
        if method is None:
            from bistro.models import KINDS

            able = [kind for kind, model in sorted(KINDS.items()) if hasattr(model, ability)]
            told = f"a model of kind '{self.kind}' cannot {ability.replace('_', ' ')}"
            others = f"; kinds that can, for example: {', '.join(able)}" if able else ""
            raise BistroError(told + others)
        return method


def load(path: str | os.PathLike[str]) -> Model:
    """Open a model file, whatever its kind; its arrays are mapped, not read."""
    return _model_of(read_model(path), os.fspath(path))


def from_bytes(content: bytes, name: str = "the model") -> Model:
    """Make a model from the content of its file; `name` is for messages."""
    return _model_of(decode_model(content, name), name)


def _model_of(file: ModelFile, name: str) -> Model:
    from bistro.models import KINDS

    kind = file.header.get("kind")
    if kind not in KINDS:
        raise ModelFileError(
            f"{name}: is of kind '{kind}', which this Bistro does not know "
            f"(it knows {', '.join(sorted(KINDS))})"
        )
    try:
        origin = Origin(**{entry: file.header[entry] for entry in ("seed", "treebank", "trace")})
        return KINDS[kind].from_parts(file.header, file.arrays, origin)
    except UnknownSettingError as error:
        version = file.header.get("bistro_version", "unknown")
        raise ModelFileError(
            f"{name}: was made by another version of Bistro ({version}): {error}"
        ) from None
    except (BistroError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{name}: is damaged: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the entry {error} is missing"
    return "an entry has the wrong type" if isinstance(error, TypeError) else str(error)
