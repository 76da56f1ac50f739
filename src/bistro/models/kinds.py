"""The registry of model families.

Each family has one record, which is loaded when it is first needed.

A family is a folder of `bistro.models` whose ``__init__`` contains its record, ``KIND``. A record
names the configuration, model, trainer and reader of its family, without importing them, and lists
the abilities of the family's models. Help texts, error messages ("use a transition or eisner
model"), cross-validation, reports and the server's catalogue are derived from the records.

A package outside Bistro adds a family with an entry point of the group ``bistro.kinds``:

    [project.entry-points."bistro.kinds"]
    unigram = "my_package.unigram:KIND"

>>> find("ngram").help
'hierarchical Pitman-Yor n-gram language model'
>>> find("ngramm")
Traceback (most recent call last):
bistro.errors.BistroError: unknown kind of model 'ngramm' (did you mean 'ngram'?): choose one of ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bistro.errors import BistroError, nearest
from bistro.models.options import a_model

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from bistro.models.base import Model
    from bistro.models.data import Reader

GROUP = "bistro.kinds"
BUILT_IN = (
    "ngram",
    "transition",
    "committee",
    "eisner",
    "isbn",
    "reader",
    "topics",
    "linearize",
    "tags",
    "trees",
    "constituents",
    "morphology",
    "grammar",
    "tokens",
    "columns",
    "pipeline",
)
"""The built-in families. Each family is a folder next to this file."""
FORMER = {"infinite": "bistro.models.unbounded.former:settled"}
"""Former kinds, each with a function that returns the current kind and its settings."""


class BrokenKindError(BistroError):
    """Error for an unusable kind from an installed package."""


@dataclass(frozen=True)
class Kind:
    """The record of a family, which can be read without importing the family.

    References have the form ``module:name``.
    """

    name: str
    help: str
    """A one-line description for the help text."""
    about: str
    """A noun phrase that describes the family in reports."""
    model: str
    config: str
    trainer: str
    """A function that is called with the items, the configuration and a
    `bistro.models.runs.Run`."""
    abilities: tuple[str, ...]
    """The abilities of the models, by their names in `bistro.models.abilities`."""
    reader: str = "bistro.models.data:SENTENCES"
    """The reader of training and test data."""
    needs_annotation: bool = False
    """Whether training requires more than plain text."""
    items: str = "sentences"
    """Plural name of the training items, such as "sentences"."""
    dev: str = ""
    """How training uses a development set, or an empty string if it is not used."""
    text_trainer: str = ""
    """A trainer that takes raw text as its fourth argument. An empty string means that no trainer
    accepts raw text."""
    preset_for: str = ""
    """A function that returns the name of the preset that fits the sentences, or None. An empty
    string means that there is no such function."""
    judged_by: str = "score"
    """The ability that is evaluated on held-out data after training."""
    draws: bool = True
    """Whether training draws samples, so that chains from several seeds can be compared."""
    has_members: bool = False
    """Whether training produces several models, which a cluster can train in parallel."""
    speeds: str = ""
    """The setting that accepts the preset names ``fast`` and ``best``, or ``config`` if they apply
    to the whole configuration. An empty string means that there are no presets with these names."""
    reading: float = 0.0
    """Approximate share of the training time spent on reading the data, or 0 if negligible."""
    prior: str = ""
    """A function that draws data from the prior and returns a Markov chain. An empty string means
    that there is no such function."""

    def model_class(self) -> type[Model]:
        """Return the model class of the family."""
        model_class: type[Model] = resolve(self.model)
        return model_class

    def config_class(self) -> type[Any]:
        """Return the configuration class of the family."""
        config_class: type[Any] = resolve(self.config)
        return config_class

    def train(self, *arguments: Any, **fitting: Any) -> Model:
        """Train a model of this family."""
        trained: Model = resolve(self.trainer)(*arguments, **fitting)
        return trained

    def train_with_text(self, *arguments: Any, **fitting: Any) -> Model:
        """Train a model of this family on its usual training data and on raw text."""
        if not self.text_trainer:
            able = [kind.name for kind in every() if kind.text_trainer]
            raise BistroError(
                f"{a_model(self.name)} cannot learn from raw text in addition to its training "
                f"data; use {a_model(' or '.join(able))}"
            )
        trained: Model = resolve(self.text_trainer)(*arguments, **fitting)
        return trained

    def data(self) -> Reader:
        """Return the reader of training data for this kind."""
        reader: Reader = resolve(self.reader)
        return reader

    def fitting_preset(self, items: Sequence[Any]) -> str | None:
        """Return the name of the preset that fits the data, if there is one."""
        preset: str | None = resolve(self.preset_for)(items) if self.preset_for else None
        return preset

    def can(self, ability: str) -> bool:
        """Return whether the models of the family have an ability."""
        return ability in self.abilities


def resolve(reference: str) -> Any:
    """Import the object that ``module:name`` refers to."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


@cache
def find(name: str) -> Kind:
    """Return the record of a kind, or raise an error that lists all kinds."""
    if name in BUILT_IN:
        return _checked(name, import_module(f"bistro.models.{name}").KIND)
    installed = _installed()
    if name in installed:
        return _checked(name, _loaded(installed[name]))
    known = [*BUILT_IN, *installed]
    hint = nearest(name, known)
    if Path(name).suffix:
        hint = f" (the kind comes before the file, as in transition {name})"
    raise BistroError(
        f"unknown kind of model '{name}'{hint}: choose one of {', '.join(sorted(known))}"
    )


def names() -> list[str]:
    """Return the names of all kinds. Kinds from installed packages come last."""
    return [*BUILT_IN, *_installed()]


def is_known(name: object) -> bool:
    """Return whether a kind exists. Packages are searched only if the kind is not built in."""
    return name in BUILT_IN or name in names()


def every() -> Iterator[Kind]:
    """Yield the records of all kinds. Packages that cannot be imported are left out."""
    for name in names():
        try:
            yield find(name)
        except BrokenKindError:
            continue


def able(ability: str) -> list[str]:
    """Return the names of the kinds that have an ability."""
    return [kind.name for kind in every() if kind.can(ability)]


def settled(name: str, settings: Mapping[str, Any]) -> tuple[Kind, Mapping[str, Any]]:
    """Return the record and the settings of a kind, replacing a former kind with its successor."""
    if name in FORMER:
        name, settings = resolve(FORMER[name])(settings)
    return find(name), settings


@cache
def _installed() -> dict[str, EntryPoint]:
    # Imported here: it takes longer than everything else that a command needs at its start.
    from importlib import metadata

    entries = metadata.entry_points(group=GROUP)
    return {entry.name: entry for entry in entries if entry.name not in BUILT_IN}


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise BrokenKindError(
            f"the kind '{entry.name}' cannot be loaded from '{entry.value}', the entry point of an "
            f"installed package: {type(error).__name__}: {error}"
        ) from error


def _checked(name: str, kind: Any) -> Kind:
    if not isinstance(kind, Kind) or kind.name != name:
        raise BrokenKindError(
            f"the entry point '{name}' of the group {GROUP} must refer to a Kind with the same name"
        )
    return kind
