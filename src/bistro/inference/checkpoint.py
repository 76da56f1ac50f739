"""Checkpoints, from which an interrupted training run can resume with an identical result.

A checkpoint is a file next to the future model file. The file contains the state after a sweep and
a fingerprint of everything that determines the result, such as the configuration, the seed and the
events. A checkpoint is written under another name and then renamed, so a complete checkpoint always
exists. The checkpoint is removed when the model is saved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bistro.destination import remove_left_overs
from bistro.errors import BistroError, ModelFileError, OutputError
from bistro.files import explain
from bistro.modelfile import read_model, write_model

KIND = "checkpoint"


class StoppedError(BistroError):
    """Training was stopped on request. The work done so far is in the checkpoint."""


class Checkpoint:
    """The file in which a training run keeps its state."""

    def __init__(self, path: str | os.PathLike[str], every_seconds: float = 20.0) -> None:
        self.path = Path(path)
        self.every_seconds = every_seconds
        self._last = time.monotonic()

    @classmethod
    def beside(cls, model: str | os.PathLike[str], every_seconds: float = 20.0) -> Checkpoint:
        """Return the checkpoint that belongs to a model file."""
        return cls(os.fspath(model) + ".checkpoint", every_seconds)

    def is_due(self) -> bool:
        """Return whether it is time to save the state again."""
        return time.monotonic() - self._last >= self.every_seconds

    def save(
        self, fingerprint: str, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write the state, replacing the previously saved state."""
        write_model(self.path, {"kind": KIND, "fingerprint": fingerprint, **header}, arrays)
        self._last = time.monotonic()

    def load(self, fingerprint: str) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]] | None:
        """Return the saved state, or None if there is no checkpoint."""
        if not self.path.exists():
            return None
        try:
            file = read_model(self.path)
        except ModelFileError as error:
            raise ModelFileError(f"{error}; delete the file to start from the beginning") from None
        if file.header.get("kind") != KIND or file.header.get("fingerprint") != fingerprint:
            raise BistroError(
                f"{self.path}: the file was written with different data or settings, a different "
                "seed, or another version of Bistro: repeat the same command, or delete the file "
                "and start from the beginning"
            )
        return file.header, file.arrays

    def discard(self) -> None:
        """Remove the checkpoint, and partial files left by killed runs. The model is unaffected."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be removed: {explain(error)}") from None
        for path in (self.path, self.path.with_suffix("")):
            remove_left_overs(path)


class PhaseCheckpoint(Checkpoint):
    """The checkpoint for one phase of a training run, stored in the file for the whole run.

    Every saved state also includes any results of earlier phases that are still needed. The
    fingerprint identifies the whole training run. A phase cannot use the state of another phase. A
    phase may itself have phases, for example in a pipeline that trains a committee. Each nesting
    level has its own entry in the header.
    """

    def __init__(
        self, whole: Checkpoint, fingerprint: str, phase: int, carried: Mapping[str, NDArray[Any]]
    ) -> None:
        super().__init__(whole.path, whole.every_seconds)
        self._whole = whole
        self._fingerprint = fingerprint
        self._phase = phase
        self._carried = carried
        self._depth: int = whole._depth + 1 if isinstance(whole, PhaseCheckpoint) else 0
        self._entry = phase_entry(whole)

    def save(
        self, fingerprint: str, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write the state with its phase, replacing the previously saved state."""
        own = {**header, self._entry: self._phase}
        self._whole.save(self._fingerprint, own, {**self._carried, **arrays})
        self._last = time.monotonic()

    def load(self, fingerprint: str) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]] | None:
        """Return the saved state if it belongs to this phase."""
        saved = self._whole.load(self._fingerprint)
        return saved if saved and saved[0].get(self._entry) == self._phase else None


def phase_entry(whole: Checkpoint) -> str:
    """Return the key under which the header of a checkpoint stores the index of the phase."""
    return f"phase.{whole._depth + 1}" if isinstance(whole, PhaseCheckpoint) else "phase"
