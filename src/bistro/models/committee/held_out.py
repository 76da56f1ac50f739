"""Held-out sentences of a treebank are used to calibrate a committee.

Neighbouring sentences share words and topics. Therefore a few contiguous stretches of the treebank
are held out, rather than isolated sentences. Such stretches differ from the training data about as
much as new text does.

>>> sentences = [Sentence.from_columns(["word"] * 100) for _ in range(100)]
>>> rest, held_out = stretches(sentences)
>>> len(rest), len(held_out)
(80, 20)
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.treebank.sentence import Sentence

STRETCHES = 5
LARGEST_SHARE = 0.2
MOST_WORDS = 12_000
"""With 12,000 words, the standard error of the accuracy is about 0.3 %, which is enough."""
LEAST_WORDS = 1000


def stretches(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Return training and held-out sentences.

    If the treebank is small, no sentences are held out.
    """
    size, words = len(sentences), sum(map(len, sentences))
    share = min(LARGEST_SHARE, MOST_WORDS / max(words, 1))
    if share * words < LEAST_WORDS or size < STRETCHES / LARGEST_SHARE:
        return list(sentences), []
    held_out = places(size, share)
    rest = [sentence for place, sentence in enumerate(sentences) if place not in held_out]
    return rest, [sentences[place] for place in sorted(held_out)]


def places(size: int, share: float) -> set[int]:
    """Return the positions of the held-out sentences, which form a few contiguous stretches.

    At least one sentence is held out.

    >>> sorted(places(100, 0.1)), places(4, 0.1)
    ([9, 10, 29, 30, 49, 50, 69, 70, 89, 90], {2})
    """
    number = STRETCHES if share * size >= STRETCHES else 1
    positions: set[int] = set()
    for stretch in range(number):
        # Use the middle of each part of the treebank: near its ends, the genre may change.
        middle = (stretch + 0.5) * size / number
        first = round(middle - share * size / number / 2)
        positions.update(range(first, round(middle + share * size / number / 2)))
    return positions or {size // 2}
