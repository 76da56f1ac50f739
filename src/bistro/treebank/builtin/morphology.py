"""English inflection (plurals and verb forms) for the lexicon of the built-in grammar.

A lexicon line contains only the forms that cannot be derived by spelling rules, such as ``man/men``
and ``eat/ate/eaten``. In ``stop+``, the plus sign marks a consonant that is doubled.

>>> plural("party"), plural("box")
('parties', 'boxes')
>>> verb_forms("stop+")
VerbForms(base='stop', third='stops', past='stopped', participle='stopped', gerund='stopping')
"""

from __future__ import annotations

from typing import NamedTuple

VOWELS = frozenset("aeiou")


class VerbForms(NamedTuple):
    """The five forms of an English verb."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str


def plural(noun: str) -> str:
    """Return the regular plural of a noun, or the third person singular of a verb."""
    if _ends_in_consonant_y(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) or noun == "go" else "s")


def verb_forms(entry: str) -> VerbForms:
    """Return the forms of a lexicon entry ``base``, ``base+``, or ``base/past/participle``."""
    parts = entry.split("/")
    doubles = parts[0].endswith("+")
    base = parts[0].rstrip("+")
    stem = base + base[-1] if doubles else base
    regular_past = _past(base, stem)
    past = parts[1] if len(parts) > 1 else regular_past
    participle = parts[2] if len(parts) > 2 else past
    return VerbForms(base, plural(base), past, participle, _gerund(base, stem))


def starts_with_vowel(word: str) -> bool:
    """Return whether the article before the word is `an`.

    Exceptions such as `hour` and `university` are not in the lexicon.
    """
    return word[0].lower() in VOWELS


def _past(base: str, stem: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if _ends_in_consonant_y(base) else stem + "ed"


def _gerund(base: str, stem: str) -> str:
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return stem + "ing"


def _ends_in_consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in VOWELS
