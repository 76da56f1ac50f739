"""Every trainer receives a description of the training run, including its data and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bistro.inference.chains import Session, Sweeping, fingerprint_of, run_chains
from bistro.models.base import Origin

Trace = list[dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """A training run, with its seed, facts about its data, and its session."""

    seed: int = 1
    treebank: dict[str, Any] = field(default_factory=dict)
    """Facts about the data: its name, its hash, and the numbers of sentences and words."""
    session: Session = field(default_factory=Session)

    def sweep(
        self, kind: str, config: Any, digests: Sequence[str], chains: Sequence[Sweeping]
    ) -> Trace:
        """Run chains with the settings ``config.sampler``. The `digests` are hashes of the data."""
        fingerprint = fingerprint_of(kind, config, self.seed, digests)
        return run_chains(chains, config.sampler, fingerprint, self.session)

    def origin(self, trace: Trace, **facts: Any) -> Origin:
        """Return the origin of the model, with additional facts about the data."""
        return Origin(self.seed, {**self.treebank, **facts}, trace)
