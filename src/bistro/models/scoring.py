"""From scores to surprisal: what every model that scores words shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from bistro.errors import BistroError
from bistro.models.inputs import STRING, Words, as_words
from bistro.models.options import Options
from bistro.models.results.scores import TextScores
from bistro.models.results.surprisal import SurprisalTable, Token, rows_of, word_tokens
from bistro.treebank.sentence import Sentence


class Scoring(ABC):
    """The methods that a model with `score` gets for nothing."""

    kind: ClassVar[str]
    score_options: ClassVar[type[Options]] = Options
    """The options of `score`; without fields if scores are exact."""
    is_cubic: ClassVar[bool] = False
    """Whether the time to score a sentence grows with the cube of its length."""

    @abstractmethod
    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the log-probability of every word and every sentence end."""

    def score_protocol(self, **options: Any) -> str:
        """Say how scores are computed with these options."""
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
        """Return the surprisal of every word of a sentence, or of several, in bits.

        A sentence that comes several times is scored once: equal sentences have equal figures.

        Parameters
        ----------
        text
            One sentence, or several.
        eos
            Whether the end of each sentence has a row.
        names
            The names of the sentences; default: their numbers from 1.
        tokens
            What has a row, sentence by sentence, where it is not every word.
        **options
            Those of the model's scores, such as ``particles`` for a parser.
        """
        if isinstance(text, str):
            raise BistroError(STRING)
        given: list[Any] = [text] if isinstance(text, Sentence) else list(text)
        words = as_words([given] if given and isinstance(given[0], str) else given)
        numbers: dict[tuple[str, ...], int] = {}
        order = [numbers.setdefault(tuple(sentence), len(numbers)) for sentence in words]
        scores = self.score([list(sentence) for sentence in numbers], **options).taken(order)
        named = zip(
            names or map(str, range(1, len(words) + 1)),
            tokens or map(word_tokens, words),
            strict=True,
        )
        return SurprisalTable(rows_of(scores, named, eos=eos), scores)
