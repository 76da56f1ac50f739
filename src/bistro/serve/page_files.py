"""The files of the page, which are read once at startup, so that requests need no disk access."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

# Not from the MIME tables of the system, which differ between machines.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class PageFile:
    """A file with its bytes, its type, and a tag that changes with its content."""

    content: bytes
    media_type: str
    tag: str


def page_files() -> dict[str, PageFile]:
    """Return all files of the page, keyed by their paths relative to the page's folder."""
    return dict(_below(files("bistro.serve") / "page", ""))


def _below(folder: Traversable, prefix: str) -> list[tuple[str, PageFile]]:
    pairs: list[tuple[str, PageFile]] = []
    for item in folder.iterdir():
        if item.is_dir():
            pairs += _below(item, f"{prefix}{item.name}/")
        else:
            pairs.append((f"{prefix}{item.name}", _file(item)))
    return pairs


def _file(item: Traversable) -> PageFile:
    content = item.read_bytes()
    suffix = item.name[item.name.rfind(".") :]
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return PageFile(content, TYPES.get(suffix, "application/octet-stream"), tag)
