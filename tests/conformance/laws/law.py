"""What a law is, and what its checks are written with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bistro.errors import BistroError
from bistro.models.options import a_model

CLOSE = 1e-6
"""How far sums of probabilities, which model files keep in single precision, may be from 1."""


class LawError(AssertionError):
    """A model does not keep a law."""


@dataclass(frozen=True)
class Law:
    """A law of all models with an ability."""

    text: str
    """What is true of every such model, in one line."""
    ability: str
    """A name of `bistro.models.abilities`; empty for a law of every model."""
    check: Callable[[Any, Sequence[Any]], None]
    """Called with the model and held-out items; raises a `LawError`."""

    def __call__(self, model: Any, data: Sequence[Any]) -> None:
        """Check the law; an error names the kind of the model and the law."""
        try:
            self.check(model, data)
        except LawError as error:
            raise LawError(f"{a_model(model.kind)} breaks a law ({self.text}): {error}") from None


def laws(ability: str, *checks: Callable[[Any, Sequence[Any]], None]) -> tuple[Law, ...]:
    """Return checks as laws; the first line of a check's docstring is the text of its law."""
    return tuple(
        Law((check.__doc__ or check.__name__).partition("\n")[0].rstrip("."), ability, check)
        for check in checks
    )


def expect(condition: object, *found: object) -> None:
    """Raise a `LawError` that shows what was found, unless the condition holds."""
    if not condition:
        raise LawError("found " + ", ".join(map(repr, found)))


def expect_close(found: float, expected: float, tolerance: float = 1e-9) -> None:
    """Raise a `LawError` unless two numbers are the same up to rounding."""
    if not math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance):
        raise LawError(f"found {found!r} and {expected!r}")


def expect_same(found: Any, expected: Any) -> None:
    """Raise a `LawError` unless two results are equal to the last digit; nan is equal to nan."""
    expect(repr(found) == repr(expected), found, expected)


def expect_falling(numbers: Iterable[float]) -> None:
    """Raise a `LawError` unless every number is at most as large as the one before it."""
    listed = list(numbers)
    expect(all(b <= a + 1e-9 for a, b in pairwise(listed)), listed)


def expect_shares(probabilities: Iterable[float]) -> None:
    """Raise a `LawError` unless the numbers are probabilities that sum to 1 at most."""
    listed = list(probabilities)
    expect(all(0 <= p <= 1 + CLOSE for p in listed) and sum(listed) <= 1 + CLOSE, listed)


def expect_line(text: object) -> None:
    """Raise a `LawError` unless it is one line of text."""
    expect(isinstance(text, str) and text.strip() and "\n" not in text, text)


def refusal(action: Callable[..., Any], *arguments: Any, says: str = "", **options: Any) -> str:
    """Return the sentence with which a call is refused, which has to contain what it `says`."""
    try:
        found = action(*arguments, **options)
        if not isinstance(found, str | Sequence) and isinstance(found, Iterable):
            found = list(found)
    except BistroError as error:
        expect_line(str(error))
        expect(says in str(error), str(error))
        return str(error)
    raise LawError(f"{arguments} and {options} are not refused, but give {found!r}")
