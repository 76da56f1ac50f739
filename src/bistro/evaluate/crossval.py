"""Cross-validation tests every sentence with a model that was not trained on it.

The treebank is divided into k folds. Each of k models is trained on all folds except one, and
tested on the remaining fold. Let x_1 … x_k be the scores of the folds.

    mean = Σ x_i / k        standard error of the mean = sqrt( Σ (x_i - mean)² / (k - 1) / k )

>>> import bistro
>>> treebank = bistro.builtin(sentences=60, seed=1)
>>> validation = cross_validate("eisner", treebank, k=3, sampler={"sweeps": 2, "samples": 1})
>>> validation.names, len(validation.folds), 0 < validation.mean("las") < 100
(['uas', 'las', 'tags'], 3, True)
>>> print(validation.to_tsv())                                         # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from typing import Any

from bistro import config as configuration
from bistro.errors import BistroError
from bistro.evaluate.held_out import Judgement, Tags, judge, require_trees
from bistro.inference.workers import Workers
from bistro.models import kinds
from bistro.models.inputs import Words
from bistro.models.kinds import Kind
from bistro.models.options import a_model
from bistro.models.results.parses import Parse
from bistro.tasks.folds import Recipe, Split, Unit, make_folds, run_splits
from bistro.treebank.treebank import Treebank

JUDGED = ("parse", "tag", "score")
"""Model abilities that can be tested on the sentences of a treebank."""


@dataclass(frozen=True)
class CrossValidation:
    """The figures of all folds."""

    splits: list[Split]
    folds: list[Judgement]
    protocol: str

    @property
    def names(self) -> list[str]:
        """The names of the scores that are available for all folds."""
        first, *others = (fold.figures for fold in self.folds)
        return [name for name in first if all(name in figures for figures in others)]

    def mean(self, name: str) -> float:
        """Return the mean of a score over the folds."""
        return fmean(self._values(name))

    def standard_error(self, name: str) -> float:
        """Return the standard error of the mean of a score."""
        return stdev(self._values(name)) / math.sqrt(len(self.folds))

    def parses(self) -> list[Parse]:
        """Return the sentences in file order, each parsed by a model that was not trained on it."""
        places = [place for split in self.splits for place in split.held_out]
        parses = [parse for fold in self.folds for parse in fold.parses]
        by_place = dict(zip(places, parses, strict=True))
        return [by_place[place] for place in sorted(by_place)]

    def to_tsv(self) -> str:
        """Return a table with one line per fold, followed by the mean and its standard error."""
        lines = [["fold", "sentences", "words", *self.names]]
        for number, fold in enumerate(self.folds, start=1):
            figures = [f"{fold.figures[name]:.3f}" for name in self.names]
            lines.append([str(number), str(fold.sentences), str(fold.words), *figures])
        sizes = [str(sum(f.sentences for f in self.folds)), str(sum(f.words for f in self.folds))]
        lines.append(["mean", *sizes, *(f"{self.mean(name):.3f}" for name in self.names)])
        errors = [f"{self.standard_error(name):.3f}" for name in self.names]
        lines.append(["standard error", *sizes, *errors])
        return "".join("\t".join(line) + "\n" for line in lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as values that JSON can store."""
        return {
            "folds": [
                {"sentences": fold.sentences, "words": fold.words, **fold.figures}
                for fold in self.folds
            ],
            "mean": {name: self.mean(name) for name in self.names},
            "standard_error": {name: self.standard_error(name) for name in self.names},
            "protocol": self.protocol,
        }

    def _values(self, name: str) -> list[float]:
        return [fold.figures[name] for fold in self.folds]


def cross_validate(
    kind: str,
    treebank: Sequence[Words],
    *,
    k: int = 10,
    by: Unit = "sentence",
    tags: Tags = "joint",
    seed: int = 1,
    threads: int = 0,
    workers: Workers | None = None,
    keep: bool = False,
    config: Any = None,
    dev: Any = None,
    on_fold: Callable[[int, Judgement], None] = lambda number, judgement: None,
    **settings: Any,
) -> CrossValidation:
    """Train k models, and score each on the fold that was not used to train it.

    Parameters
    ----------
    kind
        The family of the models, such as ``"eisner"``.
    treebank
        The sentences to divide into folds.
    k
        Number of folds.
    by
        ``"sentence"``, or ``"document"`` to keep documents whole.
    tags
        ``"joint"`` if parsers find the tags too, ``"given"`` if they use the treebank's tags.
    seed
        Seed of the folds and of the models.
    threads
        Number of threads; 0 uses all cores. The result does not depend on the number of threads.
    workers
        Workers that train and score instead of threads.
    keep
        Whether to keep the parses, with marginals.
    config, dev, **settings
        As in `bistro.train`.
    on_fold
        Called with the number of each finished fold and its scores.
    """
    family = judged_kind(kind, config, settings)
    sentences = [sentence for sentence in treebank if len(sentence)]
    splits = make_folds(sentences, k, seed, by)
    if family.can("parse"):
        require_trees(sentences, path_of(treebank))
    recipe = Recipe(kind, settings, config, seed, dev)
    work = partial(judge, tags=tags, keep=keep)
    folds = []
    for judgement in run_splits(recipe, sentences, splits, work, threads, workers):
        folds.append(judgement)
        on_fold(len(folds), judgement)
    how = f"tags {tags}, " if family.can("parse") else ""
    protocol = f"{family.name}, {how}{k} folds by {by}, seed {seed}"
    return CrossValidation(splits, folds, protocol)


def judged_kind(
    kind: str,
    config: Any = None,
    settings: Mapping[str, Any] | None = None,
    abilities: Sequence[str] = JUDGED,
) -> Kind:
    """Return a `Kind`, or raise an error if models of this kind cannot be tested on a treebank."""
    base = {} if config is None else configuration.to_dict(config)
    family, _ = kinds.settled(kind, configuration.merged(base, settings or {}))
    if _is_judged(family, abilities):
        return family
    able = [one.name for one in kinds.every() if _is_judged(one, abilities)]
    raise BistroError(
        f"{a_model(family.name)} cannot be evaluated on a treebank; use one of {', '.join(able)}"
    )


def _is_judged(family: Kind, abilities: Sequence[str]) -> bool:
    return family.items == "sentences" and any(map(family.can, abilities))


def path_of(treebank: object) -> str | None:
    """Return the file that a treebank was read from, if any."""
    return treebank.path if isinstance(treebank, Treebank) else None
