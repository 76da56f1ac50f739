"""Methods common to all models that score words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from bistro.errors import BistroError
from bistro.models.inputs import STRING, Words, as_words
from bistro.models.options import Options
from bistro.models.results.scores import TextScores
from bistro.models.results.surprisal import SurprisalTable, Token, rows_of, word_tokens
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.encoding.vocabulary import Vocabulary
    from bistro.models.results.next_words import NextSums, NextWords


class Scoring(ABC):
    """Mixin with methods that are based on `score`."""

    kind: ClassVar[str]
    score_options: ClassVar[type[Options]] = Options
    """The options of `score`. Models with exact scores have no options."""
    is_cubic: ClassVar[bool] = False
    """Whether the time needed to score a sentence grows with the cube of its length."""
    if TYPE_CHECKING:

        @property
        def vocabulary(self) -> Vocabulary:
            """The words and classes of unknown words that the model distinguishes."""

    @abstractmethod
    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every word and every sentence end."""

    def score_protocol(self, **options: Any) -> str:
        """Describe how scores are computed with the given options."""
        self.score_options.of(options, self.kind, "score words")
        return f"{self.kind} model, exact"

    def surprisal(
        self,
        text: Words | Iterable[Words],
        *,
        eos: bool = True,
        names: Sequence[str] | None = None,
        tokens: Sequence[Sequence[Token]] | None = None,
        **options: Any,
    ) -> SurprisalTable:
        """Return the surprisal, in bits, of every word in one or more sentences.

        A repeated sentence is scored only once, so identical sentences have identical scores.

        Parameters
        ----------
        text
            One sentence, or several.
        eos
            Whether the end of each sentence has a row.
        names
            The names of the sentences. By default, sentences are numbered from 1.
        tokens
            The tokens that have rows, sentence by sentence. By default, the table has one row per
            word.
        **options
            Scoring options of the model, such as ``particles`` for a parser.
        """
        if isinstance(text, str):
            raise BistroError(STRING)
        items: list[Any] = [text] if isinstance(text, Sentence) else list(text)
        words = as_words([items] if items and isinstance(items[0], str) else items)
        scores = self.distinct_scores(words, **options)
        named = zip(
            names or map(str, range(1, len(words) + 1)),
            tokens or map(word_tokens, words),
            strict=True,
        )
        return SurprisalTable(rows_of(scores, named, eos=eos), scores)

    def distinct_scores(self, words: Sequence[Sequence[str]], **options: Any) -> TextScores:
        """Score each distinct sentence once, so that identical sentences have identical scores."""
        different, order = distinct(words)
        return self.score(different, **options).taken(order)

    def next_words(self, context: Words, **options: Any) -> NextWords:
        """Return the probability of every word and of the sentence end after a context.

        Parameters
        ----------
        context
            The first words of a sentence. An empty list means the beginning of the sentence.
        **options
            Scoring options of the model.
        """
        from bistro.models.results.next_words import NextWords

        if isinstance(context, str):
            raise BistroError(STRING)
        words = list(as_words([context])[0])
        return NextWords(words, self.next_sums(words, **options))

    def next_sums(self, context: Sequence[str], **options: Any) -> NextSums:
        """Return the probabilities of all possible next words.

        A model family may override this method with a faster implementation.
        """
        from bistro.models.next_words import ScoredSums

        return ScoredSums(self, context, options)


def distinct(sentences: Iterable[Sequence[str]]) -> tuple[list[list[str]], list[int]]:
    """Return the distinct sentences and, for each sentence, its index among them.

    >>> distinct([["a"], ["b", "c"], ["a"]])
    ([['a'], ['b', 'c']], [0, 1, 0])
    """
    numbers: dict[tuple[str, ...], int] = {}
    order = [numbers.setdefault(tuple(sentence), len(numbers)) for sentence in sentences]
    return [list(sentence) for sentence in numbers], order
