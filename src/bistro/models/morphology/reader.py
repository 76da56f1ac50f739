"""The files that models of morphology learn from: segmented words, in paragraphs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bistro.errors import BistroError
from bistro.models.data import Data, listed, provenance
from bistro.models.morphology.config import MorphologyConfig
from bistro.treebank.examples import Examples, joined
from bistro.treebank.morphology import Paragraph, SegmentedWord
from bistro.treebank.morphology_files import read_segmented

_PUNCTUATION = "Punc"
_STOPS = frozenset(".?!")


class MorphologyReader:
    """Reads segmented words."""

    def read(
        self, paths: Sequence[str], config: MorphologyConfig, format: str | None = None
    ) -> Examples[Paragraph]:
        """Read files as one; a few words that cannot be read may be left out."""
        if not paths:
            raise BistroError("there is no data: name files of segmented words")
        parts = [read_segmented(path, format, tolerance=config.bad_words) for path in paths]
        whole = joined(parts)
        problems = [problem for part in parts for problem in part.problems]
        items: Iterable[Paragraph] = whole
        if config.unit == "utterance":
            items = utterances(whole, config.utterance)
        return Examples(items, name=whole.label, sha256=whole.sha256, problems=problems)

    def items(self, data: Data, config: MorphologyConfig) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the paragraphs, read from a file if one is named."""
        if isinstance(data, str | os.PathLike):
            data = self.read([os.fspath(data)], config)
        return listed(data), provenance(data)


READER = MorphologyReader()


def check_paragraphs(items: Sequence[Paragraph]) -> None:
    """Refuse training data that is not made of segmented words."""
    for item in items:
        if not isinstance(item, Paragraph):
            raise BistroError(
                "morphology is learned from paragraphs of segmented words: give the name of a "
                "file, or what bistro.treebank.morphology_files.read_segmented returns"
            )


def utterances(paragraphs: Iterable[Paragraph], kind: str = "clause") -> Iterator[Paragraph]:
    """Yield clauses, sentences or paragraphs without their punctuation."""
    for paragraph in paragraphs:
        words: list[SegmentedWord] = []
        for word in paragraph:
            if not _is_punctuation(word):
                words.append(word)
            elif words and (kind == "clause" or (kind == "sentence" and word.form in _STOPS)):
                yield Paragraph(words, line=words[0].line)
                words = []
        if words:
            yield Paragraph(words, line=words[0].line)


def _is_punctuation(word: SegmentedWord) -> bool:
    labels = [morpheme.label for morpheme in word.morphemes]
    return labels == [_PUNCTUATION] or (not any(labels) and not any(map(str.isalnum, word.form)))
