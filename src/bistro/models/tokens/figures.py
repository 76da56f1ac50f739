"""Accuracy of word and sentence segmentation on the text of a treebank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bistro.models.results.tokens import TextSentence
from bistro.models.tokens.text import running_text
from bistro.treebank.sentence import Sentence

Spans = set[tuple[object, ...]]


def text_figures(
    tokenise: Callable[[str], Iterator[TextSentence]], sentences: Sequence[Sentence]
) -> dict[str, float]:
    """Return the F1 scores of tokens, sentences and words, in percent."""
    text, gold, ends = running_text(sentences)
    right: tuple[Spans, Spans, Spans] = (set(), set(), set())
    start, first = 0, 0
    for token, is_end in zip(gold, ends.tolist(), strict=True):
        stop = start + len(token.form)
        right[0].add((start, stop))
        right[2].add((start, stop, token.words))
        if is_end:
            right[1].add((first, stop))
        start = stop + len(token.spaces)
        first = start if is_end else first
    predicted: tuple[Spans, Spans, Spans] = (set(), set(), set())
    for sentence in tokenise(text):
        spans = [(a, a + len(f)) for a, f in zip(sentence.starts, sentence.forms, strict=True)]
        predicted[0].update(spans)
        predicted[1].add((spans[0][0], spans[-1][1]))
        predicted[2].update((*s, words) for s, words in zip(spans, sentence.words, strict=True))
    names = ("Tokens", "Sentences", "Tokens with their words")
    return {name: _f1(a, b) for name, a, b in zip(names, right, predicted, strict=True)}


def _f1(right: Spans, predicted: Spans) -> float:
    return 200 * len(right & predicted) / max(1, len(right) + len(predicted))
