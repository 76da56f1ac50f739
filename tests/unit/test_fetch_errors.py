"""Fetching treebanks: everything that goes wrong leaves nothing behind and is said."""

from __future__ import annotations

import gzip
import io
import os
import socket
import tarfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import mirrors
import pytest
from mirrors import (
    FILES,
    NAME,
    RELEASE,
    TREE,
    Handler,
    Server,
    archive,
    checksums,
    folder_mirror,
    nothing_is_kept,
    there,
    web_mirror,
)

from bistro.errors import OutputError
from bistro.treebank.fetch import cached, fetch
from bistro.treebank.fetch_sources import FetchError, NotThereError

home, server = mirrors.home, mirrors.server  # fixtures


def test_wrong_checksum_leaves_nothing(server: Server, home: Path) -> None:
    files = FILES | {"en_ewt-ud-dev.conllu": TREE * 99}
    with pytest.raises(FetchError, match=r"dev\.conllu has the SHA-256 checksum .* mirror lists"):
        fetch(NAME, RELEASE, mirror=web_mirror(server, files, checksums(FILES)))
    assert nothing_is_kept(home)


def test_missing_file(server: Server, home: Path) -> None:
    mirror = web_mirror(server, FILES)
    del server.pages[f"/ud-treebanks-v{RELEASE}/{NAME}/en_ewt-ud-test.conllu"]
    with pytest.raises(NotThereError, match=r"test\.conllu: not found \(the server answered 404\)"):
        fetch(NAME, RELEASE, mirror=mirror)
    assert nothing_is_kept(home)


def test_folder_without_a_promised_file(tmp_path: Path, home: Path) -> None:
    present = {name: FILES[name] for name in FILES if "test" not in name}
    mirror = folder_mirror(tmp_path / "m", present | {"SHA256SUMS": checksums(FILES)})
    with pytest.raises(FetchError, match=r"test\.conllu is missing"):
        fetch(NAME, RELEASE, mirror=mirror)
    assert nothing_is_kept(home)


def test_unknown_treebank_of_a_mirror(server: Server, tmp_path: Path) -> None:
    for mirror in (server.url, str(tmp_path), server.url + "/{name}.tar.gz"):
        with pytest.raises(NotThereError, match=r"release 2\.16 has a treebank UD_Klingon-New"):
            fetch("UD_Klingon-New", RELEASE, mirror=mirror)


def test_a_treebank_without_trees(tmp_path: Path, home: Path) -> None:
    mirror = folder_mirror(tmp_path / "m", {"README.md": b"soon"})
    with pytest.raises(FetchError, match="no CoNLL-U files"):
        fetch(NAME, RELEASE, mirror=mirror)
    assert nothing_is_kept(home)


def test_server_in_trouble(server: Server) -> None:
    web_mirror(server, FILES)
    server.pages[f"/ud-treebanks-v{RELEASE}/{NAME}/SHA256SUMS"] = lambda h: h.send_error(503)
    with pytest.raises(FetchError, match="the server answered 503"):
        fetch(NAME, RELEASE, mirror=server.url)


def cut_short(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000000")
    handler.end_headers()
    handler.wfile.write(TREE * 100)


def test_truncated_file(server: Server, home: Path) -> None:
    mirror = web_mirror(server, FILES)
    server.pages[f"/ud-treebanks-v{RELEASE}/{NAME}/en_ewt-ud-train.conllu"] = cut_short
    with pytest.raises(FetchError, match="cut short"):
        fetch(NAME, RELEASE, mirror=mirror)
    assert nothing_is_kept(home)


@pytest.mark.parametrize("kept", [0, 10, 300, -1])
def test_truncated_archive_of_unknown_length(server: Server, home: Path, kept: int) -> None:
    packed = archive({f"x/{name}": data for name, data in FILES.items()})[:kept]

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(packed)

    server.pages[f"/{NAME}"] = answer
    with pytest.raises(FetchError, match="damaged or cut short"):
        fetch(NAME, RELEASE, mirror=server.url + "/{name}")
    assert nothing_is_kept(home)


def test_archive_damaged_inside(server: Server, home: Path) -> None:
    packed = bytearray(archive({f"x/{name}": os.urandom(5000) for name in FILES}))
    packed[len(packed) // 2] ^= 0xFF
    server.pages[f"/{NAME}"] = bytes(packed)
    with pytest.raises(FetchError, match="damaged"):
        fetch(NAME, RELEASE, mirror=server.url + "/{name}")
    assert nothing_is_kept(home)


def test_not_an_archive(server: Server, home: Path) -> None:
    server.pages[f"/{NAME}"] = gzip.compress(b"<html>Sign in</html>" * 100)
    with pytest.raises(FetchError, match="damaged"):
        fetch(NAME, RELEASE, mirror=server.url + "/{name}")
    assert nothing_is_kept(home)


def test_silent_server(server: Server, home: Path) -> None:
    released = threading.Event()
    web_mirror(server, FILES)
    page = f"/ud-treebanks-v{RELEASE}/{NAME}/en_ewt-ud-dev.conllu"

    def stall(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"1")
        released.wait(10)

    for answer in (lambda _: released.wait(10), stall):
        server.pages[page] = answer
        with pytest.raises(FetchError, match=r"the server did not answer within 0\.2 seconds"):
            fetch(NAME, RELEASE, mirror=server.url, timeout=0.2)
    released.set()
    assert nothing_is_kept(home)


def test_no_network(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(FetchError, match=r"cannot be reached .*name a folder .* --mirror"):
            fetch(NAME, RELEASE, mirror=url, timeout=5)
    assert nothing_is_kept(home)


def test_unresolvable_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(FetchError, match=r"github.*r2\.16.*cannot be reached \(temporary failure"):
        fetch(NAME, RELEASE)


@pytest.mark.parametrize("url", ["http://bad host/x", "http://", "http://a..b/"])
def test_impossible_addresses(url: str) -> None:
    with pytest.raises(FetchError):
        fetch(NAME, RELEASE, mirror=url, timeout=2)


@pytest.mark.parametrize(
    "evil", ["../evil.conllu", "/tmp/evil.conllu", "x/../../evil.conllu", "..\\evil.conllu"]
)
def test_archive_members_outside_are_refused(
    server: Server, home: Path, tmp_path: Path, evil: str
) -> None:
    server.pages[f"/{NAME}"] = archive({"x/a-ud-test.conllu": TREE, evil: TREE})
    with pytest.raises(FetchError, match="points outside"):
        fetch(NAME, RELEASE, mirror=server.url + "/{name}")
    assert nothing_is_kept(home)
    assert not list(tmp_path.rglob("evil*"))


def test_links_in_archives_are_not_followed(server: Server) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        link = tarfile.TarInfo("x/a-ud-dev.conllu")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
        tree = tarfile.TarInfo("x/a-ud-test.conllu")
        tree.size = len(TREE)
        tar.addfile(tree, io.BytesIO(TREE))
    server.pages[f"/{NAME}"] = buffer.getvalue()
    fetched = fetch(NAME, RELEASE, mirror=server.url + "/{name}")
    assert [path.name for path in fetched.folder.iterdir()] == ["a-ud-test.conllu"]


@pytest.mark.parametrize("line", ["../x", "a/b.conllu", "..", ""])
def test_checksum_files_cannot_name_paths(server: Server, home: Path, line: str) -> None:
    sums = f"{'0' * 64}  {line}\n".encode()
    with pytest.raises(FetchError, match="SHA256SUMS:1: expected 64 hexadecimal digits"):
        fetch(NAME, RELEASE, mirror=web_mirror(server, FILES, sums))
    assert nothing_is_kept(home)


def test_changed_file_in_the_cache(tmp_path: Path) -> None:
    fetched = fetch(NAME, RELEASE, mirror=folder_mirror(tmp_path / "m", FILES))
    there(fetched.dev).write_bytes(b"edited")
    with pytest.raises(FetchError, match="differs from the file that was fetched first"):
        fetch(NAME, RELEASE)
    again = fetch(NAME, RELEASE, mirror=str(tmp_path / "m"), force=True)
    assert there(again.dev).read_bytes() == FILES["en_ewt-ud-dev.conllu"]


def test_a_file_in_place_of_the_cache(tmp_path: Path, home: Path) -> None:
    home.write_text("not a folder")
    with pytest.raises(OutputError, match="cannot be written"):
        fetch(NAME, RELEASE, mirror=folder_mirror(tmp_path / "m", FILES))
    assert home.read_text() == "not a folder"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_read_only_cache(tmp_path: Path, home: Path) -> None:
    home.mkdir()
    home.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="permission denied"):
            fetch(NAME, RELEASE, mirror=folder_mirror(tmp_path / "m", FILES))
    finally:
        home.chmod(0o700)


def test_full_disk(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = folder_mirror(tmp_path / "m", FILES)

    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    real_open = type(tmp_path).open

    def open_(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        return Full() if mode == "wb" else real_open(self, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", open_)
    with pytest.raises(OutputError, match="no space left"):
        fetch(NAME, RELEASE, mirror=mirror)
    monkeypatch.undo()
    assert nothing_is_kept(home)


def test_interrupted_download_leaves_nothing(tmp_path: Path, home: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        fetch(NAME, RELEASE, mirror=folder_mirror(tmp_path / "m", FILES), progress=interrupt)
    assert nothing_is_kept(home)
    assert cached() == []
