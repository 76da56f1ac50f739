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


ADDED_IN_2 = {"topics": {"stops": False}}
"""Settings that a family has since version 2, with the values that models of version 1 have."""


def _to_version_2(header: Header) -> Header:
    """Add new settings; the tasks of `infinite` are kinds of their own, with own settings."""
    if header["kind"] in kinds.FORMER:
        kind, config = kinds.settled(header["kind"], header["config"])
        return {**header, "kind": kind.name, "config": dict(config)}
    if header["kind"] in ADDED_IN_2:
        return {**header, "config": {**ADDED_IN_2[header["kind"]], **header["config"]}}
    return header


def _to_version_3(header: Header) -> Header:
    """Return it as it is: version 3 brings a checksum, of which the header itself says nothing."""
    return header


STEPS: dict[int, Callable[[Header], Header]] = {1: _to_version_2, 2: _to_version_3}
