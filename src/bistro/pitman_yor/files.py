"""Save a process to a model file, and load a process from a model file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from bistro.config import LARGEST
from bistro.encoding.arrays import Expected, check_arrays
from bistro.errors import UNUSABLE, BistroError, ModelFileError, damaged
from bistro.modelfile import PROCESS_KIND, Arrays, read_model, write_model
from bistro.pitman_yor.bases import Characters
from bistro.pitman_yor.events import END
from bistro.pitman_yor.settings import LEVELS

if TYPE_CHECKING:
    from bistro.pitman_yor.process import PitmanYor

_COUNTS, _PAIRS = Expected("i4", (None,)), Expected("u4", (None,))
_FRANCHISE = {
    **dict.fromkeys(("restaurants", "entries"), _PAIRS),
    **dict.fromkeys(("customers", "tables", "sizes"), _COUNTS),
    "parameters": Expected("f8", (None, 2)),
}
FIXED = {**_FRANCHISE, "observed": _COUNTS}
"""The arrays expected for a chain with contexts of limited length."""
LETTERS = {f"letters.{name}": expected for name, expected in _FRANCHISE.items()}
"""The additional arrays of a chain whose base spells strings."""
UNBOUNDED = {
    **dict.fromkeys(("nodes", "children"), _PAIRS),
    **dict.fromkeys(("text", "leaves", "seats", "sizes"), _COUNTS),
    "parameters": Expected("f8", (LEVELS + 1,)),
}
"""The arrays expected for a chain with contexts of any length."""
LEARNER = {"learner": Expected("f8", (None,))}
"""The additional arrays of a chain whose hyper-parameters are learned online."""
Process = TypeVar("Process", bound="PitmanYor")


def save(process: PitmanYor, path: str | os.PathLike[str]) -> None:
    """Write a process to a file, together with its base process."""
    header, arrays = _parts(process, "")
    write_model(path, {"kind": PROCESS_KIND, **header}, arrays)


def load(cls: type[Process], path: str | os.PathLike[str]) -> Process:
    """Read a process from a file."""
    file = read_model(path)
    name = os.fspath(path)
    if file.header["kind"] != PROCESS_KIND:
        raise ModelFileError(
            f"{name}: the file contains a model of kind '{file.header['kind']}': open it with "
            "bistro.load"
        )
    try:
        return _process(cls, file.header, file.arrays, "")
    except UNUSABLE as error:
        raise damaged(name, error) from None


def _parts(process: PitmanYor, prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    settings = process.get_params()
    base, settings["outcomes"] = settings.pop("base"), None
    header: dict[str, Any] = {
        "outcomes": [encoded(x) for x in process.outcomes_],
        "features": [encoded(x) for x in process.numbering.features],
        "calls": process.calls,
    }
    arrays: dict[str, Any] = {}
    if isinstance(base, Characters):
        header["base"] = {"characters": vars(base)}
    elif base is not None and hasattr(base, "get_params"):
        header["base"], inner = _parts(base, f"{prefix}base.")
        arrays |= inner
    elif base is not None:
        header["base"] = {"probabilities": [base[x] for x in process.outcomes_]}
    header["settings"] = {name: _plain(value) for name, value in settings.items()}
    for i, state in enumerate(process.states()):
        arrays |= {f"{prefix}{i}.{name}": array for name, array in state.items()}
    return header, arrays


def _process(
    cls: type[Process], header: dict[str, Any], arrays: dict[str, Any], prefix: str
) -> Process:
    outcomes = [decoded(x) for x in header["outcomes"]]
    saved = header.get("base")
    base: Any = None
    if saved is not None and "characters" in saved:
        base = Characters(**saved["characters"])
    elif saved is not None and "probabilities" in saved:
        base = dict(zip(outcomes, saved["probabilities"], strict=True))
    elif saved is not None:
        base = _process(cls, saved, arrays, f"{prefix}base.")
    settings = {**header["settings"], "outcomes": outcomes}
    states = _states(settings, isinstance(base, Characters), arrays, prefix)
    calls = header["calls"]
    if type(calls) is not int or not 0 <= calls <= LARGEST:
        raise ModelFileError("the number of calls is out of range")
    process = cls(**settings, base=base)
    process.restore(states, [decoded(x) for x in header["features"]], calls)
    return process


def _states(
    settings: Mapping[str, Any], spells: bool, arrays: Arrays, prefix: str
) -> list[dict[str, Any]]:
    """Return the arrays of each chain, after checking their names and types."""
    chains = settings["chains"]
    if type(chains) is not int or not 1 <= chains <= len(arrays):
        raise ModelFileError("the number of chains does not match the arrays")
    expected = dict(UNBOUNDED if settings["depth"] is None else FIXED)
    expected |= LETTERS if spells else {}
    expected |= LEARNER if settings["hyper"] == "online" else {}
    states = []
    for i in range(chains):
        start = f"{prefix}{i}."
        own = {k.removeprefix(start): v for k, v in arrays.items() if k.startswith(start)}
        if own.keys() != expected.keys():
            raise ModelFileError("the arrays do not match the settings")
        check_arrays(own, expected)
        states.append(own)
    return states


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple | list) else value


def encoded(value: Any) -> Any:
    """Convert an outcome to a value that JSON can store.

    Tuples, bytes and `END` are marked as such.

    >>> decoded(encoded((1, b"a", "x", None))) == (1, b"a", "x", None)
    True
    """
    if value is END:
        return {"end": True}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, tuple):
        return {"tuple": [encoded(x) for x in value]}
    if isinstance(value, frozenset):
        return {"set": sorted((encoded(x) for x in value), key=repr)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise BistroError(
        f"{value!r} cannot be saved: outcomes and elements of contexts must be numbers, strings, "
        "bytes, None, or tuples or frozensets of these"
    )


def decoded(value: Any) -> Any:
    """Restore an outcome from the result of `encoded`."""
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "tuple":
        return tuple(decoded(x) for x in content)
    if kind == "set":
        return frozenset(decoded(x) for x in content)
    return END
