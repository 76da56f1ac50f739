"""Tag the sentences in a file, and write the tags to one column.

All other columns remain unchanged. With marginals, MISC has the probability of each tag, as
``PUpos`` or ``PXpos`` (see `bistro.treebank.probabilities`).

>>> from bistro.models.results.structures import Tagging
>>> tagging = Tagging(Sentence.from_columns(["It", "rains"]), ["PRON", "VERB"], -7.5)
>>> tagged_sentence(tagging, "upos", number=1).upos
['PRON', 'VERB']
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bistro.errors import BistroError
from bistro.models.abilities import TAG
from bistro.models.base import Model
from bistro.models.results.structures import Tagging
from bistro.progress import pace
from bistro.tasks.parsed import as_columns
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence


class TagRun:
    """One pass of a tagger over the input, with a report at the end."""

    def __init__(self, model: Model, options: Mapping[str, Any]) -> None:
        self.model = TAG.of(model)
        self.model.tag_options.of(options, model.kind, "tag")
        self.options = options
        self.words = 0
        self.sentences = 0
        self._begin = time.monotonic()

    def tagged(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the output sentences."""
        for tagging in self.model.tag_all(self._checked(sentences), **self.options):
            self.sentences += 1
            self.words += len(tagging.sentence)
            yield tagged_sentence(tagging, self.model.tag_column, self.sentences)

    def report(self) -> str:
        """Return a one-line report."""
        seconds = time.monotonic() - self._begin
        return (
            f"{pace(self.sentences, self.words, seconds=seconds)}; "
            f"{self.model.tag_protocol(**self.options)}"
        )

    def _checked(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            if sentence.format == "conllx" and self.options.get("marginals"):
                raise BistroError(
                    "--marginals writes probabilities, for which CoNLL-X has no column: convert "
                    "the input to CoNLL-U first (bistro convert IN.conll -o IN.conllu --roots any)"
                )
            yield sentence


def tagged_sentence(tagging: Tagging, column: str, number: int) -> Sentence:
    """Return the sentence with its tags in `column`.

    A line of text becomes a CoNLL-U sentence.
    """
    base = as_columns(tagging.sentence, number)
    values = {column: tagging.tags}
    if tagging.marginals is not None and base.format != "conllx":
        values["misc"] = [
            put_probabilities(misc, {KEYS[column]: min(dict(row).get(tag, 0.0), 1.0)})
            for misc, row, tag in zip(base.misc, tagging.marginals, tagging.tags, strict=True)
        ]
    return base.replace(**values)
