"""A latent state and what is typical of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TopState:
    """A state and what is typical of it."""

    number: int
    name: str
    """The tag, if states are tags; otherwise the number."""
    share: float
    """Of all words of the training set."""
    words: list[tuple[str, float]]
    """The likeliest words with phi[word | state], the likeliest first."""
    parents: list[tuple[str, int]]
    """The parents of most of its words, and of how many."""
