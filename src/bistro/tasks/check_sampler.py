"""Simulation-based calibration checks that a sampler draws from the posterior.

>>> check = check_sampler("ngram", runs=20, order=2)
>>> check.is_rejected, sorted(check.ranks)[:2]
(False, ['words.discount[0]', 'words.discount[1]'])
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bistro import config as configuration
from bistro.errors import BistroError
from bistro.inference.simulated import ERROR_RATE, SamplerCheck, Simulation, calibrate
from bistro.models import kinds
from bistro.models.options import a_model
from bistro.models.settings import settled_settings
from bistro.pitman_yor import PitmanYor
from bistro.pitman_yor.prior import simulate_process


def check_sampler(
    sampler: str | PitmanYor | Simulation,
    /,
    runs: int = 200,
    *,
    seed: int = 1,
    error_rate: float = ERROR_RATE,
    on_run: Callable[[int, int], None] = lambda done, total: None,
    config: Any = None,
    **settings: Any,
) -> SamplerCheck:
    """Check a sampler by simulation-based calibration.

    Parameters are repeatedly drawn from the prior, data are drawn given these parameters, and the
    sampler infers the parameters from the data. The rank of each true value among the sampler's
    draws must be uniformly distributed.

    Parameters
    ----------
    sampler
        A kind of model that has a prior to draw from; a process, of which only the parameters are
        checked; or any simulation: a function of a seed that returns a
        `bistro.inference.simulated.Simulated`.
    runs
        Number of data sets to draw.
    seed
        Random seed; the result depends only on it.
    error_rate
        Probability of rejecting a correct sampler.
    on_run
        Called after each run with the number of finished runs and the total number.
    config
        Settings of the kind; default: the default settings of its models.
    **settings
        Single settings of the kind, as for `bistro.train`.
    """
    if isinstance(sampler, PitmanYor):
        sampler, name = partial(simulate_process, sampler), repr(sampler)
        return calibrate(name, sampler, runs, seed=seed, error_rate=error_rate, on_run=on_run)
    if not isinstance(sampler, str):
        name = getattr(sampler, "__name__", type(sampler).__name__)
        return calibrate(name, sampler, runs, seed=seed, error_rate=error_rate, on_run=on_run)
    base = {} if config is None else configuration.to_dict(config)
    kind, config = settled_settings(sampler, configuration.merged(base, settings))
    if not kind.prior:
        able = [other.name for other in kinds.every() if other.prior]
        raise BistroError(
            f"{a_model(kind.name)} has no prior to draw from; the kinds with a prior are: "
            f"{', '.join(able)}"
        )
    simulate = partial(kinds.resolve(kind.prior), config)
    return calibrate(kind.name, simulate, runs, seed=seed, error_rate=error_rate, on_run=on_run)
