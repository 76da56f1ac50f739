"""Models that are shared with worker processes.

The model is wrapped as ``SharedModel(model)``, and a task begins with ``model = shared.open()``.
"""

from __future__ import annotations

import hashlib
from typing import Generic, TypeVar, cast

from bistro.models.base import Model, from_bytes

M = TypeVar("M", bound=Model)


class SharedModel(Generic[M]):
    """A model that several tasks share. Other processes receive the content of the model file.

    Only the file content is sent, never a pickled model. A process opens the model once and keeps
    it for all tasks until it receives another model.
    """

    def __init__(self, model: M) -> None:
        self._model: M | None = model
        self._digest, self._content = "", b""

    def open(self) -> M:
        """Return the model."""
        if self._model is None:
            return cast(M, _opened(self._digest, self._content))
        return self._model

    def __getstate__(self) -> tuple[str, bytes]:
        if self._model is None:
            return self._digest, self._content
        content = self._model.to_bytes()
        return hashlib.sha256(content).hexdigest(), content

    def __setstate__(self, state: tuple[str, bytes]) -> None:
        self._model = None
        self._digest, self._content = state


_last_opened: tuple[str, Model] | None = None


def _opened(digest: str, content: bytes) -> Model:
    """Load a model from its file content, and cache it until another model is requested."""
    global _last_opened
    # One variable holds digest and model, so that two threads never mix two models.
    latest = _last_opened
    if latest is None or latest[0] != digest:
        latest = _last_opened = digest, from_bytes(content, "the shared model")
    return latest[1]
