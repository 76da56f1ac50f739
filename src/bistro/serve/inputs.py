"""From the bodies of requests to sentences, within the limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bistro.models.abilities import Scorer
from bistro.serve.errors import TooLargeError
from bistro.serve.limits import Limits
from bistro.serve.schemas import GenerateBody, SentenceBody
from bistro.treebank.sentence import Sentence
from bistro.treebank.tokens import split_text


class Inputs:
    """Checks what requests bring."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def shown_limits(self) -> dict[str, int]:
        """Return the limits that clients can keep to."""
        names = ("words", "characters", "analyses", "sentences")
        return {name: getattr(self.limits, name) for name in names}

    def check_text(self, text: str) -> None:
        """Refuse a text that is too long."""
        if len(text) > self.limits.characters:
            raise TooLargeError(
                f"the text has {len(text):,} characters; this server takes at most "
                f"{self.limits.characters:,}"
            )

    def check_words(self, words: Sequence[str]) -> None:
        """Refuse a sentence that is too long."""
        if len(words) > self.limits.words:
            raise TooLargeError(
                f"the sentence has {len(words):,} words; this server takes at most "
                f"{self.limits.words:,}"
            )
        self.check_text("".join(words))

    def check_reading(self, model: Scorer, words: Sequence[str]) -> None:
        """Refuse a sentence that a chart would take too long to read."""
        if model.is_cubic and len(words) > self.limits.chart_words:
            raise TooLargeError(
                f"the sentence has {len(words)} words; this server reads at most "
                f"{self.limits.chart_words} with a treebank grammar"
            )

    def check_analyses(self, *numbers: int) -> None:
        """Refuse to find too many trees or orders."""
        self._check("analyses", max(numbers), self.limits.analyses)

    def check_sentences(self, number: int) -> None:
        """Refuse to draw too many sentences."""
        self._check("sentences", number, self.limits.sentences)

    def _check(self, name: str, number: int, most: int) -> None:
        if number > most:
            raise TooLargeError(f"{number} {name} were asked for; this server gives at most {most}")

    def check_dependents(self, most: int) -> None:
        """Refuse a head with too many dependents to order."""
        if most > self.limits.dependents:
            raise TooLargeError(
                f"a word has {most} dependents; this server orders at most {self.limits.dependents}"
            )

    def sentence(self, body: SentenceBody) -> Sentence:
        """Return the sentence that a request is about."""
        text = body.text or ""
        self.check_text(text)
        if body.words is None and body.split == "marks":
            split = split_text(text)
            self.check_words(split.forms)
            return split.to_sentence()
        words = text.split() if body.words is None else body.words
        self.check_words(words)
        told = ["# sent_id = 1", f"# text = {' '.join(words)}"]
        return Sentence.from_columns(words, comments=told)

    def checked_document(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Return the sentences of a whole text, or refuse it at the first that is too much."""
        total, kept = 0, []
        for sentence in sentences:
            self.check_words(sentence.forms)
            total += len(sentence)
            if total > self.limits.document:
                raise TooLargeError(
                    f"the text has more than {self.limits.document:,} words: send it in parts"
                )
            kept.append(sentence)
        return kept

    def prefix(self, body: GenerateBody) -> list[str]:
        """Return the words that drawn sentences begin with."""
        self.check_text(body.prefix)
        spaced = body.split == "spaces"
        words = body.prefix.split() if spaced else split_text(body.prefix).forms
        if len(words) > self.limits.prefix:
            raise TooLargeError(
                f"the prefix has {len(words):,} words; this server takes at most "
                f"{self.limits.prefix}"
            )
        return words
