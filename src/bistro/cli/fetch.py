"""`bistro fetch`: download Universal Dependencies treebanks by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bistro.cli.common import flag, option, say
from bistro.errors import BistroError
from bistro.progress import Phase, phase
from bistro.treebank.ud_names import LATEST_RELEASE

if TYPE_CHECKING:
    from bistro.treebank.fetch import Fetched
    from bistro.treebank.fetch_sources import Progress

CHECKED = {
    "mirror": "The files match the checksums published by the mirror.",
    "recorded": "The files match the checksums that were recorded at the first download.",
    "first": (
        "No checksum was known for this treebank. The checksums of this download were written to "
        "{record}, and later downloads are compared with them."
    ),
}


def fetch(
    treebank: str | None = typer.Argument(
        None,
        metavar="TREEBANK",
        help="Name of the treebank: UD_English-EWT, English-EWT or en_ewt.",
        show_default=False,
    ),
    release: str = option("R", "Release of Universal Dependencies.", default=LATEST_RELEASE),
    mirror: str | None = typer.Option(
        None,
        envvar="BISTRO_MIRROR",
        metavar="PLACE",
        help="A folder or URL that holds ud-treebanks-v2.18/UD_English-EWT/…, or the path or URL "
        "of an archive with {name} and {release} in it. By default, the project's public "
        "archives are used.",
        show_default=False,
    ),
    force: bool = flag("--force", "Download the treebank again even if it is cached."),
    timeout: float = option("S", "Seconds to wait for the server.", default=30.0, min=0.1),
    list_: bool = flag("--list", "List the cached treebanks and exit."),
) -> None:
    """Download a Universal Dependencies treebank into the cache.

    The paths of the treebank's CoNLL-U files go to standard output, one per line, and notes go to
    standard error. A treebank that is already in the cache is verified against its checksums and
    used without a network connection. The cache is the user's cache folder, or the folder named by
    the environment variable BISTRO_HOME.

        bistro fetch en_ewt
        bistro fetch UD_Danish-DDT --release 2.16 --mirror /data/ud
    """
    from bistro.treebank.fetch import fetch as fetch_treebank

    if list_:
        _print_cached()
        return
    if treebank is None:
        raise BistroError(
            "name a treebank, for example UD_English-EWT or en_ewt, or use --list to list the "
            "cached treebanks"
        )
    with phase(f"looking for {treebank}") as work:
        fetched = fetch_treebank(
            treebank, release, mirror=mirror, force=force, timeout=timeout, progress=_shown(work)
        )
    for path in fetched.files:
        typer.echo(path)
    _say_notes(fetched)


def _print_cached() -> None:
    from bistro.treebank.fetch import cache_folder, cached

    typer.echo("treebank\trelease\tmegabytes\tfolder")
    for treebank in cached():
        size = sum(path.stat().st_size for path in treebank.files) / 1e6
        typer.echo(f"{treebank.name}\t{treebank.release}\t{size:.1f}\t{treebank.folder}")
    say(f"Cache: {cache_folder()}")


def _say_notes(fetched: Fetched) -> None:
    record = fetched.folder.with_name(f"{fetched.name}.sha256")
    checked = CHECKED[fetched.check].format(record=record)
    say(f"{fetched.name}, release {fetched.release}. {checked}")
    say(f"Licence: {fetched.licence or 'none came with it; see universaldependencies.org'}")


def _shown(work: Phase) -> Progress:
    """Return a callback that shows the progress of a download."""

    def move(name: str, received: int, length: int | None) -> None:
        of_all = f" of {length / 1e6:.1f}" if length else ""
        work.name, work.total = f"downloading {name}", length
        work.reach(received, note=f"{received / 1e6:.1f}{of_all} MB")

    return move
