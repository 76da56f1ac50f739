"""Recognition of punctuation, which is excluded from some evaluation scores.

Three rules are in use. The function `recognise` chooses the rule that fits the tags of a treebank.

- ``upos``: the universal tag is ``PUNCT`` (Universal Dependencies);
- ``penn``: one of the tags ````` `` '' , . : ````` (Penn Treebank; brackets, $ and # do count);
- ``unicode``: every character of the word is of a Unicode punctuation category (CoNLL-X).

>>> from bistro.treebank.sentence import Sentence
>>> sentence = Sentence.from_columns(["It", "rains", "."], upos=["PRON", "VERB", "PUNCT"])
>>> recognise([sentence]), mark(sentence, "unicode")
('upos', [False, False, True])
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Literal, get_args

from bistro.errors import ConfigError, nearest
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

Punctuation = Literal["upos", "penn", "unicode"]
RULES: tuple[str, ...] = get_args(Punctuation)

MEANING: dict[Punctuation, str] = {
    "upos": "words with the tag PUNCT",
    "penn": "words with one of the tags `` '' , . :",
    "unicode": "words made of Unicode punctuation characters only",
}
PENN_PUNCTUATION = frozenset({"``", "''", ",", ".", ":"})
# fmt: off
PENN_TAGS = PENN_PUNCTUATION | {
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS",
    "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG",
    "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", "-LRB-", "-RRB-", "(", ")", "AFX",
    "ADD", "GW", "HYPH", "NFP", "XX",
}
# fmt: on


def recognise(sentences: Iterable[Sentence]) -> Punctuation:
    """Return the rule that fits the tags of a treebank."""
    upos: set[str] = set()
    xpos: set[str] = set()
    for sentence in sentences:
        upos.update(sentence.upos)
        xpos.update(sentence.xpos)
    return recognise_tags(upos, xpos)


def recognise_tags(upos: AbstractSet[str], xpos: AbstractSet[str]) -> Punctuation:
    """Return the rule that fits the given sets of tags."""
    if "PUNCT" in upos:
        return "upos"
    for tags in (upos - {EMPTY}, xpos - {EMPTY}):
        if tags and tags <= PENN_TAGS:
            return "penn"
    return "unicode"


def parse_rule(name: str) -> Punctuation:
    """Return the punctuation rule with the given name, or raise an error if there is none."""
    if name not in RULES:
        raise ConfigError(
            f"punctuation must be recognised by one of {', '.join(RULES)}, not by "
            f"'{name}'{nearest(name, RULES)}"
        )
    return name  # type: ignore[return-value]


def mark(sentence: Sentence, rule: Punctuation) -> list[bool]:
    """Return, for each word in a sentence, whether it is punctuation."""
    if rule == "upos":
        return [tag == "PUNCT" for tag in sentence.upos]
    if rule == "penn":
        return [
            coarse in PENN_PUNCTUATION or fine in PENN_PUNCTUATION
            for coarse, fine in zip(sentence.upos, sentence.xpos, strict=True)
        ]
    return [is_unicode_punctuation(form) for form in sentence.forms]


@functools.lru_cache(maxsize=1 << 16)
def is_unicode_punctuation(form: str) -> bool:
    """Return whether every character belongs to a Unicode punctuation category (P…)."""
    return all(unicodedata.category(character)[0] == "P" for character in form)
