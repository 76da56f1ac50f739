"""Sources of treebanks, such as archives, local folders, and folders on a web server.

A *mirror* is specified in one of two forms.

- If the mirror contains ``{name}`` (and ``{release}``), it is the address of one archive
  (``.tar.gz``) per treebank. The default address refers to the release tags of the UD repositories.
- Otherwise, the mirror is a folder or the URL of a folder, with the layout of the unpacked official
  release archive: ``ud-treebanks-v2.18/UD_English-EWT/en_ewt-ud-train.conllu``. A file
  ``SHA256SUMS`` next to the treebank's files lists their checksums, in the format of the program
  ``sha256sum``. At a URL, ``SHA256SUMS`` is required, since it is also the list of files.

The function `download` puts the files of a treebank into an empty folder and returns the checksums
that the mirror lists.
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import re
import tarfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from bistro.errors import BistroError, OutputError
from bistro.files import explain

PUBLIC = "https://github.com/UniversalDependencies/{name}/archive/refs/tags/r{release}.tar.gz"
CHECKSUMS = "SHA256SUMS"
WANTED = re.compile(r"[^/\\]+\.conllu|(LICENSE|README)[^/\\]*", re.IGNORECASE)
SAFE_NAME = re.compile(r"[^/\\\0]+")
CHUNK = 1 << 17

Progress = Callable[[str, int, int | None], None]
"""A callback that receives a file's name, the number of bytes so far, and the total if known."""


class FetchError(BistroError):
    """A treebank could not be fetched, and no part of it was kept."""


class NotThereError(FetchError):
    """The server or folder is available, but does not have the requested file."""


def download(
    mirror: str, name: str, release: str, folder: Path, *, timeout: float, progress: Progress
) -> dict[str, str]:
    """Put the files of a treebank into `folder`, and return the checksums that its mirror lists."""
    source = mirror if _is_url(mirror) else str(Path(mirror).expanduser())
    if "{name}" in source:
        place = source.replace("{name}", name).replace("{release}", release)
        archive = folder / "archive"
        _copy(place, archive, name, timeout, progress)
        _unpack(archive, folder, place)
        return {}
    base = f"{source.rstrip('/')}/ud-treebanks-v{release}/{name}"
    promised = _promised(base, timeout)
    if not _is_url(base):
        names = _list_folder(Path(base))
    elif promised:
        names = sorted(promised)
    else:
        raise NotThereError(
            f"{base}/{CHECKSUMS}: not found; either the mirror does not have this treebank, or it "
            "lacks this file, which a web mirror needs for each treebank"
        )
    for file_name in filter(WANTED.fullmatch, names):
        _copy(f"{base}/{file_name}", folder / file_name, file_name, timeout, progress)
    return {file_name: sum_ for file_name, sum_ in promised.items() if WANTED.fullmatch(file_name)}


def read_checksums(text: str, place: str) -> dict[str, str]:
    """Return the checksum of each file from the output lines of `sha256sum`."""
    checksums = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-fA-F]{64})[ \t]+[*]?(?:\./)?(\S.*)", line)
        if match is None or not SAFE_NAME.fullmatch(match[2]) or match[2] in (".", ".."):
            raise FetchError(
                f"{place}:{number}: expected 64 hexadecimal digits and a plain file name, "
                f"as sha256sum writes them, not '{line[:80]}'"
            )
        checksums[match[2]] = match[1].lower()
    return checksums


def _is_url(place: str) -> bool:
    return re.match(r"(https?|file)://", place) is not None


def _list_folder(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_file())
    except FileNotFoundError as error:
        raise NotThereError(f"{folder}: the mirror has no such folder") from error
    except OSError as error:
        raise FetchError(f"{folder}: cannot be read: {explain(error)}") from error


def _promised(base: str, timeout: float) -> dict[str, str]:
    place = f"{base}/{CHECKSUMS}"
    try:
        with _opened(place, timeout) as (stream, _):
            text = stream.read().decode("utf-8", errors="replace")
    except NotThereError:
        return {}
    return read_checksums(text, place)


@contextlib.contextmanager
def _opened(place: str, timeout: float) -> Iterator[tuple[IO[bytes], int | None]]:
    """Open a path or URL, and yield its stream and, if known, its length."""
    with _explained(place, timeout):
        if not _is_url(place):
            with Path(place).open("rb") as stream:
                yield stream, Path(place).stat().st_size
            return
        request = urllib.request.Request(place, headers={"User-Agent": "bistro"})
        with urllib.request.urlopen(request, timeout=timeout) as response:
            length = response.headers.get("Content-Length")
            yield response, int(length) if length else None


@contextlib.contextmanager
def _explained(place: str, timeout: float) -> Iterator[None]:
    """Convert each download error into a one-sentence message."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotThereError(f"{place}: no such file") from error
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            raise NotThereError(f"{place}: not found (the server answered {error.code})") from error
        raise FetchError(f"{place}: the server answered {error.code} {error.reason}") from error
    except (http.client.InvalidURL, ValueError) as error:
        raise FetchError(f"{place}: the address is not valid: {error}") from error
    except http.client.HTTPException as error:
        raise FetchError(f"{place}: the download was cut short; try again") from error
    except OSError as error:  # URLError, timeouts and broken connections among them
        reason = getattr(error, "reason", error)
        if isinstance(reason, FileNotFoundError):
            raise NotThereError(f"{place}: no such file") from error
        if isinstance(reason, TimeoutError):
            raise FetchError(
                f"{place}: the server did not answer within {timeout:g} seconds"
            ) from error
        explanation = explain(reason) if isinstance(reason, OSError) else str(reason)
        raise FetchError(
            f"{place}: the server cannot be reached ({explanation}); without a network, name a "
            "folder of treebanks with --mirror"
        ) from error


def _copy(place: str, target: Path, title: str, timeout: float, progress: Progress) -> None:
    received = 0
    with _opened(place, timeout) as (stream, length):
        try:
            with target.open("wb") as output:
                while chunk := _read(stream, place, timeout):
                    output.write(chunk)
                    received += len(chunk)
                    progress(title, received, length)
        except OSError as error:
            raise OutputError(f"{target}: cannot be written: {explain(error)}") from error
    if length is not None and received != length:
        raise FetchError(
            f"{place}: the download was cut short ({received} of {length} bytes); try again"
        )


def _read(stream: IO[bytes], place: str, timeout: float) -> bytes:
    # Separate from the errors of `_copy`: a broken connection is not a full disk.
    with _explained(place, timeout):
        return stream.read(CHUNK)


def _unpack(archive: Path, folder: Path, place: str) -> None:
    """Unpack the required files from the archive's only folder, then remove the archive."""
    try:
        with gzip.open(archive) as unzipped, tarfile.open(fileobj=unzipped, mode="r|") as members:
            for member in members:
                path = _inside(member.name, place)
                stream = members.extractfile(member) if member.isfile() else None
                if stream and len(path.parts) <= 2 and WANTED.fullmatch(path.name):
                    (folder / path.name).write_bytes(stream.read())
            # The tar ends before the compressed stream, whose checksum is at its end.
            while unzipped.read(CHUNK):
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FetchError(f"{place}: the archive is damaged or cut short; try again") from error
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {explain(error)}") from error
    archive.unlink()


def _inside(member: str, place: str) -> PurePosixPath:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        raise FetchError(
            f"{place}: the archive is not safe to unpack: its member '{member}' points outside the "
            "archive"
        )
    return path
