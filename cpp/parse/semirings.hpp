// Ways to combine trees: the sum, the maximum, and the sum in logarithms.
//
// A semiring has `zero` (no tree), `one` (the empty product), `plus`, `times` (parts of one tree), sums of products over
// contiguous memory, and `inverse` and `probability`, which turn a value and the inverse of a total into a share of the
// total. Sums:
//
//     sum2  over i of  a[i] b[i]              sum3  over i of  a[i] b[i] table[kind[i]]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bistro {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Number of parallel partial sums. They use the vector units, in an order that is the same on every machine.
inline constexpr int kLanes = 4;

struct SumProduct {
    static constexpr double zero = 0.0, one = 1.0;
    static double times(double a, double b) { return a * b; }
    static double plus(double a, double b) { return a + b; }
    static double inverse(double a) { return 1 / a; }
    static double probability(double a) { return a; }

    static double sum2(const double* a, const double* b, int n) {
        std::array<double, kLanes> sum{};
        int i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
        for (; i < n; ++i) sum[0] += a[i] * b[i];
        double all = 0;
        for (const double s : sum) all += s;
        return all;
    }
    static double sum3(const double* a, const double* b, const double* table, const std::int32_t* kind, int n) {
        std::array<double, kLanes> sum{};
        int i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane] * table[kind[i + lane]];
        for (; i < n; ++i) sum[0] += a[i] * b[i] * table[kind[i]];
        double all = 0;
        for (const double s : sum) all += s;
        return all;
    }
};

struct MaxPlus {
    static constexpr double zero = -kInfinity, one = 0.0;
    static double times(double a, double b) { return a + b; }
    static double plus(double a, double b) { return std::max(a, b); }

    static double sum2(const double* a, const double* b, int n) {
        std::array<double, kLanes> most;
        most.fill(zero);
        int i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) {
                const double sum = a[i + lane] + b[i + lane];
                most[lane] = sum > most[lane] ? sum : most[lane];
            }
        for (int lane = 0; i < n; ++i, ++lane) most[lane] = plus(most[lane], a[i] + b[i]);
        return plus(plus(most[0], most[1]), plus(most[2], most[3]));
    }
    static double sum3(const double* a, const double* b, const double* table, const std::int32_t* kind, int n) {
        std::array<double, kLanes> most;
        most.fill(zero);
        int i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) {
                const double sum = a[i + lane] + b[i + lane] + table[kind[i + lane]];
                most[lane] = sum > most[lane] ? sum : most[lane];
            }
        for (int lane = 0; i < n; ++i, ++lane) most[lane] = plus(most[lane], a[i] + b[i] + table[kind[i]]);
        return plus(plus(most[0], most[1]), plus(most[2], most[3]));
    }
};

// Eight times slower than SumProduct, but works for any length.
struct LogSum {
    static constexpr double zero = -kInfinity, one = 0.0;
    static double times(double a, double b) { return a + b; }
    static double plus(double a, double b) {
        const double high = std::max(a, b), low = std::min(a, b);
        return low == zero ? high : high + std::log1p(std::exp(low - high));
    }
    static double inverse(double a) { return -a; }
    static double probability(double a) { return std::exp(a); }

    static double sum2(const double* a, const double* b, int n) {
        return total(n, MaxPlus::sum2(a, b, n), [&](int i) { return a[i] + b[i]; });
    }
    static double sum3(const double* a, const double* b, const double* table, const std::int32_t* kind, int n) {
        return total(n, MaxPlus::sum3(a, b, table, kind, n), [&](int i) { return a[i] + b[i] + table[kind[i]]; });
    }

private:
    template <class Term>
    static double total(int n, double most, const Term& term) {
        if (most == zero) return zero;
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += std::exp(term(i) - most);
        return most + std::log(sum);
    }
};

}  // namespace bistro
