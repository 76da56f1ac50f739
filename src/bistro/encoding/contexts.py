"""Context elements name the parts of a state that a transition model can use.

A context is a list of elements, with the most informative element first. Back-off drops elements
from the end. Stack items are ``s1`` (the top) to ``s4``, each with

    s1.tag  s1.word                       the item itself
    s1.lc1.tag  s1.lc1.label  s1.lc1.word     its leftmost child so far
    s1.rc1.tag  s1.rc1.label  s1.rc1.word     its rightmost child so far
    s1.lval  s1.rval                      number of children on either side (up to 3)
    s1.kind  s1.lc1.kind  s1.rc1.kind     the tags without their features

In addition, there are ``b.tag`` and ``b.kind`` (the tag of the word about to be generated, and the
same tag without its features; for words only),
``p1.tag p1.word p2.tag p2.word`` (the last generated words, wherever they are now), ``distance``
(between s1 and s2, in classes) and ``action`` (left or right arc; for labels only).

The compiled core defines the list of elements. An element's position in the list is its id.

>>> check_context(["s1.tag", "s2.tag"])
>>> check_context(["s1.tga"])
Traceback (most recent call last):
bistro.errors.ConfigError: unknown context element 's1.tga' (did you mean 's1.tag'?)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bistro._core import LONGEST_CONTEXT, transition_elements
from bistro.errors import ConfigError, nearest

NUMBERS = {name: number for number, name in enumerate(transition_elements())}


def elements(text: str) -> tuple[str, ...]:
    """Split a string of context-element names at the spaces."""
    return tuple(text.split())


def check_elements(names: Iterable[str], known: Collection[str]) -> None:
    """Raise an error if one of the names does not belong to a known context element."""
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown context element '{name}'{nearest(name, known)}")


def check_context(names: Collection[str], known: Collection[str] = NUMBERS) -> None:
    """Raise an error if a context has unknown elements or too many of them."""
    check_elements(names, known)
    if len(names) > LONGEST_CONTEXT:
        raise ConfigError(
            f"a context can have at most {LONGEST_CONTEXT} elements, not {len(names)}"
        )


def is_lexical(name: str) -> bool:
    """Return whether the value of an element is a word."""
    return name.endswith(".word")


def sees_kinds(names: Iterable[str]) -> bool:
    """Return whether any element is a tag without its features."""
    return any(name.endswith(".kind") for name in names)


def sees_labels(names: Iterable[str]) -> bool:
    """Return whether any element is the label of an earlier arc."""
    return any(name.endswith(".label") for name in names)
