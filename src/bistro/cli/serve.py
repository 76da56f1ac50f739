"""`bistro serve`: serve models through a web page, a JSON interface and UDPipe's protocol."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bistro.cli.common import argument, given, option
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.serve.catalog import Catalog
    from bistro.serve.desks import Desks
    from bistro.serve.limits import Limits

PACKAGES = ("fastapi", "uvicorn", "python-multipart")
"""The packages that the server needs."""
_limit = partial(option, "N", min=1, rich_help_panel="Limits")


def serve(
    models: list[str] = argument(
        "MODEL...",
        "Model files, or names of installed models. Without models, only the playground is served.",
        default=[],
    ),
    file: list[str] | None = option(
        "FILE", "Open this CoNLL-U file for annotation at /desk.", "--file"
    ),
    desk: str | None = option(
        "FOLDER", "Folder for files that are dragged onto the desk at /desk.", "--desk"
    ),
    learn_every: int = option(
        "N",
        "Number of confirmed sentences after which the desk trains a new model; 0 disables "
        "training.",
        "--learn-every",
        default=25,
        min=0,
    ),
    learn_with: str | None = option(
        "FILE",
        "Additional training sentences for the models that the desk trains.",
        "--learn-with",
    ),
    host: str = option("ADDRESS", "The address to listen on.", default="127.0.0.1"),
    port: int = option("N", "The port; 0 chooses a free port.", default=8000, min=0, max=65535),
    allow_host: list[str] | None = option(
        "NAME", "Also answer requests for this host name (behind a proxy)."
    ),
    allow_origin: list[str] | None = option(
        "URL", "Allow web pages from this origin to call the interface."
    ),
    api_keys: str | None = option(
        "FILE",
        "File of API keys, one per line (NAME KEY, or KEY alone). With this option, every "
        "request needs a key.",
    ),
    trust_proxy: list[str] | None = option(
        "ADDRESS", "Trust the proxy at this address to identify clients in X-Forwarded-For."
    ),
    access_log: str | None = option(
        "FILE", "Write one line per request to this file; - means stdout.", "--access-log"
    ),
    learn_after: int | None = option(
        "N",
        "Train a model on the documents from INCEpTION once they contain N complete sentences; "
        "default: never.",
        min=1,
    ),
    max_words: int | None = _limit("Maximum number of words in a sentence; default: 150."),
    max_document: int | None = _limit(
        "Maximum number of words in a request to /process; default: 5000."
    ),
    max_body: int | None = _limit("Maximum size of a request in bytes; default: 1000000."),
    max_seconds: int | None = _limit(
        "Maximum duration of a request in seconds, including the time spent in the queue; default: "
        "30."
    ),
    at_once: int | None = _limit(
        "Maximum number of short computations at a time; default: one per processor."
    ),
    max_waiting: int | None = _limit("Maximum number of requests in the queue; default: 128."),
    max_per_client: int | None = _limit(
        "Maximum number of requests from one client at a time; default: 32."
    ),
) -> None:
    """Serve models through a web page and an HTTP interface for programs.

    The page at / works without an internet connection. The page /play is a playground for
    Pitman-Yor processes, which needs no model. With --file or --desk, the page /desk is an
    annotation tool. /api has a JSON interface, described by /docs and /openapi.json; /process and
    /models speak the REST protocol of UDPipe; /inception/MODEL is the address of an external
    recommender for INCEpTION. /health and /metrics are for operators of the server. The server can
    be reached only from this machine, unless --host is given. --api-keys admits only clients with a
    key; for encryption, use a reverse proxy. SIGTERM or Ctrl-C stops the server after it has
    answered the current requests.

        bistro serve english.bistro
        bistro serve english.bistro --file mine.conllu
        bistro serve bistro-en-ewt --access-log access.log
        bistro serve
        bistro serve parser.bistro ngram.bistro --port 8080 --max-words 80
    """
    try:
        from bistro.serve.app import create_app
        from bistro.serve.run import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bistro"):
            raise
        raise BistroError(
            f"the server needs the package {error.name}: pip install {' '.join(PACKAGES)}"
        ) from None
    from bistro.serve.access import LOOPBACK, read_keys
    from bistro.serve.access_log import open_log
    from bistro.serve.catalog import Catalog
    from bistro.serve.limits import Limits

    limits = Limits(
        **given(
            words=max_words,
            document=max_document,
            body=max_body,
            seconds=max_seconds,
            at_once=at_once,
            waiting=max_waiting,
            per_client=max_per_client,
        )
    )
    hosts = {*LOOPBACK, host, socket.gethostname(), *(allow_host or [])}
    keys = read_keys(api_keys) if api_keys is not None else None
    log = open_log(access_log) if access_log is not None else None
    loaded = Catalog.load(models)
    desks = None
    if file or desk is not None:
        desks = _open_desks(loaded, file or [], desk, learn_every, learn_with, limits)
    app = create_app(
        loaded,
        limits,
        hosts=hosts,
        origins=allow_origin or (),
        keys=keys,
        log=log,
        desks=desks,
        learn_after=learn_after,
    )
    run(app, host, port, limits, proxies=trust_proxy or (), page="desk" if desks else "")


def _open_desks(
    catalog: Catalog,
    files: list[str],
    folder: str | None,
    every: int,
    beside: str | None,
    limits: Limits,
) -> Desks:
    """Open the files that will be annotated."""
    from bistro.serve.desks import Desks
    from bistro.treebank.treebank import read

    return Desks(
        catalog,
        [Path(name) for name in files],
        folder=None if folder is None else Path(folder),
        every=every,
        beside=() if beside is None else list(read(beside, roots="any")),
        most_words=limits.words,
    )
