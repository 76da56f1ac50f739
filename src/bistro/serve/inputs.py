"""Conversion of request bodies to sentences, with checks against the server's limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bistro.models.abilities import Scorer
from bistro.models.annotating import Tokeniser, cut_sentences
from bistro.models.results.tokens import placed, words_in
from bistro.serve.errors import TooLargeError
from bistro.serve.limits import Limits
from bistro.serve.schemas import GenerateBody, SentenceBody, TextBody
from bistro.treebank.invisible import seen
from bistro.treebank.sentence import Sentence
from bistro.treebank.tokens import split_sentences, split_text


class Inputs:
    """A validator that checks request bodies against the limits and converts them to sentences."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def shown_limits(self) -> dict[str, int]:
        """Return the limits that clients need to know."""
        names = ("words", "characters", "analyses", "sentences")
        return {name: getattr(self.limits, name) for name in names}

    def check_text(self, text: str) -> None:
        """Reject a text that is too long."""
        most = self.limits.characters
        _check(len(text), most, "the text has {:,} characters; this server takes at most {:,}")

    def check_words(self, words: Sequence[str]) -> None:
        """Reject a sentence that is too long."""
        most = self.limits.words
        _check(len(words), most, "the sentence has {:,} words; this server takes at most {:,}")
        self.check_text("".join(words))

    def check_reading(self, model: Scorer, words: Sequence[str]) -> None:
        """Reject a sentence that is too long for a model whose cost is cubic in sentence length."""
        if model.is_cubic:
            self.check_chart(words)

    def check_chart(self, words: Sequence[str]) -> None:
        """Reject a sentence that is too long for chart parsing."""
        message = "the sentence has {} words; this server reads at most {} with a treebank grammar"
        _check(len(words), self.limits.chart_words, message)

    def check_analyses(self, *numbers: int) -> None:
        """Reject a request for too many trees or word orders."""
        message = "{} analyses were requested; this server returns at most {}"
        _check(max(numbers), self.limits.analyses, message)

    def check_sentences(self, number: int) -> None:
        """Reject a request for too many sentences."""
        message = "{} sentences were requested; this server returns at most {}"
        _check(number, self.limits.sentences, message)

    def check_dependents(self, most: int) -> None:
        """Reject a head with too many dependents to order."""
        message = "a word has {} dependents; this server orders at most {}"
        _check(most, self.limits.dependents, message)

    def sentences(self, body: TextBody, tokeniser: Tokeniser | None) -> list[list[str]]:
        """Return the words of each sentence in a text.

        `tokeniser` is the model's tokeniser, if it has one.
        """
        self.check_text(body.text)
        if body.split == "spaces":
            lists = [line.split() for line in body.text.splitlines()]
        elif tokeniser is not None:
            lists = [words_in(tokens) for tokens in cut_sentences(tokeniser, body.text)]
        else:
            lists = [sentence.forms for sentence in split_sentences(body.text)]
        return [words for words in lists if words]

    def sentence(self, body: SentenceBody, tokeniser: Tokeniser | None) -> Sentence:
        """Return the sentence in a request.

        `tokeniser` is the model's tokeniser, if it has one.
        """
        text = body.text or ""
        self.check_text(text)
        if body.words is None and body.split == "marks":
            split = _split(text, tokeniser)
            self.check_words(split.forms)
            return split
        words = text.split() if body.words is None else body.words
        self.check_words(words)
        comments = ["# sent_id = 1", f"# text = {' '.join(words)}"]
        return Sentence.from_columns(words, comments=comments)

    def checked_document(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Return the sentences in a text.

        Raise an error at the first sentence that exceeds a limit.
        """
        total, kept = 0, []
        for sentence in sentences:
            self.check_words(sentence.forms)
            total += len(sentence)
            if total > self.limits.document:
                raise TooLargeError(
                    f"the text has more than {self.limits.document:,} words: send it in several "
                    "parts"
                )
            kept.append(sentence)
        return kept

    def prefix(self, body: GenerateBody, tokeniser: Tokeniser | None) -> list[str]:
        """Return the words with which all generated sentences begin."""
        self.check_text(body.prefix)
        spaced = body.split == "spaces" or not body.prefix.strip()
        words = body.prefix.split() if spaced else _split(body.prefix, tokeniser).forms
        message = "the prefix has {:,} words; this server takes at most {}"
        _check(len(words), self.limits.prefix, message)
        return words


def _split(text: str, tokeniser: Tokeniser | None) -> Sentence:
    """Return a text as one sentence, split by the model's tokeniser."""
    if tokeniser is None:
        return split_text(text).to_sentence()
    text = seen(text)
    tokens = tokeniser.cut_cells([text])[0]
    return placed(text, tokens).to_sentence() if tokens else Sentence.from_columns([])


def _check(number: int, most: int, message: str) -> None:
    """Raise an error if a number exceeds a limit.

    The error message has placeholders for the number and the limit.
    """
    if number > most:
        raise TooLargeError(message.format(number, most))
