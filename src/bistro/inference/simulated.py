"""Simulation-based calibration tests whether a sampler draws from its posterior.

Each run draws parameters from the prior and data from the model with these parameters. The sampler
then infers the parameters from the data. The rank of a parameter is the number of the sampler's
draws that lie below the true value. If the sampler is correct, the rank is uniformly distributed
for any model and data (Cook, Gelman & Rubin 2006; Talts et al. 2018).

    truth ~ prior,  data ~ p(data | truth),  draws 1..L ~ sampler(data)
    rank = number of draws below the truth  ~  uniform on 0, ..., L

Draws of a chain depend on each other, so only every n-th sweep is used, with n such that draws are
nearly independent (see `choose_thinning`). Quantities may also depend on the data. The
log-likelihood of the current state reveals errors that no parameter shows (Modrák et al. 2023).

A simulation is a function that takes a seed. It returns the true values and a chain that has no
access to them.

>>> def coin(seed):                                   # heads ~ Beta(1, 1), 9 tosses
...     rng = np.random.default_rng(seed)
...     truth = rng.uniform()
...     heads = rng.binomial(9, truth)
...     draw = lambda: {"heads": rng.beta(1 + heads, 10 - heads)}
...     return Simulated({"heads": truth}, lambda: None, draw)
>>> calibrate("coin", coin, runs=100).is_rejected
False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ConfigError
from bistro.inference.chains import Sweeping
from bistro.inference.rank_bands import Band, counts_below, p_value, simultaneous_band
from bistro.pictures.text import xml_text
from bistro.rng import purpose_key

Quantities: TypeAlias = Mapping[str, float]
DRAWS = 31
"""Number of draws in each run, which is also the highest possible rank."""
ERROR_RATE = 0.001
FIRST_PILOT = 1 << 40
"""Index of the first pilot run, which is larger than the index of any ordinary run."""
PILOT_RUNS, PILOT_SWEEPS, MOST_THINNING = 8, 512, 64
ENOUGH = 0.2
"""Maximum autocorrelation of successive draws. An autocorrelation of this size increases the
variance of the ranks by 3 %."""


@dataclass(frozen=True)
class Simulated:
    """True values drawn from the prior, and a chain that infers them from the data alone."""

    truth: Quantities
    sweep: Callable[[], None]
    quantities: Callable[[], Quantities]
    """A function that returns the quantities named in `truth` for the current state of the
    chain."""

    @classmethod
    def of_chain(
        cls, truth: Quantities, chain: Sweeping, quantities: Callable[[], Quantities]
    ) -> Simulated:
        """Return a simulation with true values and a seated chain.

        The chain does not keep any samples.
        """
        sweeps = count()
        return cls(truth, lambda: chain.step(next(sweeps), keep=False), quantities)


Simulation: TypeAlias = Callable[[int], Simulated]
"""A function that maps the seed of a run to its simulation."""


@dataclass(frozen=True)
class SamplerCheck:
    """The result of simulation-based calibration, with the ranks of true values among the draws."""

    name: str
    ranks: dict[str, NDArray[np.int64]]
    """The rank of the true value in each run, by quantity. Quantities that never change are left
    out."""
    draws: int
    thinning: int
    burn_in: int
    autocorrelation: float
    """The largest autocorrelation of successive draws over all quantities."""
    error_rate: float = ERROR_RATE
    seed: int = 1

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(next(iter(self.ranks.values())))

    @cached_property
    def p_values(self) -> dict[str, float]:
        """The uncorrected p-value of each quantity."""
        return {name: p_value(ranks, self.draws) for name, ranks in self.ranks.items()}

    @property
    def worst(self) -> str:
        """The quantity with the smallest p-value."""
        return min(self.p_values, key=self.p_values.__getitem__)

    @property
    def p_value(self) -> float:
        """The smallest p-value with a Bonferroni correction for the number of quantities."""
        return min(1.0, self.p_values[self.worst] * len(self.ranks))

    @property
    def is_rejected(self) -> bool:
        """True if the corrected p-value of the ranks is below the error rate."""
        return self.p_value < self.error_rate

    @cached_property
    def band(self) -> Band:
        """The simultaneous band for the rank counts of all quantities under a correct sampler."""
        return simultaneous_band(self.runs, self.draws, self.error_rate / len(self.ranks))

    @property
    def verdict(self) -> str:
        """The result of the calibration in one sentence."""
        result = "rejected" if self.is_rejected else "passed"
        return (
            f"{self.name}: {result}: {self.runs} runs, {len(self.ranks)} quantities, smallest "
            f"p-value {self.p_value:.2g} ({self.worst}), corrected for their number; a correct "
            f"sampler is rejected with probability {self.error_rate:g} at most"
        )

    @property
    def protocol(self) -> str:
        """A one-line description of the seed, the draws and the sweeps."""
        return (
            f"seed {self.seed}; {self.draws} draws of each chain, one every {self.thinning} sweeps "
            f"after {self.burn_in} sweeps that are left out; largest autocorrelation of successive "
            f"draws {self.autocorrelation:.2f}"
        )

    def draw(self) -> str:
        """Return an SVG picture of each quantity's ranks, with the band for all quantities."""
        from bistro.pictures.rank_bands import draw_rank_bands  # only pictures need it

        expected = np.arange(1, self.draws + 1) / (self.draws + 1)
        differences = {
            name: (counts_below(ranks, self.draws) / self.runs - expected).tolist()
            for name, ranks in self.ranks.items()
        }
        low, high = self.band.low / self.runs - expected, self.band.high / self.runs - expected
        outside = {
            name for name, p in self.p_values.items() if p * len(self.ranks) < self.error_rate
        }
        band = list(zip(low.tolist(), high.tolist(), strict=True))
        return draw_rank_bands(differences, band, outside, title=self.verdict)

    def _repr_html_(self) -> str:
        """Show the picture and the verdict in a notebook."""
        return f"<figure>{self.draw()}<figcaption>{xml_text(self.verdict)}</figcaption></figure>"

    def tendency(self, quantity: str) -> str:
        """Return a short description of the bias in the draws, or "" if no bias is visible."""
        ranks = self.ranks[quantity] / self.draws
        expected = 1 / np.sqrt(12 * self.runs)
        if abs(ranks.mean() - 0.5) > 2.5 * expected:
            return "draws too high" if ranks.mean() < 0.5 else "draws too low"
        spread = float(np.mean((ranks - 0.5) ** 2)) * 12 - 1
        if abs(spread) > 2.5 * np.sqrt(0.8 / self.runs):
            return "draws too narrow" if spread > 0 else "draws too wide"
        return ""


def seed_of(seed: int, run: int) -> int:
    """Return the seed of one run."""
    return int(np.random.SeedSequence((seed, run)).generate_state(1, np.uint64)[0])


def calibrate(
    name: str,
    simulate: Simulation,
    runs: int = 200,
    *,
    draws: int = DRAWS,
    thinning: int | None = None,
    burn_in: int | None = None,
    error_rate: float = ERROR_RATE,
    seed: int = 1,
    on_run: Callable[[int, int], None] = lambda done, total: None,
) -> SamplerCheck:
    """Rank true values among the draws of a sampler, over many simulated data sets.

    Parameters
    ----------
    name
        Name of the sampler in the verdict.
    simulate
        Function that draws true values and data, and returns a chain that sees only the data.
    runs
        Number of data sets.
    draws
        Number of draws from each chain.
    thinning
        Sweeps from one draw to the next; by default chosen by `choose_thinning`.
    burn_in
        Sweeps before the first draw; by default 8 times `thinning`, and at least 50.
    error_rate
        The probability with which a correct sampler may be rejected.
    seed
        Seed of all simulations.
    on_run
        Called after each run with the number of finished runs and the total number.
    """
    if runs < 20:
        raise ConfigError(f"{runs} runs are too few to reach a verdict: use 20 or more")
    interval = choose_thinning(simulate, seed) if thinning is None else thinning
    skipped = max(50, 8 * interval) if burn_in is None else burn_in
    truths, drawn = [], []
    for run in range(runs):
        simulated = simulate(seed_of(seed, run))
        truths.append(list(simulated.truth.values()))
        drawn.append(_chain(simulated, draws, interval, skipped))
        on_run(run + 1, runs)
    truth, draw = np.array(truths), np.array(drawn)
    names = list(simulated.truth)
    varying = [i for i in range(len(names)) if np.ptp(draw[:, :, i]) > 0 or np.ptp(truth[:, i]) > 0]
    ties = np.random.default_rng((seed, purpose_key("sbc.ties")))
    below = (draw < truth[:, None]).sum(axis=1)
    equal = (draw == truth[:, None]).sum(axis=1)
    ranks = below + ties.integers(0, equal, endpoint=True)
    return SamplerCheck(
        name,
        {names[i]: ranks[:, i].astype(np.int64) for i in varying},
        draws,
        interval,
        skipped,
        float(np.max(_autocorrelation(draw[:, :, varying], 1))),
        error_rate,
        seed,
    )


def choose_thinning(simulate: Simulation, seed: int) -> int:
    """Use a few pilot runs to estimate how many sweeps make draws nearly independent.

    The number is a power of two, at most 64, at which no quantity has an autocorrelation over 0.2.
    """
    pilots = [simulate(seed_of(seed, FIRST_PILOT + run)) for run in range(PILOT_RUNS)]
    chains = np.array([_chain(pilot, PILOT_SWEEPS, 1, 50) for pilot in pilots])
    lag = 1
    while lag < MOST_THINNING and np.max(_autocorrelation(chains, lag)) > ENOUGH:
        lag *= 2
    return lag


def _chain(simulated: Simulated, draws: int, thinning: int, burn_in: int) -> list[list[float]]:
    rows = []
    for sweep in range(1, burn_in + draws * thinning + 1):
        simulated.sweep()
        if sweep > burn_in and (sweep - burn_in) % thinning == 0:
            quantities = simulated.quantities()
            rows.append([quantities[name] for name in simulated.truth])
    return rows


def _autocorrelation(chains: NDArray[np.float64], lag: int) -> NDArray[np.float64]:
    """Return the autocorrelation of each quantity at `lag`, pooled over chains."""
    centred = chains - chains.mean(axis=1, keepdims=True)
    length = chains.shape[1]
    products = (centred[:, lag:] * centred[:, :-lag]).sum(axis=(0, 1)) / (length - lag)
    squares = (centred**2).sum(axis=(0, 1)) / length
    # Subtracting a chain's own mean makes its draws negatively correlated.
    correlation: NDArray[np.float64] = products / np.where(squares > 0, squares, 1.0) + 1 / length
    return correlation
