"""The first training steps are the same for all parsers."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.errors import BistroError
from bistro.models.inputs import Words
from bistro.models.parsing.codec import require_heads
from bistro.treebank.sentence import Sentence


def trees_of(data: Sequence[Words]) -> list[Sentence]:
    """Return the sentences of a treebank. Lists of words and incomplete trees raise an error."""
    sentences = [sentence for sentence in data if isinstance(sentence, Sentence)]
    if len(sentences) != len(data):
        raise BistroError(
            "this kind of model learns from trees: give a treebank instead of lists of words"
        )
    for sentence in sentences:
        require_heads(sentence)
    return sentences


def wants_single_root(sentences: Sequence[Sentence], roots: str) -> bool:
    """Return whether every tree has a single root, according to the settings or the data."""
    several = next((s for s in sentences if s.heads.count(0) != 1), None)
    if roots == "auto":
        return several is None
    if roots == "one" and several is not None:
        name = several.sent_id or f"at line {several.line}"
        raise BistroError(f"sentence {name} has several roots, but roots = 'one'")
    return roots == "one"
