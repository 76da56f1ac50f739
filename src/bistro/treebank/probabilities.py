"""Probabilities in the column MISC: what a parser thinks of the values it wrote.

    PHead    probability of the head that stands in the row
    PDeprel  probability of its label, whatever the head
    PUpos    probability of its universal tag (PXpos: of the treebank's own tag)
    PFeats   probability of its features (PLemma: of its lemma)

Other entries of MISC are kept; an older probability of the same name is replaced.

>>> put_probabilities("SpaceAfter=No|PHead=0.2", {"PHead": 0.93, "PDeprel": 0.97})
'SpaceAfter=No|PHead=0.9300|PDeprel=0.9700'
"""

from __future__ import annotations

from collections.abc import Mapping

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
"""The name of the probability of each column."""


def put_probabilities(misc: str, values: Mapping[str, float]) -> str:
    """Return a field of MISC with probabilities, in four decimals, after what it held before."""
    kept = [] if misc == EMPTY else misc.split("|")
    kept = [entry for entry in kept if entry.partition("=")[0] not in KEYS.values()]
    return "|".join([*kept, *(f"{key}={p:.4f}" for key, p in values.items())]) or EMPTY


def read_probabilities(
    sentence: Sentence, key: str, *, path: str | None = None
) -> list[float | None]:
    """Return the probability called `key` of every word, None where MISC has none."""
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
    # A comparison that NaN fails as well.
    if not 0.0 <= value <= 1.0:
        reason = f"{key} is {quoted(text)} in this sentence: a probability lies between 0 and 1"
        raise TreebankError(reason, path=path, line=line)
    return value
