"""Headers of earlier versions of the model file, brought up to date one step at a time.

Every version ever written loads: `STEPS` has one function per version, from its header to that of
the next. Arrays have never changed; `tests/data/models` keeps a file of every family and version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bistro.models import kinds

Header = Mapping[str, Any]


def upgraded(header: Header) -> Header:
    """Return the header as the newest version of the file has it."""
    version = header["format_version"]
    while version in STEPS:
        header = STEPS[version](header)
        version += 1
    return header


def _without_former_kinds(header: Header) -> Header:
    """Version 2: the tasks of `infinite` are kinds of their own, with settings of their own."""
    if header["kind"] not in kinds.FORMER:
        return header
    kind, config = kinds.settled(header["kind"], header["config"])
    return {**header, "kind": kind.name, "config": dict(config)}


STEPS: dict[int, Callable[[Header], Header]] = {1: _without_former_kinds}
