"""Folds of a treebank, for testing models on sentences that they were not trained on.

A `Split` lists the sentences for training and the sentences for testing. k folds cut a treebank
into k parts, each held out once. `run_splits` trains a model for every split, several at a time,
and applies a function to each model and its held-out sentences. The splits need not be folds; for
example, they can be growing parts of a treebank. Every model is trained in a single
thread, so the result does not depend on the number of threads.

>>> import bistro
>>> treebank = bistro.builtin(sentences=40, seed=1)
>>> splits = make_folds(treebank, k=4, seed=1)
>>> sorted(i for split in splits for i in split.held_out) == list(range(40))
True
>>> recipe = Recipe("eisner", {"sampler": {"sweeps": 2, "samples": 1}})
>>> done = run_splits(recipe, treebank, splits, lambda model, unseen: len(unseen))
>>> list(done)
[10, 10, 10, 10]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from bistro.errors import BistroError
from bistro.inference.chains import Session
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.base import Model
from bistro.models.inputs import Words
from bistro.progress import phase
from bistro.rng import Stream
from bistro.tasks.train import train
from bistro.treebank.documents import begins_document
from bistro.treebank.sentence import Sentence

Result = TypeVar("Result")
Unit = Literal["sentence", "document"]


@dataclass(frozen=True)
class Split:
    """Indices of the training and test sentences in a treebank."""

    train: tuple[int, ...]
    held_out: tuple[int, ...]


@dataclass(frozen=True)
class Recipe:
    """Everything that is needed to train a model, except for the training sentences."""

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    config: Any = None
    seed: int = 1
    dev: Sequence[Sentence] | None = None
    """A development set, if this kind of model uses one."""
    beside: Sequence[Words] = ()
    """Additional training sentences, which are the same for every split."""

    def trained(self, sentences: Sequence[Words]) -> Model:
        """Train a model on the given sentences and those in `beside`, in one thread."""
        return train(
            self.kind,
            [*self.beside, *sentences],
            config=self.config,
            seed=self.seed,
            dev=self.dev,
            session=Session(threads=1),
            **self.settings,
        )


def make_folds(sentences: Sequence[Words], k: int, seed: int, by: Unit = "sentence") -> list[Split]:
    """Cut a treebank into k parts of nearly equal size, each of which is held out once.

    Parts consist of whole sentences or whole documents, drawn at random with the given seed.
    """
    units = _units(sentences, by)
    if len(units) < 2:
        raise BistroError(
            f"folds need at least two {by}s, but there {'is only one' if units else 'are none'}"
        )
    if not 2 <= k <= len(units):
        raise BistroError(
            f"{len(units)} {by}s cannot be divided into {k} folds: choose 2 to {len(units)} folds"
        )
    parts: list[list[int]] = [[] for _ in range(k)]
    for unit in shuffled(units, seed, "folds"):
        min(parts, key=len).extend(unit)
    everything = range(len(sentences))
    splits = []
    for part in parts:
        held_out = set(part)
        splits.append(
            Split(tuple(i for i in everything if i not in held_out), tuple(sorted(held_out)))
        )
    return splits


def shuffled(items: Sequence[Result], seed: int, purpose: str, index: int = 0) -> list[Result]:
    """Return items in a random order, using the Fisher-Yates shuffle."""
    stream = Stream(seed, purpose, index)
    mixed = list(items)
    for place in range(len(mixed) - 1, 0, -1):
        other = stream.below(place + 1)
        mixed[place], mixed[other] = mixed[other], mixed[place]
    return mixed


def _units(sentences: Sequence[Words], by: str) -> list[list[int]]:
    """Return the units (sentences or documents) that stay whole, as lists of sentence indices."""
    if by not in get_args(Unit):
        raise BistroError(f"folds must be made by 'sentence' or by 'document', not by '{by}'")
    if by == "sentence":
        return [[place] for place in range(len(sentences))]
    units: list[list[int]] = []
    for place, sentence in enumerate(sentences):
        if not units or begins_document(sentence):
            units.append([])
        units[-1].append(place)
    if len(units) < 2:
        raise BistroError(
            "there are no documents to keep together: the file has no '# newdoc' comments"
        )
    return units


def run_splits(
    recipe: Recipe,
    sentences: Sequence[Words],
    splits: Sequence[Split],
    work: Callable[[Model, list[Any]], Result],
    threads: int = 0,
    workers: Workers | None = None,
) -> Iterator[Result]:
    """Train a model for every split and yield ``work(model, held-out sentences)`` in order.

    Several models are trained at the same time, by `workers` or in `threads` threads (0 uses all
    cores).
    """
    if workers is None:
        workers = LocalWorkers(min(threads or os.cpu_count() or 1, max(1, len(splits))))
    done = workers.run(_run_split, Shared(recipe, list(sentences), work), splits)
    # Larger parts take longer to train on.
    with phase("training and judging models", total=sum(len(s.train) for s in splits)) as models:
        for number, (split, result) in enumerate(zip(splits, done, strict=True), start=1):
            models.advance(len(split.train), note=f"{number} of {len(splits)}")
            yield result


class Shared(NamedTuple):
    """The sentences, settings and function that all splits share."""

    recipe: Recipe
    sentences: list[Words]
    work: Callable[[Model, list[Any]], Any]


def _run_split(shared: Shared, split: Split) -> Any:
    model = shared.recipe.trained([shared.sentences[place] for place in split.train])
    return shared.work(model, [shared.sentences[place] for place in split.held_out])
