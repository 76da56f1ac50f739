"""What a tagger returns for one sentence: a tag for every word, with probabilities.

Models of tag sequences (`tags`) find them alone; parsers find them with their trees.
Both have ``tag`` for one sentence and ``tag_all`` for many.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)
>>> model.tag("The dog sleeps .".split()).tags
['DET', 'NOUN', 'VERB', 'PUNCT']
"""

from __future__ import annotations

from dataclasses import dataclass

from bistro.treebank.sentence import Sentence


@dataclass(frozen=True)
class Tagging:
    """The tags of one sentence."""

    sentence: Sentence
    tags: list[str]
    log_prob: float
    """Natural logarithm of p(words, tags); from a parser, of its tree as well."""
    marginals: list[list[tuple[str, float]]] | None = None
    """By word: its tags and their probabilities, likeliest first."""
    states: int = 0
    """Of the lattice that was searched, all words together; 0 where there is none."""
