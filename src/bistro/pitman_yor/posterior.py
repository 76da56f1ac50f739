"""Posterior samples of hyper-parameters and seating statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bistro._core import Stream
from bistro.inference.arviz import from_groups

if TYPE_CHECKING:
    from bistro.pitman_yor.chains import Chain, Floats
    from bistro.pitman_yor.numbering import Ids
    from bistro.pitman_yor.process import PitmanYor


@dataclass(frozen=True)
class Posterior:
    """Posterior samples from all chains, with one array per quantity.

    Attributes
    ----------
    discount, strength
        Shape (chains, draws, levels).
    tables
        Number of tables on each level, shape (chains, draws, levels).
    log_likelihood
        log p(seating, outcomes), shape (chains, draws).
    context_tables
        Number of tables of every outcome in each of the requested contexts, shape (chains, draws,
        contexts, outcomes).
    """

    discount: Floats
    strength: Floats
    tables: Floats
    log_likelihood: Floats
    context_tables: Floats = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))

    @classmethod
    def stacked(cls, rows: Sequence[dict[str, Floats]]) -> Posterior:
        """Combine `rows`, the samples of several chains, into one object."""
        return cls(**{name: np.stack([row[name] for row in rows]) for name in rows[0]})

    def arrays(self) -> dict[str, Floats]:
        """Return the samples by name."""
        return dict(vars(self))

    def _repr_html_(self) -> str:
        """In a notebook, plot all quantities that vary, with one line per chain."""
        from bistro.pictures.notebook import draw_chains  # only notebooks need it

        rows = {
            f"{name}[{level}]": array[:, :, level]
            for name, array in self.arrays().items()
            if array.ndim == 3
            for level in range(array.shape[2])
        }
        rows["log_likelihood"] = self.log_likelihood
        moving = {name: values.tolist() for name, values in rows.items() if np.ptp(values) > 0}
        return draw_chains(moving) if moving else "<p>Nothing changes.</p>"

    def to_arviz(self) -> Any:
        """Convert the samples to ArviZ: `InferenceData`, or a `DataTree` from 1.0 on."""
        posterior, other = self.arrays(), {}
        other["lp"] = posterior.pop("log_likelihood")
        posterior = {name: array for name, array in posterior.items() if array.size}
        return from_groups({"posterior": posterior, "sample_stats": other})


def record(
    process: PitmanYor,
    chain: Chain,
    stream: Stream,
    draws: int,
    thin: int,
    contexts: Sequence[Ids],
) -> dict[str, Floats]:
    """Perform the sweeps of one chain, and return its samples."""
    rows: list[tuple[Any, ...]] = []
    outcomes = len(process.numbering)
    for _ in range(draws):
        for _ in range(thin):
            process.step(chain, stream)
        tables = [tables for _, _, tables in chain.counts()]
        seated = np.zeros((len(contexts), outcomes))
        for row, context in zip(seated, contexts, strict=True):
            table_rows = chain.tables(context)
            np.add.at(row, table_rows[:, 0], table_rows[:, 2])
        rows.append((*chain.parameters(), tables, chain.log_likelihood(), seated))
    names = ("discount", "strength", "tables", "log_likelihood", "context_tables")
    columns = zip(*rows, strict=True)
    return {name: np.array(c, dtype=np.float64) for name, c in zip(names, columns, strict=True)}
