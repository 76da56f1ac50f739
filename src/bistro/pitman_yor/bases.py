"""Base distributions, to which a process backs off from the empty context.

- uniform over the outcomes, the default;
- a `dict` that gives every outcome its probability;
- another `PitmanYor` process over the same outcomes: a new table at the top of one sends a
  customer to the other, so both learn together;
- `Characters()`: outcomes are strings, which another process spells character by character.
  With a base over strings, every string is possible, and outcomes need not be listed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from bistro._core import Base, Franchise, SpelledBase, UniformBase, VectorBase
from bistro.errors import BistroError, ConfigError
from bistro.pitman_yor.events import END
from bistro.pitman_yor.numbering import Ids, Numbering
from bistro.pitman_yor.settings import Settings

END_OF_WORD = sys.maxunicode + 1


@dataclass(frozen=True)
class Characters:
    """A base distribution over all strings, which are spelled by a process over characters.

    Parameters
    ----------
    depth
        Number of preceding characters that each character depends on.
    discount, strength
        Initial hyper-parameters of every level of the process over characters (final, if the
        hyper-parameters of the words are fixed).
    """

    depth: int = 3
    discount: float = 0.5
    strength: float = 1.0

    def __post_init__(self) -> None:
        if self.depth < 0:
            raise ConfigError(f"depth is {self.depth}, but must be at least 0")


@runtime_checkable
class ProcessBase(Protocol):
    """A process that can be the base of another process."""

    @property
    def outcomes_(self) -> tuple[Any, ...]:
        """All outcomes."""

    def as_base(self, numbering: Numbering, chain: int) -> Base:
        """Return one chain as the base distribution of a process with the same outcomes."""


BaseLike = Mapping[Any, float] | Characters | ProcessBase | None


def spelling(word: Hashable) -> Ids:
    """Return the code points of a word, or an empty array for the end of a sequence."""
    if word is END:
        return np.zeros(0, dtype=np.int32)
    if not isinstance(word, str):
        raise BistroError(
            f"{word!r} cannot be spelled: with base=Characters(), outcomes must be strings"
        )
    return np.array([ord(character) for character in word], dtype=np.int32)


class BaseMaker:
    """A factory that creates the base distribution of each chain of a process."""

    def __init__(self, base: BaseLike, settings: Settings) -> None:
        self.base = base
        self._settings = settings

    @property
    def is_open(self) -> bool:
        """True if new outcomes can be added at any time."""
        return isinstance(self.base, Characters)

    @property
    def process(self) -> ProcessBase | None:
        """The base if it is another process, and None otherwise."""
        return self.base if isinstance(self.base, ProcessBase) else None

    def outcomes(self) -> list[Any] | None:
        """Return the outcomes that the base defines, or None if it does not define any."""
        if isinstance(self.base, Mapping):
            return list(self.base)
        return list(self.process.outcomes_) if self.process is not None else None

    def make(self, numbering: Numbering, chain: int) -> tuple[Base, Franchise | None]:
        """Return the base of one chain, and its franchise of characters if it has one."""
        if self.base is None:
            return UniformBase(len(numbering)), None
        if isinstance(self.base, Mapping):
            return VectorBase(self._probabilities(self.base, numbering)), None
        if isinstance(self.base, Characters):
            levels = self.base.depth + 1
            letters = Franchise(UniformBase(END_OF_WORD + 1), levels, self._settings.seating)
            for level in range(levels):
                letters.set_parameters(level, self.base.discount, self.base.strength)
            spelled = SpelledBase(letters, END_OF_WORD)
            for word in numbering.outcomes:
                spelled.append(spelling(word))
            return spelled, letters
        if self.process is not None:
            return self.process.as_base(numbering, chain), None
        raise ConfigError(
            f"base = {self.base!r} is not valid: give None (uniform), a dictionary of "
            "probabilities, Characters() or another PitmanYor"
        )

    @staticmethod
    def _probabilities(base: Mapping[Any, float], numbering: Numbering) -> list[float]:
        missing = [outcome for outcome in numbering.outcomes if outcome not in base]
        if missing:
            raise ConfigError(f"the base has no probability for the outcome {missing[0]!r}")
        values = [float(base[outcome]) for outcome in numbering.outcomes]
        if not all(0 <= p <= 1 for p in values) or abs(math.fsum(values) - 1) > 1e-6:
            raise ConfigError("the probabilities of the base must lie in [0, 1] and sum to 1")
        return values
