// Draws from the gamma and beta distributions and from the distribution of the number of tables, based only on uniform
// numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "hpyp/rng.hpp"

namespace bistro {

// One standard normal number (Box & Muller 1958; the second of the pair is not kept, so a stream has no hidden state).
inline double draw_normal(Stream& rng) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
    return radius * std::cos(6.283185307179586477 * rng.uniform());
}

// The logarithm of a Gamma(shape, 1) number (Marsaglia & Tsang 2000). For a tiny shape, the number itself would underflow.
inline double draw_log_gamma(double shape, Stream& rng) {
    if (shape < 1.0) return draw_log_gamma(shape + 1.0, rng) + std::log(1.0 - rng.uniform()) / shape;
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = draw_normal(rng), root = 1.0 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root;
        if (std::log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
    }
}

inline double draw_beta(double a, double b, Stream& rng) {
    const double x = draw_log_gamma(a, rng), y = draw_log_gamma(b, rng);
    return 1.0 / (1.0 + std::exp(y - x));
}

// The number of tables of `customers` customers in a Chinese restaurant with this strength and no discount.
inline std::int32_t draw_tables(double strength, std::int32_t customers, Stream& rng) {
    std::int32_t tables = customers > 0 ? 1 : 0;
    for (std::int32_t i = 1; i < customers; ++i)
        if (rng.uniform() * (strength + i) < strength) ++tables;
    return tables;
}

}  // namespace bistro
