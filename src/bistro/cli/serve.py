"""`bistro serve`: the page, a JSON interface and UDPipe's protocol for models."""

from __future__ import annotations

import ipaddress
from functools import partial

import typer

from bistro.cli.common import argument, given, option
from bistro.errors import BistroError

_limit = partial(option, "N", min=1, rich_help_panel="Limits")


def serve(
    models: list[str] = argument("MODEL...", "Model files."),
    host: str = typer.Option("127.0.0.1", help="The address to listen at."),
    port: int = option("N", "0: any that is free.", default=8000, min=0, max=65535),
    allow_host: list[str] | None = option("NAME", "Answer to this host name too (behind a proxy)."),
    allow_origin: list[str] | None = option("URL", "Let pages of this origin call the interface."),
    max_words: int | None = _limit("Of a sentence; default: 150."),
    max_document: int | None = _limit("Words of a request to /process; default: 5000."),
    max_body: int | None = _limit("Bytes of a request; default: 1000000."),
    max_seconds: int | None = _limit("Until an answer; default: 30."),
    at_once: int | None = _limit("Computations at a time; default: one a processor."),
    max_waiting: int | None = _limit("Requests that wait for these; default: 64."),
) -> None:
    """Show models in a browser, and answer requests of programs, until Ctrl-C.

    The page at / works without any network. /api has a JSON interface, described by /openapi.json;
    /process and /models speak the REST protocol of UDPipe. Only this machine can reach the server
    unless --host says otherwise; it has no passwords: put a proxy before it for more than friends.

        bistro serve english.bistro
        bistro serve parser.bistro ngram.bistro --port 8080 --max-words 80
    """
    try:
        from bistro.serve.app import create_app
        from bistro.serve.run import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bistro"):
            raise
        raise BistroError(
            f"the server needs {error.name}: install it with pip install 'bistro-syntax[web]'"
        ) from None
    from bistro.serve.catalog import Catalog
    from bistro.serve.guard import LOOPBACK
    from bistro.serve.limits import Limits

    limits = Limits(
        **given(
            words=max_words,
            document=max_document,
            body=max_body,
            seconds=max_seconds,
            at_once=at_once,
            waiting=max_waiting,
        )
    )
    names = {*LOOPBACK, *(allow_host or [])}
    hosts = names if is_loopback(host) or allow_host else None
    app = create_app(Catalog.load(models), limits, hosts=hosts, origins=allow_origin or ())
    run(app, host, port)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
