"""Output files of commands, and the checks that protect existing files.

An output option declares the kind of file that it writes (`output`). Before a command begins its
work, `checked` examines all of its outputs. Each output must be writable and must not be one of the
inputs (under any name). If an output file already exists, it must be of the kind that the command
writes. Every command that writes output files has the option ``--force``, which also overwrites
files of other kinds.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import typer

from bistro.destination import check_writable, is_special
from bistro.errors import OutputError
from bistro.files import STANDARD_STREAM, InputError, explain, open_binary

_COLUMNS = 10
_LOOKED_AT = 1 << 16


@dataclass(frozen=True)
class Writes:
    """The kind of file that an output option writes. Instances also parse the option's value."""

    what: str
    contents: frozenset[str]
    """The values of `content_of` for files that may be overwritten."""
    __name__ = "file"

    def __call__(self, value: str) -> str:
        """Return the value unchanged."""
        return value


MODEL = Writes("a model file", frozenset({"model"}))
TREES = Writes("a treebank", frozenset({"columns", "brackets"}))
TABLE = Writes("a table", frozenset({"table", "json"}))
TEXT = Writes("a text or a treebank", frozenset({"columns", "brackets", "table", "json", "text"}))
LINES = Writes("a text or a table", frozenset({"brackets", "table", "json", "text"}))
PAGE = Writes("a web page", frozenset({"page"}))
PICTURE = Writes("a picture", frozenset({"picture", "page"}))
DRAWING = Writes("a picture of trees", frozenset({"picture"}))
DRAWS = Writes("a NetCDF file", frozenset({"netcdf"}))
FORCE = typer.Option(
    False, "--force", help="Overwrite existing files of other types too, but never input files."
)
CONFIG = Writes("a configuration", frozenset({"toml"}))


def output(
    writes: Writes, metavar: str, meaning: str, *names: str, default: Any = None, **more: Any
) -> Any:
    """Return an option that names a file to be written."""
    return typer.Option(default, *names, metavar=metavar, help=meaning, parser=writes, **more)


def results(writes: Writes) -> Any:
    """Return the option for the file that receives a command's results."""
    meaning = "Output file; - means stdout."
    return output(writes, "OUT", meaning, "--output", "-o", default=STANDARD_STREAM)


def checked(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that first checks its outputs and accepts ``--force``."""
    signature, hints = inspect.signature(command), get_type_hints(command)
    parameters = {
        name: parameter.replace(annotation=hints[name])
        for name, parameter in signature.parameters.items()
    }
    outputs = {
        name: parameter.default.parser
        for name, parameter in parameters.items()
        if isinstance(getattr(parameter.default, "parser", None), Writes)
    }
    if not outputs:
        return command

    @functools.wraps(command)
    def run(*, force: bool, **values: Any) -> Any:
        written = [(values[name], writes) for name, writes in outputs.items() if values[name]]
        # The first argument of some commands is a model kind, and a file may have the same name.
        others = (value for name, value in values.items() if name not in {*outputs, "kind"})
        inputs = {_identity(text) for value in others for text in _texts(value)}
        _check(written, inputs - {None}, force=force)
        return command(**values)

    parameters["force"] = inspect.Parameter(
        "force", inspect.Parameter.KEYWORD_ONLY, default=FORCE, annotation=bool
    )
    run.__signature__ = inspect.Signature([*parameters.values()])  # type: ignore[attr-defined]
    run.__annotations__ = {**hints, "force": bool}
    return run


def content_of(path: str) -> str:
    """Classify a file by the beginning of its content.

    The class of an empty file is "nothing".
    """
    from bistro.modelfile import is_model_file

    if is_model_file(path):
        return "model"
    try:
        with open_binary(path) as stream:
            begin = stream.read(_LOOKED_AT)
        text = begin.decode("utf-8", "strict" if len(begin) < _LOOKED_AT else "ignore")
    except (InputError, UnicodeDecodeError):
        begin = _begin(path)
        kinds = {"netcdf": (b"\x89HDF", b"CDF"), "picture": (b"%PDF", b"\x89PNG")}
        return next((kind for kind, own in kinds.items() if begin.startswith(own)), "other")
    return _content_of_text(text.lstrip("\ufeff")) if text.strip() else "nothing"


def _content_of_text(text: str) -> str:
    begin = text.lstrip()[:100].lower()
    for content, beginnings in (
        ("page", ("<!doctype html", "<html")),
        ("picture", ("<svg", "<?xml", "\\documentclass", "%pdf")),
        ("netcdf", ("cdf\x01", "cdf\x02", "cdf\x05")),
        ("brackets", ("(",)),
        ("json", ("{",)),
    ):
        if begin.startswith(beginnings):
            return content
    if "\0" in text:
        return "other"
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    first = next(lines, "# comments only")
    cells = first.split("\t")
    if len(cells) == _COLUMNS and cells[0][:1].isdecimal():
        return "columns"
    if len(cells) > 1:
        return "table"
    return "toml" if first.startswith(("[", "#")) or " = " in first else "text"


def _check(outputs: list[tuple[str, Writes]], inputs: set[Any], *, force: bool) -> None:
    """Raise an error if an output would overwrite another file, or cannot be written."""
    files = [(name, writes) for name, writes in outputs if name != STANDARD_STREAM]
    places = [os.path.realpath(name) for name, _ in files if not _is_special(name)]
    for place in places:
        if places.count(place) > 1:
            raise OutputError(f"{place}: two outputs have this name: give them different names")
    for name, writes in files:
        if _identity(name) in inputs:
            raise OutputError(f"{name}: this is also an input: give the output another name")
        require_writable(name)
        if force or _is_special(name) or not Path(name).exists():
            continue
        if content_of(name) not in {*writes.contents, "nothing"}:
            raise OutputError(
                f"{name}: the file exists and is not {writes.what}: choose another name, or add "
                "--force to overwrite it"
            )


def require_writable(name: str) -> None:
    """Raise an error before any long computation begins if a file cannot be written."""
    if Path(name).is_dir():
        raise OutputError(f"{name}: this is a folder: give the name of a file to write")
    try:
        check_writable(name)
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {explain(error)}") from error


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings that a parameter's value contains."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, str))


def _identity(name: str) -> tuple[int, int] | None:
    """Return the device and inode of a regular file, or None for anything else."""
    with contextlib.suppress(OSError, ValueError):
        status = os.fstat(0) if name == STANDARD_STREAM else Path(name).stat()
        if stat.S_ISREG(status.st_mode):
            return status.st_dev, status.st_ino
    return None


def _is_special(name: str) -> bool:
    try:
        return is_special(name)
    except OSError:
        return False


def _begin(path: str) -> bytes:
    with Path(path).open("rb") as stream:
        return stream.read(8)
