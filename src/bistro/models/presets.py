"""Named configurations that are included with Bistro.

A preset is a TOML file in the folder ``presets`` of its family. The name of a preset can be given
wherever a configuration file is expected, as in ``bistro train transition train.conllu --config
table1 -o en.bistro``.

>>> file_or_preset("table1").name
'table1.toml'
>>> str(file_or_preset("mine.toml"))
'mine.toml'
>>> file_or_preset("tabel1")
Traceback (most recent call last):
bistro.errors.ConfigError: there is no file or preset 'tabel1' (did you mean 'table1'?): presets ...
"""

from __future__ import annotations

from pathlib import Path

from bistro.errors import ConfigError, nearest

FOLDER = Path(__file__).resolve().parent


def presets() -> dict[str, Path]:
    """Return the files of all presets, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*/presets/*.toml"))}


def file_or_preset(name: str) -> Path:
    """Return the file of a preset, or the path itself if the name is a path."""
    known = presets()
    if name in known:
        return known[name]
    if Path(name).suffix or Path(name).exists():
        return Path(name)
    raise ConfigError(
        f"there is no file or preset '{name}'{nearest(name, known)}: presets are "
        + ", ".join(f"{preset} ({family_of(path)})" for preset, path in known.items())
    )


def family_of(path: Path) -> str:
    """Return the kind to which a preset belongs."""
    return path.parent.parent.name
