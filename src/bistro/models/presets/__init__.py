"""Configurations that come with Bistro, by name.

A preset is a TOML file in this folder; wherever a configuration file is asked for, its name will
do: ``bistro train transition train.conllu --config table1 -o english.bistro``.

>>> file_or_preset("table1").name
'table1.toml'
>>> str(file_or_preset("mine.toml"))
'mine.toml'
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def names() -> list[str]:
    """Return the names of all presets."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def file_or_preset(name: str) -> Path:
    """Return the file of a preset; what is no preset's name is a file's own."""
    return FOLDER / f"{name}.toml" if name in names() else Path(name)
