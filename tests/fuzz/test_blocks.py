"""No hostile file makes the program ask for a block of memory above twice its own size."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CASES = 400


def test_no_block_is_larger_than_twice_the_file(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("needs a C compiler and the loader of Linux, without a sanitizer")
    shim, source = tmp_path / "shim.so", str(Path(__file__).with_name("largest_block.c"))
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(shim), source], check=True)
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.blocks", "--most", str(CASES)],
        env={**os.environ, "PYTHONPATH": path, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{CASES} cases\n", "")
