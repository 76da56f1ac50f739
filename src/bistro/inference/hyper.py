"""Discounts and strengths for all levels: slice-sampled, optimised or fixed.

The compiled core computes the likelihood of a level and its gradient from counts of counts. Slice
sampling runs in the core. The maximum of the posterior is found by L-BFGS-B.

    max over (d, θ)   log p(seating | d, θ) + log Beta(d; a, b) + log Gamma(θ; shape, rate)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from bistro._core import Franchise, HyperPrior, LevelLikelihood, SequentialLikelihood, Stream
from bistro.inference.settings import SamplerSettings

Floats = NDArray[np.float64]
# Discounts stay away from 0 and 1, and strengths from 0 and infinity, where logarithms diverge.
_DISCOUNT_BOUNDS = (1e-6, 1 - 1e-6)
_LOG_STRENGTH_BOUNDS = (-15.0, 15.0)


def update_hyperparameters(
    franchise: Franchise,
    settings: SamplerSettings,
    stream: Stream,
    sequence: SequentialLikelihood | None = None,
) -> None:
    """Sample or optimise the hyper-parameters of all levels, according to the settings."""
    prior = HyperPrior(discount=settings.discount_prior, strength=settings.strength_prior)
    if sequence is not None:
        franchise.slice_sequentially(sequence, prior, dirichlet=settings.dirichlet, rng=stream)
    elif settings.hyper == "slice":
        franchise.slice_hyperparameters(prior, dirichlet=settings.dirichlet, rng=stream)
    elif settings.hyper == "map":
        likelihoods = franchise.level_likelihoods()
        for level, (likelihood, start) in enumerate(
            zip(likelihoods, franchise.parameters(), strict=True)
        ):
            franchise.set_parameters(level, *maximise(likelihood, start, settings))


def maximise(
    likelihood: LevelLikelihood, start: tuple[float, float], settings: SamplerSettings
) -> tuple[float, float]:
    """Return the discount and strength with the highest posterior density for one level."""

    def gradient(d: Floats, theta: Floats) -> tuple[float, Floats, Floats]:
        value, by_discount, by_strength = likelihood.gradient(float(d[0]), float(theta[0]))
        return value, np.array([by_discount]), np.array([by_strength])

    return maximise_together(gradient, [start], settings)[0]


def maximise_together(
    gradient: Callable[[Floats, Floats], tuple[float, Floats, Floats]],
    start: Sequence[tuple[float, float]],
    settings: SamplerSettings,
) -> list[tuple[float, float]]:
    """Return the discounts and strengths with the highest posterior density for several levels.

    `gradient` returns a log-likelihood and its derivatives for given discounts and strengths.
    """
    (a, b), (shape, rate) = settings.discount_prior, settings.strength_prior
    levels = len(start)

    def loss(x: Floats) -> tuple[float, Floats]:
        log_theta = x[levels:]
        d, theta = discounts(x), np.exp(log_theta)
        value, by_discount, by_strength = gradient(d, theta)
        value += float(np.sum((shape - 1) * log_theta - rate * theta))
        by_log_strength = by_strength * theta + (shape - 1) - rate * theta
        if settings.dirichlet:
            return -value, np.concatenate([np.zeros(levels), -by_log_strength])
        value += float(np.sum((a - 1) * np.log(d) + (b - 1) * np.log1p(-d)))
        by_logit = by_discount * d * (1 - d) + (a - 1) * (1 - d) - (b - 1) * d
        return -value, -np.concatenate([by_logit, by_log_strength])

    def discounts(x: Floats) -> Floats:
        # On the logit scale, discounts near 1 do not slow the search down.
        d: Floats = np.zeros(levels) if settings.dirichlet else expit(x[:levels])
        return d

    from scipy.optimize import minimize  # SciPy takes a second to load, and few settings need it.

    first = np.array(start)
    bounds = [tuple(logit(_DISCOUNT_BOUNDS))] * levels + [_LOG_STRENGTH_BOUNDS] * levels
    logits = logit(np.clip(first[:, 0], *_DISCOUNT_BOUNDS))
    at = np.concatenate([logits, np.log(first[:, 1])])
    best = minimize(loss, at, jac=True, method="L-BFGS-B", bounds=bounds).x
    return list(zip(discounts(best).tolist(), np.exp(best[levels:]).tolist(), strict=True))
