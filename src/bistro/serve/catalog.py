"""The catalogue of a server's models, indexed by id.

An id is a file name without its folder or suffix, not a path.

>>> unique_ids(["models/english.bistro", "old/english.bistro", "ngram.bistro"])
['english', 'english-2', 'ngram']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from bistro.errors import BistroError
from bistro.models.abilities import (
    FOLLOW,
    GENERATE,
    ORDER,
    PARSE,
    PARSE_TREES,
    SCORE,
    STATES,
    TAG,
    TOKENISE,
    Ability,
)
from bistro.models.annotating import Tokeniser
from bistro.models.base import Model, load
from bistro.models.installed import package_of, sha256_of
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.models.base import LoadedModel

SUFFIX = ".bistro"


class UnknownModelError(BistroError):
    """A request names a model that this server does not have."""


@dataclass(frozen=True)
class Entry:
    """A model with its id and its abilities."""

    id: str
    model: LoadedModel
    parts: dict[str, LoadedModel]
    """For each ability, the part of the model that has it (possibly the whole model)."""
    sha256: str | None = None
    """The checksum of the model's file, if the model was read from a file."""
    version: str | None = None
    """The version of the model's package, if the model is installed."""

    @property
    def abilities(self) -> tuple[str, ...]:
        """The names of the model's abilities."""
        return tuple(self.parts)

    @property
    def tokeniser(self) -> Tokeniser | None:
        """The tokeniser of the model, if it has one."""
        return TOKENISE.of(self.model) if TOKENISE.is_of(self.model) else None

    def able(self, ability: str) -> LoadedModel:
        """Return the model or the part of the model that has an ability.

        Raise an error if the model lacks the ability.
        """
        if ability in self.parts:
            return self.parts[ability]
        able = ", ".join(self.abilities) or "none of what this server offers"
        raise BistroError(
            f"the model '{self.id}' does not have the ability '{ability}'; its abilities are: "
            f"{able}"
        )


class Catalog:
    """All models of a server. The first model is the default."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {entry.id: entry for entry in entries}

    @classmethod
    def of(cls, models: Sequence[tuple[str, Model]]) -> Catalog:
        """Return a catalogue of named models, after testing their abilities."""
        ids = unique_ids([name for name, _ in models])
        loaded = [cast("LoadedModel", model) for _, model in models]
        return cls(
            Entry(id, model, dict(abilities_of(model)))
            for id, model in zip(ids, loaded, strict=True)
        )

    @classmethod
    def load(cls, names: Sequence[str]) -> Catalog:
        """Open models from files, and open installed models by name."""
        catalog = cls.of([(name, load(name)) for name in names])
        for name, entry in zip(names, catalog, strict=True):
            package = package_of(name)
            sha256 = package.sha256 if package else sha256_of(name)
            version = package.version if package else None
            catalog._entries[entry.id] = replace(entry, sha256=sha256, version=version)
        return catalog

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, id: str) -> Entry:
        if id in self._entries:
            return self._entries[id]
        if not self._entries:
            raise UnknownModelError(
                "this server has no models, since it was started for the playground"
            )
        raise UnknownModelError(
            f"there is no such model; the models on this server are: {', '.join(self.ids)}"
        )

    @property
    def ids(self) -> list[str]:
        """The ids of the models, in the order given on the command line."""
        return list(self._entries)


def unique_ids(names: Iterable[str]) -> list[str]:
    """Return a unique id for each model file. Equal names are numbered."""
    ids: list[str] = []
    for name in names:
        base = PurePath(name).name.removesuffix(SUFFIX) or "model"
        id, number = base, 1
        while id in ids:
            number += 1
            id = f"{base}-{number}"
        ids.append(id)
    return ids


def abilities_of(model: Model) -> Iterator[tuple[str, LoadedModel]]:
    """Test the abilities of a model, and yield each ability with the part of the model that has it.

    The test also fills the caches of the model. The kind of a model does not determine what it can
    do. For example, an unlexicalised parser, or a parser that reads from right to left, has a
    method `score` that raises an error.
    """
    words = ["a"]
    tree = Sentence.from_columns(words, heads=[0], upos=["X"], xpos=["X"], deprels=["x"])
    trials: dict[str, tuple[Ability[Any], Callable[[Any], Any]]] = {
        "read": (SCORE, lambda part: part.surprisal(words)),
        "follow": (FOLLOW, lambda part: part.follow(words)),
        "parse": (PARSE, lambda part: part.parse(words)),
        "generate": (GENERATE, lambda part: list(part.generate(1, 1))),
        "linearize": (ORDER, lambda part: part.linearize(tree)),
        "tag": (TAG, lambda part: part.tag(words)),
    }
    for name, (ability, trial) in trials.items():
        try:
            part = ability.of(model)
            trial(part)
        except BistroError:
            continue
        yield name, part
        if name == "read":
            yield "surprisal", part
    # These can be slow, and accept all words.
    shown: dict[str, Ability[Any]] = {"phrases": PARSE_TREES, "states": STATES}
    for name, ability in shown.items():
        if ability.is_of(model):
            yield name, ability.of(model)
