"""Pip packages that contain a model file, its card and its report.

    bistro_models/bistro_en_ewt/model.bistro    the model file, byte for byte
    bistro_models/bistro_en_ewt/card.json       facts about the model; see `bistro.report.card`
    bistro_models/bistro_en_ewt/report.html     the report of the test, if there was one
    bistro_en_ewt-1.0.0.dist-info/...           metadata for pip; see `bistro.report.wheel`

It contains no code. `bistro.models.installed` finds the model by the entry point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from bistro.errors import BistroError, OutputError
from bistro.files import explain, writing
from bistro.models.base import Model
from bistro.models.installed import CARD_FILE, GROUP, PACKAGE_NAME, SUFFIX, normalised, sha256_of
from bistro.report.card import About, card_markdown, make_card, summary_of
from bistro.report.html import Page
from bistro.report.wheel import Content, Distribution, licence_expression, write_wheel
from bistro.version import __version__

FOLDER = "bistro_models"
"""The folder in ``site-packages`` that contains all installed models."""
MODEL_FILE = f"model{SUFFIX}"
REPORT_FILE = "report.html"
OWN_NAME = "bistro-syntax"
DEFAULT_VERSION = "1.0.0"
VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")
"""A pattern for Python package versions (PEP 440) without epochs or local parts."""
UD_FILE = re.compile(r"([a-z]{2,3})_([a-z0-9]+)-ud-")
PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = {name}
version = {version}
description = {summary}
readme = "README.md"
license = {licence}
dependencies = {requires}

[project.entry-points."{group}"]
{name} = {module}

[tool.setuptools]
packages = [{module}]

[tool.setuptools.package-data]
"*" = ["*"]
"""


def checked_about(
    model: Model,
    path: str,
    *,
    name: str | None = None,
    version: str = DEFAULT_VERSION,
    licence: str | None = None,
) -> About:
    """Return the name, version and licence of a package, or raise an error if any is invalid.

    Parameters
    ----------
    model
        The model.
    path
        The name of its file, which names the package if the treebank has no name.
    name
        The name of the package; by default ``bistro-`` with the name of the treebank.
    version
        Its version.
    licence
        The licence of the treebank, if the model does not record it.
    """
    name = default_name(model, path) if name is None else name
    if not PACKAGE_NAME.fullmatch(name) or name.lower().endswith(SUFFIX):
        raise BistroError(
            f"'{name}' cannot be the name of a package: use letters, digits and -, as in "
            "bistro-en-ewt"
        )
    if normalised(name) == OWN_NAME:
        raise BistroError(f"'{name}' is the name of Bistro itself: choose another --name")
    if not VERSION.fullmatch(version):
        raise BistroError(
            f"'{version}' cannot be the version of a package: use numbers, as in 1.0.0"
        )
    known = licence or model.origin.treebank.get("license")
    if not isinstance(known, str) or not known.strip():
        raise BistroError(
            "the licence of the treebank is unknown: give it, as in --licence 'CC BY-SA 4.0'"
        )
    return About(normalised(name), version, " ".join(known.split()))


def default_name(model: Model, path: str) -> str:
    """Return a name for a package, based on the UD treebank or else on the model file.

    >>> import bistro
    >>> model = bistro.train("ngram", bistro.builtin(sentences=20, seed=1))
    >>> default_name(model, "models/My English.bistro")
    'bistro-my-english'
    """
    treebank = UD_FILE.search(str(model.origin.treebank.get("name", "")))
    if treebank:
        return f"bistro-{treebank[1]}-{treebank[2]}"
    stem = re.sub(r"[^a-z0-9]+", "-", PurePath(path).name.removesuffix(SUFFIX).lower()).strip("-")
    return stem if stem.startswith("bistro-") else f"bistro-{stem or 'model'}"


@dataclass(frozen=True)
class Package:
    """The contents of a package."""

    card: Mapping[str, Any]
    files: Mapping[str, Content]
    """The contents of the package's files, by their paths in ``site-packages``."""
    distribution: Distribution

    @property
    def name(self) -> str:
        """The name of the package."""
        return self.distribution.name

    def write_wheel(self, folder: str) -> Path:
        """Write the wheel into a folder and return its path.

        The folder is created if it does not exist.
        """
        path = Path(folder) / self.distribution.wheel_name
        _make_folder(path.parent)
        with writing(path) as stream:
            write_wheel(stream, self.distribution, self.files)
        return path

    def write_source(self, folder: str) -> Path:
        """Write a source folder from which the same package can be built, and return its path."""
        top = Path(folder) / self.name
        contents = {**self.files, "README.md": self.distribution.description.encode()}
        contents["pyproject.toml"] = self._pyproject().encode()
        for name, content in contents.items():
            path = top / name
            _make_folder(path.parent)
            with writing(path) as stream:
                stream.write(content if isinstance(content, bytes) else content.read_bytes())
        return top

    def _pyproject(self) -> str:
        about = self.distribution
        values = {
            "name": about.name,
            "version": about.version,
            "summary": " ".join(about.summary.split()),
            "licence": licence_expression(about.licence),
            "requires": list(about.requires),
            "module": _module(about.name),
        }
        # Strings and lists are the same in JSON and TOML.
        shown = {key: json.dumps(value) for key, value in values.items()}
        return PYPROJECT.format(group=GROUP, **shown)


def make_package(
    model: Model, path: str, about: About, page: Page | None = None, *, test: str | None = None
) -> Package:
    """Return a package that contains a model.

    Parameters
    ----------
    model
        The model.
    path
        Its file.
    about
        The name, the version and the licence, from `checked_about`.
    page
        The report of a test, whose figures go on the card.
    test
        The name of the test file.
    """
    file = {"file": MODEL_FILE, "bytes": Path(path).stat().st_size, "sha256": sha256_of(path)}
    card = {**make_card(model, about, page, test=test), **file}
    module = _module(about.name)
    folder = module.replace(".", "/")
    encoded = json.dumps(card, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    files: dict[str, Content] = {
        f"{folder}/{MODEL_FILE}": Path(path),
        f"{folder}/{CARD_FILE}": encoded.encode(),
    }
    if page is not None:
        files[f"{folder}/{REPORT_FILE}"] = page.render().encode()
    distribution = Distribution(
        about.name,
        about.version,
        summary_of(card),
        about.licence,
        card_markdown(card),
        requires=[] if "+" in __version__ else [f"{OWN_NAME}>={__version__}"],
        entry_points=f"[{GROUP}]\n{about.name} = {module}\n",
    )
    return Package(card, files, distribution)


def _module(name: str) -> str:
    """Return the dotted module name of a model package, for its entry point."""
    return f"{FOLDER}.{name.replace('-', '_')}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {explain(error)}") from None
