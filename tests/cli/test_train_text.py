"""`bistro train transition TREEBANK --text RAW`: what it says, and that it survives being ended."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.cli.watcher import Watcher
from bistro.modelfile import read_model
from bistro.treebank import raw_text
from bistro.treebank.treebank import write

from .program import ENVIRONMENT, PROGRAM, Command, paused

CHECKPOINT = Path("m.bistro.checkpoint")
SETTINGS = ("--set", "sampler.sweeps=6", "--set", "sampler.samples=3")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write(bistro.builtin(sentences=60, seed=1), folder / "trees.conllu")
    lines = [" ".join(s.forms) for s in bistro.builtin(sentences=3000, seed=2)]
    (folder / "raw.txt.gz").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    (folder / "odd.txt").write_text("The dog\u200b sleeps .\n\n\nthe cat\n", encoding="utf-8")
    return folder


def arguments(data: Path, *more: object) -> list[str]:
    files = (data / "trees.conllu", "--text", data / "raw.txt.gz", "--text", data / "odd.txt")
    return [*map(str, ("train", "transition", *files, "-o", "m.bistro", *SETTINGS, *more))]


@pytest.fixture(scope="module")
def unbroken(data: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("unbroken")
    command = [*PROGRAM, *arguments(data)]
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    assert [path.name for path in folder.iterdir()] == ["m.bistro"]
    return (folder / "m.bistro").read_bytes()


def test_it_says_what_it_does(
    data: Path, here: Path, bistro_here: Command, unbroken: bytes
) -> None:
    ended = bistro_here(*arguments(data, "--threads", 1))
    assert ended.code == 0
    assert f"{data / 'odd.txt'}: 2 blank lines are skipped" in ended.err
    assert f"{data / 'odd.txt'}: 1 words contain zero-width characters" in ended.err
    assert Path("m.bistro").read_bytes() == unbroken
    shown = bistro_here("info", "m.bistro")
    assert "treebank.texts.1.name" in shown.out
    assert "raw.txt.gz" in shown.out


@pytest.mark.parametrize(
    ("wish", "phase"), [(signal.SIGINT, 1), (signal.SIGKILL, 1), (signal.SIGKILL, 2)]
)
def test_ended_in_the_middle(
    data: Path, here: Path, unbroken: bytes, wish: signal.Signals, phase: int
) -> None:
    often = arguments(data, "--checkpoint-seconds", 0, "--threads", 1)
    process = paused("phase", phase, often)
    process.send_signal(wish)
    _, told = process.communicate(timeout=300)
    assert process.returncode == (130 if wish == signal.SIGINT else -signal.SIGKILL)
    if wish == signal.SIGINT:
        assert b"the same command with --resume continues from there" in told
    assert not Path("m.bistro").exists()
    assert read_model(CHECKPOINT).header["phase"] == phase
    again = [*PROGRAM, *arguments(data, "--resume")]
    ended = subprocess.run(again, env=ENVIRONMENT, capture_output=True, check=True)
    assert b"continuing after" in ended.stderr
    assert Path("m.bistro").read_bytes() == unbroken
    assert [path.name for path in here.iterdir()] == ["m.bistro"]


def test_on_a_cluster(
    data: Path, here: Path, bistro_here: Command, unbroken: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(raw_text, "PIECE_BYTES", 20_000)
    assert bistro_here(*arguments(data, "--cluster", "local:2")).code == 0
    assert Path("m.bistro").read_bytes() == unbroken


def test_ctrl_c_with_a_local_cluster_is_quiet(data: Path, here: Path, unbroken: bytes) -> None:
    """A terminal sends the signal to the workers as well, which must not complain."""
    pytest.importorskip("distributed")
    often = arguments(data, "--cluster", "local:1", "--checkpoint-seconds", 0)
    process = paused("phase", 1, often, own_session=True)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert told.decode().splitlines()[-1].endswith("--resume continues from there")
    again = [*PROGRAM, *arguments(data, "--resume")]
    subprocess.run(again, env=ENVIRONMENT, capture_output=True, check=True)
    assert Path("m.bistro").read_bytes() == unbroken


def test_a_worker_that_is_killed_does_not_show(
    data: Path, here: Path, bistro_here: Command, unbroken: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    psutil = pytest.importorskip("psutil")
    monkeypatch.setattr(raw_text, "PIECE_BYTES", 3_000)
    on_words = Watcher.on_words
    killed: list[Any] = []

    def kill_one(self: Watcher, done: int, total: int) -> None:
        on_words(self, done, total)
        if done and not killed:
            children = psutil.Process().children(recursive=True)
            killed.append(next(c for c in children if "spawn_main" in " ".join(c.cmdline())))
            killed[0].kill()

    monkeypatch.setattr(Watcher, "on_words", kill_one)
    ended = bistro_here(*arguments(data, "--cluster", "local:2"))
    assert ended.code == 0, ended.err
    assert killed
    assert Path("m.bistro").read_bytes() == unbroken
    assert [path.name for path in here.iterdir()] == ["m.bistro"]


def test_what_is_parsed_outlives_the_cluster(
    data: Path, here: Path, bistro_here: Command, unbroken: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(raw_text, "PIECE_BYTES", 3_000)
    on_words = Watcher.on_words
    cluster = distributed.LocalCluster(n_workers=1, dashboard_address=":0", silence_logs=50)

    def lose_it(self: Watcher, done: int, total: int) -> None:
        on_words(self, done, total)
        if done:
            cluster.close()

    with cluster, monkeypatch.context() as patched:
        patched.setattr(Watcher, "on_words", lose_it)
        ended = bistro_here(*arguments(data, "--cluster", cluster.scheduler_address))
    assert ended.code == 2
    assert "the scheduler is gone: start the cluster again, then resume" in ended.err
    assert [path.name for path in here.iterdir()] == ["m.bistro.checkpoint"]
    ended = bistro_here(*arguments(data, "--resume"))
    assert "continuing after" in ended.err
    assert Path("m.bistro").read_bytes() == unbroken


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (("--text", "none.txt"), "none.txt: cannot be read"),
        (("--text", "-"), "give files instead of stdin"),
        (("--text", "raw.txt", "--cluster", "tcp://localhost:1"), "localhost:1"),
        (("--cluster", "local:2"), "name the raw text with --text"),
        (("--text", "raw.txt", "--cluster", "local:two"), "as tcp://host:port"),
        (
            ("--text", "raw.txt", "--text", "more.conllu"),
            "more.conllu: this is the name of a conllu file",
        ),
    ],
    ids=str,
)
def test_complaints(
    data: Path, here: Path, bistro_here: Command, more: tuple[str, ...], complaint: str
) -> None:
    Path("raw.txt").write_text("The dog sleeps .\n")
    ended = bistro_here("train", "transition", data / "trees.conllu", "-o", "m.bistro", *more)
    assert ended.code == 2
    assert complaint in ended.err
    assert [path.name for path in here.iterdir()] == ["raw.txt"]


def test_treebank_and_text_together_for_the_baseline(
    data: Path, here: Path, bistro_here: Command
) -> None:
    """An n-gram model of treebank and text has the vocabulary and the events of the parser."""
    short = ("--set", "sampler.sweeps=2", "--set", "sampler.samples=1")
    for kind, texts in (
        ("transition", ("--text", data / "raw.txt.gz", "--text", data / "odd.txt")),
        ("ngram", (data / "raw.txt.gz", data / "odd.txt")),
    ):
        ended = bistro_here(
            "train", kind, data / "trees.conllu", *texts, "-o", f"{kind}.bistro", *short
        )
        assert ended.code == 0, ended.err
    ended = bistro_here(
        *("perplexity", "transition.bistro", data / "odd.txt", "--with", "ngram.bistro"),
        *("--dev", data / "odd.txt", "--particles", 5),
    )
    assert ended.code == 0, ended.err
    assert "mixture" in ended.out
