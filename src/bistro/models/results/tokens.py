"""Sentences of running text, with their tokens, words and positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.text_tokens import escaped_spaces, spaces_in_misc

_SPACES = re.compile(r"[\s\ufeff]+")


def _on_one_line(text: str) -> str:
    """Replace every run of white space in a text with a single space."""
    return _SPACES.sub(" ", text)


class CutToken(NamedTuple):
    """A token and its syntactic words."""

    form: str
    words: tuple[str, ...]


def words_in(tokens: Iterable[CutToken]) -> list[str]:
    """Return the syntactic words of all tokens."""
    return [word for token in tokens for word in token.words]


@dataclass(slots=True)
class TextSentence:
    """One sentence of a text. All lists have one entry per token."""

    forms: list[str]
    starts: list[int]
    """The position in the text where each token begins, counted in characters from 0."""
    spaces: list[str]
    """The white space after each token."""
    probabilities: list[float]
    """Probability of the start and end positions of each token."""
    words: list[tuple[str, ...]]
    """The syntactic words of each token."""
    word_probabilities: list[float]
    """Probability of the syntactic words, given the token."""
    end_probability: float
    """Probability that the sentence ends after its last token."""
    new_paragraph: bool = False
    before: str = field(default="")
    """The white space before the sentence. Only the first sentence of a text can have white space
    before it."""

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def text(self) -> str:
        """The sentence as written in the text, without the white space at its end."""
        parts = [form + spaces for form, spaces in zip(self.forms, self.spaces, strict=True)]
        return "".join([*parts[:-1], self.forms[-1]])

    @property
    def whole_text(self) -> str:
        """The text of the sentence, including the white space around it."""
        return f"{self.before}{self.text}{self.spaces[-1]}"

    def to_sentence(
        self, number: int = 1, *, ranges: bool = False, probabilities: bool = False, line: int = 1
    ) -> Sentence:
        """Convert the sentence to CoNLL-U.

        With `ranges`, the MISC column contains the position of each token.
        """
        multiword: list[tuple[int, int, str, str]] = []
        misc: list[str] = []
        for i, (form, words) in enumerate(zip(self.forms, self.words, strict=True)):
            entry = self._misc(i, ranges=ranges, probabilities=probabilities)
            if len(words) > 1:
                first = len(misc) + 1
                multiword.append((first, first + len(words) - 1, _on_one_line(form), entry))
                misc += [EMPTY] * len(words)
            else:
                misc.append(entry)
        return Sentence.from_columns(
            [_on_one_line(word) for words in self.words for word in words],
            misc=misc,
            multiword=multiword,
            comments=self._comments(number, probabilities=probabilities),
            line=line,
        )

    def _comments(self, number: int, *, probabilities: bool) -> list[str]:
        comments = ["# newpar"] if self.new_paragraph else []
        comments.append(f"# sent_id = {number}")
        comments.append(f"# text = {_on_one_line(self.text)}")
        if probabilities:
            comments.append(f"# p_sentence_end = {self.end_probability:.4f}")
        return comments

    def _misc(self, i: int, *, ranges: bool, probabilities: bool) -> str:
        entries = []
        if i == 0 and self.before:
            entries.append(f"SpacesBefore={escaped_spaces(self.before)}")
        if spaces := spaces_in_misc(self.spaces[i]):
            entries.append(spaces)
        if (form := self.forms[i]) != _on_one_line(form):
            entries.append(f"SpacesInToken={escaped_spaces(form)}")
        if ranges:
            entries.append(f"TokenRange={self.starts[i]}:{self.starts[i] + len(self.forms[i])}")
        if probabilities:
            entries.append(f"PToken={self.probabilities[i]:.4f}")
            if len(self.words[i]) > 1:
                entries.append(f"PWords={self.word_probabilities[i]:.4f}")
        return "|".join(entries) or EMPTY


def placed(text: str, tokens: Sequence[CutToken]) -> TextSentence:
    """Combine the tokens of a text, with their positions and white space, into one sentence."""
    starts: list[int] = []
    end = 0
    for token in tokens:
        starts.append(text.index(token.form, end))
        end = starts[-1] + len(token.form)
    ends = [start + len(token.form) for start, token in zip(starts, tokens, strict=True)]
    spaces = [text[a:b] for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
    sure = [1.0] * len(tokens)
    forms, words = [token.form for token in tokens], [token.words for token in tokens]
    return TextSentence(forms, starts, spaces, sure, words, sure, 1.0, before=text[: starts[0]])


def joined(sentences: Sequence[TextSentence], offset: int = 0) -> TextSentence:
    """Join consecutive sentences into one sentence, and add `offset` to the token positions."""

    def flat(name: str) -> list[Any]:
        return [value for sentence in sentences for value in getattr(sentence, name)]

    first, last = sentences[0], sentences[-1]
    return TextSentence(
        flat("forms"),
        [offset + start for start in flat("starts")],
        flat("spaces"),
        flat("probabilities"),
        flat("words"),
        flat("word_probabilities"),
        last.end_probability,
        new_paragraph=first.new_paragraph,
        before=first.before,
    )
