"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from bistro.models import kinds

if TYPE_CHECKING:
    from bistro.models.pipeline.model import PipelineModel

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


@pytest.fixture(scope="session")
def contracted() -> PipelineModel:
    """A small pipeline that has learned contractions."""
    # Imported here, since numpy comes with them.
    from contractions import contractions

    import bistro
    from bistro.models.pipeline.model import PipelineModel

    model = bistro.train("pipeline", contractions(), seed=1, parser="transition")
    assert isinstance(model, PipelineModel)
    return model


@pytest.fixture
def install_kind(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str, str], None]]:
    """Install a package that adds a kind of models, given its name and where its record is."""

    def install(name: str, record: str) -> None:
        folder = tmp_path_factory.mktemp("installed")
        about = folder / f"{name}_kind-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[{kinds.GROUP}]\n{name} = {record}\n")
        monkeypatch.syspath_prepend(folder)
        _look_again()

    yield install
    _look_again()


def _look_again() -> None:
    """Forget which packages are installed."""
    kinds.find.cache_clear()
    kinds._installed.cache_clear()


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read raw text in many small pieces."""
    monkeypatch.setattr("bistro.treebank.raw_text.PIECE_BYTES", 900)


@pytest.fixture(scope="module")
def raw(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the sentences in the module's TEXT to a file, one per line."""
    path = tmp_path_factory.mktemp("raw") / "raw.txt"
    path.write_text("".join(" ".join(words) + "\n" for words in request.module.TEXT))
    return path
