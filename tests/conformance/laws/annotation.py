"""Laws of running text: nothing is lost, columns fit their words, layers agree."""

from __future__ import annotations

from collections.abc import Sequence

from bistro.models.annotating import Annotator, Filler, Tokeniser
from bistro.treebank.sentence import Sentence

from .law import expect, expect_same, laws, refusal

TEXT = "  The dog sees it. A  cat\tsleeps!\n\nIt can't, \u00e9t\u00e9 \U0001f642 www.a.org.\r\n"
COLUMNS = ("upos", "xpos", "feats", "lemmas")


def text_comes_back(model: Tokeniser, data: Sequence[Sentence]) -> None:
    """The sentences of a text are the text, every token stands where it says, words follow it."""
    for text in (TEXT, *(" ".join(sentence.forms) for sentence in data)):
        found = list(model.tokenise(text))
        expect("".join(sentence.whole_text for sentence in found) == text, found)
        for sentence in found:
            for start, form in zip(sentence.starts, sentence.forms, strict=True):
                expect(text[start : start + len(form)] == form, (start, form))
            shares = [*sentence.probabilities, *sentence.word_probabilities]
            expect(all(0 <= p <= 1 for p in shares), shares)
            expect(all(words and all(words) for words in sentence.words), sentence.words)
        expect_same(list(model.tokenise(text)), found)
        expect_same(list(model.tokenise(iter(text))), found)
    expect(list(model.tokenise(" \n ")) == [], "sentences of white space")
    lines = list(model.tokenise("a\nb", line_ends=True))
    expect([sentence.forms for sentence in lines] == [["a"], ["b"]], lines)


def cells_keep_their_words(model: Tokeniser, data: Sequence[Sentence]) -> None:
    """Each cell of a sentence has the tokens that stand in it; a text is a sentence of one cell."""
    for cells in ([TEXT], TEXT.split(), *(sentence.forms for sentence in data)):
        found = model.cut_cells(cells)
        expect(len(found) == len(cells), found)
        for cell, tokens in zip(cells, found, strict=True):
            written = "".join(token.form for token in tokens)
            expect("".join(written.split()) == "".join(cell.split()), (cell, tokens))
            expect(all(token.words and all(token.words) for token in tokens), tokens)
        expect_same(model.cut_cells(cells), found)
    expect_same(model.cut_cells(["", " "]), [[], []])


def columns_fit_their_words(model: Filler, data: Sequence[Sentence]) -> None:
    """Every word has a value with a probability; what is kept stays; sentences are alone."""
    found = model.fill(data)
    for sentence, filled in zip(data, found, strict=True):
        expect(set(filled.columns) == set(filled.probabilities), filled.columns)
        for name, values in filled.columns.items():
            expect(len(values) == len(sentence) and all(values), values)
            expect(all(0 <= p <= 1 for p in filled.probabilities[name]), name)
    expect_same([model.fill([sentence])[0] for sentence in data], found)
    for sentence, filled in zip(data, model.fill(data, keep=COLUMNS), strict=True):
        for name, values in filled.columns.items():
            given = getattr(sentence, name)
            kept = all(old in ("_", new) for old, new in zip(given, values, strict=True))
            expect(kept, (name, given, values))
    refusal(model.fill, data, keep=("lemma",))


def annotation_is_whole(model: Annotator, data: Sequence[Sentence]) -> None:
    """Annotated sentences have trees, and are those of the text; heads to keep are kept."""
    found = list(model.annotate(TEXT))
    expect(found and all(sentence.heads.count(0) >= 1 for sentence in found), found)
    expect(all(-1 not in sentence.heads for sentence in found), found)
    expect_same(list(map(str, model.annotate(TEXT))), list(map(str, found)))
    for given, sentence in zip(data, model.annotate_all(data, keep=("heads",)), strict=True):
        expect(sentence.forms == given.forms and sentence.heads == given.heads, sentence.heads)
    refusal(lambda: list(model.annotate(TEXT, no_such_option=1)))


LAWS = (
    *laws("tokenise", text_comes_back, cells_keep_their_words),
    *laws("fill", columns_fit_their_words),
    *laws("annotate", annotation_is_whole),
)
