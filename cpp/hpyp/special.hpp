// log Gamma and digamma, thread-safe (std::lgamma writes a global), and sums over arithmetic progressions.
#pragma once

#include <cmath>
#include <cstdint>

namespace bistro {

// Stirling's series after shifting the argument to 10 or more; relative error near 1e-15.
inline double log_gamma(double x) {
    double shift = 1.0;
    for (; x < 10.0; x += 1.0) shift *= x;
    const double z = 1.0 / (x * x);
    const double series =
        (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360)))))) / x;
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - std::log(shift);
}

inline double digamma(double x) {
    double shift = 0.0;
    for (; x < 10.0; x += 1.0) shift += 1.0 / x;
    const double z = 1.0 / (x * x);
    const double series =
        z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
    return std::log(x) - 0.5 / x - series - shift;
}

struct ProgressionSum {
    double value = 0;    // sum over i < n of log(x + i step)
    double by_x = 0;     // its derivative by x
    double by_step = 0;  // its derivative by step
};

// Short sums are added term by term, and long sums are computed as Gamma(x/step + n)/Gamma(x/step). That ratio loses
// precision if x/step is huge, so sums with a step of nearly 0 are added term by term, too.
inline bool is_summed_directly(double x, double step, std::int64_t n) { return n <= 24 || x > 1e4 * step; }

inline double log_progression(double x, double step, std::int64_t n) {
    if (n <= 0) return 0.0;
    if (!is_summed_directly(x, step, n))
        return static_cast<double>(n) * std::log(step) + log_gamma(x / step + static_cast<double>(n)) - log_gamma(x / step);
    double sum = 0.0, product = 1.0;
    for (std::int64_t i = 0; i < n; ++i) {
        product *= x + static_cast<double>(i) * step;
        if (product > 1e250 || product < 1e-250) {
            sum += std::log(product);
            product = 1.0;
        }
    }
    return sum + std::log(product);
}

inline ProgressionSum progression_with_gradient(double x, double step, std::int64_t n) {
    ProgressionSum sum;
    sum.value = log_progression(x, step, n);
    if (n <= 0) return sum;
    if (is_summed_directly(x, step, n)) {
        for (std::int64_t i = 0; i < n; ++i) {
            const double inverse = 1.0 / (x + static_cast<double>(i) * step);
            sum.by_x += inverse;
            sum.by_step += static_cast<double>(i) * inverse;
        }
    } else {
        sum.by_x = (digamma(x / step + static_cast<double>(n)) - digamma(x / step)) / step;
        sum.by_step = (static_cast<double>(n) - x * sum.by_x) / step;
    }
    return sum;
}

}  // namespace bistro
