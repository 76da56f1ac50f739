"""The feature templates of stacked decisions.

A template is a list of elements on one line. An element is an attribute of a word in a role
(`h.tag` is the tag of the head), or a fact about the candidate (`distance`). A feature is a
template together with the values of its elements. The C++ core looks up the weight of a feature by
its hash.

The roles are relative to a word i and a head h. In decisions on heads, h is the candidate head. In
decisions on labels, h is the head of the arc. In decisions on tags, h is the head in the tree.

    i  h  i-1  i+1  i-2  i+2  h-1  h+1
    g                 the head of h
    i.l  i.r  h.l  h.r   the outermost children on the left and on the right
    inner  outer      the nearest other child of h on the same side, between i and h, or beyond i
    t                 the head of i in the tree so far

>>> lines("what i.tag | what i.l.lower h.tag")
[['what', 'i.tag'], ['what', 'i.l.lower', 'h.tag']]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bistro._core import StackTemplates
from bistro.errors import ModelFileError

Templates = tuple[str, str]
"""Two lists of templates: features of the candidates, and features that are combined with votes."""

LOOKS = ("form", "lower", "suffix3", "suffix2", "suffix4", "prefix3", "shape", "suffix1", "prefix2")
CLASSES = ("few", "some", "many")
"""Names of the three partitions of the words, each with a different number of classes."""
OTHER = "other"
"""Name of the element for the word's likeliest tag in the other tag column."""
WORDS = (*LOOKS, *CLASSES, OTHER)
COLUMNS = (*WORDS, "tag", "label")
ROLES = (
    *("i", "h", "i-1", "i+1", "i-2", "i+2", "h-1", "h+1", "g", "i.l", "i.r", "h.l", "h.r"),
    *("inner", "outer", "t"),
)
FACTS = (
    *("what", "with", "first", "distance", "side", "like-word", "like-head", "punctuation"),
    *("same", "lefts", "rights", "own-lefts", "own-rights", "is-arc", "is-reverse"),
    *("tags-between", "relation", "labels-of-head", "is-first"),
)

TAGS = """
what i.form | what i.lower | what i.suffix1 | what i.suffix2 | what i.suffix3 | what i.suffix4
what i.prefix2 | what i.prefix3 | what i.shape | what i.shape is-first | what i.shape i-1.shape
what i-1.tag | what i+1.tag | what i-1.tag i+1.tag | what i-1.tag i-2.tag | what i+1.tag i+2.tag
what i-1.lower | what i+1.lower | what i-2.lower | what i+2.lower | what i.lower i-1.lower
what i.lower i+1.lower | what i-1.lower i+1.lower | what i.lower i-1.tag | what i.lower i+1.tag
what i.lower i-1.tag i+1.tag | what i.suffix3 i-1.tag | what i.suffix3 i+1.tag
what i.suffix2 i-1.tag i+1.tag | what i.suffix3 i-1.lower | what i.suffix3 i+1.lower
what i+1.suffix3 | what i-1.suffix3 | what h.tag label-of-word | what i.lower label-of-word
what label-of-word | what h.lower label-of-word | what i.l.tag i.r.tag | what i.lower h.tag
what i.suffix3 label-of-word | what i.l.lower | what i.suffix3 i.l.lower | what first
what first i.lower | what first i.suffix3 | what first i-1.tag i+1.tag | what i.other
what i.other i.lower | what i.other i-1.other | what i.other i+1.other | what i-1.other i+1.other
what i.other first | what i.other label-of-word | what i.other i.suffix3
""".replace("label-of-word", "i.label")
TAGS_OF_VOTES = "| what | i.lower | what i.suffix3"
TAGS_OF_CLASSES = """
what i.few | what i.some | what i.many | what i-1.some | what i+1.some | what i-1.some i+1.some
what i.some i-1.some | what i.some i+1.some | what i.some i-1.tag | what i.some i+1.tag
what i.few i-1.few i+1.few | what i.many i-1.lower | what i.many i+1.lower | what i.some i.suffix3
what i.few first | what i.some i.other | what i.few i-1.tag i+1.tag
"""

HEADS = """
first | first i.tag | first distance | first i.tag h.tag | first with
first punctuation like-head | i.tag h.tag distance | i.tag h.tag side i-1.tag h+1.tag
i.tag h.tag side i+1.tag h-1.tag | i.tag h.tag side i-1.tag h-1.tag
i.tag h.tag side i+1.tag h+1.tag | i.lower h.tag side | h.lower i.tag side | i.lower h.lower side
i.lower distance | h.lower distance | with i.tag h.tag side | with i.lower side
with h.lower side | with i.lower h.lower | i.tag h.tag side like-word like-head
i.tag h.tag side punctuation | i.tag h.tag tags-between | g.tag h.tag i.tag side
h.label h.tag i.tag side | h.label with h.tag | with same h.tag | with same h.lower
is-reverse i.tag h.tag | h.tag side lefts rights with | is-arc i.tag
i.l.tag i.r.tag i.tag h.tag side | h.l.tag h.r.tag i.tag h.tag side | i.suffix3 h.tag side
h.suffix3 i.tag side | i.lower g.tag h.tag | i.lower i+1.lower side h.tag
i.lower i-1.lower side h.tag | i.l.lower h.tag side | i.l.lower h.lower
i.l.lower i.tag h.tag distance | i.l.lower with h.lower | i.l.lower i.lower h.tag
i.l.label i.r.label i.tag h.tag | i.l.lower i-1.lower h.tag | relation i.tag h.tag t.tag
relation is-arc with | relation i.l.lower h.tag | relation first | relation i.lower h.tag
i.l.lower relation h.lower | inner.tag i.tag h.tag side | inner.label with h.tag
inner.lower i.lower h.tag | inner.label inner.tag i.tag | outer.tag i.tag h.tag side
outer.label with h.tag | inner.tag outer.tag i.tag h.tag | labels-of-head with
labels-of-head with h.tag | labels-of-head with h.lower | own-lefts own-rights i.tag h.tag
distance own-rights i.tag | g.lower h.lower with | g.tag g.label h.tag with | i.other h.other side
i.other h.other distance | i.other h.lower side | i.lower h.other side | i.other h.other g.other
i-1.other i.other h.other h+1.other | i+1.other i.other h.other h-1.other
i.shape h.shape i.tag h.tag distance | i.form h.form with | h+1.lower h.tag i.tag side
h-1.lower h.tag i.tag side | i.suffix3 h.suffix3 side | i.suffix2 h.suffix2 i.tag h.tag
"""
HEADS_OF_VOTES = "| i.tag | distance | with | h.tag side | i.lower | i.l.lower | relation"
HEADS_OF_CLASSES = """
i.some h.some side | i.some h.tag side | h.some i.tag side | i.few h.few distance
i.many h.some side | i.some h.many side | with i.some h.some | i.l.lower i.some h.some
i.l.lower h.some | i.l.lower h.many | i.some h.lower side | i.lower h.some side
g.some h.some i.some | inner.few h.some i.some side | with h.many | with i.many
i.many h.tag side | h.many i.tag side | i.some h.some relation
"""

LABELS = """
what i.tag h.tag side | what i.lower h.tag side | what h.lower i.tag side | what i.lower h.lower
what i.lower | what distance i.tag | what i.l.tag i.r.tag i.tag | what i.suffix3 i.tag side
what i-1.tag i.tag h.tag | what i+1.tag i.tag h.tag | what i-1.lower i.tag
what h.label h.tag i.tag | what same h.tag | what same h.lower | what first | what first i.tag
what h.suffix3 i.tag side | what i.lower i.l.tag | what lefts rights h.tag side
what i.lower i.tag side | what i.l.lower i.tag | what i.l.lower h.lower
what i.l.lower h.tag i.lower | what i.l.lower i.r.lower | what i.l.label i.r.label i.tag h.tag
what labels-of-head | what labels-of-head h.tag side | what labels-of-head h.lower
what inner.label i.tag h.tag | what outer.label i.tag h.tag | what inner.label outer.label
what i.other h.other side | what i.other h.lower | what i.lower h.other side
what i.other i.l.lower h.other | what g.tag h.tag i.tag | what i.lower i+1.lower
what i.lower i-1.lower | what own-lefts own-rights i.tag | what i.form
what i.shape h.shape i.tag | what h.l.lower h.tag i.tag side | what i.suffix2 h.other side
what i+1.lower i.tag side | what h.label h.lower
"""
LABELS_OF_VOTES = "| what | i.tag | i.lower | h.tag side"
LABELS_OF_CLASSES = """
what i.some h.some | what i.many | what i.some h.tag side | what h.some i.tag side
what i.l.lower h.some | what i.few h.few side | what i.some i.l.lower | what i.many h.tag
what h.many i.tag | what i.some h.lower | what i.lower h.some
"""


DECISIONS: dict[str, Templates] = {
    "tags": (TAGS, TAGS_OF_VOTES),
    "heads": (HEADS, HEADS_OF_VOTES),
    "labels": (LABELS, LABELS_OF_VOTES),
}
OF_CLASSES = {"tags": TAGS_OF_CLASSES, "heads": HEADS_OF_CLASSES, "labels": LABELS_OF_CLASSES}


def usual(*, classes: bool) -> dict[str, Templates]:
    """Return the default templates for each decision, with or without word classes."""
    return {
        name: (own + OF_CLASSES[name] if classes else own, of_votes)
        for name, (own, of_votes) in DECISIONS.items()
    }


def lines(text: str) -> list[list[str]]:
    """Split a text into templates, and each template into elements. Blank lines are ignored."""
    return [one.split() for row in text.splitlines() if row.strip() for one in row.split("|")]


@lru_cache(64)
def compiled(own: str, of_votes: str) -> StackTemplates:
    """Return templates in the format that the C++ core expects."""
    begin, elements = _numbers(lines(own))
    vote_begin, vote_elements = _numbers(lines(of_votes))
    return StackTemplates(
        begin=begin,
        elements=elements,
        vote_begin=vote_begin,
        vote_elements=vote_elements,
        columns=len(COLUMNS),
    )


def _numbers(templates: Sequence[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    begin = np.cumsum([0, *map(len, templates)]).astype(np.int32)
    pairs = [element(name) for template in templates for name in template]
    return begin, np.array(pairs, dtype=np.int32).reshape(-1)


def element(name: str) -> tuple[int, int]:
    """Return the role index and the column index of a template element.

    All facts about the candidate share one additional role.
    """
    role, _, column = name.rpartition(".")
    if not role and column in FACTS:
        return len(ROLES), FACTS.index(column)
    if role not in ROLES or column not in COLUMNS:
        raise ModelFileError(f"the templates of the stack contain an unknown element {name!r}")
    return ROLES.index(role), COLUMNS.index(column)
