"""Fetch Universal Dependencies treebanks by name, check them, and keep them in a cache.

The function `fetch` downloads the files of a treebank to the cache and returns their location.
Bistro downloads files only on request. Cached files are checked and used without network access.

A mirror may list the SHA-256 checksums of its files (see `fetch_sources`). Otherwise, the checksums
of the first download are written next to the treebank (`UD_English-EWT.sha256`), and every later
fetch is compared with them, so that a changed file is noticed.

The cache is the user's cache folder, or the folder `BISTRO_HOME` if it is set. A treebank appears
in the cache as a whole or not at all. The cache has the same layout as a mirror, so the cache on
one machine can serve as a mirror for another machine.

>>> fetched = fetch("en_ewt", release="2.16", mirror="/data/ud")      # doctest: +SKIP
>>> fetched.train                                                     # doctest: +SKIP
PosixPath('/home/ada/.cache/bistro/treebanks/ud-treebanks-v2.16/UD_English-EWT/en_ewt-ud-train.conllu')
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs

from bistro.errors import OutputError
from bistro.files import explain, open_binary, write_text
from bistro.treebank.fetch_sources import (
    PUBLIC,
    FetchError,
    NotThereError,
    Progress,
    download,
    read_checksums,
)
from bistro.treebank.ud_names import LATEST_RELEASE, check_release, full_name, nearest_names

Check = Literal["mirror", "recorded", "first"]


@dataclass(frozen=True)
class Fetched:
    """A treebank in the cache."""

    name: str
    release: str
    folder: Path
    check: Check
    """The source of the checksums that the files match: the mirror or an earlier download.
    On the first download, there may be no checksums to match."""

    @property
    def files(self) -> list[Path]:
        """The treebank's CoNLL-U files, sorted by name."""
        return sorted(self.folder.glob("*.conllu"))

    @property
    def train(self) -> Path | None:
        """The training file, or None if there is no training file, as in many small treebanks."""
        return self._part("train")

    @property
    def dev(self) -> Path | None:
        """The development file, or None if the treebank has no development file."""
        return self._part("dev")

    @property
    def test(self) -> Path | None:
        """The test file, or None if the treebank has no test file."""
        return self._part("test")

    @property
    def licence(self) -> Path | None:
        """The file with the licence terms."""
        return next(iter(sorted(self.folder.glob("[Ll][Ii][Cc][Ee][Nn][Ss][Ee]*"))), None)

    def _part(self, part: str) -> Path | None:
        return next((path for path in self.files if path.stem.endswith(f"-ud-{part}")), None)


def fetch(
    name: str,
    release: str = LATEST_RELEASE,
    *,
    mirror: str | None = None,
    force: bool = False,
    timeout: float = 30.0,
    progress: Progress = lambda *_: None,
) -> Fetched:
    """Return a treebank from the cache, downloading it first if necessary.

    Parameters
    ----------
    name
        The name in any common form: `UD_English-EWT`, `English-EWT` or `en_ewt`.
    release
        A release of Universal Dependencies, such as ``"2.16"``.
    mirror
        Source of the files, as described in `fetch_sources`; default: the environment variable
        `BISTRO_MIRROR`, or else the public repository.
    force
        Download again even if the treebank is cached.
    timeout
        Seconds to wait for the server.
    progress
        Called with the progress of each file.
    """
    full, number = full_name(name), check_release(release)
    folder = cache_folder() / f"ud-treebanks-v{number}" / full
    record = folder.with_name(f"{full}.sha256")
    if folder.is_dir() and not force:
        check = _compare(folder, {}, _recorded(record), str(folder), record)
        _write_record(record, folder)
        return Fetched(full, number, folder, check)
    source = mirror or os.environ.get("BISTRO_MIRROR") or PUBLIC
    with _staging(folder) as staging:
        try:
            promised = download(source, full, number, staging, timeout=timeout, progress=progress)
        except NotThereError as error:
            message = f"{error}; check that release {number} has a treebank {full}{_hint(full)}"
            raise NotThereError(message) from error
        if not any(staging.glob("*.conllu")):
            raise FetchError(f"{source}: there are no CoNLL-U files for {full} in release {number}")
        check = _compare(staging, promised, _recorded(record), source, record)
    _write_record(record, folder)
    return Fetched(full, number, folder, check)


def cached() -> list[Fetched]:
    """Return the treebanks in the cache, without checking them."""
    treebanks = []
    for folder in sorted(cache_folder().glob("ud-treebanks-v*/UD_*")):
        if folder.is_dir():
            release = folder.parent.name.removeprefix("ud-treebanks-v")
            treebanks.append(Fetched(folder.name, release, folder, "recorded"))
    return treebanks


def cache_folder() -> Path:
    """Return the folder for cached treebanks. The folder need not exist yet."""
    home = os.environ.get("BISTRO_HOME")
    base = Path(home).expanduser() if home else platformdirs.user_cache_path("bistro", False)
    return base / "treebanks"


def checksum(path: Path) -> str:
    """Return the SHA-256 hash of a file as hexadecimal digits."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FetchError(f"{path}: cannot be read: {explain(error)}") from error


def _hint(full: str) -> str:
    hint = nearest_names(full)
    return "" if full in hint else hint


@contextlib.contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """Yield an empty temporary folder, which replaces `folder` if no error occurs."""
    token = secrets.token_hex(4)
    staging = folder.with_name(f".{folder.name}.{token}.part")
    old = folder.with_name(f".{folder.name}.{token}.old")
    try:
        staging.mkdir(parents=True)
        yield staging
        if folder.exists():
            folder.rename(old)
        staging.rename(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {explain(error)}") from error
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _compare(
    folder: Path, promised: dict[str, str], recorded: dict[str, str], source: str, record: Path
) -> Check:
    """Compare the files in `folder` with the checksums from the mirror and an earlier download.

    Raise an error if the checksum of a file differs.
    """
    for name in sorted(promised.keys() | recorded.keys()):
        path = folder / name
        if not path.is_file():
            raise FetchError(f"{source}: {name} is missing, although its checksum is listed")
        actual = checksum(path)
        if name in promised and actual != promised[name]:
            raise FetchError(
                f"{source}: {name} has the SHA-256 checksum {_short(actual)}, but the mirror "
                f"lists {_short(promised[name])}; no files were kept"
            )
        if name in recorded and actual != recorded[name]:
            raise FetchError(
                f"{source}: {name} differs from the file that was fetched first (SHA-256 "
                f"{_short(actual)} instead of {_short(recorded[name])}); fetch it again with "
                f"--force, or delete {record} to accept a changed treebank"
            )
    return "recorded" if recorded else "mirror" if promised else "first"


def _short(digits: str) -> str:
    return re.sub(r"(.{12}).*", r"\1…", digits)


def _recorded(record: Path) -> dict[str, str]:
    if not record.is_file():
        return {}
    with open_binary(record) as stream:
        return read_checksums(stream.read().decode("utf-8"), str(record))


def _write_record(record: Path, folder: Path) -> None:
    """Record the checksums of the data files only, since the licence and README may change."""
    if record.is_file():
        return
    lines = [f"{checksum(path)}  {path.name}\n" for path in sorted(folder.glob("*.conllu"))]
    write_text(record, lines)
