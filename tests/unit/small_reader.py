"""Small readers of the built-in treebank, trained in a second."""

from __future__ import annotations

from typing import Any

import bistro
from bistro.models.reader.model import ReaderModel

SHORT = "sampler.sweeps=3 sampler.samples=2"
PAIR = (f"ngram order=3 {SHORT}", f"transition {SHORT}")
"""Two members, without a latent-variable parser."""
TREEBANK = bistro.builtin(sentences=120, seed=1)
DEV = bistro.builtin(sentences=40, seed=2)
QUICK: dict[str, Any] = {"particles": 20, "repeats": 4}
"""Options of quick sums over analyses."""


def trained(*members: str, **options: Any) -> ReaderModel:
    """Train a reader with these members."""
    settings: dict[str, Any] = {"members": members, "dev": DEV, **options}
    model = bistro.train("reader", TREEBANK, seed=1, **settings)
    assert isinstance(model, ReaderModel)
    return model
