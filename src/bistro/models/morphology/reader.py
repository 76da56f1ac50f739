"""A reader for paragraphs of segmented words, the training data for morphology models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bistro.errors import BistroError
from bistro.models.data import ExampleReader
from bistro.models.morphology.config import MorphologyConfig
from bistro.treebank.examples import Examples
from bistro.treebank.morphology import Paragraph, SegmentedWord
from bistro.treebank.morphology_files import read_segmented

_PUNCTUATION = "Punc"
_STOPS = frozenset(".?!")


def _read(path: str, config: MorphologyConfig, format: str | None) -> Examples[Paragraph]:
    """Read a file of segmented words. A few words with invalid annotation may be left out."""
    text = read_segmented(path, format, tolerance=config.bad_words)
    if config.unit == "utterance":
        text.items = list(utterances(text, config.utterance))
    return text


READER = ExampleReader(_read, "segmented words")


def check_paragraphs(items: Sequence[Paragraph]) -> None:
    """Raise an error if the training data does not consist of segmented words."""
    for item in items:
        if not isinstance(item, Paragraph):
            raise BistroError(
                "morphology is learned from segmented words: give the name of a file, or the "
                "result of bistro.treebank.morphology_files.read_segmented"
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
