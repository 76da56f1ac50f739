"""The models of a server, by id. Ids are names of files without folder and suffix, not paths.

>>> unique_ids(["models/english.bistro", "old/english.bistro", "ngram.bistro"])
['english', 'english-2', 'ngram']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from bistro.errors import BistroError
from bistro.models.base import Model, load
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.base import LoadedModel

SUFFIX = ".bistro"


class UnknownModelError(BistroError):
    """A request names a model that this server does not have."""


@dataclass(frozen=True)
class Entry:
    """A model, its id, and what it can do."""

    id: str
    model: LoadedModel
    abilities: tuple[str, ...]

    def able(self, ability: str) -> LoadedModel:
        """Return the model, or say that it cannot do this."""
        if ability in self.abilities:
            return self.model
        able = ", ".join(self.abilities) or "none of what this server offers"
        raise BistroError(f"the model '{self.id}' cannot {ability}; it can: {able}")


class Catalog:
    """All models of a server; the first is the default."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {entry.id: entry for entry in entries}

    @classmethod
    def of(cls, models: Sequence[tuple[str, Model]]) -> Catalog:
        """Give ids to models that have names, and try out what they can do."""
        ids = unique_ids([name for name, _ in models])
        loaded = [cast("LoadedModel", model) for _, model in models]
        return cls(
            Entry(id, model, tuple(abilities_of(model)))
            for id, model in zip(ids, loaded, strict=True)
        )

    @classmethod
    def load(cls, paths: Sequence[str]) -> Catalog:
        """Open model files."""
        return cls.of([(path, load(path)) for path in paths])

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __getitem__(self, id: str) -> Entry:
        if id in self._entries:
            return self._entries[id]
        raise UnknownModelError(f"there is no such model; this server has: {', '.join(self.ids)}")

    @property
    def ids(self) -> list[str]:
        """The ids, in the order of the command line."""
        return list(self._entries)


def unique_ids(names: Iterable[str]) -> list[str]:
    """Return an id for each file, numbered where names are the same."""
    ids: list[str] = []
    for name in names:
        base = PurePath(name).name.removesuffix(SUFFIX) or "model"
        id, number = base, 1
        while id in ids:
            number += 1
            id = f"{base}-{number}"
        ids.append(id)
    return ids


def abilities_of(model: LoadedModel) -> Iterator[str]:
    """Yield what a model can do, found out by doing it once, which also fills its caches.

    An ability of the kind alone says too little: a parser without words, or one from right to left,
    has `score` and refuses it.
    """
    words = ["a"]
    tree = Sentence.from_columns(words, heads=[0], upos=["X"], xpos=["X"], deprels=["x"])
    trials: dict[str, Callable[[], Any]] = {
        "read": lambda: model.surprisal(words),
        "follow": lambda: model.follow(words),
        "parse": lambda: model.parse(words),
        "generate": lambda: list(model.generate(1, 1)),
        "linearize": lambda: model.linearize(tree),
        "tag": lambda: model.tag(words),
    }
    for ability, trial in trials.items():
        try:
            trial()
        except BistroError:
            continue
        yield ability
        if ability == "read":
            yield "surprisal"
