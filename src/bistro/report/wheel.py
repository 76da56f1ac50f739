"""A writer for wheels, the archives that pip installs.

Writing a wheel needs no build tool and no network connection.

A wheel is a zip archive of files for ``site-packages``, with a folder ``NAME-VERSION.dist-info``
that holds METADATA (name, version, licence), WHEEL (platforms), entry_points.txt, and RECORD (the
SHA-256 checksum and the size of every file). The same content always produces the same bytes. See
https://packaging.python.org/specifications/binary-distribution-format for the format.

>>> import io, zipfile
>>> made = io.BytesIO()
>>> about = Distribution("bistro-en-toy", "1.0.0", "A toy.", "MIT", "# A card")
>>> write_wheel(made, about, {"bistro_models/bistro_en_toy/card.json": b"{}"})
>>> zipfile.ZipFile(made).namelist()[0], about.wheel_name
('bistro_models/bistro_en_toy/card.json', 'bistro_en_toy-1.0.0-py3-none-any.whl')
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

TAG = "py3-none-any"
CHUNK = 1 << 20
SPDX = re.compile(
    r"CC0-1\.0|CC-BY(-NC)?(-SA|-ND)?-[1-4]\.\d|MIT|Apache-2\.0|BSD-[23]-Clause"
    r"|[AL]?GPL-\d\.\d-(only|or-later)|ODbL-1\.0|ODC-By-1\.0"
)
"""A pattern for the SPDX identifiers of common treebank licences."""
Content = bytes | Path


@dataclass(frozen=True)
class Distribution:
    """The contents of METADATA."""

    name: str
    version: str
    summary: str
    licence: str
    """The licence in its common form, such as ``CC BY-SA 4.0``."""
    description: str
    """A page in Markdown."""
    requires: Sequence[str] = ()
    entry_points: str = ""

    @property
    def stem(self) -> str:
        """The name and version of the package, spelled as in file names."""
        return f"{self.name.replace('-', '_')}-{self.version}"

    @property
    def wheel_name(self) -> str:
        """The name of the wheel."""
        return f"{self.stem}-{TAG}.whl"

    def metadata(self) -> str:
        """Return the content of METADATA."""
        fields = [
            ("Metadata-Version", "2.4"),
            ("Name", self.name),
            ("Version", self.version),
            ("Summary", self.summary),
            ("License-Expression", licence_expression(self.licence)),
            *(("Requires-Dist", one) for one in self.requires),
            ("Description-Content-Type", "text/markdown; charset=UTF-8"),
        ]
        lines = [f"{name}: {' '.join(value.split())}\n" for name, value in fields]
        return "".join([*lines, "\n", self.description])


def licence_expression(licence: str) -> str:
    """Return a licence as an SPDX expression, which package indexes require.

    >>> licence_expression("CC BY-SA 4.0"), licence_expression("by agreement")
    ('CC-BY-SA-4.0', 'LicenseRef-by-agreement')
    """
    joined = re.sub(r"[^A-Za-z0-9.]+", "-", licence).strip("-.")
    return joined if SPDX.fullmatch(joined) else f"LicenseRef-{joined or 'unknown'}"


def write_wheel(
    stream: IO[bytes], distribution: Distribution, files: Mapping[str, Content]
) -> None:
    """Write a wheel.

    Parameters
    ----------
    stream
        Stream that receives the archive.
    distribution
        Its metadata.
    files
        Files to install, by their path in ``site-packages``: bytes, or a file to copy.
    """
    folder = f"{distribution.stem}.dist-info"
    about = f"Wheel-Version: 1.0\nGenerator: bistro\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    own = {
        f"{folder}/METADATA": distribution.metadata().encode(),
        f"{folder}/WHEEL": about.encode(),
        f"{folder}/entry_points.txt": distribution.entry_points.encode(),
    }
    record = []
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in {**files, **own}.items():
            digest, size = _add(archive, name, content)
            record.append(f"{name},sha256={digest},{size}\n")
        record.append(f"{folder}/RECORD,,\n")
        _add(archive, f"{folder}/RECORD", "".join(record).encode())


def _add(archive: zipfile.ZipFile, name: str, content: Content) -> tuple[str, int]:
    """Add a file to the archive, and return its checksum (in the format of RECORD) and its size."""
    info = zipfile.ZipInfo(name)  # with the earliest date of the zip format
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, so that the permissions count
    info.external_attr = 0o100644 << 16
    digest, size = hashlib.sha256(), 0
    source = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
    with source, archive.open(info, "w", force_zip64=not isinstance(content, bytes)) as target:
        while piece := source.read(CHUNK):
            digest.update(piece)
            size += len(piece)
            target.write(piece)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode(), size
