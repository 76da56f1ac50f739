"""The files that are open on the annotation desk of a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bistro.errors import BistroError, OutputError
from bistro.files import explain
from bistro.models.base import Model
from bistro.serve.catalog import Catalog
from bistro.serve.errors import TooLargeError
from bistro.tasks.desk.beside import Beside
from bistro.tasks.desk.desk import EVERY, Desk
from bistro.tasks.desk.document import Document
from bistro.treebank.sentence import Sentence

SAFE_NAME = re.compile(r"[^\s./\\][^/\\\0-\x1f]{0,120}\.conllu")
LARGEST = 200_000_000
"""Maximum size of an uploaded file, in bytes."""


class Desks:
    """All files of a desk.

    Each file has its own threads, and all files share one thread for writing.

    Parameters
    ----------
    catalog
        The models of the server. The first parser makes the suggestions.
    files
        Files to open at once.
    folder
        Folder for files that are dragged into the page; None disables uploads.
    every
        Number of confirmed sentences between two training runs.
    beside
        Further sentences to learn from.
    most_words
        Maximum length, in words, of a sentence that is parsed.
    """

    def __init__(
        self,
        catalog: Catalog,
        files: Iterable[Path] = (),
        *,
        folder: Path | None = None,
        every: int = EVERY,
        beside: Sequence[Sentence] = (),
        most_words: int = 150,
    ) -> None:
        self.model = _parser_of(catalog)
        self.folder = folder
        self.every = every
        self.beside = beside
        self.most_words = most_words
        self.open_files: dict[str, tuple[Desk, Beside]] = {}
        self.writer = ThreadPoolExecutor(1, "desk")
        """The thread for decisions, which are made one at a time and never interrupted."""
        if folder is not None and not folder.is_dir():
            raise BistroError(f"{folder}: there is no such folder")
        for file in files:
            self.open(file)

    def open(self, path: Path) -> str:
        """Open a file and return its id."""
        desk = Desk(Document.open(path), self.model, every=self.every, beside=self.beside)
        beside = Beside(desk, self.most_words)
        name, copies = path.name, 1
        while name in self.open_files:
            copies += 1
            name = f"{path.stem}-{copies}{path.suffix}"
        self.open_files[name] = (desk, beside)
        beside.start()
        return name

    def __getitem__(self, name: str) -> tuple[Desk, Beside]:
        if not name and len(self.open_files) == 1:
            return next(iter(self.open_files.values()))
        if name not in self.open_files:
            known = ", ".join(self.open_files) or "none"
            raise BistroError(f"there is no such file on the desk; the open files are: {known}")
        return self.open_files[name]

    def waiting_files(self) -> list[str]:
        """Return the files in the desk's folder that are not open."""
        if self.folder is None:
            return []
        names = sorted(path.name for path in self.folder.glob("*.conllu"))
        return [name for name in names if name not in self.open_files]

    def receive(self, name: str, text: str, *, first: bool, last: bool) -> str:
        """Add a piece of a file.

        After the last piece, the file is opened. If the text is empty, an existing file is opened.
        """
        if self.folder is None:
            raise BistroError(
                "this desk does not accept files: start the server with --desk FOLDER"
            )
        if not SAFE_NAME.fullmatch(name):
            raise BistroError(f"the desk opens only files with the suffix .conllu, not {name!r}")
        if name in self.open_files:
            return name
        target, part = self.folder / name, self.folder / f".{name}.coming"
        if first and last and not text and target.exists():
            return self.open(target)
        if target.exists():
            raise BistroError(
                f"the desk's folder already contains a file {name}: rename one of the files"
            )
        try:
            if not first and part.stat().st_size > LARGEST:
                raise TooLargeError(
                    f"the file is too large: the desk accepts files of up to {LARGEST:,} bytes"
                )
            with part.open("wb" if first else "ab") as stream:
                stream.write(text.encode())
            if not last:
                return ""
            part.replace(target)
        except OSError as error:
            raise OutputError(f"{target}: cannot be written: {explain(error)}") from None
        try:
            return self.open(target)
        except BistroError:
            target.unlink()
            raise

    def close(self) -> None:
        """Stop all threads and release the files."""
        self.writer.shutdown()
        for desk, beside in self.open_files.values():
            beside.close()
            desk.document.close()


def _parser_of(catalog: Catalog) -> Model:
    for entry in catalog:
        if "parse" in entry.abilities:
            return entry.model
    raise BistroError("the desk needs a parser: start it with bistro serve PARSER --file FILE")
