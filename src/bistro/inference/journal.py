"""A journal of trials with one JSON object per line, so that a search can be stopped and resumed.

The first line identifies the search. Each of the remaining lines contains a configuration and its
results. If a crash cuts the last line short, that line is ignored. Configurations in the journal
are not tried again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bistro.errors import BistroError, OutputError
from bistro.files import explain, read_json, write_text

SCORE = "score"
"""The name of the result that every trial must have. Higher values are better."""


class Journal:
    """The trials of one search, kept on disk or, if there is no path, only in memory."""

    def __init__(self, path: Path | None, search: dict[str, Any]) -> None:
        self.path = path
        self._figures: dict[str, dict[str, float]] = {}
        if path is None:
            return
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        if lines:
            self._load(path, lines, search)
        # Replaced as a whole: a half-written line left by a crash must not precede the next
        # line, and a full disk must not destroy the existing lines.
        whole = [json.dumps({"search": search}, sort_keys=True)]
        whole += [_line(key, figures) for key, figures in self._figures.items()]
        write_text(path, (f"{line}\n" for line in whole))

    def __len__(self) -> int:
        return len(self._figures)

    def find(self, config: dict[str, Any]) -> dict[str, float] | None:
        """Return the results of a configuration, or None if it has not been tried."""
        return self._figures.get(_key(config))

    def add(self, config: dict[str, Any], figures: dict[str, float]) -> None:
        """Write a trial to the journal immediately."""
        key = _key(config)
        self._figures[key] = figures
        if self.path is not None:
            try:
                with self.path.open("a", encoding="utf-8") as stream:
                    stream.write(_line(key, figures) + "\n")
            except OSError as error:
                raise OutputError(f"{self.path}: cannot be written: {explain(error)}") from None

    def _load(self, path: Path, lines: list[bytes], search: dict[str, Any]) -> None:
        try:
            entries = (read_json(line.decode()) for line in lines)
            owner = next(entries)["search"]
            if not isinstance(owner, dict):
                raise ValueError
            self._figures = {_key(trial["config"]): _checked(trial["figures"]) for trial in entries}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BistroError(
                f"{path}: this is not the journal of a search: delete it, or give the output "
                "another name"
            ) from None
        if owner != search:
            differing = [key for key in search if owner.get(key) != search[key]]
            raise BistroError(
                f"{path}: this is the journal of another search (it differs in "
                f"{', '.join(differing)}): delete it, or give the output another name"
            )


def _key(config: dict[str, Any]) -> str:
    return json.dumps(config, sort_keys=True)


def _checked(figures: Any) -> dict[str, float]:
    """Return the results of a trial.

    Raise `ValueError` unless the results are numbers and include a score.
    """
    numbers = figures.values() if isinstance(figures, dict) and SCORE in figures else [None]
    if not all(type(number) in (int, float) for number in numbers):
        raise ValueError
    return {name: float(number) for name, number in figures.items()}


def _line(key: str, figures: dict[str, float]) -> str:
    return f'{{"config": {key}, "figures": {json.dumps(figures)}}}'
