"""A spelling model in plain Python that scores a string character by character.

The computation is the same as in `bistro.inference.speller`, but with the plain franchise and one
sample of the seating. The symbols are the characters of the training words, one symbol for all
other characters, and the end of the word.

>>> from bistro.rng import Stream
>>> speller = Speller(["ab", "abb", "ba"], order=3)
>>> speller.learn(Stream(seed=1, purpose="example"))
>>> speller.probability("ab") > speller.probability("aa") > speller.probability("ax") > 0
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bistro.reference.hpyp import Context, Franchise
from bistro.rng import Stream

CODE_POINTS = 0x110000


class Speller:
    """A character n-gram model of words."""

    def __init__(self, words: Sequence[str], order: int) -> None:
        self.words = list(words)
        self.order = order
        self.characters = sorted({character for word in words for character in word})
        self.other = len(self.characters)
        self.end, self.start = self.other + 1, self.other + 2
        self.franchise = Franchise(self.base, levels=order)

    def base(self, dish: int) -> float:
        """Return the probability of a symbol before training."""
        symbols = CODE_POINTS - len(self.characters) if dish == self.other else 1
        return symbols / (CODE_POINTS + 1)

    def events(self, word: str) -> list[tuple[Context, int]]:
        """Return the characters and the end of a word as events, each with its context."""
        known = {character: i for i, character in enumerate(self.characters)}
        ids = [self.start] * (self.order - 1) + [known.get(c, self.other) for c in word]
        ids.append(self.end)
        first = self.order - 1
        return [
            (tuple(ids[place - 1 - k] for k in range(first)), ids[place])
            for place in range(first, len(ids))
        ]

    def learn(self, rng: Stream) -> None:
        """Seat the characters of every word once."""
        for context, dish in (event for word in self.words for event in self.events(word)):
            self.franchise.add(context, dish, rng)

    def probability(self, word: str) -> float:
        """Return H(word), where H is a distribution over all strings of at least one character."""
        product = 1.0
        for context, dish in self.events(word):
            product *= self.franchise.probability(context, dish)
            if dish == self.other:
                product /= CODE_POINTS - len(self.characters)
        nothing = tuple([self.start] * (self.order - 1))
        return product / (1 - self.franchise.probability(nothing, self.end))

    def reserve(self, known: Iterable[str]) -> float:
        """Return the total probability of all unknown strings."""
        return 1 - sum(self.probability(word) for word in set(known))
