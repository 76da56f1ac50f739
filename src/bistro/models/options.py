"""Options of model abilities, as frozen dataclasses that reject unknown keywords.

Every ability with options, such as the size of the search or the kind of result, has its own class
of options. For an unknown keyword, the error message suggests the most similar known keyword.

>>> @dataclass(frozen=True)
... class Walk(Options):
...     steps: int = 3
>>> Walk.of({"steps": 4}, "ngram", "walk")
Walk(steps=4)
>>> Walk.of({"step": 4}, "ngram", "walk")
Traceback (most recent call last):
bistro.errors.ConfigError: an ngram model has no option 'step' to walk (did you mean 'steps'?)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from bistro.errors import ConfigError, nearest


@dataclass(frozen=True)
class Options:
    """The base class of all options. Abilities without options use this class itself."""

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the names of the options."""
        return frozenset(field.name for field in fields(cls))

    def some(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of the named options."""
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, values: Mapping[str, Any], kind: str, verb: str) -> Self:
        """Create the options from the given values, or raise an error for an unknown name.

        The arguments `kind` and `verb` appear in error messages.
        """
        known = cls.names()
        for name in values:
            if name not in known:
                hint = nearest(name, known)
                raise ConfigError(f"{a_model(kind)} has no option '{name}' to {verb}{hint}")
        return cls(**values)


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise an error that suggests the most similar choice if a value is not one of the choices."""
    if value not in choices:
        hint, listed = nearest(str(value), choices), ", ".join(choices)
        raise ConfigError(f"{name} = '{value}' is not valid{hint}: choose one of {listed}")


def a_model(kind: str) -> str:
    """Return the name of a kind of model with its indefinite article.

    >>> a_model("ngram"), a_model("transition")
    ('an ngram model', 'a transition model')
    """
    # Letters that are read by their names: an "en-gram", an "aitch-dee-pee".
    spelled = kind[:1] in "hmnx" and kind[1:2] not in "aeiouy"
    return f"{'an' if spelled or kind[:1] in 'aeio' else 'a'} {kind} model"
