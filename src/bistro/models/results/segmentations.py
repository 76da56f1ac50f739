"""Analyses of a written word, with their probabilities.

The capital letters in a word may have several interpretations. Analyses with the same morphemes at
the same positions count as one analysis, and their probabilities are added. Probabilities are
relative to all analyses that remain at the end of the search.

>>> analysis = Analysis((FoundMorpheme("kw", "Poss", "kwa", 0, 2),), -3.0, 0.9)
>>> str(analysis), analysis.canonical
('kw[Poss]', 'kwa[Poss]')
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bistro.treebank.morphology import Morpheme, format_morphemes


@dataclass(frozen=True, slots=True)
class FoundMorpheme:
    """A morpheme with its position in the word."""

    surface: str
    """The letters of the morpheme, as written."""
    label: str
    canonical: str
    """The canonical form of the morpheme in the annotation."""
    begin: int
    end: int


@dataclass(frozen=True)
class Analysis:
    """The morphemes of a word."""

    morphemes: tuple[FoundMorpheme, ...]
    log_prob: float
    """log P(morphemes, word), natural."""
    probability: float
    """The probability of this analysis, given the word."""

    def __str__(self) -> str:
        return format_morphemes([Morpheme(m.surface, m.label) for m in self.morphemes])

    @property
    def canonical(self) -> str:
        """The canonical forms of the morphemes."""
        return format_morphemes([Morpheme(m.canonical, m.label) for m in self.morphemes])

    @property
    def boundaries(self) -> list[int]:
        """The positions in the word where one morpheme ends and another begins."""
        length = self.morphemes[-1].end
        return sorted({m.begin for m in self.morphemes if 0 < m.begin < length})


@dataclass(frozen=True)
class Segmentation:
    """A word and its analyses, most probable first."""

    word: str
    analyses: list[Analysis]
    log_prob: float
    """log P(word), summed over all analyses that the search kept."""
    boundaries: dict[int, float]
    """The probability of a morpheme boundary at each position in the word. Zeros are omitted."""

    @property
    def best(self) -> Analysis:
        """The most probable analysis."""
        return self.analyses[0]

    def to_dict(self) -> dict[str, object]:
        """Return the word and its analyses in a JSON-serialisable form."""
        return {
            "word": self.word,
            "log_prob": self.log_prob,
            "boundaries": {str(place): p for place, p in self.boundaries.items()},
            "analyses": [
                {
                    "probability": one.probability,
                    "log_prob": one.log_prob,
                    "morphemes": [
                        {name: getattr(m, name) for name in FoundMorpheme.__slots__}
                        for m in one.morphemes
                    ],
                }
                for one in self.analyses
            ],
        }


Scored = tuple[tuple[FoundMorpheme, ...], float]


def segmentation_of(
    word: str, scored_analyses: Iterable[Scored], log_prob: float, kbest: int
) -> Segmentation:
    """Return the best analyses of a word, given the total log-probability of its analyses."""
    sums: dict[tuple[FoundMorpheme, ...], float] = {}
    for morphemes, one in scored_analyses:
        before = sums.get(morphemes, -math.inf)
        sums[morphemes] = max(before, one) + math.log1p(math.exp(-abs(before - one)))
    ranked = sorted(sums.items(), key=lambda entry: -entry[1])
    analyses = [Analysis(m, one, math.exp(one - log_prob)) for m, one in ranked]
    return Segmentation(word, analyses[:kbest], log_prob, _boundaries(analyses))


def _boundaries(analyses: Sequence[Analysis]) -> dict[int, float]:
    sums: defaultdict[int, float] = defaultdict(float)
    for analysis in analyses:
        for place in analysis.boundaries:
            sums[place] += analysis.probability
    return {place: min(1.0, sums[place]) for place in sorted(sums)}
