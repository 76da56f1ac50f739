"""Abilities of models that annotate text or remember documents.

They are protocols like those in `bistro.models.abilities`, where each one is registered by name.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.results.columns import Beliefs, FilledColumns
    from bistro.models.results.scores import TextScores
    from bistro.models.results.tokens import CutToken, TextSentence
    from bistro.treebank.sentence import Sentence


@runtime_checkable
class Tokeniser(Protocol):
    """A model that finds the sentences and words in running text."""

    def tokenise(
        self, text: str | Iterable[str], *, line_ends: bool = False
    ) -> Iterator[TextSentence]:
        """Yield the sentences of a text.

        With `line_ends`, every line break also ends a sentence.
        """

    def cut_cells(self, cells: Sequence[str]) -> list[list[CutToken]]:
        """Split each cell of a sentence into tokens.

        Every space and every cell boundary ends a word.
        """


@runtime_checkable
class Rememberer(Protocol):
    """A model that scores words and can take earlier sentences in a document into account."""

    def remember(
        self,
        scores: TextScores,
        sentences: Sequence[Sequence[str]],
        documents: Sequence[Hashable],
    ) -> TextScores:
        """Return scores that take earlier sentences in the same document into account.

        The given `scores` are computed for each sentence in isolation. `documents` contains the
        name of each sentence's document.
        """

    def memory_protocol(self) -> str:
        """Describe the memory."""


def cut_sentences(tokeniser: Tokeniser, text: str | Iterable[str]) -> Iterator[list[CutToken]]:
    """Yield the tokens of each sentence in running text, for scoring.

    Each sentence is split by `cut_cells`, so that running text and tables of stimuli are divided
    into words in the same way.
    """
    for sentence in tokeniser.tokenise(text):
        if tokens := tokeniser.cut_cells([seen(sentence.text)])[0]:
            yield tokens


@runtime_checkable
class Filler(Protocol):
    """A model that predicts the tags, features and lemmas of words."""

    def fill(
        self,
        sentences: Iterable[Sentence],
        *,
        keep: Sequence[str] = (),
        beliefs: Sequence[Beliefs] = (),
        alternatives: int = 0,
    ) -> list[FilledColumns]:
        """Predict the annotation columns of sentences.

        Non-empty values in the columns listed in `keep` do not change. `beliefs` are a parser's
        distributions over tags. The first distribution is for the parser's own column.
        `alternatives` is the maximum number of alternative values per word and column.
        """


@runtime_checkable
class Annotator(Protocol):
    """A model that splits running text into sentences and words, and annotates them.

    annotate      yield the sentences of a text with all columns
    sentences     yield the sentences of a text with only their words
    annotate_all  yield sentences with all columns; given columns may be kept
    """

    def annotate(
        self, text: str | Iterable[str], *, line_ends: bool = False, **options: Any
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text, annotated in all columns."""

    def sentences(
        self, text: str | Iterable[str], *, line_ends: bool = False, probabilities: bool = False
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text, divided into words but not annotated."""

    def annotate_all(
        self, sentences: Iterable[Sentence], *, keep: Sequence[str] = (), **options: Any
    ) -> Iterator[Sentence]:
        """Yield the given sentences, annotated in all columns."""
