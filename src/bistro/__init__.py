"""Bistro: Bayesian Inference for Syntactic TRees and Orders.

Generative models of syntax on one hierarchical Pitman-Yor core. Six lines to start with:

    import bistro
    treebank = bistro.builtin(sentences=5000, seed=1)     # or bistro.read("train.conllu")
    model = bistro.train("ngram", treebank, seed=1)
    print(model.score([["The", "dog", "sleeps", "."]]).log_probs)
    print(list(model.generate(3, seed=1)))
    model.save("english.bistro"); model = bistro.load("english.bistro")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bistro.errors import BistroError
    from bistro.inference.train import train
    from bistro.models.base import load
    from bistro.treebank.samples import builtin, builtin_trees
    from bistro.treebank.treebank import Treebank, read

__all__ = [
    "BistroError",
    "Treebank",
    "__version__",
    "builtin",
    "builtin_trees",
    "load",
    "read",
    "train",
]

# Imported when first used, so that the command line starts at once.
_HOMES = {
    "BistroError": "bistro.errors",
    "Treebank": "bistro.treebank.treebank",
    "__version__": "bistro.version",
    "builtin": "bistro.treebank.samples",
    "builtin_trees": "bistro.treebank.samples",
    "load": "bistro.models.base",
    "read": "bistro.treebank.treebank",
    "train": "bistro.inference.train",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bistro' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
