"""Signs that a table of stimuli was not read as its author intended.

Two versions of an item, or the sentences of a text, may be joined into one sentence; the rows may
contain single words where sentences are expected; and brackets that mark regions may be read as
words.

>>> ends_sentence("tired."), ends_sentence("J."), is_bracketed("The dog [barked] .")
(True, False, True)
>>> sentence_break("The man was tired. The horse fell.")
'tired. The'
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bistro.tasks.stimuli import Table, sentence_rows

LEAST_AT_STARTS = 0.9
"""In `joining_column`, the share of changes at sentence starts must exceed this value."""
_OPENING, _CLOSING = "\"'“‘«([", "\"'”’»)\\]"
_END = re.compile(rf"(?:^|[^\W_]{{2}})[.!?…]+[{_CLOSING}]*$")
_BRACKETED = re.compile(r"[^][]*(?:\[[^][]+\][^][]*)+")


@dataclass(frozen=True)
class JoiningColumn:
    """A column whose value changes inside sentences, at words that seem to begin a new sentence."""

    name: str
    inside: int
    """The number of sentences inside which the value changes."""
    sentences: int
    """The total number of sentences."""


@dataclass
class TextCounts:
    """The numbers of texts that are single words, are bracketed, or have several sentences."""

    texts: int = 0
    single_words: int = 0
    bracketed: int = 0
    several_sentences: int = 0
    first_break: str = ""
    """The words on either side of the first sentence boundary inside a text."""


def never(word: str) -> bool:
    """Return False for every word."""
    return False


def count_texts(texts: Iterable[str], is_known: Callable[[str], bool] = never) -> TextCounts:
    """Count single words, bracketed texts and texts of several sentences.

    Parameters
    ----------
    texts
        The texts, each of which is scored as one sentence.
    is_known
        Whether a model knows a word, such as the abbreviation *Mr.*
    """
    counts = TextCounts()
    for text in texts:
        counts.texts += 1
        counts.single_words += len(text.split(maxsplit=1)) == 1
        counts.bracketed += is_bracketed(text)
        if words := sentence_break(text, is_known):
            counts.several_sentences += 1
            counts.first_break = counts.first_break or words
    return counts


def is_bracketed(text: str) -> bool:
    """Return whether a text contains words in square brackets and all brackets are balanced."""
    return _BRACKETED.fullmatch(text) is not None


def ends_sentence(word: str) -> bool:
    """Return whether a word ends with sentence-final punctuation.

    A single letter before the punctuation is taken to be an initial or an abbreviation.
    """
    return _END.search(word) is not None


def sentence_break(text: str, is_known: Callable[[str], bool] = never) -> str | None:
    """Return the words on either side of the first sentence boundary inside a text, or None.

    The first word ends with sentence-final punctuation, and the second begins with a capital
    letter. If `is_known` is true for the first word together with its punctuation, the word is
    taken to be an abbreviation.
    """
    for before, after in itertools.pairwise(text.split()):
        is_end = ends_sentence(before) and after.lstrip(_OPENING)[:1].isupper()
        if is_end and (len(before) == 1 or not is_known(before.lstrip(_OPENING))):
            return f"{before} {after}"
    return None


def joining_column(
    table: Table, text: str, sentence: Sequence[str], *, region: str | None = None
) -> JoiningColumn | None:
    """Find a column that separates joined sentences in a table with one word per row.

    The value of such a column changes inside sentences, nearly always where a new sentence seems to
    begin: after a full stop, or where the first word of the sentence is repeated. Columns whose
    values also change at other words, such as reading times, do not separate sentences. Return the
    column whose value changes inside the largest number of sentences, or None.

    Parameters
    ----------
    table
        The table.
    text
        The column with the words.
    sentence
        The columns that identify a sentence.
    region
        The column with the regions of a sentence, which is not considered.
    """
    place, keys = table.column(text), [table.column(name) for name in sentence]
    known = {text, region, *sentence}
    candidates = [i for i, name in enumerate(table.columns) if name not in known]
    changes, at_starts, inside = Counter[int](), Counter[int](), Counter[int]()
    number = 0
    for _, rows in sentence_rows(table, keys):
        number += 1
        changed: set[int] = set()
        all_cells = (cells for _, cells in rows)
        before = next(all_cells)
        first = before[place].split()[0]
        for cells in all_cells:
            own = [i for i in candidates if cells[i] != before[i]]
            changes.update(own)
            if _starts_sentence(before[place].split()[-1], cells[place].split()[0], first):
                at_starts.update(own)
            changed.update(own)
            before = cells
        inside.update(changed)
    separating = [i for i in candidates if at_starts[i] > LEAST_AT_STARTS * changes[i]]
    if not separating:
        return None
    best = max(separating, key=inside.__getitem__)
    return JoiningColumn(table.columns[best], inside[best], number)


def _starts_sentence(before: str, word: str, first: str) -> bool:
    """Return whether a sentence seems to begin with `word`, which follows `before`.

    `first` is the first word of the sentence to which both belong.
    """
    return ends_sentence(before) or (word == first and word[:1].isupper())
