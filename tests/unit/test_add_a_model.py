"""A package outside Bistro adds a family of models: the one of docs/add-a-model.md.

Its files are taken from the page and laid where an installation would put them, with the entry
point of the page's pyproject.toml; then the page's own commands are run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_docs import BLOCK, PROJECT

import bistro
from bistro.models import kinds
from bistro.models.abilities import ABILITIES

pytestmark = pytest.mark.xdist_group("add-a-model")
"""The fixture, which runs all commands of the page, is then made once."""
PAGE = (PROJECT / "docs" / "add-a-model.md").read_text("utf-8")
FILE = re.compile(r"# (bistro_toy/\w+\.py|pyproject\.toml)\n")
HERE = "tests/unit/test_add_a_model.py"
LAWS = """
import bistro
from bistro.models.abilities import PARSE, SCORE
from bistro.serve.catalog import Catalog

model = bistro.load("one.bistro")
assert abs(model.probabilities.sum(axis=1) - 1).max() < 1e-12
assert SCORE.is_of(model) and not PARSE.is_of(model)
(entry,) = Catalog.of([("toy", model)])
assert entry.abilities == ("read", "surprisal", "generate")
"""


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language, those that name a file left out."""
    found = [m for m in BLOCK.finditer(PAGE) if m["language"] == language]
    return [m["code"] for m in found if HERE in (m["skipped"] or "")]


def files() -> dict[str, str]:
    """Return the files of the package by name."""
    codes = (match["code"] or "" for match in BLOCK.finditer(PAGE))
    return {named[1]: code for code in codes if (named := FILE.match(code))}


def install(folder: Path, entry_point: str | None = None) -> None:
    """Lay the package out as pip would; another entry point may be given."""
    for name, content in files().items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(content, "utf-8")
    project = tomllib.loads(files()["pyproject.toml"])["project"]
    about = folder / f"bistro_toy-{project['version']}.dist-info"
    about.mkdir()
    named = f"Name: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\n{named}")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{n} = {entry_point or v}" for n, v in entries.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


@dataclass(frozen=True)
class Place:
    """A folder with data, in which commands see some packages beside Bistro."""

    folder: Path
    packages: Path | None

    def run(self, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command."""
        source = Path(bistro.__file__).resolve().parents[1]
        path = os.pathsep.join(str(p) for p in (self.packages, source) if p)
        script = self.folder / "bin" / "bistro"
        if not script.exists():
            script.parent.mkdir(exist_ok=True)
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bistro.cli.main "$@"\n')
            script.chmod(0o755)
        search = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path, "PATH": search, "COLUMNS": "200"},
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def bistro(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of Bistro."""
        return self.run("bistro", *arguments, text="The dog sleeps .\n")

    def refused(self, *arguments: str) -> str:
        """Return the one line by which a command is refused."""
        done = self.bistro(*arguments)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A folder in which the page has been followed to the end of its commands."""
    packages = tmp_path_factory.mktemp("packages")
    install(packages)
    folder = tmp_path_factory.mktemp("toy")
    treebank = bistro.builtin(sentences=260, seed=3)
    for name, part in (
        ("train", treebank[:200]),
        ("dev", treebank[200:230]),
        ("test", treebank[230:]),
    ):
        bistro.write(part, folder / f"{name}.conllu")
    found = Place(folder, packages)
    (commands,) = blocks("sh")
    done = found.run("sh", "-eu", "-c", commands)
    assert done.returncode == 0, done.stderr
    return found


def test_the_page_names_all_files() -> None:
    assert sorted(files()) == ["bistro_toy/__init__.py", "bistro_toy/model.py", "pyproject.toml"]
    code = files()["bistro_toy/model.py"].splitlines()
    other = ("import", "from", "#")
    counted = [s for s in code if s.strip() and not s.startswith(other) and '"""' not in s]
    assert len(counted) < 70  # the page says sixty lines


def test_every_record_names_what_exists() -> None:
    for kind in kinds.every():
        assert kind.model_class().kind == kind.name
        assert callable(kinds.resolve(kind.trainer)) and kind.config_class()() is not None
        assert not kind.text_trainer or callable(kinds.resolve(kind.text_trainer))
        assert kind.data() is not None and set(kind.abilities) <= set(ABILITIES)


def test_commands_work_as_for_any_kind(place: Place) -> None:
    page = (place.folder / "toy.html").read_text("utf-8")
    assert "bigram model with additive smoothing" in page
    assert "Perplexity" in page and "Surprisal" in page
    table = place.bistro("surprisal", "toy.bistro").stdout.splitlines()
    assert [row.split("\t")[2] for row in table] == ["token", "The", "dog", "sleeps", ".", "</s>"]
    info = place.bistro("info", "toy.bistro").stdout
    assert "toy" in info and "config.added" in info
    first = place.bistro("generate", "toy.bistro", "-n", "2").stdout
    assert first == place.bistro("generate", "toy.bistro", "-n", "2").stdout
    assert len(first.splitlines()) == 2


def test_python_of_the_page_runs(place: Place) -> None:
    (code,) = blocks("python")
    done = place.run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()
    assert shown[0].startswith("<toy model of built-in English")
    assert shown[-1].startswith("a toy model cannot parse; use a transition, committee")


def test_training_and_files_keep_the_rules(place: Place) -> None:
    for name in ("one", "two"):
        done = place.bistro("train", "toy", "train.conllu", "-o", f"{name}.bistro")
        assert done.returncode == 0, done.stderr
    assert (place.folder / "one.bistro").read_bytes() == (place.folder / "two.bistro").read_bytes()
    done = place.run(sys.executable, "-c", LAWS)
    assert done.returncode == 0, done.stderr


def test_the_kind_is_in_help_and_refusals(place: Place) -> None:
    assert "toy: bigram model" in place.bistro("train", "--help").stdout
    unknown = place.refused("train", "nosuchkind", "train.conllu", "-o", "x.bistro")
    assert "unknown kind of model 'nosuchkind'" in unknown and ", toy, " in unknown
    nearest = place.refused("train", "toi", "train.conllu", "-o", "x.bistro")
    assert "did you mean 'toy'?" in nearest
    assert "a toy model cannot parse; use a transition" in place.refused("parse", "toy.bistro")
    quick = ("--set", "states=5", "--set", "sweeps=2", "--set", "samples=1")
    place.bistro("train", "topics", "train.conllu", "-o", "topics.bistro", *quick)
    refusal = place.refused("perplexity", "topics.bistro", "test.conllu")
    assert refusal.endswith("grammar or toy model")
    asked = place.refused("perplexity", "toy.bistro", "test.conllu", "--particles", "5")
    assert "toy" in asked and "particles" in asked
    wrong = ("train", "toy", "train.conllu", "-o", "x.bistro", "--set")
    assert "added is 0.0, but must be above 0" in place.refused(*wrong, "added=0")
    assert "did you mean 'added'?" in place.refused(*wrong, "aded=1")
    assert "a toy model does not use a development set" in place.refused(
        "crossval", "toy", "train.conllu", "-k", "3", "--dev", "dev.conllu"
    )


def test_without_the_package_the_file_names_its_kind(place: Place) -> None:
    refusal = Place(place.folder, None).refused("perplexity", "toy.bistro", "test.conllu")
    assert (
        "toy.bistro: the model is of kind 'toy', which is unknown to this version of Bistro"
        in refusal
    )
    assert refusal.endswith("install the package that provides this kind")


@pytest.mark.parametrize(
    ("entry_point", "reason"),
    [
        ("bistro_absent:KIND", "ModuleNotFoundError: No module named 'bistro_absent'"),
        ("bistro_toy.model:ToyModel", "must refer to a Kind with the same name"),
    ],
)
def test_a_broken_package_disturbs_nothing_else(
    place: Place, tmp_path: Path, entry_point: str, reason: str
) -> None:
    install(tmp_path, entry_point)
    broken = Place(place.folder, tmp_path)
    assert reason in broken.refused("train", "toy", "train.conllu", "-o", "x.bistro")
    assert reason in broken.refused("info", "toy.bistro")
    quick = ("--set", "order=2", "--set", "sampler.sweeps=2", "--set", "sampler.samples=1")
    done = broken.bistro("train", "ngram", "train.conllu", "-o", "ngram.bistro", *quick)
    assert done.returncode == 0, done.stderr
    assert "an ngram model cannot parse" in broken.refused("parse", "ngram.bistro")
