"""Draw sequences from the prior of any process, for simulation-based calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from bistro.errors import ConfigError
from bistro.inference.simulated import Quantities, Simulated
from bistro.pitman_yor.process import PitmanYor

OBSERVATIONS = 40
SHOWN = 4
"""Number of discounts included in the calibration of an unbounded process. Longer contexts
have few observations."""


def simulate_process(
    process: PitmanYor, seed: int, *, observations: int = OBSERVATIONS
) -> Simulated:
    """Draw hyper-parameters and a sequence from the prior, and return a chain over the sequence.

    Parameters
    ----------
    process
        The process whose parameters are used. The observations of the process are ignored.
    seed
        Seed of the draws.
    observations
        The length of the sequence. Each element is drawn in the context of the elements before it.
    """
    _check(process)
    parameters: dict[str, Any] = {**process.get_params(deep=False), "chains": 1}
    true = PitmanYor(**{**parameters, "seed": seed})
    if process.hyper == "slice":
        rng = np.random.default_rng(seed)
        (a, b), (shape, rate) = process.discount_prior, process.strength_prior
        discounts = [rng.beta(a, b) for _ in true.discounts[0]]
        true.set_hyperparameters(discounts, [rng.gamma(shape, 1 / rate) for _ in true.strengths[0]])
    sequence: list[Any] = []
    for _ in range(observations):
        sequence += true.simulate([sequence])
    # With the same seed, the chain would start with the true seating.
    chain = PitmanYor(**{**parameters, "seed": (seed + 1) % 2**64})
    chain.observe_all([sequence])
    return Simulated(
        process_quantities(true), lambda: _sweep(chain), lambda: process_quantities(chain)
    )


def _sweep(chain: PitmanYor) -> None:
    chain.sweep()


def _check(process: PitmanYor) -> None:
    if process.seating != "gibbs" or process.hyper not in ("slice", "fixed"):
        raise ConfigError(
            f"seating = '{process.seating}' with hyper = '{process.hyper}' does not sample from "
            "the posterior: calibration needs seating = 'gibbs' with hyper = 'slice' or 'fixed'"
        )
    if process.ends or not (process.base is None or isinstance(process.base, dict)):
        raise ConfigError(
            "calibration draws one sequence of known outcomes: set ends = False, and give a base "
            "that does not learn"
        )
    if process.outcomes is None and process.base is None:
        raise ConfigError("calibration draws outcomes, so they must be known: give outcomes=...")


def process_quantities(process: PitmanYor) -> Quantities:
    """Return the hyper-parameters, table counts and log-likelihood of the first chain, by name."""
    discounts, strengths = process.discounts[0].tolist(), process.strengths[0].tolist()
    tables = [tables for _, _, tables in process.counts()]
    if process.depth is None:
        discounts, tables = discounts[:SHOWN], [sum(tables)]
    rows = {"discount": discounts, "strength": strengths, "tables": tables}
    named = {f"{name}[{k}]": float(x) for name, row in rows.items() for k, x in enumerate(row)}
    return {**named, "log_likelihood": float(process.log_likelihood()[0])}
