"""Predictions of a test suite are formulas that compare the surprisals of regions.

A formula refers to regions in the conditions of an item, in the notation of SyntaxGym.

    (6;%plural%) > (6;%singular%)         region 6 is more surprising in condition *plural*
    (*;%bad%) + ($;%bad%) > (*;%good%)    ``*`` all regions, ``$`` sentence end (an extension)
    [(2;%a%) > 1.5] & [(3;%a%) - (3;%b%) < (4;%a%)]

The operators, in decreasing order of precedence, are ``* /``, ``+ -``, ``< > =``, ``&`` and ``|``.
Round and square brackets group parts of a formula. The *margin* of a prediction shows, in bits, how
far the prediction is from failing. The margin of a comparison is the difference between its two
sides. The smaller of two margins that are joined by ``&`` counts, and the larger of two margins
that are joined by ``|``. The prediction holds if the margin is above 0.

>>> formula = parse_formula("(1;%a%) < (1;%b%)")
>>> formula.margin({("a", "1"): 2.0, ("b", "1"): 5.5})
3.5
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bistro.errors import BistroError
from bistro.sums import added

Surprisals = Mapping[tuple[str, str], float]
"""Surprisal in bits by (condition, region). The region ``$`` is the end of the sentence."""
ALL_REGIONS, END_REGION = "*", "$"
EQUAL_WITHIN = 1e-3
"""The difference below which two sums of surprisals count as equal."""
_TOKEN = re.compile(
    r"\s*(?:\(\s*(?P<region>\d+|\*|\$)\s*;\s*%(?P<condition>[^%]+)%\s*\)"
    r"|(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<sign>[][()+\-*/<>=&|]))"
)
_CLOSING = {"(": ")", "[": "]"}
Value = Callable[[Surprisals], float]
Part = tuple[Value, bool]
"""A function that computes part of a formula, and a flag that is true if the part is a prediction
and false if it is a number."""


@dataclass(frozen=True)
class Formula:
    """A parsed prediction."""

    text: str
    regions: frozenset[tuple[str, str]]
    """The pairs (condition, region) that the formula refers to."""
    margin: Value
    """A function that computes the margin of the prediction, in bits. The prediction holds if the
    margin is above 0."""


def parse_formula(text: str) -> Formula:
    """Parse a formula. The error message describes the part that cannot be parsed."""
    return _Reader(text).formula()


class _Reader:
    """A recursive-descent parser, whose methods are ordered from lowest to highest precedence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.regions: set[tuple[str, str]] = set()
        self.tokens = list(self._split())
        self.place = 0

    def _split(self) -> list[re.Match[str]]:
        tokens, at = [], 0
        while self.text[at:].strip():
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self._error(f"'{self.text[at:].strip()[:20]}' cannot be read")
            tokens.append(match)
            at = match.end()
        return tokens

    def formula(self) -> Formula:
        margin, is_prediction = self._whole()
        if self.place < len(self.tokens):
            raise self._error(f"'{self._peek()}' is not expected here")
        if not is_prediction:
            raise self._error("there is no comparison: use <, > or =")
        return Formula(self.text, frozenset(self.regions), margin)

    def _whole(self) -> Part:
        return self._joined("|", lambda: self._joined("&", self._side, True), True)

    def _joined(self, signs: str, part: Callable[[], Part], predictions: bool) -> Part:
        """Parse predictions or numbers that are joined by any of the given operators."""
        left, is_prediction = part()
        while (sign := self._peek()) and sign in signs:
            self.place += 1
            right, also = part()
            if not is_prediction == also == predictions:
                wanted = (
                    "joins predictions, not numbers"
                    if predictions
                    else "needs numbers on both sides"
                )
                raise self._error(f"'{sign}' {wanted}")
            left = _binary(_JOINED[sign], left, right)
        return left, is_prediction

    def _side(self) -> Part:
        """Parse a comparison, or a single sum in brackets."""
        left, is_prediction = self._sum()
        sign = self._peek()
        if sign not in ("<", ">", "="):
            return left, is_prediction
        self.place += 1
        right, also = self._sum()
        if is_prediction or also:
            raise self._error("comparisons cannot be chained: write A < B & B < C")
        return _binary(_JOINED[sign], left, right), True

    def _sum(self) -> Part:
        return self._joined("+-", lambda: self._joined("*/", self._atom, False), False)

    def _atom(self) -> Part:
        if self.place >= len(self.tokens):
            raise self._error("it ends too early")
        token = self.tokens[self.place]
        self.place += 1
        if token["region"]:
            return self._region(token["condition"].strip(), token["region"]), False
        if token["number"]:
            number = float(token["number"])
            return lambda _: number, False
        if token["sign"] in _CLOSING:
            inside = self._whole()
            if self._peek() != _CLOSING[token["sign"]]:
                raise self._error(f"'{token['sign']}' is not closed")
            self.place += 1
            return inside
        raise self._error(f"'{token['sign']}' is not expected here")

    def _region(self, condition: str, region: str) -> Value:
        self.regions.add((condition, region))
        if region != ALL_REGIONS:
            return lambda bits: bits[condition, region]
        return lambda bits: added(
            value
            for (name, place), value in bits.items()
            if name == condition and place != END_REGION
        )

    def _peek(self) -> str:
        return self.tokens[self.place][0].strip() if self.place < len(self.tokens) else ""

    def _error(self, reason: str) -> BistroError:
        return BistroError(f"the formula '{self.text}' cannot be understood: {reason}")


def _binary(join: Callable[[float, float], float], left: Value, right: Value) -> Value:
    return lambda bits: join(left(bits), right(bits))


def _quotient(a: float, b: float) -> float:
    return a / b if b else float("nan")


_JOINED: dict[str, Callable[[float, float], float]] = {
    "|": max,
    "&": min,
    "<": lambda a, b: b - a,
    ">": operator.sub,
    "=": lambda a, b: EQUAL_WITHIN - abs(a - b),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
}
