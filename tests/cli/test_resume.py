"""Interrupted training, resumed: the same file, byte for byte."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError
from bistro.inference.chains import Session, Sweep
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.modelfile import read_model, write_model
from bistro.models.ngram.model import NgramModel

from .program import ENVIRONMENT, PROGRAM, Command, paused

SWEEPS = 12
SETTINGS = ("--set", f"sampler.sweeps={SWEEPS}", "--set", "sampler.samples=8", "--set", "order=3")
CHECKPOINT = "m.bistro.checkpoint"


def arguments(files: Path, *more: object) -> list[str]:
    always = ("train", "ngram", files / "train.txt", "-o", "m.bistro", *SETTINGS)
    return [*map(str, (*always, *more))]


def command(files: Path, *more: object) -> list[str]:
    return [*PROGRAM, *arguments(files, *more)]


def paused_at(files: Path, moment: str, number: int, *more: object) -> subprocess.Popen[bytes]:
    """A training with a checkpoint after every sweep, which stands still."""
    return paused(moment, number, arguments(files, "--checkpoint-seconds", 0, *more))


def run(files: Path, *more: object) -> tuple[int, str]:
    done = subprocess.run(
        command(files, *more), env=ENVIRONMENT, capture_output=True, check=False, timeout=300
    )
    return done.returncode, done.stderr.decode()


def end(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, told = process.communicate(timeout=300)
    return process.returncode, told.decode()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    assert end(process)[0] == -signal.SIGKILL


@pytest.fixture(scope="module")
def unbroken(files: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The model file of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    subprocess.run(command(files), cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    assert [path.name for path in folder.iterdir()] == ["m.bistro"]
    return (folder / "m.bistro").read_bytes()


# ---- signals -----------------------------------------------------------------------------------
@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM])
def test_a_wish_to_stop(files: Path, here: Path, unbroken: bytes, wish: signal.Signals) -> None:
    process = paused_at(files, "saved", 4)
    process.send_signal(wish)
    code, told = end(process)
    assert code == 130
    assert f"stopped after sweep 5 of {SWEEPS}" in told
    assert "the same command with --resume continues from there" in told
    assert "Traceback" not in told
    assert [path.name for path in here.iterdir()] == [CHECKPOINT]
    assert len(read_model(CHECKPOINT).header["trace"]) == 5

    code, told = run(files, "--resume")
    assert code == 0
    assert f"continuing after sweep 5 of {SWEEPS}" in told
    assert (here / "m.bistro").read_bytes() == unbroken
    assert [path.name for path in here.iterdir()] == ["m.bistro"]


def test_killed_again_and_again(files: Path, here: Path, unbroken: bytes) -> None:
    """Between two checkpoints, and while one is written: there is always a whole one."""
    swept = 0
    for moment, number in (("saved", 2), ("saving", 3), ("saved", 1), ("saving", 2)):
        kill(paused_at(files, moment, number, "--resume"))
        swept += number - (moment == "saving")
        assert not (here / "m.bistro").exists()
        assert len(read_model(CHECKPOINT).header["trace"]) == swept
        # What the run before left half-written is gone.
        assert len(list(here.glob(f".{CHECKPOINT}.*.part"))) == (moment == "saving")
    code, told = run(files, "--resume")
    assert code == 0
    assert f"continuing after sweep {swept} of {SWEEPS}" in told
    assert (here / "m.bistro").read_bytes() == unbroken
    assert [path.name for path in here.iterdir()] == ["m.bistro"]


def test_without_resume_it_starts_from_the_beginning_and_says_so(
    files: Path, here: Path, unbroken: bytes
) -> None:
    kill(paused_at(files, "saved", 3))
    code, told = run(files)
    assert code == 0
    assert f"{CHECKPOINT}: from an interrupted run; --resume would have continued it" in told
    assert "continuing" not in told
    assert (here / "m.bistro").read_bytes() == unbroken


def test_resume_without_a_checkpoint_is_a_new_start(
    files: Path, here: Path, unbroken: bytes
) -> None:
    code, told = run(files, "--resume")
    assert code == 0
    assert f"{CHECKPOINT}: there is no such file, so training starts from the beginning" in told
    assert (here / "m.bistro").read_bytes() == unbroken


# ---- checkpoints that do not fit ---------------------------------------------------------------
QUICK = ("--set", "sampler.sweeps=6", "--set", "sampler.samples=2", "--set", "order=2")


class Patience:
    """Asks training to stop after some sweeps."""

    def __init__(self, sweeps: int) -> None:
        self._sweeps = sweeps
        self.seen = 0

    def on_sweep(self, sweep: Sweep) -> None:
        self.seen = sweep.number

    def is_over(self) -> bool:
        return self.seen >= self._sweeps


def train_quickly(
    files: Path, *, stop_after: int = 99, resume: bool = False, **settings: Any
) -> NgramModel:
    patience = Patience(stop_after)
    session = Session(
        Checkpoint("m.bistro.checkpoint", 0),
        resume,
        on_sweep=patience.on_sweep,
        stop_requested=patience.is_over,
    )
    sampler = {"sweeps": 6, "samples": 2, **settings.pop("sampler", {})}
    text = bistro.read(files / "train.txt")
    return bistro.train("ngram", text, session=session, sampler=sampler, **{"order": 2, **settings})


@pytest.fixture
def interrupted(files: Path, here: Path) -> Path:
    """A folder with the checkpoint of a run of QUICK that was stopped after three sweeps."""
    with pytest.raises(StoppedError):
        train_quickly(files, stop_after=3)
    return here


@pytest.mark.parametrize(
    "other",
    [
        ("--seed", "2"),
        ("--set", "sampler.sweeps=7"),
        ("--set", "order=3"),
        ("--set", "unknown_below=1"),
        ("--set", "sampler.strength_prior=[2, 1]"),
    ],
    ids=" ".join,
)
def test_other_settings_are_refused(
    bistro_here: Command, files: Path, interrupted: Path, other: tuple[str, ...]
) -> None:
    before = (interrupted / CHECKPOINT).read_bytes()
    arguments = ("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK, "--resume")
    done = bistro_here(*arguments, *other)
    assert done.code == 2
    assert done.err.startswith(f"bistro: {CHECKPOINT}: the file was written with different data")
    assert done.err.count("\n") == 1
    assert (interrupted / CHECKPOINT).read_bytes() == before
    assert bistro_here(*arguments).code == 0


def test_other_data_are_refused(bistro_here: Command, files: Path, interrupted: Path) -> None:
    arguments = ("train", "ngram", files / "test.txt", "-o", "m.bistro", *QUICK, "--resume")
    assert "the file was written with different data" in bistro_here(*arguments).err


def test_another_version_of_the_program_is_refused(
    files: Path, interrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bistro.inference.chains.__version__", "99")
    with pytest.raises(BistroError, match="another version"):
        train_quickly(files, resume=True)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_checkpoint(
    bistro_here: Command, files: Path, interrupted: Path, share: float
) -> None:
    path = interrupted / CHECKPOINT
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    arguments = ("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK, "--resume")
    done = bistro_here(*arguments)
    assert done.code == 2
    assert done.err.startswith(f"bistro: {CHECKPOINT}: ")
    assert done.err.endswith("delete the file to start from the beginning\n")
    assert done.err.count("\n") == 1
    assert [found.name for found in interrupted.iterdir()] == [CHECKPOINT]


def test_a_checkpoint_with_something_missing(files: Path, interrupted: Path) -> None:
    file = read_model(CHECKPOINT)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    for name in arrays:
        some = {key: array for key, array in arrays.items() if key != name}
        write_model(CHECKPOINT, file.header, some)
        with pytest.raises(BistroError, match="is damaged: delete it"):
            train_quickly(files, resume=True)


def test_a_model_is_not_a_checkpoint(bistro_here: Command, files: Path, here: Path) -> None:
    (here / CHECKPOINT).write_bytes((files / "english.bistro").read_bytes())
    arguments = ("train", "ngram", files / "train.txt", "-o", "m.bistro", *QUICK, "--resume")
    assert bistro_here(*arguments).code == 2


# ---- every sweep, every sampler ----------------------------------------------------------------
def test_a_run_that_died_after_its_last_sweep(files: Path, here: Path) -> None:
    train_quickly(files).save("whole.bistro")
    assert len(read_model(CHECKPOINT).header["trace"]) == 6
    train_quickly(files, resume=True).save("resumed.bistro")
    assert Path("resumed.bistro").read_bytes() == Path("whole.bistro").read_bytes()


def test_checkpoints_are_written_when_due(files: Path, here: Path) -> None:
    Checkpoint.beside("m.bistro", 3600).save("x", {}, {})
    late, early = Checkpoint("a", every_seconds=0), Checkpoint("b", every_seconds=3600)
    assert late.is_due()
    assert not early.is_due()
    assert Path("m.bistro.checkpoint").exists()
