"""The page for R runs in R: tables, the script with lme4, and reticulate, where they are there."""

from __future__ import annotations

import itertools
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


VERSIONS = {"plain": "The dog saw the cat .", "passive": "The cat was seen by the dog ."}


def factorial(folder: Path) -> tuple[Path, Path]:
    """Write two items with two conditions each, and one time per word; return the paths."""
    items, times = ["item,condition,text"], ["subject,item,condition,word_id,rt"]
    for item in (1, 2):
        for condition, text in VERSIONS.items():
            items.append(f"{item},{condition},{text}")
            words = range(1, len(text.split()) + 1)
            times += [f"s1,{item},{condition},{word},{300 + word}" for word in words]
    paths = folder / "factorial.csv", folder / "factorial-times.csv"
    for path, lines in zip(paths, (items, times), strict=True):
        path.write_text("\n".join(lines) + "\n", "utf-8")
    return paths


def test_conditions_are_not_mixed(folder: Path, run_r: RunR) -> None:
    items, times = factorial(folder)
    before_models = SCRIPT.read_text("utf-8").split("# 4.")[0]
    columns = 'c("item", "condition", "word_id", "rt", "surprisal", "surprisal_before")'
    shown = f'write.table(rows[{columns}], "merged.tsv", sep = "\\t", quote = FALSE)\n'
    (folder / "merge.R").write_text(before_models + shown, "utf-8")
    run_r("merge.R", "english.bistro", items.name, times.name)
    model = bistro.load(folder / "english.bistro")
    rows = (folder / "merged.tsv").read_text("utf-8").splitlines()[1:]
    expected = set()
    for condition, text in VERSIONS.items():
        words = model.surprisal(text.split(), eos=False)
        for before, row in itertools.pairwise(words):
            if not before.oov and not row.oov:
                bits = [f"{row.surprisal:.3f}", f"{before.surprisal:.3f}"]
                time = str(300 + int(row.word_id))
                place = str(row.word_id)
                expected |= {(item, condition, place, time, *bits) for item in "12"}
    assert len(rows) == len(expected) > 8
    for line in rows:
        _, *cells = line.split("\t")
        assert (*cells[:4], *(f"{float(bit):.3f}" for bit in cells[4:])) in expected, line


def test_conditions_must_be_in_both_files(folder: Path, run_r: RunR) -> None:
    items, times = factorial(folder)
    without = times.read_text("utf-8").replace("condition", "version", 1)
    (folder / "unnamed.csv").write_text(without, "utf-8")
    with pytest.raises(AssertionError, match="need the column condition"):
        run_r(str(SCRIPT), "english.bistro", items.name, "unnamed.csv")


def test_reticulate(run_r: RunR) -> None:
    need("reticulate")
    out = run_r("-e", BLOCKS[2])
    assert "sleeps" in out and out.rstrip().endswith("2 3 0 3"), out
