// One step of slice sampling with stepping out and shrinkage (Neal 2003, figures 3 and 5).
//
// The density at the current point is always recomputed and the width never adapts: with a stale density, or a width that
// follows the chain, the target distribution would not be invariant.
#pragma once

#include <cmath>

#include "hpyp/rng.hpp"

namespace bistro {

// A new point from x under exp(log_density), which must be 0 (log -inf) outside the open interval (low, high).
template <class LogDensity>
double slice_step(double x, const LogDensity& log_density, double width, double low, double high, Stream& rng) {
    // 1 - uniform() lies in (0, 1], so the logarithm is finite.
    const double level = log_density(x) + std::log(1.0 - rng.uniform());
    double left = x - width * rng.uniform();
    double right = left + width;
    while (left > low && log_density(left) > level) left -= width;
    while (right < high && log_density(right) > level) right += width;
    left = left > low ? left : low;
    right = right < high ? right : high;
    for (;;) {
        const double candidate = left + rng.uniform() * (right - left);
        if (candidate > low && candidate < high && log_density(candidate) > level) return candidate;
        (candidate < x ? left : right) = candidate;
        // The interval has shrunk onto x itself: nothing else is representable inside the slice.
        if (!(right - left > 1e-14 * (1.0 + std::abs(x)))) return x;
    }
}

}  // namespace bistro
