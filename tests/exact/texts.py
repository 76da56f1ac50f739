"""Random texts, split into tokens, words and sentences in two ways, as CoNLL-U."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

CHARACTERS = "aabbA."
SPACES = ("", "", "", "", " ", "\u00a0", "\u3000")
VALUES = {
    "lemma": ("a", "b", "_"),
    "upos": ("X", "DET", "_"),
    "xpos": ("N", "V", "_"),
    "feats": ("_", "Case=Nom", "Case=Nom|Style=Coll", "Number=Sing|Case=Nom", "Foo=Bar"),
    "deprel": ("nsubj", "nsubj:pass", "obl", "det", "case", "aux:pass", "punct", "root", "odd"),
}


@dataclass
class Token:
    """A piece of the text, and its words if it is a multiword token."""

    form: str
    words: list[str]
    is_multiword: bool


Sentences = list[list[Token]]


@st.composite
def tokens(draw: st.DrawFn, form: str) -> Token:
    """A token of a form: plain, or of words that need not spell it."""
    if draw(st.integers(0, 2)):
        space = draw(st.sampled_from(SPACES))
        spaced = form[:1] + space + form[1:] if len(form) > 1 else form
        return Token(spaced, [spaced], False)
    if draw(st.booleans()):
        words = list(form)
    else:
        words = draw(
            st.lists(st.sampled_from(["a", "b", "A", "ab", "a b"]), min_size=1, max_size=4)
        )
    return Token(form, words, True)


@st.composite
def splits(draw: st.DrawFn, text: str, borders: list[int]) -> Sentences:
    """Sentences of tokens; each character says whether a token (1) or sentence (2) ends there."""
    sentences: Sentences = [[]]
    start = 0
    for end, border in enumerate([*borders[: len(text) - 1], 2], start=1):
        if border:
            sentences[-1].append(draw(tokens(text[start:end])))
            start = end
        if border == 2 and end < len(text):
            sentences.append([])
    return sentences


@st.composite
def trees(draw: st.DrawFn, size: int) -> list[int]:
    """Heads of a tree with one root."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@st.composite
def rows(draw: st.DrawFn, sentences: Sentences) -> str:
    """The sentences as CoNLL-U, with random columns, and empty nodes here and there."""
    lines: list[str] = []
    for sentence in sentences:
        heads = draw(trees(sum(len(token.words) for token in sentence)))
        word = 0
        for token in sentence:
            if token.is_multiword:
                span = f"{word + 1}-{word + len(token.words)}"
                lines.append("\t".join([span, token.form, *"________"]))
            for form in token.words:
                word += 1
                lines.append(
                    "\t".join([str(word), form, *draw(_columns(heads[word - 1])), "_", "_"])
                )
            if draw(st.integers(0, 9)) == 0:
                lines.append("\t".join([f"{word}.1", "aa", *"________"]))
        lines.append("")
    return "\n".join([*lines, ""])


@st.composite
def _columns(draw: st.DrawFn, head: int) -> list[str]:
    values = {name: draw(st.sampled_from(choices)) for name, choices in VALUES.items()}
    deprel = values.pop("deprel")
    return [*values.values(), str(head), deprel]


@st.composite
def pairs(draw: st.DrawFn, *, longest: int = 14) -> tuple[Sentences, Sentences, str, str]:
    """Two files of one text: their tokens, and their CoNLL-U."""
    text = draw(st.text(CHARACTERS, min_size=1, max_size=longest))
    border = st.sampled_from([0, 0, 1, 1, 1, 2])
    borders = draw(st.lists(border, min_size=len(text), max_size=len(text)))
    # Half of the borders are those of gold, so that there is something to align.
    others = [draw(st.one_of(st.just(one), border)) for one in borders]
    gold, system = draw(splits(text, borders)), draw(splits(text, others))
    return gold, system, draw(rows(gold)), draw(rows(system))


def official(gold: Path, system: Path) -> dict[str, Any]:
    """The scores of the official scorer, by their names in lower case."""
    from udtools.udeval import evaluate, load_conllu

    loaded = []
    for path in (gold, system):
        with path.open(encoding="utf-8", newline="\n") as stream:
            loaded.append(load_conllu(stream, str(path), {"multiple_roots_okay": True}))
    return {name.lower(): score for name, score in evaluate(*loaded).items()}
