"""Read all items in a file, and find any error before the items exhaust memory.

Short sentences take up many times more space in memory than in their file. The memory use of the
items is therefore estimated as they are read. If it exceeds a certain multiple of the number of
bytes read so far, the items are discarded and the rest of the file is only checked. If there is no
error, the file is then read a second time. Ordinary treebanks stay below this limit and are read
only once.

>>> import io
>>> from bistro.treebank.detect import PeekedStream
>>> stream = PeekedStream(io.BytesIO(b"a b"))
>>> read_all(stream, lambda: iter(stream.read().split()), len)
[b'a', b'b']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from bistro.treebank.detect import PeekedStream
from bistro.treebank.sentence import Sentence

Item = TypeVar("Item")

MOST_TIMES = 12
"""Maximum estimated memory use of the items kept, as a multiple of the number of bytes read."""
ALWAYS_ALLOWED = 1 << 24
"""Number of bytes that are allowed in addition to this multiple."""
_ITEMS_AT_ONCE = 64
_SENTENCE_BYTES, _WORD_BYTES = 800, 250
"""Memory use, in bytes, of a sentence without words and of a word with its strings."""


def read_all(
    stream: PeekedStream, iterate: Callable[[], Iterator[Item]], memory: Callable[[Item], int]
) -> list[Item]:
    """Return the items in a stream.

    Parameters
    ----------
    stream
        The stream, of which nothing has been read.
    iterate
        A function that yields the items of the stream from its present position.
    memory
        A function that estimates the memory that an item takes, in bytes.
    """
    stream.mark()
    items = _items_within_limit(stream, iterate(), memory)
    if items is None:
        stream.rewind()
        items = list(iterate())
    return items


def memory_of_sentence(sentence: Sentence) -> int:
    """Estimate the memory use of a sentence in a treebank, in bytes."""
    return _SENTENCE_BYTES + _WORD_BYTES * len(sentence.forms)


def check_then_list(iterate: Callable[[], Iterable[Item]]) -> list[Item]:
    """Return the items of an iterable, after one pass in which they are only checked.

    An error in the last item is then found before the other items exhaust memory.
    """
    deque(iterate(), maxlen=0)
    return list(iterate())


def _items_within_limit(
    stream: PeekedStream, items: Iterator[Item], memory: Callable[[Item], int]
) -> list[Item] | None:
    """Return the items, or None if they are all valid but use more memory than allowed."""
    kept: list[Item] = []
    taken = 0
    while some := list(islice(items, _ITEMS_AT_ONCE)):
        kept += some
        taken += sum(map(memory, some))
        if taken > ALWAYS_ALLOWED + MOST_TIMES * stream.size:
            del kept, some
            deque(items, maxlen=0)
            return None
    return kept
