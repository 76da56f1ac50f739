"""Pipeline methods accept strings, which the pipeline itself divides into words.

>>> import bistro
>>> treebank = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("pipeline", treebank, seed=1, parser="transition")
>>> model.parse("The dog sleeps.").heads
[2, 3, 0, 3]
>>> [row.token for row in model.surprisal("The dog sleeps.")]
['The', 'dog', 'sleeps', '.', '</s>']
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from bistro.errors import BistroError
from bistro.models.abilities import PARSE, SCORE, TOKENISE, Parser
from bistro.models.annotating import cut_sentences
from bistro.models.base import Model
from bistro.models.inputs import Words
from bistro.models.results.parses import Parse
from bistro.models.results.surprisal import SurprisalTable, numbered_tokens
from bistro.models.results.tokens import words_in
from bistro.treebank.sentence import Sentence


class TextReading(Model):
    """Mixin with pipeline methods that accept strings as well as sentences."""

    @abstractmethod
    def sentences(self, text: str | Iterable[str]) -> Iterator[Sentence]:
        """Yield the sentences of a text, divided into words but not annotated."""

    def parse(self, sentence: str | Words, **options: Any) -> Parse:
        """Return the parse of one sentence, given as a string or a list of words.

        See `parse_all`.
        """
        if not isinstance(sentence, str):
            return self._parser.parse(sentence, **options)
        parses = list(self.parse_all(sentence, **options))
        if len(parses) != 1:
            raise BistroError(
                f"the text has {len(parses)} sentences, but parse takes only one: use parse_all "
                "to parse each sentence, or annotate to fill in all columns"
            )
        return parses[0]

    def parse_all(self, sentences: str | Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Yield a parse for every sentence of a text or list.

        Parameters
        ----------
        sentences
            Running text, or sentences as lists of words or with annotation.
        **options
            Options of the parser, such as ``marginals=True``.
        """
        items = self.sentences(sentences) if isinstance(sentences, str) else sentences
        return self._parser.parse_all(items, **options)

    def surprisal(self, text: str | Words | Iterable[Words], **options: Any) -> SurprisalTable:
        """Return the surprisal, in bits, of every token in a text or in several sentences.

        If the text is a string, a token that consists of several words, such as *don't*, has one
        row with the sum over its words.
        """
        reader = SCORE.of(self)
        if not isinstance(text, str):
            return reader.surprisal(text, **options)
        sentences = list(cut_sentences(TOKENISE.of(self), text))
        if not sentences:
            raise BistroError("the text has no words")
        words = [words_in(tokens) for tokens in sentences]
        rows = [numbered_tokens((form, len(own)) for form, own in tokens) for tokens in sentences]
        return reader.surprisal(words, tokens=rows, **options)

    @property
    def _parser(self) -> Parser:
        return PARSE.of(self)
