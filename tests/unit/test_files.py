"""Files in and out: compression, atomic writing, damage."""

from __future__ import annotations

import contextlib
import errno
import gzip
import lzma
import os
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import OutputError
from bistro.files import InputError, open_binary, read_json, writing

CONTENT = b"".join(b"%d\tthe dog\n" % i for i in range(20_000))
SUFFIXES = ["", ".gz", ".xz", ".zst"]


def read_all(path: str | os.PathLike[str]) -> bytes:
    with open_binary(path) as stream:
        return stream.read()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    with writing(path) as stream:
        stream.write(CONTENT)
    assert read_all(path) == CONTENT
    assert (path.stat().st_size < len(CONTENT) / 2) == bool(suffix)
    with open_binary(path) as stream:
        assert b"".join(iter(lambda: stream.read(999), b"")) == CONTENT
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("trian.conllu", r" \(did you mean '.*train.conllu'\?\)"),
        ("dev.conllu", ""),
        ("absent/train.conllu", r" \(there is no folder '.*absent'\)"),
        ("absent/more/train.conllu", r" \(there is no folder '.*absent'\)"),
        ("The dog sleeps .", r" \(to give a sentence, pipe it in: echo '.*sleeps \.' \| bistro .*"),
    ],
)
def test_hints_about_a_missing_file(tmp_path: Path, name: str, hint: str) -> None:
    (tmp_path / "train.conllu").touch()
    with pytest.raises(InputError, match=f"no such file or directory{hint}$"):
        read_all(tmp_path / name)


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_the_same_content_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    for name in "ab":
        with writing(tmp_path / f"{name}{suffix}") as stream:
            stream.write(CONTENT)
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
@pytest.mark.parametrize("share", [0.0005, 0.3, 0.9, 0.9999])
def test_a_cut_file_is_noticed(tmp_path: Path, suffix: str, share: float) -> None:
    path = tmp_path / f"x{suffix}"
    with writing(path) as stream:
        stream.write(CONTENT)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(1, int(share * len(whole)))])
    with pytest.raises(InputError, match=r"damaged or cut short|cannot be read"):
        read_all(path)


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_a_changed_byte_is_noticed(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    with writing(path) as stream:
        stream.write(CONTENT)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(InputError, match=r"damaged or cut short|cannot be read"):
        read_all(path)


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", None)]
)
def test_files_put_together_are_read_as_one(
    tmp_path: Path, suffix: str, compress: Callable[..., Any] | None
) -> None:
    path = tmp_path / f"x{suffix}"
    parts = b"first\n", b"", b"second\n"
    if compress is None:
        pieces = []
        for part in parts:
            with writing(path) as stream:
                stream.write(part)
            pieces.append(path.read_bytes())
    else:
        pieces = [compress(part) for part in parts]
    path.write_bytes(b"".join(pieces))
    assert read_all(path) == b"first\nsecond\n"


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    with writing(path) as stream:
        for _ in range(400):
            stream.write(bytes(1 << 20))
    tracemalloc.start()
    read = 0
    with pytest.raises(InputError, match="more than 200 times"), open_binary(path) as stream:
        while piece := stream.read(1 << 16):
            read += len(piece)
    assert read < (1 << 25) + 200 * path.stat().st_size
    assert tracemalloc.get_traced_memory()[1] < 1 << 28
    tracemalloc.stop()


def test_what_is_well_compressed_is_no_bomb(tmp_path: Path) -> None:
    """The built-in treebank and small files of one repeated line."""
    for suffix in SUFFIXES[1:]:
        path = tmp_path / f"x{suffix}"
        with writing(path) as stream:
            stream.write(b"the same line\n" * 500_000)
        assert len(read_all(path)) == 7_000_000


JSON_SIZE = 50_000
DENSE = [
    *("{}", "[]", "[0]", "[[]]", "[-6]", '["ab"]', '["\U0001f600"]'),
    *('{"":0}', '{"":[]}', '{"":{}}'),
    "[" * 900 + "]" * 900,
]
USUAL = [
    *("-6", "257", "1e9", "[257,257,257,257,257]", "[-6,-6,-6,-6]", '"ab", "of"', "[1, 2], [3, 4]"),
    '{"dtype":"F32","shape":[100],"data_offsets":[400,800]}',
    '["NP", ["DT", "NN"], 0.25]',
    '{"sweep": 3, "log_likelihood": -1234.5, "seconds": 0.25, "tables": [3, 12, 40]}',
]


@pytest.fixture
def small_json_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bistro.files.LARGE_JSON", JSON_SIZE)


def json_of(item: str, separator: str = ",") -> str:
    return "[" + separator.join([item] * (JSON_SIZE // (len(item) + 1) + 2)) + "]"


@pytest.mark.usefixtures("small_json_is_large")
@pytest.mark.parametrize("item", DENSE)
def test_json_that_takes_many_times_its_size_is_refused(item: str) -> None:
    text = json_of(item)
    tracemalloc.start()
    with pytest.raises(ValueError, match="many times its size"):
        read_json(text)
    assert tracemalloc.get_traced_memory()[1] < len(text)
    tracemalloc.stop()


@pytest.mark.usefixtures("small_json_is_large")
@pytest.mark.parametrize("item", USUAL)
def test_usual_json_is_read_in_little_memory(item: str) -> None:
    text = json_of(item, ", ")
    tracemalloc.start()
    assert len(read_json(text)) > JSON_SIZE / (len(item) + 2)
    assert tracemalloc.get_traced_memory()[1] < 18 * len(text)
    tracemalloc.stop()


@pytest.mark.usefixtures("small_json_is_large")
@pytest.mark.parametrize("numbers", range(1, 12))
def test_json_that_is_just_accepted_takes_less_than_the_limit(numbers: int) -> None:
    """Numbers are not part of the estimate: lists can be hidden among them."""
    text = json_of(",".join(["[[]]", *["257"] * numbers]))
    tracemalloc.start()
    with contextlib.suppress(ValueError):
        read_json(text)
    assert tracemalloc.get_traced_memory()[1] < 18.5 * len(text)
    tracemalloc.stop()


@pytest.mark.usefixtures("small_json_is_large")
def test_an_object_of_many_small_entries_is_refused() -> None:
    """An object that grows exists twice for a moment, which takes 20 times its text."""
    entries = ",".join(f'"{number:x}":1' for number in range(10_000))
    with pytest.raises(ValueError, match="many times its size"):
        read_json("{" + entries + "}")


def test_a_failure_keeps_the_old_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), writing(path) as stream:
        stream.write(b"new")
        raise RuntimeError("something else went wrong")
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == {"x": b"old"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OutputError, match="cannot be written: no space left on device"),
        writing(path) as stream,
    ):
        stream.write(b"new")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"old"]


def test_missing_and_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="absent: cannot be read: no such file"):
        read_all(tmp_path / "absent")
    monkeypatch.setattr("sys.stdin", None)
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(InputError, match="stdin is closed"):
        read_all("-")
    with pytest.raises(OutputError, match="stdout is closed"), writing("-"):
        pass


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        with writing(pipe) as stream:
            stream.write(b"words")
        assert read.result(timeout=10) == b"words"
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
