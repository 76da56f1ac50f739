"""The documents of a treebank begin at ``# newdoc`` comments in CoNLL-U.

>>> one = Sentence.from_columns(["Hello"], comments=["# newdoc id = letter"])
>>> two = Sentence.from_columns(["Goodbye"])
>>> document_numbers([one, two, one])
[0, 0, 1]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from bistro.errors import BistroError
from bistro.treebank.sentence import Sentence


def begins_document(sentence: Sentence | Sequence[str]) -> bool:
    """Return whether a sentence has a ``# newdoc`` comment."""
    return isinstance(sentence, Sentence) and any(
        comment[1:].strip().partition("=")[0].split()[:1] == ["newdoc"]
        for comment in sentence.comments
    )


def document_numbers(sentences: Iterable[Sentence | Sequence[str]]) -> list[int]:
    """Return the number of each sentence's document, counted from 0.

    Without ``# newdoc`` comments, all sentences form one document.
    """
    numbers: list[int] = []
    for sentence in sentences:
        last = numbers[-1] if numbers else 0
        numbers.append(last + 1 if numbers and begins_document(sentence) else last)
    return numbers


def check_documents(documents: Sequence[Hashable], sentences: int) -> None:
    """Raise an error unless every sentence has a document and each document is contiguous."""
    if len(documents) != sentences:
        raise BistroError(
            f"the number of document names ({len(documents):,}) differs from the number of "
            f"sentences ({sentences:,}): name the document of every sentence"
        )
    done = set[Hashable]()
    for before, document in zip([None, *documents], documents, strict=False):
        if document != before and document in done:
            raise BistroError(
                f"the sentences of document '{document}' are not adjacent: keep the sentences of a "
                "document together and in order"
            )
        done.add(document)
