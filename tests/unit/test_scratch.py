"""Temporary folders, also of processes that were killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bistro.scratch import IN_USE, remove_abandoned, scratch_folder
from bistro.system import IS_WINDOWS

PREFIX = "bistro-test-"
KEEPS_A_FOLDER = f"""
import time
from bistro.scratch import scratch_folder
with scratch_folder({PREFIX!r}) as folder:
    (folder / "deep").mkdir()
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_is_removed_when_it_is_no_longer_needed(temporary: Path) -> None:
    with scratch_folder(PREFIX) as folder:
        (folder / "file").write_text("x")
        remove_abandoned(PREFIX)
        assert (folder / "file").exists()
    assert not list(temporary.iterdir())


@pytest.mark.skipif(IS_WINDOWS, reason="files have no locks there")
def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(temporary: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KEEPS_A_FOLDER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        with scratch_folder(PREFIX) as other:
            assert folder.is_dir() and other != folder  # its process still runs
        process.send_signal(signal.SIGKILL)
    assert (folder / "deep").is_dir()
    with scratch_folder(PREFIX):
        assert not folder.exists()


def test_other_folders_stay(temporary: Path) -> None:
    for name in (PREFIX + "without-lock", "other-prefix"):
        (temporary / name).mkdir()
    (temporary / "other-prefix" / IN_USE).touch()
    (temporary / (PREFIX + "link")).symlink_to(temporary / "other-prefix")
    remove_abandoned(PREFIX)
    assert len(list(temporary.iterdir())) == 3
    assert (temporary / "other-prefix" / IN_USE).exists()
