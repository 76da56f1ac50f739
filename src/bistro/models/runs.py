"""One training run: what every trainer is given beside its data and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bistro.inference.chains import Session, Sweeping, fingerprint_of, run_chains
from bistro.models.base import Origin

Trace = list[dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """The seed of a training, what its model keeps of its data, and how it talks to the world."""

    seed: int = 1
    treebank: dict[str, Any] = field(default_factory=dict)
    """Facts about the data: its name and hash, how many sentences and words it has."""
    session: Session = field(default_factory=Session)

    def sweep(
        self, kind: str, config: Any, digests: Sequence[str], chains: Sequence[Sweeping]
    ) -> Trace:
        """Run chains to their end, as ``config.sampler`` says; `digests` are hashes of the data."""
        fingerprint = fingerprint_of(kind, config, self.seed, digests)
        return run_chains(chains, config.sampler, fingerprint, self.session)

    def origin(self, trace: Trace, **facts: Any) -> Origin:
        """Return where the model comes from, with more facts about the data."""
        return Origin(self.seed, {**self.treebank, **facts}, trace)
