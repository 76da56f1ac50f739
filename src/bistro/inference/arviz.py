"""ArviZ, the library for draws of chains, in its versions before and after 1.0."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from typing import Any

from bistro.errors import BistroError

INSTALL = "pip install arviz h5netcdf"


def load_arviz() -> Any:
    """Import ArviZ. If ArviZ is missing, the error message gives the command that installs it."""
    try:
        with warnings.catch_warnings():
            # Version 0.23 announces its successor on every import.
            warnings.simplefilter("ignore")
            return importlib.import_module("arviz")
    except ImportError:
        raise BistroError(f"this needs ArviZ: {INSTALL}") from None


def from_groups(groups: Mapping[str, Mapping[str, Any]]) -> Any:
    """Convert groups of arrays to ArviZ: `InferenceData`, or a `DataTree` from 1.0 on."""
    az = load_arviz()
    # From 1.0 on, groups are the keys of one dictionary.
    is_new = int(az.__version__.partition(".")[0]) >= 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return az.from_dict(groups) if is_new else az.from_dict(**groups)
