"""Encode running text as numbers, with one symbol per character or run of white space.

A run of white space is encoded as the symbol `BREAK` if it contains a blank line, which always ends
a sentence, and as `SPACE` otherwise. Every other character is a separate symbol if it is frequent
enough in training. A rarer character is represented by its Unicode category. The characters of
addresses (chunks such as ``www.example.org/a.html``) are distinct from the same characters
elsewhere, because a full stop in an address ends nothing, and a short context does not show whether
it is in an address.

>>> characters = Characters.of(["a b. a b."], least=2)
>>> text = characters.encode("  ab a\\n\\nX")
>>> [characters.name(i) for i in text.symbols], text.places.tolist()
(['a', 'b', 'SPACE', 'a', 'BREAK', 'Lu'], [2, 3, 4, 5, 6, 8])
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ModelFileError

WORD_END, SENTENCE_END, GOES_ON = HIDDEN = (0, 1, 2)
"""The hidden events are a word end without a space, a sentence end, and a space inside a word."""
BREAK, SPACE = 3, 4
FIRST_CHARACTER = 5
_NAMES = ("WORD_END", "SENTENCE_END", "GOES_ON", "BREAK", "SPACE")
# fmt: off
CATEGORIES = (
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi",
    "Pf", "Po", "Sm", "Sc", "Sk", "So", "Cc", "Cf", "Cs", "Co", "Cn",
)
# fmt: on
_ADDRESS = re.compile(
    r"://|www\.|\w@\w|\w\.(?:com|org|net|edu|gov|html?|pdf|docx?|xlsx?|txt|jpg)\b"
)
_MARKS = "()[]{}<>\"'“”‘’«».,;:!?…*"
"""Characters that may surround an address but are not part of it."""
_CODE_POINTS = sys.maxunicode + 1
_LAST_SPACE = 0x3000
_BYTE_ORDER_MARK = 0xFEFF
_UNKNOWN = -1

Symbols = NDArray[np.int32]


@dataclass(frozen=True)
class EncodedText:
    """A text encoded as symbols, with the position of each symbol in the text.

    The position of a run of spaces is the position of its first space.
    """

    text: str
    symbols: Symbols
    places: NDArray[np.int64]


class Characters:
    """The set of symbols that a model of running text uses."""

    def __init__(self, plain: str, addresses: str) -> None:
        """Number the symbols.

        `plain` and `addresses` are the known characters outside and inside addresses.
        """
        for known in (plain, addresses):
            if not isinstance(known, str) or list(known) != sorted(set(known)):
                raise ModelFileError("the list of characters is damaged")
        self.plain, self.addresses = plain, addresses
        tables = np.full((2, _CODE_POINTS), _UNKNOWN, np.int32)
        # A character that never occurs in an address has the same symbol as elsewhere.
        tables[:, _codes(plain)] = FIRST_CHARACTER + np.arange(len(plain))
        tables[1, _codes(addresses)] = FIRST_CHARACTER + len(plain) + np.arange(len(addresses))
        self._tables = tables

    @classmethod
    def of(cls, texts: Iterable[str], *, least: int) -> Characters:
        """Build the symbols from the characters that occur at least `least` times."""
        counts: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
        for text in texts:
            codes = _codes(text)
            inside = in_addresses(text, codes)
            for counted, subset in zip(counts, (codes[~inside], codes[inside]), strict=True):
                values, times = np.unique(subset, return_counts=True)
                counted.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
        known = (
            "".join(sorted(chr(code) for code, n in counted.items() if n >= least))
            for counted in counts
        )
        plain, addresses = ("".join(c for c in part if not c.isspace()) for part in known)
        return cls(plain, addresses)

    def __len__(self) -> int:
        return FIRST_CHARACTER + len(self.plain) + len(self.addresses) + len(CATEGORIES)

    def name(self, symbol: int) -> str:
        """Return the name of a symbol."""
        names: tuple[str, ...] = (*_NAMES, *self.plain, *self.addresses, *CATEGORIES)
        return names[symbol]

    def encode(self, text: str, *, line_ends: bool = False) -> EncodedText:
        """Return the symbols of a text, without leading or trailing white space.

        With `line_ends`, every line end is a break, whether or not a blank line follows.
        """
        codes = _codes(text)
        space = _is_space()[codes]
        inside = in_addresses(text, codes)
        symbols = self._tables[inside.astype(np.intp), codes]
        symbols[space] = SPACE
        if (unknown := symbols == _UNKNOWN).any():
            self._learn_categories(np.unique(codes[unknown]).tolist())
            symbols[unknown] = self._tables[inside[unknown].astype(np.intp), codes[unknown]]
        run_begins = space & ~np.concatenate(([False], space[:-1]))
        keep = ~space | run_begins
        breaks = _line_ends(codes)
        if breaks.any():
            runs = np.cumsum(run_begins)[space]
            ends = np.bincount(runs, breaks[space], int(run_begins.sum()) + 1)[1:]
            symbols[run_begins] = np.where(ends >= (1 if line_ends else 2), BREAK, SPACE)
        places = np.flatnonzero(keep)
        symbols = symbols[places]
        solid = np.flatnonzero(symbols > SPACE)
        if not solid.size:
            return EncodedText(text, symbols[:0], places[:0])
        middle = slice(int(solid[0]), int(solid[-1]) + 1)
        return EncodedText(text, np.ascontiguousarray(symbols[middle]), places[middle])

    def _learn_categories(self, codes: Sequence[int]) -> None:
        """Replace characters that do not occur in training with the symbols of their categories."""
        first = len(self) - len(CATEGORIES)
        for code in codes:
            symbol = first + CATEGORIES.index(unicodedata.category(chr(code)))
            self._tables[:, code] = np.where(
                self._tables[:, code] < 0, symbol, self._tables[:, code]
            )


def in_addresses(text: str, codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return a mask of the characters in addresses, excluding the marks around each address."""
    inside = np.zeros(codes.size, np.bool_)
    starts = [match.start() for match in _ADDRESS.finditer(text)]
    if not starts:
        return inside
    spaces = np.flatnonzero(_is_space()[codes])
    places = np.unique(np.searchsorted(spaces, starts))
    edges = np.concatenate(([-1], spaces, [codes.size]))
    for begin, end in zip((edges[places] + 1).tolist(), edges[places + 1].tolist(), strict=True):
        chunk = text[begin:end]
        left = len(chunk) - len(chunk.lstrip(_MARKS))
        inside[begin + left : begin + len(chunk.rstrip(_MARKS))] = True
    return inside


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@cache
def _is_space() -> NDArray[np.bool_]:
    table = np.zeros(_CODE_POINTS, np.bool_)
    table[[code for code in range(_LAST_SPACE + 1) if chr(code).isspace()]] = True
    table[_BYTE_ORDER_MARK] = True
    return table


def _line_ends(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the number of line ends at each character; a paragraph end counts as two."""
    ends = np.zeros(codes.size, np.int64)
    ends[(codes == 0x0A) | (codes == 0x85) | (codes == 0x2028)] = 1
    ends[(codes == 0x0C) | (codes == 0x2029)] = 2
    returns = codes == 0x0D
    if returns.any():
        followed = np.concatenate((codes[1:] == 0x0A, [False]))
        ends[returns & ~followed] = 1
    return ends


def joined_names(symbols: Sequence[int], characters: Characters) -> str:
    """Return the names of symbols, joined by spaces, for messages and tests."""
    return " ".join(map(characters.name, symbols))
