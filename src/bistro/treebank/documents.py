"""The documents of a treebank, which begin at comments ``# newdoc`` in CoNLL-U.

>>> one = Sentence.from_columns(["Hello"], comments=["# newdoc id = letter"])
>>> two = Sentence.from_columns(["Goodbye"])
>>> document_numbers([one, two, one])
[0, 0, 1]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bistro.treebank.sentence import Sentence


def begins_document(sentence: Sentence | Sequence[str]) -> bool:
    """Return whether a sentence has a comment ``# newdoc``."""
    return isinstance(sentence, Sentence) and any(
        comment[1:].strip().partition("=")[0].split()[:1] == ["newdoc"]
        for comment in sentence.comments
    )


def document_numbers(sentences: Iterable[Sentence | Sequence[str]]) -> list[int]:
    """Return the number of each sentence's document, from 0.

    Without comments ``# newdoc``, all sentences form one document.
    """
    numbers: list[int] = []
    for sentence in sentences:
        last = numbers[-1] if numbers else 0
        numbers.append(last + 1 if numbers and begins_document(sentence) else last)
    return numbers
