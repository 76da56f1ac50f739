"""Notes on invisible characters, and on running text that is not tokenised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import bistro
from bistro.cli.common import say
from bistro.files import STANDARD_STREAM

LINES_LOOKED_AT = 20
"""The number of lines at the start of a text that are checked for attached punctuation."""


def tell_invisible(texts: Iterable[str]) -> None:
    """Report how many zero-width characters were removed from words."""
    from bistro.treebank.invisible import count_invisible

    if count := sum(map(count_invisible, texts)):
        say(f"zero-width characters were left out of the words: {count}")


def tell_odd_words(sentences: Iterable[bistro.Sentence]) -> None:
    """Report how many words contain invisible characters or unusual spaces."""
    from bistro.treebank.invisible import holds_odd_space

    odd = [form for s in sentences for form in s.forms if not form.isascii()]
    tell_invisible(odd)
    if count := sum(map(holds_odd_space, odd)):
        say(f"words that contain an unusual space, which does not separate words: {count}")


def watch_words(
    sentences: Iterable[bistro.Sentence],
    input: str,
    model: bistro.Model,
    *,
    can_split: bool = False,
) -> Iterator[bistro.Sentence]:
    """Yield sentences unchanged, and warn if the first few lines look like running text.

    `can_split` is true if the command has the option --split-punct.
    """
    first: list[bistro.Sentence] = []
    for sentence in sentences:
        if len(first) < LINES_LOOKED_AT:
            first.append(sentence)
            if len(first) == LINES_LOOKED_AT:
                _warn_of_uncut(first, input, model, can_split)
        yield sentence
    if len(first) < LINES_LOOKED_AT:
        _warn_of_uncut(first, input, model, can_split)


def _warn_of_uncut(
    sentences: Sequence[bistro.Sentence], input: str, model: bistro.Model, can_split: bool
) -> None:
    """Warn if words in plain text have punctuation attached to them."""
    if sentences and sentences[0].format == "text":
        warn_of_uncut_words([s.forms for s in sentences], input, model, can_split=can_split)


def warn_of_uncut_words(
    lines: Sequence[Sequence[str]], input: str, model: bistro.Model, *, can_split: bool
) -> None:
    """Warn if words in the first few lines have punctuation attached to them."""
    from bistro.treebank.untokenised import untokenised_examples

    if examples := untokenised_examples(lines[:LINES_LOOKED_AT]):
        name = "<stdin>" if input == STANDARD_STREAM else input
        shown = " and ".join(f"'{word}'" for word in examples[:2])
        say(
            f"{name}: this looks like running text, with words such as {shown}; words are split "
            f"at spaces only. {_remedy(model, can_split)}"
        )


def warn_of_uncut_contexts(
    contexts: Sequence[Sequence[str]], input: str, model: bistro.Model
) -> None:
    """Warn if words in contexts have punctuation attached to them.

    Contexts do not end with a full stop, so only contexts with other punctuation marks show whether
    punctuation is split from words.
    """
    from bistro.treebank.untokenised import ends_in_punctuation

    lines = [words for words in contexts if any(map(ends_in_punctuation, words))]
    warn_of_uncut_words(lines, input, model, can_split=True)


def _remedy(model: bistro.Model, can_split: bool) -> str:
    from bistro.models.abilities import TOKENISE

    if TOKENISE.is_of(model):
        return "--input raw: this model finds words and sentences"
    if can_split:
        return (
            "--split-punct splits punctuation from words; a pipeline (bistro train pipeline) finds "
            "words as in its treebank"
        )
    return (
        "--input raw splits punctuation from words and lines into sentences; a pipeline (bistro "
        "train pipeline) finds words and sentences as in its treebank"
    )
