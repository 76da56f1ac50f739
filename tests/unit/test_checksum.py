"""The checksum of model files: against a plain twin, and what it notices."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro import _core
from bistro.errors import ModelFileError
from bistro.inference.checkpoint import Checkpoint
from bistro.modelfile import decode_model, encode_model, read_model, write_model
from bistro.models.base import from_bytes

PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
MASK = 2**64 - 1
BLOCK = 2**20
STORED = Path(__file__).resolve().parents[1] / "data" / "models"


def rotated(x: int, by: int) -> int:
    return (x << by | x >> (64 - by)) & MASK


def taken_in(lane: int, word: int) -> int:
    return rotated((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data: bytes) -> int:
    """XXH64 as its description has it."""
    p1, p2, p3, p4, p5 = PRIMES

    def word(at: int, size: int = 8) -> int:
        return int.from_bytes(data[at : at + size], "little")

    at, h = 0, p5
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        while at + 32 <= len(data):
            lanes = [taken_in(lane, word(at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & MASK
        for lane in lanes:
            h = ((h ^ taken_in(0, lane)) * p1 + p4) & MASK
    h = (h + len(data)) & MASK
    while at + 8 <= len(data):
        h = (rotated(h ^ taken_in(0, word(at)), 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        h = (rotated(h ^ word(at, 4) * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ byte * p5 & MASK, 11) * p1 & MASK
    h = (h ^ h >> 33) * p2 & MASK
    h = (h ^ h >> 29) * p3 & MASK
    return h ^ h >> 32


def twin(data: bytes) -> int:
    blocks = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)]
    return xxh64(b"".join(xxh64(block).to_bytes(8, "little") for block in blocks))


def checksum(*pieces: bytes) -> int:
    found = _core.Checksum()
    for piece in pieces:
        found.add(np.frombuffer(piece, np.uint8))
    return found.value


def test_the_twin_gives_published_values() -> None:
    assert xxh64(b"") == 0xEF46DB3751D8E999
    assert xxh64(b"a") == 0xD24EC4F1A98C6E5B
    assert xxh64(b"abc") == 0x44BC2CF5AD770999


@pytest.mark.parametrize("size", [*range(70), 1000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 77])
def test_the_core_agrees_with_its_twin(size: int, tmp_path: Path) -> None:
    data = random.Random(size).randbytes(size)
    assert checksum(data) == twin(data)
    cut = size // 3
    assert checksum(data[:cut], b"", data[cut:]) == twin(data)
    with (tmp_path / "x").open("w+b") as stream:
        stream.write(b"skipped" + data)
        stream.flush()
        for threads in (1, 3):
            found = _core.read_whole(stream.fileno(), size + 7, 7, threads)
            assert found is not None
            assert found[0].tobytes() == b"skipped" + data
            assert found[1] == twin(data)
        assert _core.read_whole(stream.fileno(), size + 8, 7, 1) is None


@pytest.mark.parametrize("name", ["ngram-3.bistro", "isbn-3.bistro"])
def test_every_flipped_bit_is_noticed(name: str) -> None:
    content = (STORED / name).read_bytes()
    for at in range(0, len(content), 11):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(ModelFileError):
            from_bytes(bytes(damaged))


def other_words(header: Any) -> Any:
    """Return a header in which the order of the words of the first vocabulary is another."""
    if isinstance(header, list):
        return [other_words(header[0]), *header[1:]]
    if "vocabulary" in header:
        vocabulary = header["vocabulary"]
        first, second, *rest = vocabulary["words"]
        return {**header, "vocabulary": {**vocabulary, "words": [second, first, *rest]}}
    inner = next(name for name in ("members", "parser", "layers") if name in header)
    return {**header, inner: other_words(header[inner])}


WITH_WORDS = ("committee", "eisner", "grammar", "isbn", "ngram", "pipeline", "reader", "topics")


@pytest.mark.parametrize("name", [*WITH_WORDS, "transition"])
def test_another_vocabulary_is_noticed(name: str) -> None:
    """The checksum is right, but two words have changed places."""
    file = decode_model((STORED / f"{name}-3.bistro").read_bytes(), name)
    content = encode_model(other_words(file.header), file.arrays)
    with pytest.raises(
        ModelFileError, match="differs from the one that the model was trained with"
    ):
        from_bytes(content)


def test_a_wrong_or_missing_checksum_is_told(tmp_path: Path) -> None:
    content = encode_model({"kind": "ngram"}, {"x": np.arange(100)})
    (tmp_path / "m").write_bytes(content[:-1] + b"\1")
    with pytest.raises(
        ModelFileError, match="m: the file is damaged: its checksum is wrong; copy it again"
    ):
        read_model(tmp_path / "m")
    (tmp_path / "m").write_bytes(content.replace(b'"checksum"', b'"chekcsum"'))
    with pytest.raises(ModelFileError, match="m: the file is damaged: its checksum is missing"):
        read_model(tmp_path / "m")


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "m.checkpoint")
    checkpoint.save("print", {}, {"x": np.arange(100)})
    damaged = bytearray(checkpoint.path.read_bytes())
    damaged[-300] ^= 4
    checkpoint.path.write_bytes(damaged)
    with pytest.raises(ModelFileError, match=r"checksum is wrong.*delete the file to start from"):
        checkpoint.load("print")


USE = """
import os, sys, bistro
path, how = sys.argv[1:]
model = bistro.load(path)
before = model.surprisal(["the", "dog"]).rows[0].surprisal
with open(path, "r+b") as file:
    if how == "cut":
        file.truncate(10)
    else:
        file.write(b"\\xff" * os.path.getsize(path))
assert model.surprisal(["the", "dog"]).rows[0].surprisal == before
assert len(model.to_bytes()) > 1000
"""


@pytest.mark.parametrize("how", ["cut", "overwrite"])
def test_a_model_in_use_survives_what_happens_to_its_file(tmp_path: Path, how: str) -> None:
    """A mapped file would end the process with a bus error, or change under it."""
    path = tmp_path / "m.bistro"
    treebank = bistro.builtin(sentences=200, seed=1)
    bistro.train("ngram", treebank, sampler={"sweeps": 2, "samples": 1}).save(path)
    command = [sys.executable, "-c", USE, str(path), how]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m"
    write_model(path, {"kind": "ngram"}, {"x": np.arange(100)})
    read = _core.read_whole

    def overwritten(descriptor: int, *arguments: int) -> object:
        other = encode_model({"kind": "isbn "}, {"x": np.arange(100)})
        path.write_bytes(other.ljust(path.stat().st_size, b"\0"))
        return read(descriptor, *arguments)

    monkeypatch.setattr("bistro.modelfile.read_whole", overwritten)
    with pytest.raises(ModelFileError, match="changed while it was being read"):
        read_model(path)
