"""The base class of all models.

A model is created by training or by `load`. Every model can be saved and described. Everything else
that a model can do (score a text, generate, parse) is an ability (see `bistro.models.abilities`).

>>> model = load("english.bistro")                  # doctest: +SKIP
>>> model                                           # doctest: +SKIP
<ngram model of en_ewt-ud-train.conllu, 12,544 sentences, seed 1>
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import NDArray

from bistro import config as configuration
from bistro.errors import UNUSABLE, BistroError, ModelFileError, UnknownSettingError, damaged
from bistro.modelfile import (
    PROCESS_KIND,
    Arrays,
    ModelFile,
    decode_model,
    encode_model,
    read_model,
    write_model,
)
from bistro.models import kinds
from bistro.models.installed import located
from bistro.models.upgrades import upgraded
from bistro.progress import phase

if TYPE_CHECKING:
    from bistro.models import abilities, annotating


class LacksAbilityError(BistroError, AttributeError):
    """Error for a method that this kind of model does not support."""

    def __init__(self, method: str, kind: str) -> None:
        super().__init__(method, kind)
        self.method, self.kind = method, kind

    def __str__(self) -> str:
        # Computed only when shown: `hasattr` must not import all families.
        from bistro.models.abilities import METHODS

        return METHODS[self.method].refusal(self.kind)


def _shown(value: Any) -> str:
    """Format one entry of a summary as a line of text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def flat(distributions: Mapping[str, Arrays]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several distributions by name, as in ``words.nodes``."""
    return {
        f"{owner}.{part}": array
        for owner, arrays in distributions.items()
        for part, array in arrays.items()
    }


def by_owner(arrays: Arrays, owners: Collection[str]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays of each distribution in a model file.

    This function is the inverse of `flat`.
    """
    parts: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        owner, _, part = name.partition(".")
        if owner in owners:
            parts.setdefault(owner, {})[part] = array
    return parts


def megabytes(arrays: Arrays) -> float:
    """Return the total size of arrays in megabytes, rounded to one decimal place."""
    return round(sum(array.nbytes for array in arrays.values()) / 1e6, 1)


@dataclass(frozen=True)
class Origin:
    """The origin of a model: its training data, its seed, and the training trace."""

    seed: int
    treebank: dict[str, Any] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)


class Model(ABC):
    """The base class of all models. Subclasses add abilities to this class."""

    kind: ClassVar[str]
    format_version: ClassVar[int] = 3
    """The model file version that introduced the current form of the header."""
    config: Any
    """The training settings, an instance of the family's configuration class."""
    origin: Origin
    parts: Sequence[Model] = ()
    """The component models. The model has all abilities of its components."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return all JSON-serialisable content except settings and arrays."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays by name."""

    @classmethod
    @abstractmethod
    def from_parts(
        cls, config: Any, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Rebuild the model from its `config`, `header`, `arrays` and `origin`."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return a few facts about the model, by name, for `bistro info`."""

    def describe(self) -> str:
        """Return a description to show after training, or an empty string."""
        return ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file.

        The file appears under its final name only when it is complete.

        Parameters
        ----------
        path
            Path of the file, by convention ``*.bistro``.
        """
        with phase(f"writing {os.fspath(path)}"):
            write_model(path, self.whole_header(), self.arrays(), self.format_version)

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        return encode_model(self.whole_header(), self.arrays(), self.format_version)

    def whole_header(self) -> dict[str, Any]:
        """Return the header with the kind, the origin and the settings."""
        settings = configuration.to_dict(self.config)
        return {"kind": self.kind, **vars(self.origin), "config": settings, **self.header()}

    def __repr__(self) -> str:
        facts = self.origin.treebank
        size = f", {facts['sentences']:,} sentences" if "sentences" in facts else ""
        return f"<{self.kind} model of {facts.get('name', 'data')}{size}, seed {self.origin.seed}>"

    def _repr_html_(self) -> str:
        """Return the facts that `bistro info` shows, as HTML for notebooks."""
        from bistro.pictures.notebook import facts_html  # only notebooks need it

        facts = {name.replace("_", " "): _shown(value) for name, value in self.summary().items()}
        return facts_html(repr(self).strip("<>"), {**facts, "can": ", ".join(self._abilities())})

    def _abilities(self) -> list[str]:
        return list(kinds.find(self.kind).abilities)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that names the kinds of models with the missing ability."""
            if not name.startswith("_"):
                from bistro.models.abilities import METHODS

                if name in METHODS:
                    raise LacksAbilityError(name, self.kind)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


if TYPE_CHECKING:

    class LoadedModel(
        Model,
        abilities.Voter,
        abilities.Tagger,
        abilities.Scorer,
        annotating.Rememberer,
        abilities.TreeGenerator,
        abilities.Follower,
        abilities.Explainer,
        abilities.Orderer,
        abilities.Segmenter,
        annotating.Tokeniser,
        annotating.Filler,
        annotating.Annotator,
        abilities.TreeParser,
        abilities.StateReader,
        abilities.Predictor,
    ):
        """A model whose kind is not known until its file is opened.

        Type checkers accept the methods of all abilities. At run time, calling a method that
        the model lacks raises an error.
        """


def load(path: str | os.PathLike[str]) -> LoadedModel:
    """Open a model file of any kind.

    Parameters
    ----------
    path
        The path of a model file that was written by `Model.save` or ``bistro train`` in this or any
        earlier version, or the name of an installed model, such as ``bistro-en-ewt``. Files take
        precedence.
    """
    name = os.fspath(path)
    with phase(f"loading {name}"):
        file, package = located(name)
        title = f"{package.name} {package.version}" if package else name
        return _model_of(read_model(file), title)


def from_bytes(content: bytes, name: str = "the model") -> LoadedModel:
    """Return a model from the content of its file. The `name` appears in error messages."""
    return _model_of(decode_model(content, name), name)


def from_header(header: Mapping[str, Any], arrays: Arrays) -> Model:
    """Rebuild a model from its header, which names its kind, and its arrays."""
    origin = _origin(header["seed"], header["treebank"], header["trace"])
    kind = kinds.find(header["kind"])
    where = "the model's configuration"
    config = configuration.from_dict(kind.config_class(), header["config"], where)
    return kind.model_class().from_parts(config, header, arrays, origin)


def _origin(seed: Any, treebank: Any, trace: Any) -> Origin:
    """Return the origin of a model from its header, and check the types of its entries."""
    is_trace = isinstance(trace, list) and all(map(_is_row, trace))
    if type(seed) is not int or not isinstance(treebank, dict) or not is_trace:
        raise TypeError("seed, treebank or trace")
    return Origin(seed, treebank, trace)


def _is_row(row: Any) -> bool:
    """Return whether the discounts and strengths in a trace row are numbers or lists of numbers."""
    return isinstance(row, dict) and all(
        all(isinstance(x, int | float) for x in (value if isinstance(value, list) else [value]))
        for name, value in row.items()
        if name.endswith((".discount", ".strength"))
    )


def _model_of(file: ModelFile, name: str) -> LoadedModel:
    header = upgraded(file.header)
    kind = str(header.get("kind"))
    if kind == PROCESS_KIND:
        raise ModelFileError(
            f"{name}: the file contains a Pitman-Yor process: open it with "
            "bistro.pitman_yor.PitmanYor.load"
        )
    if not kinds.is_known(kind):
        raise ModelFileError(
            f"{name}: the model is of kind '{kind}', which is unknown to this version of Bistro "
            f"(known kinds: {', '.join(sorted(kinds.names()))}): update Bistro, or install the "
            "package that provides this kind"
        )
    try:
        return from_header(header, file.arrays)  # type: ignore[return-value]
    except kinds.BrokenKindError as error:
        raise ModelFileError(f"{name}: {error}") from None
    except UnknownSettingError as error:
        version = header.get("bistro_version", "unknown")
        raise ModelFileError(
            f"{name}: the file was written by another version of Bistro ({version}): {error}"
        ) from None
    except UNUSABLE as error:
        raise damaged(name, error) from None
