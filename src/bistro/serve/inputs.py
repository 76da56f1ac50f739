"""From the bodies of requests to sentences, within the limits."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.errors import BistroError
from bistro.serve.errors import TooLargeError
from bistro.serve.limits import Limits
from bistro.serve.schemas import GenerateBody, SentenceBody
from bistro.treebank.sentence import Sentence
from bistro.treebank.tokens import SplitSentence, split_sentences


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

    def check_analyses(self, *numbers: int) -> None:
        """Refuse to find too many trees or orders."""
        self._check("analyses", max(numbers), self.limits.analyses)

    def check_sentences(self, number: int) -> None:
        """Refuse to draw too many sentences."""
        self._check("sentences", number, self.limits.sentences)

    def _check(self, name: str, number: int, most: int) -> None:
        if number > most:
            raise TooLargeError(f"{number} {name} were asked for; this server gives at most {most}")

    def sentence(self, body: SentenceBody) -> Sentence:
        """Return the sentence that a request is about."""
        if body.words is not None:
            self.check_words(body.words)
            return Sentence.from_columns(body.words)
        text = body.text or ""
        self.check_text(text)
        if body.split == "spaces":
            forms = text.split()
            split = SplitSentence(forms, [True] * len(forms))
        else:
            split = _whole(text)
        if not split.forms:
            raise BistroError("the text has no words")
        self.check_words(split.forms)
        return split.to_sentence()

    def prefix(self, body: GenerateBody) -> list[str]:
        """Return the words that drawn sentences begin with."""
        self.check_text(body.prefix)
        spaced = body.split == "spaces"
        words = body.prefix.split() if spaced else _whole(body.prefix).forms
        self.check_words(words)
        return words


def _whole(text: str) -> SplitSentence:
    """Return all words of a text as one sentence, which is what a request is about."""
    sentences = list(split_sentences(text))
    return SplitSentence(
        [form for sentence in sentences for form in sentence.forms],
        [space for sentence in sentences for space in sentence.spaces],
    )
