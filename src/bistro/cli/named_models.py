"""Names for the models that a command compares."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath

from bistro.errors import BistroError


def model_names(models: list[str]) -> dict[str, str]:
    """Return a dictionary that maps the name of each model to its path.

    The name is the file name without its suffix, or the path if two models have the same file name.
    """
    counts = Counter(PurePath(path).stem for path in models)
    names = {
        PurePath(path).stem if counts[PurePath(path).stem] == 1 else path: path for path in models
    }
    if len(names) < len(models):
        raise BistroError("a model is given twice")
    return names
