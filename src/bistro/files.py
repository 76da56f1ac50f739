"""Functions that read and write files, with support for compression, standard streams and atomic
writes.

Reading (`open_binary`) yields bytes, decompressed by suffix (``.gz``, ``.xz``, ``.zst``). `writing`
uses a temporary file next to the target. The temporary file takes the target's name only after
everything has reached the disk. If anything goes wrong, the old file stays and no part of the new
one is left behind (see `bistro.destination`).

>>> with writing("out.conllu.gz") as stream:        # doctest: +SKIP
...     stream.write("# text = Hello\\n".encode())
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import lzma
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from bistro.compression import MOST_EXPANSION, ExpansionError, compressed, decompressed
from bistro.destination import opened
from bistro.errors import BistroError, OutputError
from bistro.progress import paused

STANDARD_STREAM = "-"
MOST_CONTAINERS = 10_000_000
"""Maximum number of lists and objects in one JSON text. Three bytes of JSON text can take 80 bytes
of memory."""
LARGE_JSON = 1_000_000
"""Minimum length of a JSON text whose memory use is estimated before the text is parsed."""
MOST_JSON_MEMORY = 15
"""Maximum memory use of a large JSON text, including the text itself, in bytes per character. Model
headers and published test suites take less than 10 bytes per character."""
SENTENCE_WORDS = 3
"""The name of a missing file looks like a sentence if it has at least this many words."""
MOST_NAMES = 1000
"""Maximum number of names in a folder that are compared with the name of a missing file."""


class InputError(BistroError):
    """An input file cannot be opened or read."""


def explain(error: OSError) -> str:
    """Explain an operating-system error in plain words, with a hint if a file does not exist."""
    reason = (error.strerror or str(error)).lower()
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        path = Path(error.filename)
        return reason + (
            similar_file(path) or _sentence_hint(error.filename) or _missing_folder(path)
        )
    return reason


def _sentence_hint(name: str) -> str:
    """Return a hint if the name of a file looks like a sentence."""
    words = len(name.split()) >= SENTENCE_WORDS
    return f" (to give a sentence, pipe it in: echo '{name}' | bistro ...)" if words else ""


def _missing_folder(path: Path) -> str:
    """Return a hint if a file is missing because its folder does not exist."""
    missing = [folder for folder in path.parents if not folder.exists()]
    return f" (there is no folder '{missing[-1]}')" if missing else ""


def similar_file(path: Path) -> str:
    """Return ``" (did you mean 'x'?)"`` if a file that does not exist may be misspelt."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in itertools.islice(entries, MOST_NAMES)]
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f" (did you mean '{path.with_name(close[0])}'?)" if close else ""


def read_json(text: str) -> Any:
    """Parse a JSON text. Raise `ValueError` if the text is invalid or would use too much memory.

    >>> read_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    if text.count("[") + text.count("{") > MOST_CONTAINERS:
        raise ValueError(f"the JSON text has more than {MOST_CONTAINERS:,} lists and objects")
    if len(text) > LARGE_JSON and _json_memory(text) > MOST_JSON_MEMORY * len(text):
        raise ValueError("the JSON text would take up many times its size in memory")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the lists and objects of the JSON text are nested too deeply") from None


def _json_memory(text: str) -> int:
    """Estimate how many bytes of memory a JSON text and its content take, without parsing the text.

    The factors are the sizes of empty and small containers, of short strings, and of entries in
    containers. An object with more than five entries is copied when it is enlarged, so two copies
    exist for a moment.
    """
    lists, objects = text.count("["), text.count("{")
    containers = 88 * lists - 32 * text.count("[]") + 184 * objects - 120 * text.count("{}")
    strings, entries = 28 * text.count('"'), 9 * text.count(",")
    enlarged = 97 * max(0, text.count(":") - 5 * objects)
    return sys.getsizeof(text) + containers + strings + entries + enlarged


@contextlib.contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open `path`, or standard input for ``-``, and decompress it according to its suffix."""
    name = os.fspath(path)
    if name == STANDARD_STREAM:
        if sys.stdin is None:
            raise InputError("stdin is closed: name a file, or pipe one in")
        with paused() if sys.stdin.isatty() else contextlib.nullcontext():
            yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as raw, decompressed(raw, name) as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {explain(error)}") from error
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise InputError(f"{name}: the compressed data is damaged or cut short") from error
    except ExpansionError:
        raise InputError(
            f"{name}: the file becomes more than {MOST_EXPANSION} times larger when it is "
            "decompressed, which is unusual for text: if you trust the file, decompress it first"
        ) from None


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open `path` for writing bytes. The file appears under this name only when it is complete.

    Links are followed. Devices, pipes and descriptors (``/dev/stdout``) are written to directly.
    """
    name = os.fspath(path)
    if name == STANDARD_STREAM:
        if sys.stdout is None:
            raise OutputError("stdout is closed: name a file with -o")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with opened(name) as raw, compressed(raw, name) as stream:
            yield stream
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {explain(error)}") from error


def write_text(path: str | os.PathLike[str], text: str | Iterable[str]) -> None:
    """Write a text, or an iterable of its pieces, to `path` (see `writing`)."""
    with writing(path) as stream:
        for piece in [text] if isinstance(text, str) else text:
            stream.write(piece.encode())
