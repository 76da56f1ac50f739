"""Split a word in a sentence into several words, or join several words into one.

Everything that refers to word numbers is renumbered, including ids, heads, ranges of multiword
tokens, empty nodes and the enhanced graph. The other bytes of the sentence are unchanged. If a word
is split and joined again, the result is identical to the original.

>>> from bistro.treebank.sentence import Sentence
>>> one = Sentence.from_columns(["I", "cannot", "go"], heads=[3, 3, 0])
>>> two = split_word(one, 2, ["can", "not"])
>>> two.forms, two.heads
(['I', 'can', 'not', 'go'], [4, 4, -1, 0])
>>> two.misc[1], join_words(two, 2, 3) == one
('SpaceAfter=No', True)
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

from bistro.errors import BistroError
from bistro.treebank.column_file import ColumnReader
from bistro.treebank.conllu import CONLLU
from bistro.treebank.fields import COLUMNS, EMPTY, FORM, HEAD, quoted
from bistro.treebank.sentence import Sentence

DEPS, MISC = COLUMNS.index("deps"), COLUMNS.index("misc")
NO_SPACE = "SpaceAfter=No"
_LINE = re.compile(r"([^\n]*?)(\r?\n|\Z)")
Node = tuple[int, int]
"""The pair (word, 0) for a word, or (word, number) for an empty node after a word."""
Row = list[str]


def sentence_of(text: str) -> Sentence:
    """Parse a CoNLL-U text that contains exactly one sentence. Heads may be missing."""
    reader = ColumnReader(CONLLU, roots="any", partial=True)
    sentences = list(reader.iter_sentences(io.BytesIO(text.encode())))
    if len(sentences) != 1:
        raise BistroError(f"the text must be one sentence, not {len(sentences)}")
    return sentences[0]


def split_word(
    sentence: Sentence, word: int, forms: Sequence[str], *, multiword: bool = False
) -> Sentence:
    """Split a word.

    Parameters
    ----------
    sentence
        A sentence in CoNLL-U.
    word
        The word, from 1. The first part receives the annotation of the word, and the other parts
        have no annotation.
    forms
        The forms of the parts.
    multiword
        If true, the word is kept as a multiword token over the parts. If false, the concatenated
        parts must equal the form of the word, unless the word is already in a multiword token.
    """
    _check_word(sentence, word)
    if len(forms) < 2:
        raise BistroError("a word must be split into at least two parts")
    whole = sentence.forms[word - 1]
    ranged = _range_with(sentence, word, word)
    if multiword and ranged:
        raise BistroError(f"'{whole}' is already part of a multiword token")
    if not (multiword or ranged) and "".join(forms) != whole:
        raise BistroError(
            f"the parts {' + '.join(forms)} do not spell {quoted(whole)}: split it as a multiword "
            "token"
        )
    more = len(forms) - 1
    rows, ends = _rows(sentence)
    place = next(i for i, row in enumerate(rows) if row[0] == str(word))
    own = rows[place]

    def moved(node: Node) -> Node:
        before = node[0] < word or node == (word, 0)
        return node if before else (node[0] + more, node[1])

    rows = [_renumbered(row, moved, (word, word, more)) for row in rows]
    misc = own[MISC]
    parts = [[str(word + i), form, *[EMPTY] * 8] for i, form in enumerate(forms)]
    parts[0][FORM + 1 :] = rows[place][FORM + 1 :]
    if multiword:
        token = [f"{word}-{word + more}", whole, *[EMPTY] * 7, misc]
        parts[0][MISC] = EMPTY
        parts.insert(0, token)
    elif not ranged:
        parts[-1][MISC] = NO_SPACE if NO_SPACE in misc.split("|") else EMPTY
        for part in parts[:-1]:
            part[MISC] = _with_entry(part[MISC], NO_SPACE)
    rows[place : place + 1] = parts
    ends[place : place + 1] = [ends[place] or _line_end(ends)] * (len(parts) - 1) + [ends[place]]
    return _rebuilt(rows, ends)


def join_words(sentence: Sentence, first: int, last: int, form: str | None = None) -> Sentence:
    """Join neighbouring words into one word.

    The new word has the annotation of the first word, and the head and relation of the word whose
    head is not among the joined words. Spaces between the words are kept in the new form.

    Parameters
    ----------
    sentence
        A sentence in CoNLL-U.
    first, last
        The words, from 1.
    form
        The form of the new word; default: as in the text.
    """
    _check_word(sentence, first)
    _check_word(sentence, last)
    if last <= first:
        raise BistroError("there is nothing to join: name at least two words")
    token = _range_with(sentence, first, last)
    more = last - first
    covers_all = token == (first, last)
    rows, ends = _rows(sentence)
    places = [i for i, row in enumerate(rows) if row[0].isdigit() and first <= int(row[0]) <= last]
    own = [rows[i] for i in places]
    merged = _merged(sentence, first, last, own, in_token=token is not None)
    if covers_all:
        ranged = next(row for row in rows if row[0] == f"{first}-{last}")
        merged[FORM], merged[MISC] = ranged[FORM], _all_entries(ranged[MISC], own[0][MISC])
    merged[FORM] = form or merged[FORM]
    counts = {place: _nodes_after(sentence, place) for place in range(first, last + 1)}

    def moved(node: Node) -> Node:
        place, number = node
        if place < first:
            return node
        if place > last:
            return place - more, number
        before = sum(counts[other] for other in range(first, place))
        return first, number and before + number

    kept: list[tuple[Row, str]] = []
    for i, (row, end) in enumerate(zip(rows, ends, strict=True)):
        if i == places[0]:
            kept.append((_renumbered(merged, moved, None), end))
        elif i not in places and not (covers_all and row[0] == f"{first}-{last}"):
            kept.append((_renumbered(row, moved, (first, last, -more)), end))
    if not ends[-1] and kept[-1][1]:
        kept[-1] = (kept[-1][0], "")
    return _rebuilt([row for row, _ in kept], [end for _, end in kept])


def _merged(
    sentence: Sentence, first: int, last: int, own: Sequence[Row], *, in_token: bool
) -> Row:
    """Return a single row for several joined words, with the old ids."""
    row = list(own[0])
    texts = [sentence.forms[first - 1]]
    for before, form in zip(own, sentence.forms[first:last], strict=False):
        is_close = in_token or NO_SPACE in before[MISC].split("|")
        texts.append(form if is_close else f" {form}")
    row[FORM] = "".join(texts)
    top = next(
        (r for r in own if not (r[HEAD].isdigit() and first <= int(r[HEAD]) <= last)), own[0]
    )
    if top is not own[0]:
        row[HEAD : DEPS + 1] = top[HEAD : DEPS + 1]
    inside = {str(word) for word in range(first, last + 1)} - {top[0]}
    arcs = [] if row[DEPS] == EMPTY else row[DEPS].split("|")
    row[DEPS] = "|".join(arc for arc in arcs if arc.partition(":")[0] not in inside) or EMPTY
    if not in_token and NO_SPACE not in own[-1][MISC].split("|"):
        row[MISC] = "|".join(e for e in row[MISC].split("|") if e != NO_SPACE) or EMPTY
    elif not in_token:
        row[MISC] = _with_entry(row[MISC], NO_SPACE)
    return row


def _renumbered(row: Row, moved: Callable[[Node], Node], span: tuple[int, int, int] | None) -> Row:
    """Return a row with updated word numbers in ID, HEAD and DEPS. Comments are unchanged.

    `span` contains the first and last replaced word and the number of additional words, which is
    negative if words are joined. The range of a multiword token that contains the replaced words is
    adjusted by the number of additional words.
    """
    if len(row) == 1:
        return row
    new = list(row)
    if "-" in row[0]:
        start, end = map(int, row[0].split("-"))
        begin = moved((start, 0))[0]
        if span and start <= span[0] and end >= span[1]:
            new[0] = f"{start}-{end + span[2]}"
        else:
            new[0] = f"{begin}-{begin + end - start}"
    else:
        new[0] = _moved_id(row[0], moved)
    new[HEAD] = _moved_id(row[HEAD], moved)
    if row[DEPS] != EMPTY:
        arcs = (arc.partition(":") for arc in row[DEPS].split("|"))
        # Two arcs can become identical.
        named = [_moved_id(head, moved) + colon + label for head, colon, label in arcs]
        new[DEPS] = "|".join(dict.fromkeys(named))
    return new


def _moved_id(text: str, moved: Callable[[Node], Node]) -> str:
    word, dot, number = text.partition(".")
    if not word.isdigit() or (dot and not number.isdigit()) or text == "0":
        return text
    place, after = moved((int(word), int(number) if dot else 0))
    return f"{place}.{after}" if dot else str(place)


def _rows(sentence: Sentence) -> tuple[list[Row], list[str]]:
    """Return the lines, split into fields, and their line endings. A comment is a single field."""
    if sentence.format != CONLLU.name:
        raise BistroError(f"words in {sentence.format} cannot be split or joined: use CoNLL-U")
    text = str(sentence)
    lines = [match.groups() for match in _LINE.finditer(text) if match.group()]
    rows = [
        [line] if line.startswith("#") or "\t" not in line else line.split("\t")
        for line, _ in lines
    ]
    return rows, [end for _, end in lines]


def _rebuilt(rows: Sequence[Row], ends: Sequence[str]) -> Sentence:
    return sentence_of("".join("\t".join(row) + end for row, end in zip(rows, ends, strict=True)))


def _line_end(ends: Sequence[str]) -> str:
    return next((end for end in ends if end), "\n")


def _check_word(sentence: Sentence, word: int) -> None:
    if not 1 <= word <= len(sentence):
        raise BistroError(
            f"there is no word {word}: the words are numbered from 1 to {len(sentence)}"
        )


def _range_with(sentence: Sentence, first: int, last: int) -> tuple[int, int] | None:
    """Return the multiword token that contains all the given words.

    Raise an error if a token contains only some of the words.
    """
    for start, end, form in sentence.multiword:
        if start <= first and last <= end:
            return start, end
        if start <= last and first <= end:
            raise BistroError(
                f"words {first} to {last} contain only part of the multiword token {quoted(form)}"
            )
    return None


def _nodes_after(sentence: Sentence, word: int) -> int:
    return sum(row[0].partition(".")[0] == str(word) for row in sentence.empty_nodes)


def _with_entry(misc: str, entry: str) -> str:
    if misc == EMPTY:
        return entry
    return misc if entry in misc.split("|") else f"{misc}|{entry}"


def _all_entries(one: str, two: str) -> str:
    both = [entry for misc in (one, two) if misc != EMPTY for entry in misc.split("|")]
    return "|".join(dict.fromkeys(both)) or EMPTY
