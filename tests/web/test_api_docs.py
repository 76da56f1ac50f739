"""The examples of the page for engineers, asked of a real server."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import bistro
from bistro.models.base import Model
from bistro.treebank.treebank import write

from .test_api_process import start

PAGE = Path(__file__).resolve().parents[2] / "docs" / "serve.md"
ADDRESS = "http://127.0.0.1:8000"
BLOCK = re.compile(r"test_api_docs\.py -->\n```(\w+)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def address(models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("docs")
    names = {"english": "parser", "ngram": "ngram", "order": "order"}
    for name, model in names.items():
        models[model].save(folder / f"{name}.bistro")
    server = start(*(folder / f"{name}.bistro" for name in names))
    yield server.address
    server.stop()


def blocks(language: str) -> list[str]:
    text = PAGE.read_text("utf-8")
    return [code for found, code in BLOCK.findall(text) if found == language]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_every_call_of_curl_is_answered(address: str, tmp_path: Path) -> None:
    write(bistro.builtin(sentences=5, seed=3), tmp_path / "test.conllu")
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 8
    for command in commands:
        assert command.startswith("curl ")
        run = ["sh", "-eu", "-c", command.replace(ADDRESS, address)]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, check=True, timeout=60)
        answer = json.loads(done.stdout)
        assert "error" not in answer, command
        assert answer.keys() & {"rows", "analyses", "sentences", "orders", "models", "result"}


def test_the_client_in_python(address: str) -> None:
    (code,) = blocks("python")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code.replace(ADDRESS, address), {})
    assert [line.split()[0] for line in said.getvalue().splitlines()] == [
        *("The", "dog", "sleeps", ".", "</s>")
    ]
