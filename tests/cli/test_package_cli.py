"""A model as a package, from `bistro package` to `pip uninstall`, in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

import bistro

from .program import Command

SOURCES = [str(Path(bistro.__file__).resolve().parents[1])]
SOURCES += [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]
NAME = "bistro-en-builtin"


class Environment:
    """A virtual environment that sees the packages of this one, and has none of its own."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = str(folder / "bin" / "python")
        self.variables = {**os.environ, "PYTHONPATH": os.pathsep.join(SOURCES)}

    def pip(self, *arguments: object) -> str:
        """Let the pip of this environment work on that one."""
        options = ("--python", self.python, "--disable-pip-version-check")
        command = [sys.executable, "-m", "pip", *options, *map(str, arguments)]
        plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(
            command, env=plain, capture_output=True, text=True, check=True, timeout=120
        ).stdout

    def run(self, *command: object, code: int = 0, stdin: str = "") -> str:
        """Run Python there; return what it printed, or complained of."""
        done = subprocess.run(
            [self.python, *map(str, command)],
            env=self.variables,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done.stderr if code else done.stdout

    def bistro(self, *arguments: object, code: int = 0, stdin: str = "") -> str:
        """Run the command line there."""
        return self.run("-m", "bistro.cli.main", *arguments, code=code, stdin=stdin)

    def served(self, *arguments: str) -> dict[str, Any]:
        """Start a server there, and return what it says of its models."""
        command = [self.python, "-m", "bistro.cli.main", "serve", *arguments, "--port", "0"]
        with subprocess.Popen(
            command, env=self.variables, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            address = re.search(r"http://\S+/", process.stderr.readline())
            try:
                assert address
                facts: dict[str, Any] = httpx.get(f"{address[0]}api/models").json()
                body = {"model": NAME, "text": "The dog sleeps."}
                assert httpx.post(f"{address[0]}api/parse", json=body).status_code == 200
                sample = f'bistro_model_info{{id="{NAME}",kind="transition",version="1.2.0"'
                assert sample in httpx.get(f"{address[0]}metrics").text
            finally:
                process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        return facts


@pytest.mark.skipif(find_spec("pip") is None, reason="needs pip")
def test_built_installed_loaded_served_and_uninstalled(
    bistro_here: Command, files: Path, here: Path
) -> None:
    bistro_here("train", "transition", files / "train.conllu", "-o", "english.bistro")
    options = ("--name", NAME, "--version", "1.2.0", "--licence", "MIT")
    test = files / "test.conllu"
    built = bistro_here("package", "english.bistro", "-o", "dist", *options, "--test", test)
    assert built.code == 0, built.err
    wheel = Path(built.out.strip())
    assert wheel == Path("dist/bistro_en_builtin-1.2.0-py3-none-any.whl")

    other = Environment(here / "environment")
    assert f"{NAME}: cannot be read" in other.bistro("info", NAME, code=2)
    other.pip("install", "--no-index", "--no-deps", wheel)
    (listed,) = json.loads(other.bistro("models", "--check", "--json"))["models"]
    assert (listed["name"], listed["version"], listed["kind"]) == (NAME, "1.2.0", "transition")
    assert listed["licence"] == "MIT"
    assert listed["path"].startswith(str(here / "environment"))

    load = f"import bistro; print(bistro.load('{NAME}').parse(['The', 'dog', 'sleeps', '.']).heads)"
    assert other.run("-c", load) == "[2, 3, 0, 3]\n"
    by_file = bistro_here("parse", "english.bistro", test)
    assert other.bistro("parse", NAME, test) == by_file.out
    assert other.bistro("parse", NAME, "english.bistro", test).count("# sent_id") == 30
    (facts,) = other.served(NAME)["models"]
    assert (facts["id"], facts["version"]) == (NAME, "1.2.0")
    assert facts["sha256"] == listed["sha256"]

    other.pip("uninstall", "--yes", NAME)
    assert "and no model is installed" in other.bistro("parse", NAME, test, code=2)
    assert not list((here / "environment").rglob("*bistro_en_builtin*"))


def test_the_target_folder_of_pip(bistro_here: Command, files: Path, here: Path) -> None:
    """A folder on Python's path serves too, as `pip install --target` makes it."""
    pytest.importorskip("pip")
    arguments = ("-o", ".", "--name", NAME, "--licence", "MIT", "--source")
    built = bistro_here("package", files / "english.bistro", *arguments)
    assert "no test file" in built.err
    assert (here / NAME / "pyproject.toml").is_file()
    target = ("--no-index", "--no-deps", "--target", str(here / "site"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *target, built.out.strip()]
    subprocess.run(pip, check=True, timeout=120)
    path = os.pathsep.join([str(here / "site"), *SOURCES])
    command = [sys.executable, "-m", "bistro.cli.main", "models"]
    variables = {**os.environ, "PYTHONPATH": path, "COLUMNS": "120"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert NAME in done.stdout and "ngram" in done.stdout
    model = here / "site" / "bistro_models" / "bistro_en_builtin" / "model.bistro"
    model.write_bytes(model.read_bytes()[:-1])
    done = subprocess.run([*command, "--check"], env=variables, capture_output=True, text=True)
    assert done.returncode == 2
    assert "the checksum of the model file is wrong" in done.stderr


def test_a_model_without_a_licence(bistro_here: Command, files: Path, here: Path) -> None:
    bistro_here("train", "ngram", files / "train.txt", "-o", "text.bistro")
    done = bistro_here("package", "text.bistro", "-o", "dist")
    assert done.code == 2 and "--licence 'CC BY-SA 4.0'" in done.err
    assert not (here / "dist").exists()


def test_a_place_where_no_folder_can_be(bistro_here: Command, files: Path, here: Path) -> None:
    (here / "taken").write_text("")
    arguments = ("-o", "taken/dist", "--licence", "MIT")
    done = bistro_here("package", files / "english.bistro", *arguments)
    assert done.code == 2 and "taken/dist: cannot be made" in done.err


def test_no_models(bistro_here: Command) -> None:
    done = bistro_here("models")
    assert done.code == 0 and "bistro package" in done.err
    assert json.loads(bistro_here("models", "--json").out) == {"models": [], "problems": []}
