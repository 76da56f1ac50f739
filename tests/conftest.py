"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run: a suite that fails by chance says nothing of the change it judges.
settings.register_profile("bistro", derandomize=True, deadline=None)
settings.load_profile("bistro")

# Matrices are small here, and threads that wait for work would take most of the time. Read when
# numpy is first imported, which is later.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real treebanks; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("BISTRO_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no treebanks at {folder} (set BISTRO_DATA)")
    return folder
