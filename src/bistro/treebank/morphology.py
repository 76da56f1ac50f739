"""Words that are divided into morphemes, and the notation for them.

A morpheme is followed by its label in brackets, and hyphens join morphemes.

    u[NPrePre15]-kw[BPre15]-engez[VRoot]-a[VerbTerm]

A hyphen separates only after a bracket, so it may be inside a form (``futhi-ke[Adv]``) or a label
(``s[PreLoc-s]``). If a morpheme has several labels, as in ``lezi[Dem10][Pos1]``, they are
combined into one label, ``Dem10][Pos1``. The form of a morpheme is empty if the morpheme has no
written letters. The form may also be a bracket, as in ``[[Punc]``.

In an annotation without labels, hyphens separate morphemes (``un-break-able``). If an annotation
contains spaces, the spaces separate morphemes, and a hyphen is a letter (``well-be ing``).

>>> [m.label for m in parse_morphemes("kwa[PossConc15]-lezi[Dem10][Pos1]")]
['PossConc15', 'Dem10][Pos1']
>>> [m.form for m in parse_morphemes("un-break-able")]
['un', 'break', 'able']
>>> format_morphemes(parse_morphemes("s[PreLoc-s]-e[LocPre]"))
's[PreLoc-s]-e[LocPre]'
>>> parse_morphemes("bu[BPre14]B-sebenzisa[NStem]")
Traceback (most recent call last):
bistro.errors.TreebankError: 'B-sebenzisa[NStem]' follows a label, but '-' or the end was expected
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bistro.errors import TreebankError

SEPARATOR = "-"
_LABELLED = re.compile(r"([^\[\]]*|[\[\]])\[([^\[\]]+(?:\]\[[^\[\]]+)*)\](-|\Z)?")
_LINE_END = re.compile(r"\r*\n")


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A morpheme, with its form and label."""

    form: str
    label: str = ""
    """The text between the outer brackets, which is empty in an annotation without labels."""

    def __str__(self) -> str:
        return f"{self.form}[{self.label}]" if self.label else self.form


@dataclass(frozen=True, slots=True)
class SegmentedWord:
    """A word and its morphemes, whose letters may differ from the written form."""

    form: str
    morphemes: tuple[Morpheme, ...]
    more: tuple[str, ...] = ()
    """Further columns, such as the lemma and the tag."""
    line: int = 0
    """The line number of the word in the file, counted from 1, or 0 if there is no file."""
    text: str = ""
    """The original line of the word, and all text up to the next word."""
    has_form: bool = True
    """True if the line has a separate column for the word before its morphemes."""

    def with_morphemes(self, morphemes: Iterable[Morpheme]) -> SegmentedWord:
        """Return a copy of the word with new morphemes and an updated line."""
        changed = tuple(morphemes)
        if changed == self.morphemes:
            return self
        own = (self.form,) if self.has_form else ()
        line = "\t".join((*own, format_morphemes(changed), *self.more))
        end = _LINE_END.search(self.text)
        behind = self.text[end.start() :] if end else "\n"
        return replace(self, morphemes=changed, text=line + behind)


class Paragraph(Sequence[SegmentedWord]):
    """A paragraph of segmented words, with the lines that precede them."""

    def __init__(self, words: Iterable[SegmentedWord], head: str = "", line: int = 1) -> None:
        self.words = list(words)
        self.head = head
        """Lines before the first word, such as ``<LINE# 12>``."""
        self.line = line

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> SegmentedWord:  # type: ignore[override]
        return self.words[index]

    def __str__(self) -> str:
        return self.head + "".join(word.text for word in self.words)


def parse_morphemes(text: str) -> tuple[Morpheme, ...]:
    """Read the morphemes of a word. Raise a `TreebankError` if the morphemes are not valid."""
    if not text.strip():
        raise TreebankError("there are no morphemes")
    return _labelled(text) if "[" in text or "]" in text else _plain(text)


def format_morphemes(morphemes: Sequence[Morpheme]) -> str:
    """Format morphemes in the notation that `parse_morphemes` reads."""
    labelled = any(morpheme.label for morpheme in morphemes)
    hyphens = len(morphemes) > 1 and any(SEPARATOR in morpheme.form for morpheme in morphemes)
    return (" " if hyphens and not labelled else SEPARATOR).join(map(str, morphemes))


def _labelled(text: str) -> tuple[Morpheme, ...]:
    morphemes = []
    at = 0
    while at < len(text) or text[at - 1] == SEPARATOR:
        match = _LABELLED.match(text, at)
        if match is None:
            raise TreebankError(_reason(text[at:]))
        if match[3] is None:
            rest = text[match.end() :]
            raise TreebankError(f"'{rest}' follows a label, but '-' or the end was expected")
        morphemes.append(Morpheme(match[1], match[2]))
        at = match.end()
    return tuple(morphemes)


def _reason(rest: str) -> str:
    """Return the reason why a text does not begin with a valid morpheme."""
    if not rest:
        return "the last morpheme is missing after '-'"
    if "[]" in rest.partition(SEPARATOR)[0]:
        return f"a label is empty in '{rest}'"
    if "[" not in rest:
        return f"the morpheme '{rest}' has no label in brackets, but others have"
    return f"the brackets of '{rest}' are not form[Label]"


def _plain(text: str) -> tuple[Morpheme, ...]:
    if text == SEPARATOR:
        return (Morpheme(text),)
    forms = text.split() if " " in text.strip() else text.strip().split(SEPARATOR)
    if not all(forms):
        raise TreebankError(
            f"a morpheme in '{text}' is empty: separate two morphemes with one hyphen, or with "
            "spaces if the word itself contains hyphens"
        )
    return tuple(map(Morpheme, forms))
