"""Bistro: Bayesian Inference for Syntactic TRees and Orders.

Generative models of syntax, built on a shared hierarchical Pitman-Yor core. Six lines to start
with:

    import bistro
    treebank = bistro.builtin(sentences=5000, seed=1)     # or bistro.read("train.conllu")
    model = bistro.train("ngram", treebank, seed=1)
    print(model.score([["The", "dog", "sleeps", "."]]).log_probs)
    print(list(model.generate(3, seed=1)))
    model.save("english.bistro"); model = bistro.load("english.bistro")

The names below are enough for most work; the tutorial, docs/tutorial.md, explains them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bistro.errors import BistroError
    from bistro.evaluate.attachment import score as score_trees
    from bistro.evaluate.crossval import cross_validate
    from bistro.evaluate.development import annotate
    from bistro.evaluate.doctor import examine
    from bistro.evaluate.text import text_figures as perplexity
    from bistro.models.base import Model, load
    from bistro.models.results.parses import Parse
    from bistro.pictures.arcs import draw_arcs
    from bistro.tasks.suite import pairs_suite, read_suite
    from bistro.tasks.suite_results import run_suite
    from bistro.tasks.train import train
    from bistro.treebank.samples import builtin, builtin_trees
    from bistro.treebank.sentence import Sentence
    from bistro.treebank.treebank import Treebank, read, write

__all__ = [
    "BistroError",
    "Model",
    "Parse",
    "Sentence",
    "Treebank",
    "__version__",
    "annotate",
    "builtin",
    "builtin_trees",
    "cross_validate",
    "draw_arcs",
    "examine",
    "load",
    "pairs_suite",
    "perplexity",
    "read",
    "read_suite",
    "run_suite",
    "score_trees",
    "train",
    "write",
]

# Imported when first used, so that the command line starts at once.
_HOMES = {
    "BistroError": "bistro.errors",
    "Model": "bistro.models.base",
    "Parse": "bistro.models.results.parses",
    "Sentence": "bistro.treebank.sentence",
    "Treebank": "bistro.treebank.treebank",
    "__version__": "bistro.version",
    "annotate": "bistro.evaluate.development",
    "builtin": "bistro.treebank.samples",
    "builtin_trees": "bistro.treebank.samples",
    "cross_validate": "bistro.evaluate.crossval",
    "draw_arcs": "bistro.pictures.arcs",
    "examine": "bistro.evaluate.doctor",
    "load": "bistro.models.base",
    "pairs_suite": "bistro.tasks.suite",
    "perplexity": "bistro.evaluate.text:text_figures",
    "read": "bistro.treebank.treebank",
    "read_suite": "bistro.tasks.suite",
    "run_suite": "bistro.tasks.suite_results",
    "score_trees": "bistro.evaluate.attachment:score",
    "train": "bistro.tasks.train",
    "write": "bistro.treebank.treebank",
}
"""For each public name, the module that defines it and, if different, its name in that module."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bistro' has no attribute '{name}'")
    module, _, there = _HOMES[name].partition(":")
    return getattr(import_module(module), there or name)


def __dir__() -> list[str]:
    return __all__
