"""Find the head child of a phrase, using rules for Penn Treebank labels.

A constituency treebank does not mark the head child of a phrase. This module finds the head child
by the rules of Collins (1999). Each label has a direction and a list of child labels in order of
priority. The head is the child whose label comes first in the list. If several children have the
same label, the first such child in the given direction is the head. Noun phrases have separate
rules, which prefer the last noun and then the first noun phrase among the children. For labels
without a rule, the first child is the head.

>>> head_child("VP", ["MD", "RB", "VP"])
0
>>> head_child("NP", ["DT", "JJ", "NN", "NN"]), head_child("NP", ["NP", "PP"])
(3, 0)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

FIRST, LAST = "first", "last"
NOMINAL = frozenset({"NP", "NX"})
RULES: dict[str, tuple[str, str]] = {
    "ADJP": (FIRST, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (LAST, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (LAST, "CC RB IN"),
    "FRAG": (LAST, ""),
    "LST": (LAST, "LS :"),
    "NAC": (FIRST, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (LAST, "IN TO VBG VBN RP FW"),
    "PRT": (LAST, "RP"),
    "QP": (FIRST, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (LAST, "VP NP ADVP ADJP PP"),
    "S": (FIRST, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (FIRST, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (FIRST, "SQ S SINV SBARQ FRAG"),
    "SINV": (FIRST, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (FIRST, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (LAST, ""),
    "VP": (FIRST, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (FIRST, "CC WRB JJ ADJP"),
    "WHADVP": (LAST, "CC WRB"),
    "WHNP": (FIRST, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (LAST, "IN TO FW"),
}
"""The search direction for each phrase label, and the labels of head children in order of
priority."""
OF_NOUNS: tuple[tuple[str, frozenset[str]], ...] = (
    (LAST, frozenset({"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"})),
    (FIRST, frozenset({"NP"})),
    (LAST, frozenset({"$", "ADJP", "PRN"})),
    (LAST, frozenset({"CD"})),
    (LAST, frozenset({"JJ", "JJS", "RB", "QP"})),
)
"""The rules for noun phrases, each with a direction and a set of equally ranked labels."""


def head_child(label: str, children: Sequence[str]) -> int:
    """Return the position of the head among the children of a phrase.

    Parameters
    ----------
    label
        Label of the phrase, without function tags.
    children
        Labels of its children, of which there is at least one.
    """
    if label in NOMINAL:
        return _of_noun_phrase(children)
    direction, priority = RULES.get(label, (FIRST, ""))
    places = _places(direction, children)
    for wanted in priority.split():
        if wanted in children:
            return _first_of(places, children, {wanted})
    return places[0]


def _of_noun_phrase(children: Sequence[str]) -> int:
    last = len(children) - 1
    if children[last] == "POS":
        return last
    for direction, wanted in OF_NOUNS:
        if not wanted.isdisjoint(children):
            return _first_of(_places(direction, children), children, wanted)
    return last


def _places(direction: str, children: Sequence[str]) -> range:
    count = len(children)
    return range(count) if direction == FIRST else range(count - 1, -1, -1)


def _first_of(places: Iterable[int], children: Sequence[str], wanted: Collection[str]) -> int:
    return next(place for place in places if children[place] in wanted)
