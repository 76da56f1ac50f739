"""The model file: arrays in safetensors form with one JSON object that says what they are.

    8 bytes   length N of the header, little-endian
    N bytes   JSON: name -> {dtype, shape, data_offsets}, and under ``__metadata__`` the entry
              ``bistro``, itself JSON; filled up with spaces so that the data starts at 64 k bytes
    the rest  the arrays, without gaps, wide types first, then by name

Nothing in it is executed. Reading maps the file: arrays are read-only views, loaded by the
operating system when touched and shared between processes. See docs/file-format.md.

>>> import tempfile
>>> path = tempfile.mkdtemp() + "/m.bistro"
>>> write_model(path, {"kind": "ngram", "seed": 1}, {"counts": np.arange(3)})
>>> model = read_model(path)
>>> model.header["kind"], int(model.arrays["counts"][2])
('ngram', 2)
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ModelFileError
from bistro.files import explain, writing

FORMAT_VERSION = 2
"""The newest version that can be read; a file has the oldest one that fits its family."""
Arrays = Mapping[str, NDArray[Any]]
METADATA = "__metadata__"
OWN_ENTRY = "bistro"
ALIGNMENT = 64
# The limit of the safetensors format.
LONGEST_HEADER = 100_000_000
_COMPRESSED = (".gz", ".xz", ".zst")
_DTYPES = {
    "BOOL": np.dtype("?"),
    **{f"U{8 * n}": np.dtype(f"<u{n}") for n in (1, 2, 4, 8)},
    **{f"I{8 * n}": np.dtype(f"<i{n}") for n in (1, 2, 4, 8)},
    **{f"F{8 * n}": np.dtype(f"<f{n}") for n in (2, 4, 8)},
}
_DTYPE_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What a model file holds."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_model(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays, version: int = 1
) -> None:
    """Write a model; the same header and arrays give the same bytes.

    `header` must have a ``kind``; the `version` of the format and that of Bistro are put in here.
    """
    name = os.fspath(path)
    if name.endswith(_COMPRESSED):
        raise ModelFileError(f"{name}: a model file is mapped, not compressed: choose another name")
    pieces = _pieces(name, header, arrays, version)
    with writing(name) as stream:
        stream.writelines(pieces)


def encode_model(header: Mapping[str, Any], arrays: Arrays, version: int = 1) -> bytes:
    """Return what `write_model` would write."""
    return b"".join(_pieces("the model", header, arrays, version))


def _pieces(
    name: str, header: Mapping[str, Any], arrays: Arrays, version: int
) -> list[bytes | memoryview]:
    """Return the content of a model file, in pieces that share the memory of the arrays."""
    if not isinstance(header.get("kind"), str):
        raise ValueError("the header of a model needs a kind")
    own = {**header, "format_version": version, "bistro_version": _bistro_version()}
    ordered = sorted(
        ((key, _plain(key, array)) for key, array in arrays.items()),
        key=lambda item: (-item[1].dtype.itemsize, item[0]),
    )
    content = _encode_header(name, own, ordered)
    data = [array.reshape(-1).view(np.uint8).data for _, array in ordered]
    return [len(content).to_bytes(8, "little"), content, *data]


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Map a model file and check all of it but the numbers themselves."""
    name = os.fspath(path)
    return _parts(name, _map(name))


def decode_model(content: bytes, name: str) -> ModelFile:
    """Check the content of a model file like `read_model`; `name` is for messages."""
    return _parts(name, np.frombuffer(content, dtype=np.uint8))


def _parts(name: str, data: NDArray[np.uint8]) -> ModelFile:
    outer, start = _decode_header(name, data)
    header = _own_entry(name, outer.pop(METADATA, None))
    return ModelFile(header, _arrays(name, outer, data, start))


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins as model files do; text never does."""
    try:
        with Path(path).open("rb") as stream:
            begin = stream.read(9)
    except OSError:
        return False
    length = int.from_bytes(begin[:8], "little")
    return begin[8:] == b"{" and length <= LONGEST_HEADER


def _plain(key: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in C order and little-endian, of a type that the format has."""
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype not in _DTYPE_NAMES or key == METADATA:
        raise ValueError(f"array {key!r} of type {plain.dtype} cannot be stored in a model file")
    return plain


def _encode_header(
    name: str, own: Mapping[str, Any], ordered: list[tuple[str, NDArray[Any]]]
) -> bytes:
    outer: dict[str, Any] = {METADATA: {OWN_ENTRY: json.dumps(own, sort_keys=True)}}
    offset = 0
    for key, array in ordered:
        outer[key] = {
            "dtype": _DTYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    content = json.dumps(outer, separators=(",", ":")).encode("ascii")
    content += b" " * (-(8 + len(content)) % ALIGNMENT)
    if len(content) > LONGEST_HEADER:
        raise ModelFileError(
            f"{name}: the header would take {len(content)} bytes, more than the "
            f"{LONGEST_HEADER} a model file can have: use a smaller vocabulary"
        )
    return content


def _map(name: str) -> NDArray[np.uint8]:
    try:
        if Path(name).is_dir():
            raise ModelFileError(f"{name}: is a folder, where a model file was expected")
        size = Path(name).stat().st_size
        if size == 0 and Path(name).is_file():
            raise ModelFileError(f"{name}: is empty, where a model file was expected")
        if not Path(name).is_file():
            raise ModelFileError(f"{name}: is not a regular file, so it cannot be mapped")
        return np.asarray(np.memmap(name, dtype=np.uint8, mode="r"))
    except OSError as error:
        raise ModelFileError(f"{name}: cannot be read: {explain(error)}") from error


def _decode_header(name: str, data: NDArray[np.uint8]) -> tuple[dict[str, Any], int]:
    """Return the JSON of the safetensors header and the place where the arrays start."""
    length = int.from_bytes(data[:8].tobytes(), "little")
    starts_well = data[8:9].tobytes() in (b"{", b"") and 2 <= length <= LONGEST_HEADER
    if data.size < 8 or not starts_well:
        raise ModelFileError(f"{name}: is not a Bistro model file")
    if 8 + length > data.size:
        raise _cut_short(name, data.size, 8 + length)
    try:
        outer = json.loads(data[8 : 8 + length].tobytes())
    except (ValueError, RecursionError):
        raise ModelFileError(f"{name}: is damaged: its header is not valid JSON") from None
    if not isinstance(outer, dict):
        raise ModelFileError(f"{name}: is damaged: its header is not a JSON object")
    return outer, 8 + length


def _own_entry(name: str, metadata: Any) -> dict[str, Any]:
    """Return Bistro's part of the header, if it is there and of a version we know."""
    if not isinstance(metadata, dict) or not isinstance(metadata.get(OWN_ENTRY), str):
        raise ModelFileError(f"{name}: is a safetensors file, but not one made by Bistro")
    try:
        own = json.loads(metadata[OWN_ENTRY])
    except (ValueError, RecursionError):
        raise ModelFileError(f"{name}: is damaged: Bistro's header is not valid JSON") from None
    version = own.get("format_version") if isinstance(own, dict) else None
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{name}: is damaged: its header has no format version")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name}: was made by a newer Bistro (format {version}, this one reads up to "
            f"{FORMAT_VERSION}): update Bistro"
        )
    if not isinstance(own.get("kind"), str):
        raise ModelFileError(f"{name}: is damaged: its header does not say which kind of model")
    result: dict[str, Any] = own
    return result


def _arrays(
    name: str, entries: Mapping[str, Any], data: NDArray[np.uint8], start: int
) -> dict[str, NDArray[Any]]:
    """Return views of the data, which must be covered exactly: no gap, no overlap, no rest."""
    layout = sorted((*_layout(name, key, entry), key) for key, entry in entries.items())
    arrays: dict[str, NDArray[Any]] = {}
    position = start
    for begin, end, dtype_name, shape, key in layout:
        if start + begin != position:
            raise ModelFileError(f"{name}: is damaged: array {key!r} overlaps or leaves a gap")
        position = start + end
        if position > data.size:
            raise _cut_short(name, data.size, start + max(item[1] for item in layout))
        dtype = _DTYPES[dtype_name]
        if (start + begin) % dtype.itemsize and end > begin:
            raise ModelFileError(f"{name}: is damaged: array {key!r} is not aligned")
        try:
            arrays[key] = data[start + begin : position].view(dtype).reshape(shape)
        except ValueError:
            raise _bad_entry(name, key) from None
    if position != data.size:
        raise ModelFileError(f"{name}: is damaged: {data.size - position} bytes too many")
    return arrays


def _layout(name: str, key: str, entry: Any) -> tuple[int, int, str, list[int]]:
    """Return begin, end, type and shape of one array, after checking them against each other."""
    try:
        dtype_name, shape = entry["dtype"], entry["shape"]
        begin, end = entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise _bad_entry(name, key) from None
    if not isinstance(dtype_name, str) or dtype_name not in _DTYPES:
        raise ModelFileError(f"{name}: array {key!r} has the type {dtype_name!r}, unknown here")
    if not isinstance(shape, list) or any(
        type(n) is not int or n < 0 for n in (begin, end, *shape)
    ):
        raise _bad_entry(name, key)
    if end - begin != math.prod(shape) * _DTYPES[dtype_name].itemsize:
        raise _bad_entry(name, key)
    return begin, end, dtype_name, shape


def _bad_entry(name: str, key: str) -> ModelFileError:
    return ModelFileError(f"{name}: is damaged: the entry of array {key!r} is impossible")


def _cut_short(name: str, size: int, expected: int) -> ModelFileError:
    return ModelFileError(
        f"{name}: is cut short: {size} bytes of at least {expected}: copy it again"
    )


def _bistro_version() -> str:
    try:
        return importlib.metadata.version("bistro-syntax")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"
