"""Fetching treebanks: from a folder, from a web server, and everything that goes wrong."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import socket
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import BistroError, OutputError
from bistro.treebank.fetch import cache_folder, cached, fetch
from bistro.treebank.fetch_sources import FetchError, NotThereError, read_checksums
from bistro.treebank.ud_names import UnknownTreebankError, check_release, full_name, known_names

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


# ---- success


def test_from_a_folder(tmp_path: Path, home: Path) -> None:
    fetched = fetch("en_ewt", RELEASE, mirror=folder_mirror(tmp_path / "m", FILES))
    assert fetched.folder == home / "treebanks" / "ud-treebanks-v2.16" / NAME
    assert [path.name for path in fetched.files] == sorted(n for n in FILES if "conllu" in n)
    assert there(fetched.train).read_bytes() == FILES["en_ewt-ud-train.conllu"]
    assert there(fetched.dev).name == "en_ewt-ud-dev.conllu"
    assert there(fetched.test).name == "en_ewt-ud-test.conllu"
    assert there(fetched.licence).read_bytes() == b"Free.\n"
    assert fetched.check == "first"
    assert not (fetched.folder / "stats.xml").exists()


def test_the_first_download_is_recorded_and_later_ones_are_held_against_it(tmp_path: Path) -> None:
    mirror = folder_mirror(tmp_path / "m", FILES)
    first = fetch(NAME, RELEASE, mirror=mirror)
    record = first.folder.with_name(f"{NAME}.sha256")
    data = {name: content for name, content in FILES.items() if name.endswith(".conllu")}
    assert read_checksums(record.read_text(), "") == read_checksums(checksums(data).decode(), "")
    assert fetch(NAME, RELEASE, mirror=mirror, force=True).check == "recorded"
    folder_mirror(tmp_path / "m", {"en_ewt-ud-dev.conllu": TREE * 9})
    with pytest.raises(FetchError, match=r"dev\.conllu is not the file that was first fetched"):
        fetch(NAME, RELEASE, mirror=mirror, force=True)
    assert there(first.dev).read_bytes() == FILES["en_ewt-ud-dev.conllu"]
    record.unlink()
    assert fetch(NAME, RELEASE, mirror=mirror, force=True).check == "first"
    assert there(first.dev).read_bytes() == TREE * 9


def test_promised_checksums_of_a_folder(tmp_path: Path) -> None:
    mirror = folder_mirror(tmp_path / "m", FILES | {"SHA256SUMS": checksums(FILES)})
    assert fetch(NAME, RELEASE, mirror=mirror).check == "mirror"


def test_cached_without_the_network(server: Server) -> None:
    mirror = web_mirror(server, FILES)
    assert fetch(NAME, RELEASE, mirror=mirror).check == "mirror"
    asked = len(server.asked)
    assert fetch("English-EWT", RELEASE, mirror=mirror).check == "recorded"
    assert len(server.asked) == asked


def test_a_cache_serves_as_a_mirror(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(NAME, RELEASE, mirror=folder_mirror(tmp_path / "m", FILES))
    monkeypatch.setenv("BISTRO_HOME", str(tmp_path / "other"))
    again = fetch(NAME, RELEASE, mirror=str(home / "treebanks"))
    assert there(again.train).read_bytes() == FILES["en_ewt-ud-train.conllu"]
    assert (tmp_path / "other") in again.folder.parents


def test_from_a_web_server_with_progress(server: Server) -> None:
    seen = []
    fetched = fetch(
        NAME, RELEASE, mirror=web_mirror(server, FILES), progress=lambda *step: seen.append(step)
    )
    assert there(fetched.train).read_bytes() == FILES["en_ewt-ud-train.conllu"]
    sizes = [step[1:] for step in seen if step[0] == "en_ewt-ud-train.conllu"]
    length = len(FILES["en_ewt-ud-train.conllu"])
    assert len(sizes) > 1
    assert sizes == sorted(sizes)
    assert sizes[-1] == (length, length)


@pytest.mark.parametrize("place", ["folder", "web"])
def test_from_an_archive(server: Server, tmp_path: Path, place: str) -> None:
    packed = archive({f"{NAME}-r2.16/{name}": data for name, data in FILES.items()})
    if place == "web":
        server.pages[f"/{NAME}/r2.16.tar.gz"] = packed
        mirror = server.url + "/{name}/r{release}.tar.gz"
    else:
        (tmp_path / f"{NAME}-2.16.tgz").write_bytes(packed)
        mirror = str(tmp_path) + "/{name}-{release}.tgz"
    fetched = fetch(NAME, RELEASE, mirror=mirror)
    assert sorted(path.name for path in fetched.folder.iterdir()) == sorted(
        set(FILES) - {"stats.xml"}
    )
    assert there(fetched.test).read_bytes() == FILES["en_ewt-ud-test.conllu"]
    assert fetched.check == "first"


def test_the_environment_names_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BISTRO_MIRROR", folder_mirror(tmp_path / "m", FILES))
    assert fetch(NAME, RELEASE).train is not None


def test_listing(tmp_path: Path) -> None:
    assert cached() == []
    mirror = folder_mirror(tmp_path / "m", FILES)
    folder_mirror(tmp_path / "m", FILES, "2.15")
    fetch(NAME, "2.15", mirror=mirror)
    fetch(NAME, "v2.16", mirror=mirror)
    assert [(found.name, found.release) for found in cached()] == [(NAME, "2.15"), (NAME, "2.16")]


def test_the_default_cache_is_the_user_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BISTRO_HOME")
    assert cache_folder().name == "treebanks"
    assert "bistro" in cache_folder().parts


# ---- failure


def test_wrong_checksum_leaves_nothing(server: Server, home: Path) -> None:
    files = FILES | {"en_ewt-ud-dev.conllu": TREE * 99}
    with pytest.raises(FetchError, match=r"dev\.conllu has the SHA-256 .* instead of"):
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
        with pytest.raises(NotThereError, match=r"has release 2\.16 a treebank UD_Klingon-New"):
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
        with pytest.raises(FetchError, match=r"no answer within 0\.2 seconds"):
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
    with pytest.raises(FetchError, match="not the file that was first fetched"):
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


# ---- names


@pytest.mark.parametrize(
    "name", ["UD_English-EWT", "English-EWT", "en_ewt", "ud_english-ewt", "EN_EWT"]
)
def test_every_usual_spelling(name: str) -> None:
    assert full_name(name) == "UD_English-EWT"


def test_every_spelling_of_every_treebank() -> None:
    names = known_names()
    assert len(names) > 300
    assert len(set(names.values())) == len(names)
    for prefix, full in names.items():
        assert full_name(prefix) == full_name(full) == full_name(full[3:]) == full
    assert full_name("Old Church Slavonic-PROIEL") == "UD_Old_Church_Slavonic-PROIEL"


def test_full_names_newer_than_the_table_are_taken() -> None:
    assert full_name("UD_Klingon-New") == "UD_Klingon-New"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("en_ewtt", "UD_English-EWT"), ("Englsh-EWT", "UD_English-EWT"), ("danish", "UD_Danish-DDT")],
)
def test_nearest_names_are_suggested(typo: str, meant: str) -> None:
    with pytest.raises(UnknownTreebankError, match=meant):
        full_name(typo)


@pytest.mark.parametrize("name", ["", "../../etc", "UD_../x-y", "qqqqqq"])
def test_impossible_names(name: str) -> None:
    with pytest.raises(BistroError, match="no treebank is called"):
        full_name(name)


def test_releases() -> None:
    assert check_release("r2.16") == check_release("v2.16") == check_release("2.16") == "2.16"
    for wrong in ("latest", "2", "../2.1", "3.x"):
        with pytest.raises(UnknownTreebankError, match="is not a release"):
            check_release(wrong)
