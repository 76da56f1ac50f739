"""Model files and checkpoints that nobody wrote: damaged ones, and ones altered on purpose.

A case is named by the file that it comes from, how it is altered, and a number; the same name gives
the same bytes. Damage leaves the checksum as it was. A hostile change makes the checksum right
again, so that everything behind it has to stand on its own.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from conformance.recipes import RECIPES, Recipe
from conformance.stored_figures import figures_of

from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.modelfile import FORMAT_VERSION, decode_model, encode_model
from bistro.models.base import Model, from_bytes

from .made import MADE, use_process

STORED = Path(__file__).resolve().parents[1] / "data" / "models"
PAGE = 4096
NUMBERS: list[Any] = [0, 1, -1, 2, 7, 255, 10**6, 2**31 - 1, 2**31, -(2**31), 2**63, 2**64, 1e308]
VALUES: list[Any] = [*NUMBERS, 0.5, None, True, "", "x", "\0", [], {}, [[]], {"x": 1}, float("nan")]
FLOATS = [0.0, -1.0, 1.0, 2.0, 1e-320, 1e30, 3e38, -3e38, np.inf, -np.inf, np.nan]


@cache
def names() -> list[str]:
    """Return the files that cases are made from."""
    stored = [path.name for path in sorted(STORED.glob(f"*-{FORMAT_VERSION}.bistro"))]
    checkpoints = [f"{recipe.name}.checkpoint" for recipe in RECIPES if recipe.stops]
    return stored + checkpoints + list(MADE)


@cache
def content_of(name: str) -> bytes:
    """Return a whole file: a stored model, or the checkpoint of a training that was stopped."""
    if name in MADE:
        return MADE[name]()
    if name.endswith(".bistro"):
        return (STORED / name).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "m.checkpoint", 0.0)
        try:
            _recipe(name).train(session=Session(checkpoint, stop_requested=checkpoint.path.exists))
        except StoppedError:
            return checkpoint.path.read_bytes()
    raise AssertionError(f"{name}: nothing was left to stop")


def use(name: str, content: bytes) -> None:
    """Do with a file all that can be done: ask the model everything, or finish the training."""
    if name.startswith("process"):
        use_process(content)
        return
    if name.endswith(".bistro"):
        figures_of(from_bytes(content, name))
        return
    figures_of(from_bytes(finished(name, content).to_bytes()))


def finished(name: str, content: bytes) -> Model:
    """Finish the training that a checkpoint belongs to."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "m.checkpoint", 1e9)
        checkpoint.path.write_bytes(content)
        return _recipe(name).train(session=Session(checkpoint, resume=True))


def _recipe(name: str) -> Recipe:
    return next(recipe for recipe in RECIPES if f"{recipe.name}.checkpoint" == name)


def damaged(name: str, number: int) -> bytes:
    """Return a file as a bad disk, a bad cable or a bad copy leaves it."""
    rng = random.Random(f"damage {name} {number}")
    content = bytearray(content_of(name))
    change: Callable[[bytearray, random.Random], bytes | bytearray] = rng.choice(DAMAGES)
    result = bytes(change(content, rng))
    return result if result != content_of(name) else damaged(name, number + 1_000_003)


def _flip(content: bytearray, rng: random.Random) -> bytearray:
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def _flip_in_header(content: bytearray, rng: random.Random) -> bytearray:
    content[rng.randrange(8 + int.from_bytes(content[:8], "little"))] ^= 1 << rng.randrange(8)
    return content


def _cut(content: bytearray, rng: random.Random) -> bytearray:
    return content[: rng.randrange(len(content))]


def _swap(content: bytearray, rng: random.Random) -> bytes:
    size = rng.choice([1, 8, 64, 512, PAGE])
    pieces = [bytes(content[at : at + size]) for at in range(0, len(content), size)]
    i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    pieces[i], pieces[j] = pieces[j], pieces[i]
    return b"".join(pieces)


def _zero(content: bytearray, rng: random.Random) -> bytearray:
    size = rng.choice([1, 64, 512, PAGE])
    at = rng.randrange(0, len(content), size)
    content[at : at + size] = bytes(len(content[at : at + size]))
    return content


def _lengthen(content: bytearray, rng: random.Random) -> bytearray:
    return content + rng.randbytes(rng.choice([1, 8, PAGE]))


DAMAGES: list[Callable[[bytearray, random.Random], Any]] = [
    *(_flip, _flip_in_header, _cut, _swap, _zero, _lengthen)
]


def hostile(name: str, number: int) -> bytes:
    """Return a file with altered arrays or entries and the checksum that belongs to them."""
    rng = random.Random(f"hostile {name} {number}")
    file = decode_model(content_of(name), name)
    header = file.header
    arrays = {key: np.array(array) for key, array in file.arrays.items()}
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if arrays and rng.random() < 0.6:
            _alter_array(arrays, rng)
        else:
            entry = rng.choice(sorted(header))
            header = {**header, entry: altered(header[entry], rng)}
    return encode_model({**header, "kind": file.header["kind"]}, arrays)


def _alter_array(arrays: dict[str, Any], rng: random.Random) -> None:
    key = rng.choice(sorted(arrays))
    array = arrays[key]
    flat = array.reshape(-1)
    how = rng.randrange(8)
    if how == 0:
        del arrays[key]
    elif how == 1:
        arrays[key] = flat[: rng.randrange(array.size + 1)]
    elif how == 2:
        arrays[key] = np.concatenate([flat, flat[: rng.randrange(array.size + 1)]])
    elif how == 3:
        arrays[key] = flat.astype(rng.choice(["i1", "i4", "i8", "u4", "f4", "f8"]), copy=True)
    elif how == 4:
        arrays[key] = arrays[rng.choice(sorted(arrays))].copy()
    elif how == 5 and array.size:
        rng.shuffle(flat)
    elif array.size:
        for _ in range(rng.choice([1, 1, 3, array.size])):
            flat[rng.randrange(array.size)] = _number(array.dtype, rng)


def _number(dtype: np.dtype[Any], rng: random.Random) -> Any:
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.asarray(rng.choice(FLOATS)).astype(dtype)
    if dtype.kind == "b":
        return rng.random() < 0.5
    limits = np.iinfo(dtype)
    near = [limits.min, limits.max, 0, 1, 2, 3, 5, 10, 50, 1000, 2**30]
    return min(max(rng.choice(near), limits.min), limits.max)


def altered(value: Any, rng: random.Random) -> Any:
    """Return a copy of JSON with one change somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {other: entry for other, entry in value.items() if other != key}
        return {**value, key: altered(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        if rng.random() < 0.3:
            return rng.choice([value[:i], [*value, value[i]], value[i:] + value[:i]])
        return [*value[:i], altered(value[i], rng), *value[i + 1 :]]
    if isinstance(value, int) and rng.random() < 0.5:
        return rng.choice([value + 1, value - 1, 2 * value, -value, value + 1000])
    return rng.choice(VALUES)
