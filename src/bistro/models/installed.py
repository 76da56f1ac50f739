"""Finding, checking and listing models that were installed with pip.

A model package contains only data. Its folder contains the model file and ``card.json``, which
describes the model. An entry point of the group ``bistro.models`` specifies the name and the
folder. Bistro reads the model file and the card from the folder in which pip installed them, and
imports nothing from the package. `bistro.report.package` writes such packages.

Names are compared as in pip, so ``bistro-en-ewt``, ``bistro_en_ewt`` and ``Bistro.En.EWT`` are the
same name.

>>> normalised("Bistro_En.EWT")
'bistro-en-ewt'
>>> located("models/english.bistro")
('models/english.bistro', None)
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bistro.errors import BistroWarning, ModelFileError, nearest
from bistro.files import explain, similar_file
from bistro.modelfile import is_model_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "bistro.models"
CARD_FILE = "card.json"
CARD_FORMAT = 1
"""Version of the card format to write, and the newest version that can be read."""
SUFFIX = ".bistro"
"""Suffix of model file names. The name of a package never ends in this suffix."""
PACKAGE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
NEEDED = {"name": str, "version": str, "kind": str, "licence": str, "file": str, "sha256": str}
"""The entries that every card must have."""


class DamagedPackageError(ModelFileError):
    """Error for an installed model package that cannot be used."""


@dataclass(frozen=True)
class Installed:
    """An installed model package.

    Attributes
    ----------
    name
        The name for ``bistro.load``.
    version
        The version of the package.
    folder
        The folder that contains the files of the package.
    card
        The content of ``card.json``.
    """

    name: str
    version: str
    folder: Path
    card: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The model file."""
        return self.folder / str(self.card["file"])

    @property
    def sha256(self) -> str:
        """The SHA-256 checksum of the model file, as recorded in the package."""
        return str(self.card["sha256"])

    def check(self) -> None:
        """Raise an error if the model file differs from the packaged file."""
        try:
            checksum = sha256_of(self.path)
        except OSError as error:
            raise self._damaged(f"the model file cannot be read: {explain(error)}") from None
        if checksum != self.sha256:
            raise self._damaged("the checksum of the model file is wrong")

    def _damaged(self, reason: str) -> DamagedPackageError:
        return _damaged(f"{self.name} {self.version}", reason)


def normalised(name: str) -> str:
    """Return the normalised form of a package name, for comparison (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 checksum of a file as a hexadecimal string."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def located(name: str) -> tuple[str, Installed | None]:
    """Return the model file with this name, and its package if the model is installed.

    A file takes precedence over an installed model with the same name, and a warning is shown in
    this case.

    Parameters
    ----------
    name
        The path of a model file or the name of an installed model.

    Raises
    ------
    ModelFileError
        If neither a file nor an installed model has this name, or if the package is damaged.
    """
    package = package_of(name)
    if package is not None:
        package.check()
        return str(package.path), package
    if _can_be_package(name):
        if not Path(name).exists():
            raise ModelFileError(_no_such_model(name))
        if _is_file(name) and normalised(name) in _entries():
            warnings.warn(_file_wins(name), BistroWarning, stacklevel=3)
    return name, None


def package_of(name: str) -> Installed | None:
    """Return the installed model with this name, or None."""
    if not _can_be_package(name) or _is_file(name):
        return None
    entries = _entries().get(normalised(name))
    return _read(normalised(name), entries) if entries else None


def is_model(name: str) -> bool:
    """Return whether a name refers to a model file or to an installed model."""
    if _is_file(name):
        return is_model_file(name)
    return _can_be_package(name) and normalised(name) in _entries()


def _is_file(name: str) -> bool:
    """Return whether there is a file (not a folder) with this name."""
    return Path(name).exists() and not Path(name).is_dir()


def every() -> Iterator[Installed | DamagedPackageError]:
    """Yield the installed models, sorted by name.

    For a damaged model, an error is yielded instead of the model.
    """
    for name, entries in sorted(_entries().items()):
        try:
            yield _read(name, entries)
        except DamagedPackageError as error:
            yield error


def _can_be_package(name: str) -> bool:
    """Return whether a name can be a package name rather than a path or a model file."""
    return PACKAGE_NAME.fullmatch(name) is not None and not name.endswith(SUFFIX)


def _entries() -> dict[str, list[EntryPoint]]:
    """Return the entry points of installed models, by name."""
    # Imported here, because only names of packages need this search of all installed packages.
    from importlib import metadata

    entries: dict[str, list[EntryPoint]] = {}
    for entry in metadata.entry_points(group=GROUP):
        entries.setdefault(normalised(entry.name), []).append(entry)
    return entries


def _read(name: str, entries: list[EntryPoint]) -> Installed:
    """Return an installed model after checking its card."""
    if len(entries) > 1:
        owners = " and ".join(sorted(_owner(entry) for entry in entries))
        raise DamagedPackageError(
            f"{name}: several installed packages provide models with this name ({owners}): "
            "uninstall all but one"
        )
    entry = entries[0]
    if entry.dist is None:
        raise _damaged(name, "the model does not belong to an installed package")
    folder = Path(str(entry.dist.locate_file(entry.module.replace(".", "/"))))
    version = entry.dist.version
    card = _card(f"{name} {version}", folder / CARD_FILE)
    return Installed(name, version, folder, card)


def _card(owner: str, path: Path) -> dict[str, Any]:
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _damaged(owner, f"{CARD_FILE} cannot be read: {explain(error)}") from None
    except (ValueError, RecursionError):
        raise _damaged(owner, f"{CARD_FILE} is not valid JSON") from None
    format = card.get("format") if isinstance(card, dict) else None
    if type(format) is not int or format < 1:
        raise _damaged(owner, f"{CARD_FILE} does not specify its format")
    if format > CARD_FORMAT:
        raise DamagedPackageError(
            f"{owner}: the package has a newer format ({format}; this version of Bistro reads "
            f"formats up to {CARD_FORMAT}): update Bistro"
        )
    for key, type_ in NEEDED.items():
        if not isinstance(card.get(key), type_):
            raise _damaged(owner, f"{CARD_FILE} does not specify the {key} of the model")
    if Path(card["file"]).name != card["file"]:
        raise _damaged(owner, f"{CARD_FILE} names a file outside the package")
    result: dict[str, Any] = card
    return result


def _damaged(owner: str, reason: str) -> DamagedPackageError:
    return DamagedPackageError(
        f"{owner}: the installed package is damaged: {reason}: install it again with "
        "pip install --force-reinstall"
    )


def _owner(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _no_such_model(name: str) -> str:
    names = list(_entries())
    if Path(f"{name}{SUFFIX}").is_file():
        hint = f" (did you mean '{name}{SUFFIX}'?)"
    else:
        hint = similar_file(Path(name)) or nearest(normalised(name), names)
    if not names:
        return f"{name}: cannot be read: no such file{hint}, and no model is installed"
    return (
        f"{name}: cannot be read: no such file, and no installed model has this name{hint}; "
        "bistro models lists the installed models"
    )


def _file_wins(name: str) -> str:
    return (
        f"{name} is a file here and also the name of an installed model: the file is used; "
        "run the command in another folder, or rename the file, to use the installed model"
    )
