"""Conversion of sentences between formats, and between projective and non-projective trees.

A `Conversion` applies several steps to each sentence in a stream. The conversion counts the changes
made by each step and the values that the new format cannot represent.

>>> from bistro.treebank.sentence import Sentence
>>> conversion = Conversion("conllx")
>>> sentence = Sentence.from_columns(["It", "rains"], comments=["# text = It rains"])
>>> [converted.comments for converted in conversion.run([sentence])], conversion.lost["comments"]
([[]], 1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from bistro.errors import TreebankError
from bistro.treebank.conllu import lost_in_conllu, to_conllu
from bistro.treebank.conllx import lost_in_conllx, to_conllx
from bistro.treebank.projectivity import Scheme, deprojectivize, projectivize
from bistro.treebank.sentence import Sentence
from bistro.treebank.text import lost_in_raw, lost_in_text, to_text
from bistro.treebank.validate import Roots, has_tree

_LOSSES: dict[str, Callable[[Sentence], Counter[str]]] = {
    "conllu": lost_in_conllu,
    "conllx": lost_in_conllx,
    "text": lost_in_text,
    "raw": lost_in_raw,
}


@dataclass
class Conversion:
    """A conversion that changes the format of sentences and counts the changes."""

    to: str
    roots: Roots | None = None
    projectivize: Scheme | None = None
    deprojectivize: Scheme | None = None
    path: str | None = None

    sentences: int = 0
    words: int = 0
    converted: int = 0
    """Number of sentences that were converted from another format."""
    sentences_changed: int = 0
    """Number of sentences whose tree was changed."""
    sentences_without_tree: int = 0
    """Number of sentences that were not projectivized or deprojectivized, because some of their
    words have no head."""
    lifted: int = 0
    restored: int = 0
    not_restored: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    """Counts of values that the new format cannot represent, by kind."""

    def run(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the converted sentences."""
        for sentence in sentences:
            try:
                converted = self._convert(sentence)
            except TreebankError as error:
                raise TreebankError(error.reason, path=self.path, line=sentence.line) from None
            self.sentences += 1
            self.words += len(converted)
            yield converted

    def _convert(self, sentence: Sentence) -> Sentence:
        if self.projectivize or self.deprojectivize:
            sentence = self._move_arcs(sentence)
        if sentence.format == self.to:
            return sentence
        self.converted += 1
        self.lost += _LOSSES[self.to](sentence)
        if self.to == "raw":
            # The text between two sentences depends on both: `RunningText` writes it.
            return sentence
        if self.to == "conllu":
            return to_conllu(sentence, roots=self.roots or "one")
        return to_conllx(sentence) if self.to == "conllx" else to_text(sentence)

    def _move_arcs(self, sentence: Sentence) -> Sentence:
        if not has_tree(sentence.heads):
            self.sentences_without_tree += 1
            return sentence
        heads, labels = sentence.heads, sentence.deprels
        if self.projectivize:
            lifting = projectivize(heads, labels, self.projectivize)
            self.lifted += lifting.lifted
            new_heads, new_labels = lifting.heads, lifting.labels
        elif self.deprojectivize:
            lowering = deprojectivize(heads, labels, self.deprojectivize)
            self.restored += lowering.restored
            self.not_restored += lowering.failed
            new_heads, new_labels = lowering.heads, lowering.labels
        if (new_heads, new_labels) == (heads, labels):
            return sentence
        self.sentences_changed += 1
        return sentence.replace(heads=new_heads, deprels=new_labels)
