"""A reader for the word lists of the built-in grammar, which are divided into sections.

A section lists the words of one or more preterminal symbols. Nouns belong to ``N[class,3]``,
``N[class,p]`` or ``N[class,mass]``, and verbs belong to ``V[frame,form]`` for every form. Nouns and
adjectives also belong to twin symbols such as ``NC`` and ``NV``, depending on whether the article
before them is `a` or `an`.

>>> lexicon = read_lexicon("verb eat\\n  eat/ate/eaten\\n")
>>> [word.form for word in lexicon["V[eat,past3]"]]
['ate']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bistro.errors import TreebankError
from bistro.treebank.builtin.morphology import plural, starts_with_vowel, verb_forms
from bistro.treebank.builtin.rules import Word

Lexicon = dict[str, dict[Word, float]]
RANK_OFFSET = 3
"""The offset in Mandelbrot's version of Zipf's law. The word with index r in a list, counted from
0, has weight 1 / (r + 3)."""

# Symbol suffix -> (form of the verb, XPOS, FEATS); 1, 3 and p are the agreement.
VERB_CELLS = {
    "past1": ("past", "VBD", "Mood=Ind|Number=Sing|Person=1|Tense=Past|VerbForm=Fin"),
    "past3": ("past", "VBD", "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"),
    "pastp": ("past", "VBD", "Mood=Ind|Number=Plur|Tense=Past|VerbForm=Fin"),
    "pres1": ("base", "VBP", "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"),
    "pres3": ("third", "VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "presp": ("base", "VBP", "Mood=Ind|Number=Plur|Tense=Pres|VerbForm=Fin"),
    "inf": ("base", "VB", "VerbForm=Inf"),
    "imp": ("base", "VB", "Mood=Imp|VerbForm=Fin"),
    "ger": ("gerund", "VBG", "Tense=Pres|VerbForm=Part"),
    "part": ("participle", "VBN", "Tense=Past|VerbForm=Part"),
    "pass": ("participle", "VBN", "Tense=Past|VerbForm=Part|Voice=Pass"),
}


def read_lexicon(text: str, name: str = "lexicon") -> Lexicon:
    """Parse a lexicon file, and return the words of each preterminal with their weights."""
    lexicon: Lexicon = {}
    for line, header, body in _sections(text):
        kind, *arguments = header.split()
        if kind not in SECTIONS or not arguments:
            choices = ", ".join(SECTIONS)
            raise TreebankError(
                f"unknown section '{header}': choose one of {choices}", path=name, line=line
            )
        for rank, item in enumerate(body.split()):
            entry, _, weight = item.partition(":")
            fill = SECTIONS[kind]
            for symbol, word in fill(arguments, entry):
                words = lexicon.setdefault(symbol, {})
                share = float(weight) if weight else 1 / (rank + RANK_OFFSET)
                words[word] = words.get(word, 0.0) + share
    return lexicon


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, header, words) for each section.

    A section on one line is written as ``header : words``.
    """
    header, start, body = "", 0, ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw if raw.startswith("words") else raw.partition("#")[0]
        if line.startswith(" "):
            body += line
        elif line.strip():
            if header:
                yield start, header, body
            header, _, body = line.partition(" : ")
            start = number
    if header:
        yield start, header, body


def _nouns(classes: list[str], entry: str) -> Iterator[tuple[str, Word]]:
    singular, _, irregular = entry.rstrip("~").partition("/")
    one = _singular(singular)
    many = Word(irregular or plural(singular), singular, "NOUN", "NNS", "Number=Plur")
    for name in classes:
        if entry.endswith("~"):
            yield f"N[{name},mass]", one
        else:
            yield f"N[{name},3]", one
            yield f"N{_sound(singular)}[{name},3]", one
            yield f"N[{name},p]", many


def _verbs(frames: list[str], entry: str) -> Iterator[tuple[str, Word]]:
    forms = verb_forms(entry)
    for frame in frames:
        for cell, (which, xpos, feats) in VERB_CELLS.items():
            yield f"V[{frame},{cell}]", Word(getattr(forms, which), forms.base, "VERB", xpos, feats)


def _adjectives(classes: list[str], entry: str) -> Iterator[tuple[str, Word]]:
    for name in classes:
        yield f"Adj[{name}]", _adjective(entry)
        yield f"Adj{_sound(entry)}[{name}]", _adjective(entry)


def _adjective(form: str) -> Word:
    return Word(form, form, "ADJ", "JJ", "Degree=Pos")


def _singular(form: str) -> Word:
    return Word(form, form, "NOUN", "NN", "Number=Sing")


def _by_class(symbol: str, word: Callable[[str], Word]) -> Section:
    def fill(classes: list[str], entry: str) -> Iterator[tuple[str, Word]]:
        for name in classes:
            yield f"{symbol}[{name}]", word(entry)

    return fill


def _words(arguments: list[str], entry: str) -> Iterator[tuple[str, Word]]:
    symbol, upos, xpos, feats = arguments
    form, _, lemma = entry.partition("=")
    yield symbol, Word(form, lemma or form, upos, xpos, feats)


def _sound(word: str) -> str:
    return "V" if starts_with_vowel(word) else "C"


Section = Callable[[list[str], str], Iterator[tuple[str, Word]]]
SECTIONS: dict[str, Section] = {
    "noun": _nouns,
    "verb": _verbs,
    "adj": _adjectives,
    "degree": _by_class("Grad", _adjective),
    "adj1": _by_class("Adj1", _adjective),
    "adj2": _by_class("Adj2", _adjective),
    "compound": _by_class("Cmpd", _singular),
    "words": _words,
}
