"""Access control by host name, origin and API key.

A browser sends requests on behalf of any page that it shows, even to this machine. Three checks
distinguish requests sent by other pages from those sent by Bistro's own page or by programs.

- The host name must be one of this server's names. The server thus rejects pages whose own host
  name has been redirected to this machine (DNS rebinding). Numeric addresses cannot be redirected
  by DNS.
- The origin of the page, which browsers send with forms and scripts, must be this server or an
  allowed origin. For pictures and links, the header `Sec-Fetch-Site` is checked instead.
- If keys are configured, everything except the pages and /health requires one of them.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from bistro.errors import BistroError, printable
from bistro.files import explain
from bistro.serve.errors import RefusedError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SHORTEST_KEY = 16
"""Minimum length of a key. Shorter keys would be easy to guess."""
OPEN = ("/", "/play", "/desk", "/docs", "/health")
"""Paths that can be requested without an API key."""
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Access:
    """The checks of one server.

    Parameters
    ----------
    hosts
        Host names that the server answers to, in addition to numeric addresses. None allows all
        names.
    origins
        Origins of other sites whose pages may send requests.
    keys
        Names of clients by their keys; if empty, no key is needed.
    """

    def __init__(
        self,
        hosts: Collection[str] | None = LOOPBACK,
        origins: Collection[str] = (),
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self.hosts = None if hosts is None else {host.lower() for host in hosts}
        self.origins = {origin.lower().rstrip("/") for origin in origins}
        self.keys = dict(keys or {})

    def client_of(self, scope: Scope) -> str:
        """Return the client that sent a request, or raise `RefusedError`."""
        headers = Headers(scope=scope)
        self._check_host(headers)
        self._check_origin(headers, scope)
        return self._check_key(headers, scope) or _network(scope)

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        name = _without_port(hosts[0].lower()) if len(hosts) == 1 else ""
        if self.hosts is None or name in self.hosts or _is_number(name):
            return
        raise RefusedError(400, "requests for this host name are not allowed (see --allow-host)")

    def _check_origin(self, headers: Headers, scope: Scope) -> None:
        origin = headers.get("origin", "").lower()
        site = headers.get("sec-fetch-site", "none").lower()
        if origin in self.origins:
            return
        if origin:
            parts = urlsplit(origin)
            host = headers.get("host", "").lower()
            default = DEFAULT_PORTS.get(parts.scheme, "")
            if parts.netloc and parts.netloc.removesuffix(default) == host.removesuffix(default):
                return
        elif site in ("none", "same-origin") or _is_open(scope):
            return
        raise RefusedError(
            403, "requests from pages on other sites are not allowed (see --allow-origin)"
        )

    def _check_key(self, headers: Headers, scope: Scope) -> str | None:
        """Return the name of the API key. Raise an error if a required key is missing or wrong."""
        if not self.keys or _is_open(scope) or scope["method"] == "OPTIONS":
            return None
        name = self._name_of_key(headers)
        if name is None:
            raise RefusedError(
                401, "this server requires a key: send the header 'Authorization: Bearer KEY'"
            )
        return f"key {name}"

    def key_of(self, scope: Scope) -> str | None:
        """Return the name of a request's API key, or None if the key is missing or invalid."""
        return self._name_of_key(Headers(scope=scope)) if self.keys else None

    def _name_of_key(self, headers: Headers) -> str | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        owner = None
        for key, name in self.keys.items():  # all keys: the time must not leak a match
            if hmac.compare_digest(key.encode(), token.strip().encode()):
                owner = name
        return owner if kind.lower() == "bearer" else None


def read_keys(path: str) -> dict[str, str]:
    """Read a file with one API key per line, and return the name of the client for each key.

    A line contains a name and a key, or only a key. A client without a name is named after its line
    number. Empty lines and lines that begin with ``#`` are ignored.
    """
    keys: dict[str, str] = {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = explain(error) if isinstance(error, OSError) else "the file is not valid UTF-8"
        raise BistroError(f"{printable(path)}: {reason}") from None
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) > 2 or len(fields[-1]) < SHORTEST_KEY or not fields[-1].isascii():
            raise BistroError(
                f"{printable(path)}:{number}: expected a name and a key of at least {SHORTEST_KEY} "
                "ASCII characters"
            )
        keys[fields[-1]] = fields[0] if len(fields) == 2 else f"in line {number}"
    if not keys:
        raise BistroError(f"{printable(path)}: the file has no keys")
    return keys


def _is_open(scope: Scope) -> bool:
    """Return whether a request needs no API key (for example, a request for /health)."""
    path: str = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (path in OPEN or path.startswith("/static/"))


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _is_number(host: str) -> bool:
    """Return whether a host is a numeric address."""
    try:
        ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _network(scope: Scope) -> str:
    """Return the IPv4 address of a client, or the /64 network of its IPv6 address."""
    host = (scope.get("client") or ("", 0))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return str(host)
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
