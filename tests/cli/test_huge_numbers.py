"""Numbers beyond every limit, in options and settings, and files nested beyond every depth."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import bistro
from bistro.cli.main import COMMANDS
from bistro.errors import BistroError, ConfigError
from bistro.tasks.suite import read_suite

HUGE = [2**64, 2**64 + 1, 10**23]


def numbers() -> list[Any]:
    """Return all options that are whole numbers, with the names of their commands."""
    found = []
    for name in COMMANDS:
        plain = name.replace("-", "_")
        command = getattr(import_module(f"bistro.cli.{plain}"), plain)
        for parameter in inspect.signature(command).parameters.values():
            if str(parameter.annotation) in ("int", "int | None"):
                found.append(pytest.param(parameter.default, id=f"{name} {parameter.name}"))
    return found


@pytest.mark.parametrize("option", numbers())
def test_huge_numbers_are_refused(option: Any) -> None:
    if option.max is not None:
        assert option.max < min(HUGE)
        return
    option.callback(None)
    option.callback(1)
    for value in HUGE:
        with pytest.raises(typer.BadParameter, match="too large"):
            option.callback(value)


def test_all_commands_are_looked_at() -> None:
    assert len(numbers()) > 50


def test_huge_settings_are_refused() -> None:
    treebank = bistro.builtin(sentences=5, seed=1)
    for value in HUGE:
        with pytest.raises(ConfigError, match="must not exceed"):
            bistro.train("ngram", treebank, order=value)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"meta":' * 200_000])
def test_deep_suites_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(BistroError, match="neither a suite"):
        read_suite(path)
