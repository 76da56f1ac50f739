"""The contents of a committee file other than its members: patterns, word classes and stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.committee.classes import NO_CLASSES, WordClasses
from bistro.models.committee.crossing import Crossing
from bistro.models.committee.stacking import Stack
from bistro.models.committee.templates import Templates, compiled
from bistro.models.nested import BETWEEN

WAYS = ("given", "joint")
"""The two sources of tags, each with its own weights: given tags and jointly predicted tags."""
NO_CROSSING = Crossing()
STACK = "stack."
"""Prefix of the names of a stack's arrays."""
CLASSES = "classes"
TEMPLATES = "templates"


def crossing_of(header: Mapping[str, Any]) -> Crossing:
    """Read the patterns of crossing arcs. Older files do not contain patterns."""
    if "crossing_arcs" not in header:
        return NO_CROSSING
    try:
        return Crossing.from_dict(header["crossing_arcs"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError("the patterns of crossing arcs are damaged") from error


def classes_of(header: Mapping[str, Any], arrays: Arrays) -> WordClasses:
    """Read the word classes. Older files do not contain word classes."""
    if CLASSES not in header:
        return NO_CLASSES
    words = header[CLASSES]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelFileError("the word classes are damaged")
    return WordClasses.from_parts(words, arrays.get(f"{CLASSES}{BETWEEN}numbers"))


def apart(header: Mapping[str, Any], arrays: Arrays) -> tuple[Arrays, dict[str, Stack]]:
    """Return the arrays of the members and the stacks. Older files do not contain stacks."""
    ways = header.get("stacks", [])
    if not isinstance(ways, list) or not set(map(str, ways)) <= set(WAYS):
        raise ModelFileError("the stacks are damaged")
    own: dict[str, NDArray[Any]] = {}
    weights: dict[str, dict[str, NDArray[Any]]] = {way: {} for way in ways}
    for name, array in arrays.items():
        owner, _, inner = name.partition(BETWEEN)
        way = owner.removeprefix(STACK)
        if owner.startswith(STACK) and way in weights:
            weights[way][inner] = array
        elif owner != CLASSES:
            own[name] = array
    templates = _templates_of(header)
    return own, {way: Stack.from_arrays(tables, templates) for way, tables in weights.items()}


def _templates_of(header: Mapping[str, Any]) -> dict[str, Templates]:
    """Read the feature templates of a stack. Older files do not contain templates."""
    texts = header.get(TEMPLATES, {})
    try:
        templates = {name: (str(own), str(of_votes)) for name, (own, of_votes) in texts.items()}
        for pair in templates.values():
            compiled(*pair)
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelFileError("the templates of the stack are damaged") from error
    return templates
