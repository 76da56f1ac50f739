"""Discount and strength of every level: slice-sampled, maximised, or left alone.

The compiled core gives the likelihood of a level and its gradient from counts of counts. Slice
sampling runs there; the maximum a posteriori is found here by L-BFGS-B,

    max over (d, θ)   log p(seating | d, θ) + log Beta(d; a, b) + log Gamma(θ; shape, rate)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bistro._core import Franchise, LevelLikelihood, SequentialLikelihood, Stream
from bistro.models.settings import SamplerSettings

# Discounts stay clear of 0 and 1, and strengths of 0 and infinity, where the logarithm ends.
_DISCOUNT_BOUNDS = (1e-6, 1 - 1e-6)
_LOG_STRENGTH_BOUNDS = (-15.0, 15.0)


def update_hyperparameters(
    franchise: Franchise,
    settings: SamplerSettings,
    stream: Stream,
    sequence: SequentialLikelihood | None = None,
) -> None:
    """Move or maximise the hyper-parameters of all levels, as the settings say."""
    if sequence is not None:
        franchise.slice_sequentially(
            sequence, *settings.discount_prior, *settings.strength_prior, settings.dirichlet, stream
        )
    elif settings.hyper == "slice":
        franchise.slice_hyperparameters(
            *settings.discount_prior, *settings.strength_prior, settings.dirichlet, stream
        )
    elif settings.hyper == "map":
        likelihoods = franchise.level_likelihoods()
        for level, (likelihood, start) in enumerate(
            zip(likelihoods, franchise.parameters(), strict=True)
        ):
            franchise.set_parameters(level, *maximise(likelihood, start, settings))


def maximise(
    likelihood: LevelLikelihood, start: tuple[float, float], settings: SamplerSettings
) -> tuple[float, float]:
    """Return the discount and strength of highest posterior density for one level."""
    (a, b), (shape, rate) = settings.discount_prior, settings.strength_prior

    def loss(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        d, theta = (0.0 if settings.dirichlet else float(x[0])), math.exp(x[1])
        value, by_discount, by_strength = likelihood.gradient(d, theta)
        value += (shape - 1) * x[1] - rate * theta
        by_log_strength = by_strength * theta + (shape - 1) - rate * theta
        if settings.dirichlet:
            return -value, np.array([0.0, -by_log_strength])
        value += (a - 1) * math.log(d) + (b - 1) * math.log1p(-d)
        by_discount += (a - 1) / d - (b - 1) / (1 - d)
        return -value, np.array([-by_discount, -by_log_strength])

    first = np.clip(start[0], *_DISCOUNT_BOUNDS), math.log(start[1])
    found = minimize(
        loss,
        np.array(first),
        jac=True,
        method="L-BFGS-B",
        bounds=[_DISCOUNT_BOUNDS, _LOG_STRENGTH_BOUNDS],
    )
    return (0.0 if settings.dirichlet else float(found.x[0])), math.exp(float(found.x[1]))
