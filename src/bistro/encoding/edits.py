"""Edit rules transform a string at its two ends and generalise to new strings.

A rule changes the case, replaces the front and the back of a string, and keeps the middle. For
example, *flies* becomes *fly* through ``ies → y`` at the end, and *don't* becomes *do n't* through
``n't → ␣n't``. A rule applies only to strings that begin and end with the characters that it
replaces. If several rules turn one string into another, the rule that explains the most training
pairs is chosen.

>>> rules = chosen_rules({("flies", "fly"): 1, ("tries", "try"): 1, ("went", "go"): 1})
>>> str(rules["flies", "fly"]), rules["flies", "fly"].apply("cries"), str(rules["went", "go"])
('-ies+y', 'cry', 'went=go')
>>> rules["flies", "fly"].apply("dog") is None
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from bistro.errors import ModelFileError

_CASES: dict[str, Callable[[str], str]] = {
    "": lambda form: form,
    "lower": str.lower,
    "title": str.capitalize,
}
_LONGEST_END = 8
"""The maximum number of characters that a rule replaces at one end of a string. A rule that would
have to replace more characters is stored for a single string only."""


@dataclass(frozen=True, order=True)
class EditRule:
    """An edit rule that replaces the front and back of a string and may change its case."""

    case: str = ""
    front: str = ""
    new_front: str = ""
    back: str = ""
    new_back: str = ""
    whole: bool = False
    """True if the rule applies to a single string, `front`, which becomes `new_front`."""

    def apply(self, form: str) -> str | None:
        """Apply the rule to a string, and return the result, or None if the rule does not apply."""
        if self.whole:
            return self.new_front if form == self.front else None
        cased = _CASES[self.case](form)
        kept = len(cased) - len(self.front) - len(self.back)
        if kept < 1 or not cased.startswith(self.front) or not cased.endswith(self.back):
            return None
        return self.new_front + cased[len(self.front) : len(self.front) + kept] + self.new_back

    def to_header(self) -> list[Any]:
        """Return the rule as a value that can be stored as JSON."""
        return list(astuple(self))

    @classmethod
    def from_header(cls, fields: Any) -> EditRule:
        """Restore a rule."""
        good = isinstance(fields, list) and len(fields) == 6 and fields[0] in _CASES
        if not good or not all(isinstance(field, str) for field in fields[:5]):
            raise ModelFileError("an edit rule is damaged")
        case, front, new_front, back, new_back = map(str, fields[:5])
        return cls(case, front, new_front, back, new_back, bool(fields[5]))

    def __str__(self) -> str:
        if self.whole:
            return f"{self.front}={self.new_front}"
        front = f"-{self.front}+{self.new_front} " if self.front or self.new_front else ""
        back = f"-{self.back}+{self.new_back}" if self.back or self.new_back else ""
        return f"{self.case} {front}{back}".strip() or "same"


def possible_rules(source: str, target: str) -> Iterator[EditRule]:
    """Yield all rules that turn one string into another.

    Rules that keep a longer middle come first.
    """
    seen: set[str] = set()
    for case, cased in ((case, change(source)) for case, change in _CASES.items()):
        if cased in seen:
            continue
        seen.add(cased)
        if cased == target:
            yield EditRule(case)
            continue
        for length, begin, other in sorted(_common(cased, target), reverse=True):
            end, other_end = begin + length, other + length
            if max(begin, other, len(cased) - end, len(target) - other_end) <= _LONGEST_END:
                yield EditRule(case, cased[:begin], target[:other], cased[end:], target[other_end:])
    yield EditRule(front=source, new_front=target, whole=True)


def chosen_rules(pairs: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], EditRule]:
    """Choose a rule for each pair of strings, preferring the rule that fits the most pairs."""
    rules = {pair: list(possible_rules(*pair)) for pair in pairs}
    counts = Counter(rule for candidates in rules.values() for rule in candidates)
    return {
        pair: max(candidates, key=lambda rule: (not rule.whole, counts[rule]))
        for pair, candidates in rules.items()
    }


def _common(one: str, other: str) -> Iterator[tuple[int, int, int]]:
    """Yield the length of each maximal common substring and its positions in both strings."""
    for begin in range(len(one)):
        for place in range(len(other)):
            if one[begin] != other[place] or (
                begin and place and one[begin - 1] == other[place - 1]
            ):
                continue
            length = 1
            while (
                begin + length < len(one)
                and place + length < len(other)
                and one[begin + length] == other[place + length]
            ):
                length += 1
            yield length, begin, place
