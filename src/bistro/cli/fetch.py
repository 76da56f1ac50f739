"""`bistro fetch`: treebanks of Universal Dependencies by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TransferSpeedColumn
from rich.progress import Progress as ProgressBar

from bistro.errors import BistroError
from bistro.treebank.fetch import Fetched, cache_folder, cached
from bistro.treebank.fetch import fetch as fetch_treebank
from bistro.treebank.fetch_sources import Progress
from bistro.treebank.ud_names import LATEST_RELEASE

CHECKED = {
    "mirror": "The checksums that the mirror promises agree.",
    "recorded": "The checksums recorded at the first download agree.",
    "first": (
        "No checksum was known for this treebank: those of this download were written to {record} "
        "and later fetches will be held against them."
    ),
}


def fetch(
    treebank: Annotated[
        str | None,
        typer.Argument(help="Its name: UD_English-EWT, English-EWT or en_ewt.", show_default=False),
    ] = None,
    release: Annotated[
        str, typer.Option(help="Release of Universal Dependencies.")
    ] = LATEST_RELEASE,
    mirror: Annotated[
        str | None,
        typer.Option(
            envvar="BISTRO_MIRROR",
            help="A folder or URL that holds ud-treebanks-v2.18/UD_English-EWT/…, or the place of "
            "an archive with {name} and {release} in it. Default: the project's public archives.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Download again what is already cached.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Longest silence of the server to bear, in seconds.")
    ] = 30.0,
    list_: Annotated[
        bool, typer.Option("--list", help="List what is cached, and download nothing.")
    ] = False,
) -> None:
    """Fetch a treebank of Universal Dependencies into the cache.

    The paths of its CoNLL-U files go to standard output, one a line, notes to standard error. A
    treebank that is already there is checked against its checksums and used without the network.
    The cache is the user's cache folder, or the folder BISTRO_HOME.

    Example: bistro fetch en_ewt --release 2.16
    """
    if list_:
        _print_cached()
        return
    if treebank is None:
        raise BistroError(
            "which treebank? Give a name such as UD_English-EWT or en_ewt, or --list to see what "
            "is cached"
        )
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    with _progress_bar(notes) as progress:
        fetched = fetch_treebank(
            treebank, release, mirror=mirror, force=force, timeout=timeout, progress=progress
        )
    for path in fetched.files:
        typer.echo(path)
    _print_notes(fetched, notes)


def _print_cached() -> None:
    typer.echo("treebank\trelease\tmegabytes\tfolder")
    for found in cached():
        size = sum(path.stat().st_size for path in found.files) / 1e6
        typer.echo(f"{found.name}\t{found.release}\t{size:.1f}\t{found.folder}")
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"Cache: {cache_folder()}")


def _print_notes(fetched: Fetched, notes: Console) -> None:
    record = fetched.folder.with_name(f"{fetched.name}.sha256")
    notes.print(
        f"{fetched.name}, release {fetched.release}.", CHECKED[fetched.check].format(record=record)
    )
    licence = fetched.licence or "none came with it; see universaldependencies.org"
    notes.print(f"Licence: {licence}")


@contextlib.contextmanager
def _progress_bar(console: Console) -> Iterator[Progress]:
    """Yield a callback that moves one bar a file."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with ProgressBar(*columns, console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def move(name: str, received: int, length: int | None) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=length)
            bars.update(tasks[name], completed=received)

        yield move
