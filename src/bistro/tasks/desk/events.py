"""The kinds of events in a journal, and the entries of each kind with their types.

A journal may have been edited or damaged, so every line is checked before it is used.

>>> checked({"seq": 2, "undo": 1})
{'seq': 2, 'undo': 1}
>>> checked({"seq": 2, "undo": "1"})
Traceback (most recent call last):
ValueError: the entry 'undo' is not valid
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bistro.config import LARGEST

Event = dict[str, Any]
Check = Callable[[Any], bool]
_HASH = re.compile("[0-9a-f]+")


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _is_text(value: Any) -> bool:
    # A lone surrogate can be written in JSON, but not in a file.
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _are_lines(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _was_and_is(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(one) is bool for one in value)


KINDS: Mapping[str, Mapping[str, Check]] = {
    "opened": {"opened": _is_hash},
    "saving": {"saving": _is_hash},
    "undo": {"seq": _is_number, "undo": _is_number},
    "redo": {"seq": _is_number, "redo": _is_number},
    "do": {
        "seq": _is_number,
        "sentence": _is_number,
        "at": _is_number,
        "old": _are_lines,
        "new": _are_lines,
        "done": _was_and_is,
        "hash": _is_hash,
    },
}
"""The required entries of each kind of event. The kind of an event is the first key of this
mapping that the event contains."""
OPTIONAL: Mapping[str, Check] = {"offered": _is_number, "kept": _is_number, "journal": _is_number}


def checked(event: Any) -> Event:
    """Return an event unchanged, or raise `ValueError` if it is not valid."""
    if not isinstance(event, dict):
        raise ValueError("not an event")
    kind = next((name for name in KINDS if name in event), None)
    if kind is None:
        raise ValueError("an event of no kind")
    for name, is_possible in KINDS[kind].items():
        if not is_possible(event.get(name)):
            raise ValueError(f"the entry '{name}' is not valid")
    for name, is_possible in OPTIONAL.items():
        if name in event and not is_possible(event[name]):
            raise ValueError(f"the entry '{name}' is not valid")
    return event
