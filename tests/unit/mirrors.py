"""Mirrors of treebanks for tests: folders, archives and a web server of this machine."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NAME, RELEASE = "UD_English-EWT", "2.16"
TREE = b"1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
FILES = {
    "en_ewt-ud-train.conllu": TREE * 20000,
    "en_ewt-ud-dev.conllu": TREE * 2,
    "en_ewt-ud-test.conllu": TREE * 3,
    "LICENSE.txt": b"Free.\n",
    "README.md": b"# Summary\n",
    "stats.xml": b"<x/>",
}

Files = Mapping[str, bytes]
Page = bytes | Callable[["Handler"], object]


def checksums(files: Files) -> bytes:
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    return "".join(lines).encode()


def archive(members: Files) -> bytes:
    """A compressed tar file of the given members, as bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def folder_mirror(root: Path, files: Files, release: str = RELEASE) -> str:
    folder = root / f"ud-treebanks-v{release}" / NAME
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return str(root)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BISTRO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BISTRO_MIRROR", raising=False)
    # A test must never reach the network, whatever proxy the machine has.
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


class Server(ThreadingHTTPServer):
    """Has pages by their paths, and notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, Page] = {}
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers from the server's dictionary of paths; a value may also be a callable."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.pages.get(self.path)
        if answer is None:
            self.send_error(404)
        elif callable(answer):
            answer(self)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    httpd = Server()
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield httpd
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def web_mirror(server: Server, files: Files, sums: bytes | None = None) -> str:
    base = f"/ud-treebanks-v{RELEASE}/{NAME}"
    server.pages.clear()
    server.pages.update({f"{base}/{name}": data for name, data in files.items()})
    server.pages[f"{base}/SHA256SUMS"] = checksums(files) if sums is None else sums
    return server.url


def there(path: Path | None) -> Path:
    """A file that a treebank has."""
    assert path is not None
    return path


def nothing_is_kept(home: Path) -> bool:
    return not [path for path in home.rglob("*") if path.is_file()]
