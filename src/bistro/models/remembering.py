"""The ability to remember a document while its sentences are scored."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from bistro.models.results.scores import TextScores


@runtime_checkable
class Rememberer(Protocol):
    """A model that scores words, and whose scores can depend on earlier sentences of a document."""

    def remember(
        self,
        scores: TextScores,
        sentences: Sequence[Sequence[str]],
        documents: Sequence[Hashable],
    ) -> TextScores:
        """Return scores with memory, given the scores of the sentences alone.

        `documents` has the name of each sentence's document.
        """

    def memory_protocol(self) -> str:
        """Describe the memory."""
