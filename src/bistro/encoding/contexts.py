"""The names of what a transition model can see: context elements.

A context is a list of elements, the most informative first; back-off drops them from the end.
Stack items are ``s1`` (the top) to ``s4``, each with

    s1.tag  s1.word                       the item itself
    s1.lc1.tag  s1.lc1.label  s1.lc1.word     its leftmost child so far
    s1.rc1.tag  s1.rc1.label  s1.rc1.word     its rightmost child so far
    s1.lval  s1.rval                      how many children it has on either side (up to 3)

and beside them ``b.tag`` (the tag of the word about to be generated; for words only), ``p1.tag
p1.word p2.tag p2.word`` (the last words generated, whatever became of them), ``distance`` (between
s1 and s2, in classes) and ``action`` (left or right arc; for labels only).

>>> element_numbers(["s1.tag", "s2.tag"])
[0, 10]
>>> element_numbers(["s1.tga"])
Traceback (most recent call last):
bistro.errors.ConfigError: unknown context element 's1.tga' (did you mean 's1.tag'?)
"""

from __future__ import annotations

from collections.abc import Iterable

from bistro.errors import ConfigError, nearest

STACK_ITEMS = 4
FACTS = (
    "tag",
    "word",
    "lc1.tag",
    "lc1.label",
    "lc1.word",
    "rc1.tag",
    "rc1.label",
    "rc1.word",
    "lval",
    "rval",
)
OTHERS = ("b.tag", "p1.tag", "p1.word", "p2.tag", "p2.word", "distance", "action")
# The numbers are those of the compiled core: ten facts an item, then the others.
NUMBERS = {
    name: number
    for number, name in enumerate(
        [f"s{item + 1}.{fact}" for item in range(STACK_ITEMS) for fact in FACTS] + list(OTHERS)
    )
}
LONGEST = 31


def element_numbers(names: Iterable[str]) -> list[int]:
    """Return the core's numbers of context elements."""
    numbers = []
    for name in names:
        if name not in NUMBERS:
            hint = nearest(name, NUMBERS)
            raise ConfigError(f"unknown context element '{name}'{hint}")
        numbers.append(NUMBERS[name])
    if len(numbers) > LONGEST:
        raise ConfigError(f"a context has at most {LONGEST} elements, not {len(numbers)}")
    return numbers


def is_lexical(name: str) -> bool:
    """Tell whether an element is a word."""
    return name.endswith(".word")


def sees_labels(names: Iterable[str]) -> bool:
    """Tell whether any element is the label of an arc made before."""
    return any(name.endswith(".label") for name in names)
