"""Context elements for predicting columns: properties of a word, its neighbours and its tree.

>>> from bistro.treebank.sentence import Sentence
>>> sentence = Sentence.from_columns(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
>>> words = Words.of([sentence])
>>> words.element("suffix2"), words.element("shape"), words.element("head.low")
(['gs', 'rk'], ['Aa', 'a'], ['bark', 'ROOT'])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from bistro.encoding.shapes import shape
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

TAGS = ("upos", "xpos", "feats")
"""The columns that are predicted jointly."""
PREDICTED = (*TAGS, "lemmas")
"""The columns that can be predicted, in the order in which they are predicted."""
START, END, ROOT = "START", "END", "ROOT"
_SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
_AUXILIARIES = frozenset({"aux", "cop"})
_SHARED = frozenset({"conj", "aux", "aux:pass", "cop"})
"""Relations through which a word without a subject inherits the subject of its head."""
_PRONOUNS = frozenset({"PRON", "DET"})


@dataclass
class Words:
    """The words of several sentences in one list, with predicted columns added."""

    forms: list[str]
    low: list[str]
    starts: list[int]
    """Index of the first word of each sentence."""
    heads: list[int]
    """The index of each word's head, or -1 if the word has no head."""
    deprels: list[str]
    columns: dict[str, list[str]]
    _known: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> Words:
        """Collect the words of several sentences."""
        forms = [form for sentence in sentences for form in sentence.forms]
        ends = list(accumulate(map(len, sentences)))
        starts = [end - len(sentence) for end, sentence in zip(ends, sentences, strict=True)]
        heads = [
            start + head - 1 if head > 0 else -1
            for start, sentence in zip(starts, sentences, strict=True)
            for head in sentence.heads
        ]
        columns = {name: [v for s in sentences for v in getattr(s, name)] for name in PREDICTED}
        deprels = [label for sentence in sentences for label in sentence.deprels]
        return cls(forms, [form.lower() for form in forms], starts, heads, deprels, columns)

    @property
    def tags(self) -> list[str]:
        """The tag of each word, from UPOS or, if UPOS is empty, from XPOS."""
        pairs = zip(self.columns["upos"], self.columns["xpos"], strict=True)
        return [xpos if upos == EMPTY else upos for upos, xpos in pairs]

    def put(self, name: str, values: list[str]) -> None:
        """Add or change a column."""
        self.columns[name] = values
        self._known.clear()

    def element(self, name: str) -> list[str]:
        """Return the values of one context element for all words."""
        if name not in self._known:
            where, _, rest = name.rpartition(".")
            self._known[name] = MOVES[where](self, self.element(rest)) if where else OWN[name](self)
        return self._known[name]

    def cut(self, values: Sequence[str]) -> list[list[str]]:
        """Split the values of all words by sentence."""
        ends = [*self.starts[1:], len(self.forms)]
        return [list(values[i:j]) for i, j in zip(self.starts, ends, strict=True)]


def _subjects(words: Words) -> list[str]:
    """Return the forms of pronominal subjects, and the tags and last letters of other subjects."""
    subjects = [""] * len(words.forms)
    tags = words.tags
    for place, (head, relation) in enumerate(zip(words.heads, words.deprels, strict=True)):
        if head >= 0 and not subjects[head] and relation.partition(":")[0] in _SUBJECTS:
            low = words.low[place]
            subjects[head] = low if tags[place] in _PRONOUNS else tags[place] + low[-1:]
    shared = zip(subjects, words.heads, words.deprels, strict=True)
    return [
        own or (subjects[head] if head >= 0 and relation in _SHARED else "")
        for own, head, relation in shared
    ]


def _frames(words: Words) -> list[str]:
    """Return the auxiliaries and the last subordinating marker of each word."""
    auxiliaries: dict[int, list[str]] = {}
    markers: dict[int, str] = {}
    for low, head, label in zip(words.low, words.heads, words.deprels, strict=True):
        relation = label.partition(":")[0]
        if head >= 0 and relation in _AUXILIARIES:
            auxiliaries.setdefault(head, []).append(low)
        elif head >= 0 and relation == "mark":
            markers[head] = low
    frames = ["|"] * len(words.forms)
    for place in {*auxiliaries, *markers}:
        frames[place] = f"{' '.join(auxiliaries.get(place, ()))}|{markers.get(place, '')}"
    return frames


def _of_heads(words: Words, values: list[str]) -> list[str]:
    return [values[head] if head >= 0 else ROOT for head in words.heads]


def _before(words: Words, values: list[str]) -> list[str]:
    moved = [START, *values[:-1]]
    for start in words.starts:
        moved[start : start + 1] = [START]
    return moved[: len(values)]


def _after(words: Words, values: list[str]) -> list[str]:
    moved = [*values[1:], END]
    for start in words.starts[1:]:
        moved[start - 1] = END
    return moved[: len(values)]


def _column(name: str) -> Callable[[Words], list[str]]:
    return lambda words: words.columns[name]


def _suffix(size: int) -> Callable[[Words], list[str]]:
    return lambda words: [low[-size:] for low in words.low]


def _prefix(size: int) -> Callable[[Words], list[str]]:
    return lambda words: [low[:size] for low in words.low]


OWN: dict[str, Callable[[Words], list[str]]] = {
    "form": lambda words: words.forms,
    "low": lambda words: words.low,
    "shape": lambda words: list(map(shape, words.forms)),
    **{f"suffix{size}": _suffix(size) for size in range(1, 6)},
    **{f"prefix{size}": _prefix(size) for size in range(1, 4)},
    **{name: _column(name) for name in TAGS},
    "tag": lambda words: words.tags,
    "deprel": lambda words: words.deprels,
    "frame": _frames,
    "subject": _subjects,
}
"""Context elements that describe the word itself. The element *frame* contains the auxiliaries and
the marker of the word."""
MOVES: dict[str, Callable[[Words, list[str]], list[str]]] = {
    "head": _of_heads,
    "previous": _before,
    "previous2": lambda words, values: _before(words, _before(words, values)),
    "next": _after,
    "next2": lambda words, values: _after(words, _after(words, values)),
}
"""The other words that a context element may describe. For example, ``previous.low`` describes
the previous word."""
ELEMENTS = (*OWN, *(f"{where}.{name}" for where in MOVES for name in OWN))
