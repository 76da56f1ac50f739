"""Numbers beyond every limit, in options and settings, and files nested beyond every depth."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

import bistro
from bistro.cli.main import COMMANDS
from bistro.config import from_dict
from bistro.errors import BistroError, ConfigError
from bistro.models import kinds
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


HARMLESS = {
    *("sweeps", "passes", "rounds", "patience", "reads", "hyper_every", "samples"),
    *(
        "unknown_below",
        "unknown_suffixes",
        "rare",
        "listed",
        "tag_after",
        "held_out_families",
        "most_cells",
    ),
    *("depth", "shared_from", "gibbs_depth"),
}
"""Numbers that cost time, which can be stopped, and thresholds: no memory is taken for them."""


def whole_numbers(config_class: type[Any], tables: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Yield the names of all settings that are whole numbers, after those of their tables."""
    types = get_type_hints(config_class)
    for field in dataclasses.fields(config_class):
        expected = types[field.name]
        if dataclasses.is_dataclass(expected):
            yield from whole_numbers(expected, (*tables, field.name))  # type: ignore[arg-type]
        elif expected in (int, int | None):
            yield [*tables, field.name]


@pytest.mark.parametrize("kind", sorted(kinds.names()))
def test_numbers_that_take_memory_have_limits(kind: str) -> None:
    config_class = kinds.find(kind).config_class()
    for *tables, name in whole_numbers(config_class):
        settings: dict[str, Any] = {name: 2_000_000_000}
        for table in reversed(tables):
            settings = {table: settings}
        if name in HARMLESS:
            continue
        with pytest.raises(ConfigError, match=r"must not exceed|must lie between"):
            from_dict(config_class, settings)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"meta":' * 200_000])
def test_deep_suites_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(BistroError, match="expected a suite"):
        read_suite(path)
