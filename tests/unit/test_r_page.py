"""The page for R runs in R: tables, the script with lme4, and reticulate, where they are there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_docs import PROJECT, blocks_of, prepared, run_python, run_shell  # noqa: F401

import bistro

PAGE = PROJECT / "docs" / "r.md"
SCRIPT = PROJECT / "docs" / "stimuli.R"
BLOCKS = re.findall(r"^```r\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
RunR = Callable[..., str]

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R (Rscript)")


def need(package: str) -> None:
    """Skip a test if R lacks a package."""
    code = f'quit(status = if (requireNamespace("{package}", quietly = TRUE)) 0 else 1)'
    if subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode:
        pytest.skip(f"needs the R package {package} (Debian: r-cran-{package})")


@pytest.fixture(scope="module")
def folder(
    prepared: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The files of the page, as its Python and its commands leave them."""
    place = tmp_path_factory.mktemp("r")
    shutil.copytree(prepared, place, dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for block in blocks_of(PAGE.read_text("utf-8")):
            if block.language == "python":
                run_python(block, PAGE, {"__name__": "page"})
            else:
                run_shell(block, PAGE, prepared)
    return place


@pytest.fixture
def run_r(folder: Path) -> RunR:
    """Run R in that folder, and return what it prints."""

    def run(*arguments: str) -> str:
        variables = {
            **os.environ,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1]),
            "RETICULATE_PYTHON": sys.executable,
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["Rscript", *arguments],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_page_shows_the_script() -> None:
    assert SCRIPT.read_text("utf-8") == BLOCKS[1]


def test_tables_are_read_as_they_are(folder: Path, run_r: RunR) -> None:
    assert "surprisal" in run_r("-e", BLOCKS[0])
    text = "The dog said \" twice , and ' once , at #5 .\n"
    (folder / "odd.csv").write_text('item,text\n7,"' + text.strip().replace('"', '""') + '"\n')
    command = [
        "bistro",
        "surprisal",
        "english.bistro",
        "odd.csv",
        "--text",
        "text",
        "-o",
        "odd.tsv",
    ]
    command[0] = str(folder / "bin" / "bistro")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    code = (
        'd <- read.delim("odd.tsv"); stopifnot(is.numeric(d$surprisal), is.na(d$entropy)); '
        'cat(d$token, sep = "\\n"); cat(d$text[1])'
    )
    assert run_r("-e", code).splitlines() == [*text.split(), "</s>", text.strip()]


def test_the_script_finds_the_planted_effect(run_r: RunR) -> None:
    need("lme4")
    out = run_r(str(SCRIPT), "english.bistro", "items.csv", "times.csv")
    (row,) = re.findall(r"^surprisal +(\S+) +(\S+) +(\S+)$", out, re.MULTILINE)
    estimate, error, t = map(float, row)
    assert abs(estimate - 12) < 4 * error and t > 10, out
    assert re.search(r"^with .*\*\*\*$", out, re.MULTILINE), out


def test_reticulate(run_r: RunR) -> None:
    need("reticulate")
    out = run_r("-e", BLOCKS[2])
    assert "sleeps" in out and out.rstrip().endswith("2 3 0 3"), out
