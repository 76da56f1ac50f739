"""What a tagger returns for one sentence: a tag for every word, with probabilities.

Models of tag sequences (`infinite`, task tags) find them alone; parsers find them with their trees.
Both have ``tag`` for one sentence and ``tag_all`` for many.

>>> import bistro
>>> model = bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)
>>> model.tag("The dog sleeps .".split()).tags
['DET', 'NOUN', 'VERB', 'PUNCT']
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.models.results.parses import Parse
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


class TaggingByParsing(ABC):
    """The methods of a parser that tags: the tags of the trees it finds."""

    @abstractmethod
    def parse_all(
        self, sentences: Iterable[Sentence | Sequence[str]], **options: Any
    ) -> Iterator[Parse]:
        """Parse sentences."""

    def shown_tags(self, tags: Sequence[str]) -> list[str]:
        """Return tags as their column shows them."""
        return list(tags)

    def tag(self, sentence: Sentence | Sequence[str], **options: Any) -> Tagging:
        """Tag one sentence; options are those of `parse`."""
        return next(self.tag_all([sentence], **options))

    def tag_all(
        self, sentences: Iterable[Sentence | Sequence[str]], **options: Any
    ) -> Iterator[Tagging]:
        """Tag sentences and yield them in their order."""
        for parse in self.parse_all(sentences, **options):
            marginals = None
            if parse.marginals is not None:
                marginals = [self._shown_row(row) for row in parse.marginals.tags]
            tags = self.shown_tags(parse.tags)
            yield Tagging(parse.sentence, tags, parse.log_prob, marginals)

    def _shown_row(self, row: list[tuple[str, float]]) -> list[tuple[str, float]]:
        """Return the probabilities of tags as they are shown; several may look the same."""
        sums: defaultdict[str, float] = defaultdict(float)
        for shown, (_, probability) in zip(
            self.shown_tags([tag for tag, _ in row]), row, strict=True
        ):
            sums[shown] += probability
        return sorted(sums.items(), key=lambda entry: -entry[1])
