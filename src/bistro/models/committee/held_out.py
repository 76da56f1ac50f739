"""Sentences that are held out of a treebank, to see how sure a committee may be of its votes.

Neighbouring sentences share words and topics. So what is held out are a few stretches of the
treebank, not single sentences between those that are learned from: new text is as strange.

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
"""The standard error of the accuracy of 12,000 words is about 0.3 %: more would be wasted time."""
LEAST_WORDS = 1000


def stretches(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences to learn from, and those that are held out; none of a small treebank."""
    size, words = len(sentences), sum(map(len, sentences))
    share = min(LARGEST_SHARE, MOST_WORDS / max(words, 1))
    if share * words < LEAST_WORDS or size < STRETCHES / LARGEST_SHARE:
        return list(sentences), []
    held_out: set[int] = set()
    for number in range(STRETCHES):
        # In the middle of each part of the treebank, whose ends may be those of its genres.
        middle = (number + 0.5) * size / STRETCHES
        first = round(middle - share * size / STRETCHES / 2)
        held_out.update(range(first, round(middle + share * size / STRETCHES / 2)))
    rest = [sentence for place, sentence in enumerate(sentences) if place not in held_out]
    return rest, [sentences[place] for place in sorted(held_out)]
