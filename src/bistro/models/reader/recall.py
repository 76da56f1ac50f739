"""A reader's memory of a document: counts of the document's last words in contexts of 0 to 2 words.

Every context has a restaurant with at most one table per word. A word is seated in the restaurant
of its longest context. Only the first occurrence of a word in a context opens a table, and that
table becomes a customer in the restaurant of the next shorter context. No random numbers are drawn,
so the counts depend only on the text. The count of a word in a short context is the number of
longer contexts in which the word has occurred.

>>> memory = Recall(words=100)
>>> for before, word in ((1, 7), (2, 7), (2, 7)):
...     memory.add(((), (before,)), word)
>>> memory.counts(((), (2,)), 7)
[2, 2, 1, 2, 2, 1]
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary
from bistro.treebank.documents import check_documents
from bistro.treebank.invisible import seen

LEVELS = 3
"""Number of restaurants that predict a word, one for each context length from 0 to 2 words."""
NUMBERS = 3
"""Number of counts per restaurant: customers of the word, all customers, and all tables."""
END, START = -1, -2
Context: TypeAlias = tuple[int, ...]
Counts: TypeAlias = NDArray[np.int32]


class Restaurant:
    """The words that were seated in one context, with at most one table per word."""

    __slots__ = ("customers", "words")

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        """The number of customers at the table of each word. No table is empty."""
        self.customers = 0


class Recall:
    """The last words of a document. Words can be added; the oldest words are forgotten."""

    def __init__(self, words: int) -> None:
        self.most = words
        self.restaurants: dict[Context, Restaurant] = {}
        self.events: deque[tuple[Sequence[Context], int]] = deque()

    def counts(self, contexts: Sequence[Context], word: int) -> list[int]:
        """Return the counts per restaurant: the word's customers, all customers and all tables."""
        counts: list[int] = []
        for context in contexts:
            restaurant = self.restaurants.get(context)
            if restaurant is None:
                counts += (0, 0, 0)
            else:
                words = restaurant.words
                counts += (words.get(word, 0), restaurant.customers, len(words))
        return counts

    def add(self, contexts: Sequence[Context], word: int) -> None:
        """Remember a word, given its contexts from the shortest to the longest."""
        self.events.append((contexts, word))
        self._seat(contexts, word)
        if len(self.events) > self.most:
            self._unseat(*self.events.popleft())

    def _seat(self, contexts: Sequence[Context], word: int) -> None:
        for context in reversed(contexts):
            restaurant = self.restaurants.get(context)
            if restaurant is None:
                restaurant = self.restaurants[context] = Restaurant()
            restaurant.customers += 1
            count = restaurant.words.get(word, 0)
            restaurant.words[word] = count + 1
            if count:
                break

    def _unseat(self, contexts: Sequence[Context], word: int) -> None:
        """Undo `_seat`. The counts of a word do not depend on the order of its customers."""
        for context in reversed(contexts):
            restaurant = self.restaurants[context]
            restaurant.customers -= 1
            restaurant.words[word] -= 1
            if restaurant.words[word]:
                break
            del restaurant.words[word]
            if not restaurant.customers:
                del self.restaurants[context]


def events_of(vocabulary: Vocabulary, sentences: Iterable[Sequence[str]]) -> list[list[int]]:
    """Return the events of each sentence as numbers, with `END` after the last word.

    The events are known words and classes of unknown words. In an open vocabulary, every string is
    an event.
    """
    if not vocabulary.is_open:
        return [[*vocabulary.encode(sentence).tolist(), END] for sentence in sentences]
    numbers: dict[str, int] = {}
    return [
        [*(numbers.setdefault(seen(word), len(numbers)) for word in sentence), END]
        for sentence in sentences
    ]


def counts_of(events: Sequence[Sequence[int]], documents: Sequence[Hashable], words: int) -> Counts:
    """Return the memory's counts before each event, in shape (events, LEVELS, NUMBERS).

    Parameters
    ----------
    events
        The events of each sentence, from `events_of`.
    documents
        The document of each sentence. Every document starts with an empty memory.
    words
        Number of events that are remembered.
    """
    check_documents(documents, len(events))
    counts = array("i")
    for number, sentence in enumerate(events):
        if not number or documents[number] != documents[number - 1]:
            memory = Recall(words)
        before = last = START
        for word in sentence:
            contexts = ((), (last,), (before, last))
            counts.extend(memory.counts(contexts, word))
            memory.add(contexts, word)
            before, last = last, word
    return np.frombuffer(counts, dtype=np.int32).reshape(-1, LEVELS, NUMBERS)
