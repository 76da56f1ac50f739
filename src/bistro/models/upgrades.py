"""Upgrade the headers of model files from earlier versions of the file format.

Files from every earlier version can be loaded. `STEPS` contains one function per version; each
converts a header to the next version. The format of the arrays has never changed.
`tests/data/models` contains a file for every family and version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bistro.models import kinds

Header = Mapping[str, Any]


def upgraded(header: Header) -> Header:
    """Convert a header to the newest version of the file format."""
    version = header["format_version"]
    while version in STEPS:
        header = STEPS[version](header)
        version += 1
    return header


ADDED_IN_2 = {"topics": {"stops": False}}
"""Settings that version 2 added to a model family, with their values for models of version 1."""


def _to_version_2(header: Header) -> Header:
    """Add the new settings, and replace the former kind `infinite` with its successors."""
    if header["kind"] in kinds.FORMER:
        kind, config = kinds.settled(header["kind"], header["config"])
        return {**header, "kind": kind.name, "config": dict(config)}
    if header["kind"] in ADDED_IN_2:
        return {**header, "config": {**ADDED_IN_2[header["kind"]], **header["config"]}}
    return header


def _to_version_3(header: Header) -> Header:
    """Return the header unchanged, because version 3 adds a checksum outside the header."""
    return header


STEPS: dict[int, Callable[[Header], Header]] = {1: _to_version_2, 2: _to_version_3}
