"""Probabilities in the column MISC give a parser's confidence in its predictions.

    PHead    probability of the head in the row
    PDeprel  probability of its label, whatever the head
    PUpos    probability of its universal tag (PXpos: of the treebank's own tag)
    PFeats   probability of its features (PLemma: of its lemma)

Alternatives, which are values that were not written, have the same names without the P and a rank
from 2. Each alternative is followed by its probability. In alternatives, ``|`` and spaces are
escaped as in ``SpacesAfter``.

Other entries in MISC are kept, and earlier probabilities and alternatives for a column are
replaced.

>>> put_probabilities("SpaceAfter=No|PHead=0.2", {"PHead": 0.93, "PDeprel": 0.97})
'SpaceAfter=No|PHead=0.9300|PDeprel=0.9700'
>>> put_probabilities("_", {"PUpos": 0.9}, {"upos": [("VERB", 0.08), ("ADJ", 0.01)]})
'PUpos=0.9000|Upos2=VERB|PUpos2=0.0800|Upos3=ADJ|PUpos3=0.0100'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bistro.errors import TreebankError
from bistro.treebank.fields import EMPTY, quoted
from bistro.treebank.sentence import Sentence

KEYS = {
    "heads": "PHead",
    "deprels": "PDeprel",
    "upos": "PUpos",
    "xpos": "PXpos",
    "feats": "PFeats",
    "lemmas": "PLemma",
}
"""The key in MISC for the probability of the value in each column."""
Listed = Sequence[tuple[str, float]]
"""A list of values with their probabilities, starting with the most probable value."""
_RANKED = re.compile(rf"P?(?:{'|'.join(key[1:] for key in KEYS.values())})[2-9][0-9]*")


def put_probabilities(
    misc: str, values: Mapping[str, float], alternatives: Mapping[str, Listed] | None = None
) -> str:
    """Return a MISC field with probabilities appended, rounded to four decimal places.

    Parameters
    ----------
    misc
        The current field.
    values
        Probabilities by their names in MISC.
    alternatives
        Other values of columns with their probabilities, most probable first.
    """
    kept = [] if misc == EMPTY else misc.split("|")
    kept = [entry for entry in kept if not _is_own(entry.partition("=")[0])]
    kept += [f"{key}={p:.4f}" for key, p in values.items()]
    for column, listed in (alternatives or {}).items():
        kept += _ranked(KEYS[column][1:], listed)
    return "|".join(kept) or EMPTY


def _ranked(name: str, listed: Listed) -> Iterator[str]:
    from bistro.treebank.text_tokens import escaped_spaces  # only alternatives need it

    for rank, (value, p) in enumerate(listed, start=2):
        yield f"{name}{rank}={escaped_spaces(value)}"
        yield f"P{name}{rank}={p:.4f}"


def _is_own(name: str) -> bool:
    return name in KEYS.values() or _RANKED.fullmatch(name) is not None


def read_alternatives(sentence: Sentence, column: str) -> list[list[tuple[str, float]]]:
    """Return the alternatives for every word in one column, starting with the most probable."""
    from bistro.treebank.surface import unescape  # only alternatives need it

    name = KEYS[column][1:]
    rows = []
    for misc in sentence.misc:
        entries = dict(entry.partition("=")[::2] for entry in misc.split("|"))
        row: list[tuple[str, float]] = []
        while (own := f"{name}{len(row) + 2}") in entries and f"P{own}" in entries:
            p = _probability(f"P{own}", entries[f"P{own}"], None, sentence.line)
            row.append((unescape(entries[own]), p))
        rows.append(row)
    return rows


def read_probabilities(
    sentence: Sentence, key: str, *, path: str | None = None
) -> list[float | None]:
    """Return, for every word, the probability under `key` in MISC, or None if it is missing."""
    return [_find(misc, key, path, sentence.line) for misc in sentence.misc]


def _find(misc: str, key: str, path: str | None, line: int) -> float | None:
    for entry in misc.split("|"):
        name, _, text = entry.partition("=")
        if name == key:
            return _probability(key, text, path, line)
    return None


def _probability(key: str, text: str, path: str | None, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    # A comparison that is also false for NaN.
    if not 0.0 <= value <= 1.0:
        reason = f"{key} is {quoted(text)} in this sentence: a probability lies between 0 and 1"
        raise TreebankError(reason, path=path, line=line)
    return value
