"""The model file contains arrays in safetensors format and a JSON object that describes them.

    8 bytes   length N of the header, little-endian
    N bytes   JSON: name -> {dtype, shape, data_offsets}, and under ``__metadata__`` the entries
              ``checksum``, 16 hexadecimal digits at a fixed position, and ``bistro``, itself JSON;
              padded with spaces so that the data starts at a multiple of 64 bytes
    the rest  the arrays, without gaps, wide types first, then by name

Nothing in a model file is executed. The checksum covers all bytes of the file after the checksum
itself. Reading copies the file into memory, so that overwriting the file does not affect processes
that use it. The arrays are read-only views. See docs/file-format.md.

>>> import tempfile
>>> path = tempfile.mkdtemp() + "/m.bistro"
>>> write_model(path, {"kind": "ngram", "seed": 1}, {"counts": np.arange(3)})
>>> model = read_model(path)
>>> model.header["kind"], int(model.arrays["counts"][2])
('ngram', 2)
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Checksum, read_whole
from bistro.errors import ModelFileError, NotAModelError
from bistro.files import explain, read_json, writing
from bistro.system import read_at

FORMAT_VERSION = 3
"""The version of the file format that is written, which is also the newest version that can be
read."""
FIRST_CHECKED = 3
"""The first version of the file format that includes a checksum."""
PROCESS_KIND = "pitman-yor"
"""The kind in the header of a file written by `bistro.pitman_yor`: a process, not a model."""
Arrays = Mapping[str, NDArray[Any]]
METADATA = "__metadata__"
OWN_ENTRY = "bistro"
_BEFORE_CHECKSUM = b'{"__metadata__":{"checksum":"'
_DIGITS = 16
_CHECKED_FROM = 8 + len(_BEFORE_CHECKSUM) + _DIGITS
_MOST_THREADS = 4
_MOST_DIMENSIONS = 32
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
    """The content of a model file."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_model(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    arrays: Arrays,
    version: int = FORMAT_VERSION,
) -> None:
    """Write a model file.

    The same header and arrays always give the same bytes.

    `header` must contain ``kind``. The versions of the format and of Bistro are added to the
    header.
    """
    name = os.fspath(path)
    if name.endswith(_COMPRESSED):
        raise ModelFileError(
            f"{name}: a model file cannot be compressed: choose a name without the suffix of a "
            "compressed file"
        )
    pieces = _pieces(name, header, arrays, version)
    with writing(name) as stream:
        stream.writelines(pieces)


def encode_model(header: Mapping[str, Any], arrays: Arrays, version: int = FORMAT_VERSION) -> bytes:
    """Return the bytes that `write_model` writes."""
    return b"".join(_pieces("the model", header, arrays, version))


def _pieces(
    name: str, header: Mapping[str, Any], arrays: Arrays, version: int
) -> list[bytes | memoryview]:
    """Return the content of a model file in pieces that share memory with the arrays."""
    if not isinstance(header.get("kind"), str):
        raise ValueError("the header of a model needs a kind")
    own = {**header, "format_version": version, "bistro_version": _bistro_version()}
    ordered = sorted(
        ((key, _plain(key, array)) for key, array in arrays.items()),
        key=lambda item: (-item[1].dtype.itemsize, item[0]),
    )
    content = _encode_header(name, own, ordered)
    data = [array.reshape(-1).view(np.uint8) for _, array in ordered]
    checksum = Checksum()
    for piece in (np.frombuffer(content, np.uint8)[_CHECKED_FROM - 8 :], *data):
        checksum.add(piece)
    content = b"%s%016x%s" % (_BEFORE_CHECKSUM, checksum.value, content[_CHECKED_FROM - 8 :])
    return [len(content).to_bytes(8, "little"), content, *(piece.data for piece in data)]


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file and validate its structure, but not the values of its arrays."""
    name = os.fspath(path)
    with _opened(name) as (descriptor, size):
        begin = read_at(descriptor, 8, 0)
        begin += read_at(descriptor, min(_header_length(name, begin, size), LONGEST_HEADER), 8)
        # The sizes in the header must fit the size of the file before memory is allocated.
        parts = _parts(name, begin, size)
        whole = read_whole(descriptor, size, _CHECKED_FROM, min(_MOST_THREADS, os.cpu_count() or 1))
    if whole is None or whole[0][: len(begin)].tobytes() != begin:
        raise ModelFileError(f"{name}: the file changed while it was being read: try again")
    return parts.checked(*whole)


def decode_model(content: bytes, name: str) -> ModelFile:
    """Check the content of a model file as `read_model` does.

    `name` is used in error messages.
    """
    begin = content[: 8 + _header_length(name, content[:8], len(content))]
    data, checksum = np.frombuffer(content, dtype=np.uint8), Checksum()
    checksum.add(data[_CHECKED_FROM:])
    return _parts(name, begin, len(content)).checked(data, checksum.value)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parsed header of a model file."""

    name: str
    begin: bytes
    metadata: Any
    layout: list[tuple[int, int, np.dtype[Any], list[int], str]]
    """The start and end offsets, type, shape and name of each array in the file."""

    def checked(self, data: NDArray[np.uint8], checksum: int) -> ModelFile:
        """Return the content of a file. Raise an error if the checksum is wrong or missing."""
        has_checksum = self.begin[8:].startswith(_BEFORE_CHECKSUM)
        written = self.begin[_CHECKED_FROM - _DIGITS : _CHECKED_FROM]
        if has_checksum and written != b"%016x" % checksum:
            raise ModelFileError(
                f"{self.name}: the file is damaged: its checksum is wrong; copy it again"
            )
        header = _own_entry(self.name, self.metadata)
        if not has_checksum and header["format_version"] >= FIRST_CHECKED:
            raise ModelFileError(
                f"{self.name}: the file is damaged: its checksum is missing; copy it again"
            )
        arrays = {
            key: data[begin:end].view(dtype).reshape(shape)
            for begin, end, dtype, shape, key in self.layout
        }
        return ModelFile(header, arrays)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like a model file, which no text file does."""
    try:
        with Path(path).open("rb") as stream:
            begin = stream.read(9)
    except OSError:
        return False
    length = int.from_bytes(begin[:8], "little")
    return begin[8:] == b"{" and length <= LONGEST_HEADER


def _plain(key: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return a little-endian array in C order, with a type that the file format supports."""
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype not in _DTYPE_NAMES or key == METADATA:
        raise ValueError(f"array {key!r} of type {plain.dtype} cannot be stored in a model file")
    return plain


def _encode_header(
    name: str, own: Mapping[str, Any], ordered: list[tuple[str, NDArray[Any]]]
) -> bytes:
    about = {"checksum": "0" * _DIGITS, OWN_ENTRY: json.dumps(own, sort_keys=True)}
    outer: dict[str, Any] = {METADATA: about}
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
            f"{name}: the header has {len(content)} bytes, but it can have at most "
            f"{LONGEST_HEADER}: use a smaller vocabulary"
        )
    return content


@contextlib.contextmanager
def _opened(name: str) -> Iterator[tuple[int, int]]:
    """Open a file that can hold a model, and yield its descriptor and size."""
    try:
        if Path(name).is_dir():
            raise ModelFileError(f"{name}: this is a folder, but a model file was expected")
        if Path(name).exists() and not Path(name).is_file():
            raise ModelFileError(f"{name}: a model file must be a regular file")
        with Path(name).open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size == 0:
                raise ModelFileError(f"{name}: the file is empty, but a model file was expected")
            yield stream.fileno(), size
    except OSError as error:
        raise ModelFileError(f"{name}: cannot be read: {explain(error)}") from error


def _not_a_model(name: str) -> NotAModelError:
    return NotAModelError(
        f"{name}: this is not a Bistro model file; give a file that bistro train has written"
    )


def _header_length(name: str, begin: bytes, size: int) -> int:
    length = int.from_bytes(begin[:8], "little")
    if size < 8 or not 2 <= length <= LONGEST_HEADER:
        raise _not_a_model(name)
    return length


def _parts(name: str, begin: bytes, size: int) -> _Parts:
    """Return the content of the safetensors header, checked against the size of the file."""
    start = 8 + int.from_bytes(begin[:8], "little")
    if begin[8:9] not in (b"{", b""):
        raise _not_a_model(name)
    if start > size or len(begin) < start:
        raise _cut_short(name, size, start)
    try:
        outer = read_json(begin[8:].decode())
    except ValueError:
        raise ModelFileError(f"{name}: the file is damaged: its header is not valid JSON") from None
    if not isinstance(outer, dict):
        raise ModelFileError(f"{name}: the file is damaged: its header is not a JSON object")
    metadata = outer.pop(METADATA, None)
    return _Parts(name, begin, metadata, _layout(name, outer, start, size))


def _own_entry(name: str, metadata: Any) -> dict[str, Any]:
    """Return Bistro's part of the header. Raise an error if it is missing or too new to read."""
    if not isinstance(metadata, dict) or not isinstance(metadata.get(OWN_ENTRY), str):
        raise ModelFileError(
            f"{name}: this is a safetensors file, but it was not written by Bistro"
        )
    try:
        own = read_json(metadata[OWN_ENTRY])
    except ValueError:
        raise ModelFileError(
            f"{name}: the file is damaged: Bistro's header is not valid JSON"
        ) from None
    version = own.get("format_version") if isinstance(own, dict) else None
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{name}: the file is damaged: its header has no format version")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name}: the file was written by a newer version of Bistro (format {version}; this "
            f"version reads formats up to {FORMAT_VERSION}): update Bistro"
        )
    if not isinstance(own.get("kind"), str):
        raise ModelFileError(
            f"{name}: the file is damaged: its header does not give the kind of model"
        )
    result: dict[str, Any] = own
    return result


def _layout(
    name: str, entries: Mapping[str, Any], start: int, size: int
) -> list[tuple[int, int, np.dtype[Any], list[int], str]]:
    """Return the positions of the arrays, which must cover the data without gaps or overlaps."""
    entries_in_order = sorted((*_entry(name, key, entry), key) for key, entry in entries.items())
    layout = []
    position = start
    for begin, end, dtype_name, shape, key in entries_in_order:
        if start + begin != position:
            raise ModelFileError(
                f"{name}: the file is damaged: array {key!r:.60} does not begin where the "
                "array before it ends"
            )
        position = start + end
        if position > size:
            raise _cut_short(name, size, start + max(item[1] for item in entries_in_order))
        dtype = _DTYPES[dtype_name]
        if (start + begin) % dtype.itemsize and end > begin:
            raise ModelFileError(f"{name}: the file is damaged: array {key!r:.60} is not aligned")
        layout.append((start + begin, position, dtype, shape, key))
    if position != size:
        raise ModelFileError(
            f"{name}: the file is damaged: it has {size - position} bytes too many"
        )
    return layout


def _entry(name: str, key: str, entry: Any) -> tuple[int, int, str, list[int]]:
    """Check and return the start and end offsets, type and shape of one array."""
    try:
        dtype_name, shape = entry["dtype"], entry["shape"]
        begin, end = entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise _bad_entry(name, key) from None
    if not isinstance(dtype_name, str) or dtype_name not in _DTYPES:
        raise ModelFileError(f"{name}: array {key!r:.60} has the unknown type {dtype_name!r:.60}")
    if not isinstance(shape, list) or any(
        type(n) is not int or n < 0 for n in (begin, end, *shape)
    ):
        raise _bad_entry(name, key)
    # NumPy limits the size of an array even if one dimension is 0.
    is_possible = len(shape) <= _MOST_DIMENSIONS and math.prod(n or 1 for n in shape) < 2**60
    if not is_possible or end - begin != math.prod(shape) * _DTYPES[dtype_name].itemsize:
        raise _bad_entry(name, key)
    return begin, end, dtype_name, shape


def _bad_entry(name: str, key: str) -> ModelFileError:
    return ModelFileError(
        f"{name}: the file is damaged: the entry of array {key!r:.60} is not valid"
    )


def _cut_short(name: str, size: int, expected: int) -> ModelFileError:
    return ModelFileError(
        f"{name}: the file is cut short: it has {size} bytes of at least {expected}; copy it again"
    )


def _bistro_version() -> str:
    try:
        return importlib.metadata.version("bistro-syntax")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"
