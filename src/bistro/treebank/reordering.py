"""Change the word order of sentences, renumber the words, and remove data that depend on the order.

Heads follow their words. A multiword token is kept if its words are still adjacent and in order.
Otherwise, only the words of the multiword token are kept. Empty nodes and enhanced graphs (DEPS),
which depend on positions, are left out, and so are SpaceAfter and similar entries in MISC. The ``#
text`` comment is rewritten.

>>> sentence = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> after = reordered(sentence, [2, 1])
>>> after.forms, after.heads, after.text
(['rains', 'It'], [0, 1], 'rains It')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

PERMUTED = ("forms", "lemmas", "upos", "xpos", "feats", "deprels")
OF_PLACES = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken", "TokenRange")


def reordered(sentence: Sentence, order: Sequence[int]) -> Sentence:
    """Return a sentence with its words in `order`, a list of word numbers counted from 1.

    The heads of the words in `order` must also be in `order`.
    """
    place = {word: i for i, word in enumerate(order, start=1)} | {0: 0}
    columns: dict[str, Any] = {
        name: [getattr(sentence, name)[word - 1] for word in order] for name in PERMUTED
    }
    forms = columns.pop("forms")
    heads = [place[sentence.heads[word - 1]] for word in order]
    if sentence.format == "conllx":
        return Sentence.from_columns(
            forms, heads=heads, format="conllx", line=sentence.line, **columns
        )
    tokens = _multiword(sentence, place)
    return Sentence.from_columns(
        forms,
        heads=heads,
        misc=[_misc(sentence.misc[word - 1]) for word in order],
        comments=[*_comments(sentence), f"# text = {_text(forms, tokens)}"],
        multiword=tokens,
        line=sentence.line,
        **columns,
    )


def _multiword(sentence: Sentence, place: dict[int, int]) -> list[tuple[int, int, str]]:
    ranges = []
    for first, last, form in sentence.multiword:
        places = [place.get(word, 0) for word in range(first, last + 1)]
        if places[0] and places == list(range(places[0], places[0] + len(places))):
            ranges.append((places[0], places[-1], form))
    return ranges


def _text(forms: Sequence[str], tokens: Sequence[tuple[int, int, str]]) -> str:
    inside = {word for first, last, _ in tokens for word in range(first, last + 1)}
    shown = {first: form for first, _, form in tokens}
    words = enumerate(forms, start=1)
    return " ".join(
        shown.get(word, form) for word, form in words if word in shown or word not in inside
    )


def _misc(value: str) -> str:
    kept = [part for part in value.split("|") if part.partition("=")[0] not in OF_PLACES]
    return "|".join(kept) or EMPTY


def _comments(sentence: Sentence) -> list[str]:
    return [c for c in sentence.comments if c[1:].partition("=")[0].strip() != "text"]
