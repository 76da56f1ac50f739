"""Abilities of models that annotate text: words and sentences, columns, all of it.

They are protocols like those of `bistro.models.abilities`, where each has its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.results.columns import Beliefs, FilledColumns
    from bistro.models.results.tokens import CutToken, TextSentence
    from bistro.treebank.sentence import Sentence


@runtime_checkable
class Tokeniser(Protocol):
    """Finds the sentences and words of running text."""

    def tokenise(
        self, text: str | Iterable[str], *, line_ends: bool = False
    ) -> Iterator[TextSentence]:
        """Yield the sentences of a text; with `line_ends`, every line end also ends a sentence."""

    def cut_cells(self, cells: Sequence[str]) -> list[list[CutToken]]:
        """Return the tokens of each cell of one sentence; spaces and edges of cells end words."""


def cut_sentences(tokeniser: Tokeniser, text: str | Iterable[str]) -> Iterator[list[CutToken]]:
    """Yield the tokens of each sentence of running text, to be scored.

    Each sentence is cut as a cell of its own, so that its words are the same as in a table.
    """
    for sentence in tokeniser.tokenise(text):
        if tokens := tokeniser.cut_cells([seen(sentence.text)])[0]:
            yield tokens


@runtime_checkable
class Filler(Protocol):
    """Finds tags, features and lemmas of words."""

    def fill(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: Sequence[str] = (),
        beliefs: Sequence[Beliefs] = (),
        alternatives: int = 0,
    ) -> list[FilledColumns]:
        """Return the columns of sentences; columns to `keep` stay where they are not empty.

        `beliefs` are what a parser thinks of the tags, first of those of its own column;
        `alternatives` is the largest number of other values that each word has in each column.
        """


@runtime_checkable
class Annotator(Protocol):
    """Finds everything: sentences and words of running text, trees, tags, features, lemmas.

    annotate      yield the sentences of a text with all columns
    sentences     yield the sentences of a text with their words alone
    annotate_all  yield sentences with all columns; what they have may be kept, column by column
    """

    def annotate(
        self, text: str | Iterable[str], *, line_ends: bool = False, **options: Any
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text with all columns."""

    def sentences(
        self, text: str | Iterable[str], *, line_ends: bool = False, probabilities: bool = False
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text with their words alone."""

    def annotate_all(
        self, sentences: Iterable[Sentence], *, keep: Sequence[str] = (), **options: Any
    ) -> Iterator[Sentence]:
        """Yield sentences with all columns."""
