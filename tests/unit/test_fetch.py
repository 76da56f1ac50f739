"""Fetching treebanks: from a folder, an archive or a web server, into the cache."""

from __future__ import annotations

from pathlib import Path

import mirrors
import pytest
from mirrors import (
    FILES,
    NAME,
    RELEASE,
    TREE,
    Server,
    archive,
    checksums,
    folder_mirror,
    there,
    web_mirror,
)

from bistro.treebank.fetch import cache_folder, cached, fetch
from bistro.treebank.fetch_sources import FetchError, read_checksums

home, server = mirrors.home, mirrors.server  # fixtures


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
    with pytest.raises(
        FetchError, match=r"dev\.conllu differs from the file that was fetched first"
    ):
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
