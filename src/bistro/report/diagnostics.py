"""Agreement between several chains, as measured by R-hat and effective sample sizes from ArviZ.

A chain is the trace of one training run, and chains differ only in their seed. The compared
quantities do not depend on the numbering of tables or states: log-likelihood, discounts, strengths,
and the numbers of tables and states. The first sweeps of every chain are discarded as burn-in.

>>> traces = [[{"sweep": i, "log_likelihood": -9.0 - (i * 7 + c) % 5} for i in range(1, 41)]
...           for c in (1, 2)]
>>> chains = chains_of(traces, ["seed 1", "seed 2"])
>>> chains.burn_in, chains.draws, list(chains.quantities)
(20, 20, ['log_likelihood'])
>>> [row.quantity for row in diagnose(chains)]
['log_likelihood']
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.files import writing
from bistro.inference.arviz import from_groups, load_arviz

R_HAT_LIMIT = 1.01
DRAWS_WANTED = 100
"""The minimum number of effective draws per chain for reliable R-hat values and quantiles."""
FEWEST_DRAWS = 4
COLUMNS = ("quantity", "mean", "sd", "r_hat", "ess_bulk", "ess_tail", "warning")

Trace = Sequence[Mapping[str, Any]]
Draws = NDArray[np.float64]


@dataclass(frozen=True)
class Chains:
    """The quantities recorded in several training runs, with one row per chain, and the burn-in."""

    names: list[str]
    quantities: dict[str, Draws]
    """The quantities by name, where ``words.tables[2]`` has depth 2.

    Constant quantities are left out.
    """
    constant: list[str]
    """The names of quantities that never change."""
    sweeps: int
    burn_in: int

    @property
    def draws(self) -> int:
        """The number of sweeps per chain after burn-in."""
        return self.sweeps - self.burn_in

    def kept(self, quantity: str) -> Draws:
        """Return the draws of a quantity after burn-in."""
        return self.quantities[quantity][:, self.burn_in :]

    def _repr_html_(self) -> str:
        """Return a picture of the chains for a notebook, including the burn-in."""
        from bistro.pictures.notebook import draw_chains  # only notebooks need it

        return draw_chains({name: rows.tolist() for name, rows in self.quantities.items()})


@dataclass(frozen=True)
class Diagnosis:
    """Statistics on how well the chains agree on one quantity."""

    quantity: str
    mean: float
    sd: float
    r_hat: float
    ess_bulk: float
    ess_tail: float
    wanted: int
    """The minimum number of effective draws for a reliable estimate."""

    @property
    def disagrees(self) -> bool:
        """True if the chains differ by more than is expected by chance."""
        return not self.r_hat <= R_HAT_LIMIT

    @property
    def is_thin(self) -> bool:
        """True if there are too few effective draws."""
        return not min(self.ess_bulk, self.ess_tail) >= self.wanted

    @property
    def warning(self) -> str:
        """The criteria that are not met (R-hat, ESS), or an empty string."""
        criteria = [
            name for name, wrong in (("R-hat", self.disagrees), ("ESS", self.is_thin)) if wrong
        ]
        return ", ".join(criteria)


def chains_of(traces: Sequence[Trace], names: Sequence[str], burn_in: int | None = None) -> Chains:
    """Combine traces into chains.

    The first `burn_in` sweeps of each chain are discarded; the default is half of all sweeps.
    """
    lengths = {len(trace) for trace in traces}
    if len(traces) < 2:
        raise BistroError("a single chain cannot be compared: give two or more chains")
    if len(lengths) > 1:
        shown = ", ".join(map(str, sorted(lengths)))
        raise BistroError(
            f"the chains have different numbers of sweeps ({shown}): train all chains with the "
            "same number of sweeps"
        )
    sweeps = lengths.pop()
    left_out = sweeps // 2 if burn_in is None else burn_in
    if sweeps - left_out < FEWEST_DRAWS:
        raise BistroError(
            f"{sweeps} sweeps with a burn-in of {left_out} leave fewer than {FEWEST_DRAWS} draws "
            "to compare: train for more sweeps, for example with --set sampler.sweeps=200, or give "
            "a smaller --burn-in (models that are trained without sampling have no chains)"
        )
    columns = _columns([trace[left_out:] for trace in traces])
    whole = {name: _column(traces, name) for name in columns}
    moving = {name for name, draws in columns.items() if np.ptp(draws) > 0}
    constant = [name for name in columns if name not in moving]
    kept = {name: draws for name, draws in whole.items() if name in moving}
    return Chains(list(names), kept, constant, sweeps, left_out)


def _columns(traces: Sequence[Trace]) -> dict[str, Draws]:
    """Return the names of all quantities that occur in every row of every trace."""
    rows = [row for trace in traces for row in trace]
    names = []
    for key, value in rows[0].items():
        if key == "sweep" or any(key not in row for row in rows):
            continue
        if isinstance(value, list):
            depths = min(len(row[key]) for row in rows)
            names += [f"{key}[{depth}]" for depth in range(depths)]
        else:
            names.append(key)
    return {name: _column(traces, name) for name in names}


def _column(traces: Sequence[Trace], name: str) -> Draws:
    """Return the values of a quantity, with one row per chain and NaN for missing values."""
    key, _, depth = name.partition("[")

    def value(row: Mapping[str, Any]) -> float:
        cell = row.get(key, math.nan)
        return float(cell[int(depth[:-1])] if depth and isinstance(cell, list) else cell)

    return np.array([[value(row) for row in trace] for trace in traces])


def diagnose(chains: Chains) -> list[Diagnosis]:
    """Return one diagnosis per quantity."""
    az = load_arviz()
    wanted = DRAWS_WANTED * len(chains.names)
    rows = []
    for name in chains.quantities:
        draws = chains.kept(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r_hat, bulk, tail = (
                float(az.rhat(draws, method="rank")),
                float(az.ess(draws, method="bulk")),
                float(az.ess(draws, method="tail")),
            )
        spread = float(np.std(draws, ddof=1))
        rows.append(Diagnosis(name, float(np.mean(draws)), spread, r_hat, bulk, tail, wanted))
    return rows


def advice(chains: Chains, rows: Sequence[Diagnosis]) -> list[str]:
    """Return sentences that interpret the figures and give advice."""
    description = []
    apart = sorted((row for row in rows if row.disagrees), key=lambda row: -row.r_hat)
    if apart:
        worst = apart[0]
        description.append(
            f"R-hat is above {R_HAT_LIMIT} for {len(apart)} of {len(rows)} quantities (worst: "
            f"{worst.quantity}, {worst.r_hat:.2f}). The chains, which differ only in their seed, "
            "do not agree yet, so the results of a single chain depend on its random start. Train "
            f"for more sweeps (currently {chains.sweeps}), or discard more sweeps (--burn-in, "
            f"currently {chains.burn_in}). If the chains still disagree after long runs, each "
            "chain is stuck in a different mode, and no single chain is reliable."
        )
    thin = sorted(
        (row for row in rows if row.is_thin), key=lambda row: min(row.ess_bulk, row.ess_tail)
    )
    if thin:
        worst = thin[0]
        size = min(worst.ess_bulk, worst.ess_tail)
        total = chains.draws * len(chains.names)
        description.append(
            f"{len(thin)} of {len(rows)} quantities have fewer than {worst.wanted} effective draws "
            f"(fewest: {worst.quantity}, {size:.0f}). Each sweep starts where the previous sweep "
            f"ended, so the {total:,} draws of {worst.quantity} are worth only {size:.0f} "
            f"independent draws. The mean and the R-hat of {worst.quantity} are uncertain. Run "
            "more sweeps."
        )
    if not rows:
        return ["No quantity changes after burn-in, so there is nothing to compare."]
    return description or [
        f"All {len(rows)} quantities have an R-hat of at most {R_HAT_LIMIT} and at least "
        f"{rows[0].wanted} effective draws, so there is no sign that the chains disagree."
    ]


def to_arviz(chains: Chains) -> Any:
    """Return the draws for ArviZ: `InferenceData` in versions 0.x, a `DataTree` from 1.0.

    A quantity with several depths becomes one variable with a dimension for depth.
    """
    depths: dict[str, list[Draws]] = {}
    for name in chains.quantities:
        key, _, depth = name.partition("[")
        depths.setdefault(_plain(key) if not depth else f"{_plain(key)}[]", []).append(
            chains.kept(name)
        )
    posterior = {
        name.removesuffix("[]"): np.stack(parts, axis=-1) if name.endswith("[]") else parts[0]
        for name, parts in depths.items()
    }
    data = from_groups({"posterior": posterior})
    data["posterior"].attrs["burn_in"] = chains.burn_in
    return data


def _plain(name: str) -> str:
    """Return a valid NetCDF name, without dots or slashes."""
    return name.replace(".", "_").replace("/", "_")


def write_netcdf(chains: Chains, path: str) -> None:
    """Write the draws for ArviZ (``arviz.from_netcdf``).

    The file gets its final name only when it is complete.
    """
    data = to_arviz(chains)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "chains.nc"
        try:
            data.to_netcdf(str(place))
        except (ImportError, ValueError) as error:
            raise BistroError(
                f"{path}: writing NetCDF needs another package ({error}): pip install h5netcdf"
            ) from None
        with writing(path) as stream:
            stream.write(place.read_bytes())


def table_lines(rows: Sequence[Diagnosis]) -> list[str]:
    """Return the rows as a tab-separated table."""
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        cells = (
            *(row.quantity, f"{row.mean:.6g}", f"{row.sd:.4g}", f"{row.r_hat:.4f}"),
            *(f"{row.ess_bulk:.1f}", f"{row.ess_tail:.1f}", row.warning),
        )
        lines.append("\t".join(cells))
    return lines
