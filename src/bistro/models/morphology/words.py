"""A model that divides written words into labelled morphemes.

A word is a chain of morphemes m_1 m_2 ... with labels l_1 l_2 ... and letters s_1 s_2 ...

    P = Π_k P(l_k | l_{k-1}, s_{k-1}, l_{k-2}, ...) · P(m_k | l_k, l_{k-1}, s_{k-1}, ...)
        · P(end | all of them)

This is the right-branching tree of tagging, except that the morphemes must first be found. The
distributions over labels and over morphemes are suffix tries of unbounded depth. For an unseen
morpheme, the second trie backs off to a third trie of letters, P(c | label, all letters before).
The best analysis is found from left to right by a beam (`cpp/infinite/segment.hpp`).

>>> import bistro
>>> from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
>>> from itertools import product
>>> parts = (["", "un[Pre]-", "re[Pre]-"], ["tie", "pack", "lock", "do"], ["", "-able[Suf]"])
>>> texts = {f"{before}{stem}[Stem]{after}" for before, stem, after in product(*parts)}
>>> words = [parse_morphemes(text) for text in sorted(texts - {"un[Pre]-do[Stem]-able[Suf]"})]
>>> items = [Paragraph([SegmentedWord("".join(m.form for m in w), w) for w in words])]
>>> model = bistro.train("morphology", items)
>>> str(model.segment(["undoable"])[0].best)
'un[Pre]-do[Stem]-able[Suf]'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import RuleTrie, WordSegmenter
from bistro.encoding.morphemes import Capitals, Inventory, Piece, pieces, spellings_of
from bistro.errors import BistroError, ConfigError
from bistro.modelfile import Arrays
from bistro.models.base import Origin, by_owner, flat, megabytes
from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.model import MorphologyModel
from bistro.models.results.segmentations import FoundMorpheme, Scored, Segmentation, segmentation_of
from bistro.treebank.morphology import Paragraph, SegmentedWord

LABELS, MORPHEMES, LETTERS = TRIES = ("labels", "morphemes", "letters")
UNSEEN_SHARE = 0.9
"""Prior probability that the canonical form of a morpheme equals its letters."""
BEAM, FLOOR = 50, 1e-4
WORDS_AT_ONCE = 256


@dataclass(eq=False, repr=False)
class WordsModel(MorphologyModel):
    """A trained model that divides written words into morphemes."""

    config: MorphologyConfig
    inventory: Inventory
    capitals: Capitals
    trie_arrays: Mapping[str, Arrays]
    origin: Origin

    def __post_init__(self) -> None:
        tries, depths = self.trie_arrays, bounds(self.config)
        self._tries = [RuleTrie(**tries[name], depth=depths[name]) for name in TRIES]
        self._segmenter = lru_cache(maxsize=2)(self._make_segmenter)
        self._segmenter(BEAM, FLOOR)

    def segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = BEAM, floor: float = FLOOR
    ) -> list[Segmentation]:
        """Return the morphological analyses of each word.

        A larger `beam` or a lower `floor` makes the search slower and more thorough.
        """
        return list(self.iter_segment(words, kbest=kbest, beam=beam, floor=floor))

    def iter_segment(
        self, words: Iterable[str], *, kbest: int = 1, beam: int = BEAM, floor: float = FLOOR
    ) -> Iterator[Segmentation]:
        """Yield the morphological analyses of each word. A repeated word is analysed only once."""
        if isinstance(words, str):
            raise BistroError("words must be a list, not a string: give [word] for a single word")
        if kbest < 1 or beam < 1 or not 0 <= floor < 1:
            raise ConfigError("kbest and beam must be at least 1, and floor must lie in [0, 1)")
        known: dict[str, Segmentation] = {}
        batch: list[str] = []
        for word in words:
            batch.append(word)
            if len(batch) == WORDS_AT_ONCE:
                yield from self._batch(batch, known, kbest, beam, floor)
                batch = []
        yield from self._batch(batch, known, kbest, beam, floor)

    def score_words(self, words: Sequence[SegmentedWord]) -> NDArray[np.float64]:
        """Return log P(analysis, word) for each annotated word.

        An unseen morpheme is scored as if its canonical form were equal to its letters.
        """
        inventory, segmenter = self.inventory, self._segmenter(BEAM, FLOOR)
        log_probs = np.empty(len(words))
        for i, word in enumerate(words):
            parts = pieces(word)
            if any(piece.label not in inventory.label_numbers for piece in parts):
                log_probs[i] = -np.inf
                continue
            written = "".join(piece.surface for piece in parts)
            letters, _ = inventory.encode([written])
            log_probs[i] = segmenter.log_prob(letters, self._steps(parts))
            log_probs[i] += dict(spellings_of(word.form, self.capitals)).get(written, 0.0)
        return log_probs

    def figures(self, items: Sequence[Paragraph]) -> dict[str, float]:
        """Return measures of prediction quality and accuracy on held-out words."""
        words = [word for paragraph in items for word in paragraph]
        log_probs = self.score_words(words)
        known = np.isfinite(log_probs)
        letters = sum(len(word.form) for word, k in zip(words, known, strict=True) if k)
        segmentations = self.iter_segment(word.form for word in words)
        right = sum(
            [(m.label, m.surface) for m in one.best.morphemes] == _written(word)
            for one, word in zip(segmentations, words, strict=True)
        )
        return {
            "words": len(words),
            "bits per letter": -float(log_probs[known].sum()) / math.log(2) / max(1, letters),
            "words right": 100 * right / max(1, len(words)),
        }

    def header(self) -> dict[str, Any]:
        """Return the morpheme inventory and the shares of capitalised words."""
        return {"inventory": self.inventory.header(), "capitals": list(self.capitals)}

    def arrays(self) -> Arrays:
        """Return the three tries."""
        return flat(self.trie_arrays)

    @classmethod
    def from_parts(
        cls, config: MorphologyConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        inventory = Inventory.from_header(header["inventory"])
        first, everything = map(float, header["capitals"])
        if not (min(first, everything) > 0 and first + everything < 1):
            raise ValueError("the shares of capitalised words are not probabilities")
        return cls(config, inventory, Capitals(first, everything), by_owner(arrays, TRIES), origin)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of symbols and contexts, and the model size."""
        lengths = {name: self.trie_arrays[name]["length"] for name in TRIES}
        nodes = {f"contexts of {name}": int(length.sum()) for name, length in lengths.items()}
        return {
            "unit": "word",
            "labels": len(self.inventory.labels),
            "letters": len(self.inventory.letters),
            "morphemes": len(self.inventory.morphemes),
            **nodes,
            "megabytes": megabytes(self.arrays()),
        }

    def _make_segmenter(self, beam: int, floor: float) -> WordSegmenter:
        return WordSegmenter(
            **self.inventory.columns(),
            label_trie=self._tries[0],
            morpheme_trie=self._tries[1],
            letter_trie=self._tries[2],
            beam=beam,
            floor=floor,
            unseen_share=UNSEEN_SHARE,
        )

    def _batch(
        self,
        words: Sequence[str],
        known: dict[str, Segmentation],
        kbest: int,
        beam: int,
        floor: float,
    ) -> Iterator[Segmentation]:
        new = [word for word in dict.fromkeys(words) if word not in known]
        if not all(new):
            raise BistroError("a word without letters cannot be segmented")
        for one in self._segmentations(new, kbest, beam, floor):
            known[one.word] = one
        yield from (known[word] for word in words)

    def _segmentations(
        self, words: Sequence[str], kbest: int, beam: int, floor: float
    ) -> Iterator[Segmentation]:
        readings = [list(spellings_of(word, self.capitals)) for word in words]
        written = [text for reading in readings for text, _ in reading]
        encoded = self.inventory.encode(written)
        totals, begins, log_probs, offsets, steps = self._segmenter(beam, floor).segment(
            *encoded, kbest=beam
        )
        rows = steps.reshape(-1, 3).tolist()
        number = 0
        for word, reading in zip(words, readings, strict=True):
            analyses: list[Scored] = []
            sums = []
            for text, weight in reading:
                sums.append(totals[number] + weight)
                for a in range(begins[number], begins[number + 1]):
                    own = rows[offsets[a] : offsets[a + 1]]
                    analyses.append((self._morphemes(word, text, own), log_probs[a] + weight))
                number += 1
            yield segmentation_of(word, analyses, float(np.logaddexp.reduce(sums)), kbest)

    def _morphemes(
        self, word: str, text: str, steps: Sequence[Sequence[int]]
    ) -> tuple[FoundMorpheme, ...]:
        """Return the morphemes of an analysis. The argument `text` is the normalised word."""
        inventory = self.inventory
        morphemes = []
        begin = 0
        for label, morpheme, end in steps:
            piece = inventory.morphemes[morpheme] if morpheme >= 0 else None
            canonical = piece.canonical if piece else text[begin:end]
            if canonical == text[begin:end]:
                canonical = _with_digits(canonical, word[begin:end])
            morphemes.append(
                FoundMorpheme(word[begin:end], inventory.labels[label], canonical, begin, end)
            )
            begin = end
        return tuple(morphemes)

    def _steps(self, parts: Sequence[Piece]) -> NDArray[np.int32]:
        """Convert an analysis to the array that the C++ core expects."""
        rows, end = [], 0
        for piece in parts:
            end += len(piece.surface)
            number = self.inventory.morpheme_numbers.get(piece, -1)
            rows += [self.inventory.label_numbers[piece.label], number, end]
        return np.array(rows, dtype=np.int32)


def bounds(config: MorphologyConfig) -> dict[str, int]:
    """Return the maximum context length of each trie, or -1 if it is unbounded.

    The context of a label starts with the previous label, and the context of a morpheme starts with
    its own label. The contexts of letters are not truncated.
    """
    depth = config.depth
    return {LABELS: -1 if depth is None else depth + 1, MORPHEMES: depth or -1, LETTERS: -1}


def _with_digits(text: str, written: str) -> str:
    """Replace each 0 in `text` with the corresponding digit of the original word."""
    pairs = zip(text, written, strict=True)
    return "".join(own if not w.isdigit() else w for own, w in pairs)


def _written(word: SegmentedWord) -> list[tuple[str, str]]:
    parts, at = [], 0
    for piece in pieces(word):
        end = at + len(piece.surface)
        parts.append((piece.label, word.form[at:end]))
        at = end
    return parts
