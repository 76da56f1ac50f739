"""CoNLL-X, the format of the 2006 and 2007 shared tasks on dependency parsing.

CoNLL-X has ten columns, like CoNLL-U. The columns include a coarse tag CPOSTAG (`upos`), a fine tag
POSTAG (`xpos`), and the projective head PHEAD (`deps`) and relation PDEPREL (`misc`). CoNLL-X has
no multiword tokens and no empty nodes, and a sentence may have several roots. Comments are not part
of CoNLL-X, but they are kept if they occur.

>>> print(to_conllx(sentence), end="")                          # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter

from bistro.treebank.column_file import ColumnFormat, recast
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

CONLLX = ColumnFormat(
    name="conllx",
    title="CoNLL-X",
    roots="any",
    special_rows=False,
)


def to_conllx(sentence: Sentence) -> Sentence:
    """Return the words of a sentence as CoNLL-X.

    `lost_in_conllx` counts the values that are left out.
    """
    return recast(sentence, CONLLX, comments=[], roots=CONLLX.roots)


def lost_in_conllx(sentence: Sentence) -> Counter[str]:
    """Count the values that `to_conllx` leaves out."""
    return Counter(
        {
            "comments": len(sentence.comments),
            "multiword tokens": len(sentence.multiword),
            "empty nodes": len(sentence.empty_nodes),
            "DEPS values": sum(value != EMPTY for value in sentence.deps),
            "MISC values": sum(value != EMPTY for value in sentence.misc),
        }
    )
