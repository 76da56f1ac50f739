"""CoNLL-U, the format of Universal Dependencies (version 2).

Ten columns, comments that begin with ``#``, rows for tokens of several words (``1-2``) and for
empty nodes of the enhanced graph (``8.1``); one root per sentence. A copy has the same bytes:

>>> from bistro.treebank.treebank import read, write
>>> write(read("train.conllu"), "copy.conllu")                  # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter

from bistro.treebank.column_file import ColumnFormat, recast
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import Roots

CONLLU = ColumnFormat(
    name="conllu",
    title="CoNLL-U",
    roots="one",
    special_rows=True,
)


def to_conllu(sentence: Sentence, *, roots: Roots = "one") -> Sentence:
    """Return a sentence in another format as CoNLL-U.

    PHEAD and PDEPREL are left out, since CoNLL-U does not have them.
    """
    return recast(sentence, CONLLU, comments=sentence.comments, roots=roots)


def lost_in_conllu(sentence: Sentence) -> Counter[str]:
    """Count the values that `to_conllu` leaves out."""
    return Counter(
        {
            "PHEAD values": sum(value != EMPTY for value in sentence.deps),
            "PDEPREL values": sum(value != EMPTY for value in sentence.misc),
        }
    )
