"""What a column may be predicted from: properties of a word, of its neighbours and of its tree.

>>> from bistro.treebank.sentence import Sentence
>>> sentence = Sentence.from_columns(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
>>> view = View.of(sentence)
>>> contexts(view, ("suffix2", "shape", "head.low", "children"))
[('gs', 'Aa', 'bark', ''), ('rk', 'a', 'ROOT', 'nsubj')]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bistro.treebank.sentence import Sentence

PREDICTED = ("upos", "xpos", "feats", "lemmas")
"""The columns that can be predicted, in the order in which it is done."""
START, END, ROOT = "START", "END", "ROOT"
_TELLING = frozenset({"aux", "cop", "det", "case", "nsubj", "csubj", "mark", "expl", "obj"})


@dataclass
class View:
    """The columns of a sentence, to which predicted ones are added one after the other."""

    forms: list[str]
    low: list[str]
    heads: list[int]
    deprels: list[str]
    columns: dict[str, list[str]]

    @classmethod
    def of(cls, sentence: Sentence) -> View:
        """Look at a sentence."""
        columns = {name: list(getattr(sentence, name)) for name in PREDICTED}
        low = [form.lower() for form in sentence.forms]
        return cls(sentence.forms, low, sentence.heads, sentence.deprels, columns)


@lru_cache(maxsize=100_000)
def shape(form: str) -> str:
    """Return the kinds of characters of a word in their order: A, a, 0, or the mark itself.

    >>> [shape(word) for word in ("Paris", "NATO", "3rd", "e-mail", "...")]
    ['Aa', 'A', '0a', 'a-a', '.']
    """
    kinds: list[str] = []
    for character in form[:20]:
        if character.isdigit():
            kind = "0"
        elif character.isalpha():
            kind = "A" if character.isupper() else "a"
        else:
            kind = character
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    return "".join(kinds[:6])


def _children(view: View) -> list[str]:
    """Return the function words, subjects and objects of each word, by their relations."""
    found: list[set[str]] = [set() for _ in view.forms]
    for head, relation in zip(view.heads, view.deprels, strict=True):
        if head > 0 and relation.partition(":")[0] in _TELLING:
            found[head - 1].add(relation)
    return [" ".join(sorted(one)) if one else "" for one in found]


def _of_head(values: Callable[[View], list[str]]) -> Callable[[View], list[str]]:
    def of_head(view: View) -> list[str]:
        own = values(view)
        return [own[head - 1] if head > 0 else ROOT for head in view.heads]

    return of_head


def _shifted(values: Callable[[View], list[str]], by: int) -> Callable[[View], list[str]]:
    def shifted(view: View) -> list[str]:
        own = values(view)
        return [START, *own[:-1]] if by < 0 else [*own[1:], END]

    return shifted


def _column(name: str) -> Callable[[View], list[str]]:
    return lambda view: view.columns[name]


def _suffix(size: int) -> Callable[[View], list[str]]:
    return lambda view: [word[-size:] for word in view.low]


def _prefix(size: int) -> Callable[[View], list[str]]:
    return lambda view: [word[:size] for word in view.low]


_OF_WORDS: dict[str, Callable[[View], list[str]]] = {
    "form": lambda view: view.forms,
    "low": lambda view: view.low,
    "shape": lambda view: [shape(form) for form in view.forms],
    **{f"suffix{size}": _suffix(size) for size in range(1, 6)},
    **{f"prefix{size}": _prefix(size) for size in range(1, 4)},
    **{name: _column(name) for name in ("upos", "xpos", "feats")},
    "deprel": lambda view: view.deprels,
}
ELEMENTS: dict[str, Callable[[View], list[str]]] = {
    **_OF_WORDS,
    "children": _children,
    **{f"head.{name}": _of_head(values) for name, values in _OF_WORDS.items()},
    **{f"previous.{name}": _shifted(values, -1) for name, values in _OF_WORDS.items()},
    **{f"next.{name}": _shifted(values, 1) for name, values in _OF_WORDS.items()},
}
"""All elements of contexts by name."""


def contexts(view: View, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the context of every word of a sentence."""
    return list(zip(*(ELEMENTS[name](view) for name in names), strict=True))
