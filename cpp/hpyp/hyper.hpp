// Discount and strength of one level: likelihood, gradient and slice sampling from counts of counts.
//
// Given the seating, the likelihood of a level depends only on how many restaurants have how many customers
// and tables, and on how many tables have which size:
//
//     sum over restaurants  [ sum_{i=1}^{t-1} log(theta + i d)  -  sum_{i=1}^{c-1} log(theta + i) ]
//   + sum over tables         sum_{i=1}^{s-1} log(i - d)
//
// so the cost of an evaluation depends on the number of distinct counts, not on the number of customers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "hpyp/franchise.hpp"
#include "hpyp/slice.hpp"
#include "hpyp/special.hpp"

namespace bistro {

// How often each value occurs. Small values, which are nearly all values, are counted in an array.
class CountOfCounts {
public:
    void add(std::int32_t value, std::int64_t times = 1) {
        if (value < kSmall)
            small_[value] += times;
        else
            large_[value] += times;
    }
    // Distinct values above `above` with their counts.
    std::vector<std::pair<std::int64_t, std::int64_t>> above(std::int32_t above) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> items;
        for (std::int32_t v = above + 1; v < kSmall; ++v)
            if (small_[v] > 0) items.emplace_back(v, small_[v]);
        for (const auto& [value, times] : large_) items.emplace_back(value, times);
        return items;
    }

private:
    static constexpr std::int32_t kSmall = 256;
    std::vector<std::int64_t> small_ = std::vector<std::int64_t>(kSmall, 0);
    std::map<std::int32_t, std::int64_t> large_;
};

struct Gradient {
    double value = 0, by_discount = 0, by_strength = 0;
};

// The part of the seating likelihood that one level contributes, as a function of its (d, theta).
class LevelLikelihood {
public:
    LevelLikelihood(const CountOfCounts& customers, const CountOfCounts& tables, const CountOfCounts& sizes)
        // Counts of 1 contribute nothing: their products are empty.
        : customers_(customers.above(1)), tables_(tables.above(1)), sizes_(sizes.above(1)) {}

    double operator()(double d, double theta) const {
        if (!(d >= 0 && d < 1 && theta > -d)) return -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (const auto& [t, times] : tables_) sum += static_cast<double>(times) * log_progression(theta + d, d, t - 1);
        for (const auto& [c, times] : customers_) sum -= static_cast<double>(times) * log_progression(theta + 1, 1, c - 1);
        for (const auto& [s, times] : sizes_) sum += static_cast<double>(times) * log_progression(1 - d, 1, s - 1);
        return sum;
    }

    Gradient gradient(double d, double theta) const {
        Gradient g;
        g.value = (*this)(d, theta);
        for (const auto& [t, times] : tables_) {
            const auto sum = progression_with_gradient(theta + d, d, t - 1);
            g.by_strength += static_cast<double>(times) * sum.by_x;
            g.by_discount += static_cast<double>(times) * (sum.by_x + sum.by_step);
        }
        for (const auto& [c, times] : customers_)
            g.by_strength -= static_cast<double>(times) * progression_with_gradient(theta + 1, 1, c - 1).by_x;
        for (const auto& [s, times] : sizes_)
            g.by_discount -= static_cast<double>(times) * progression_with_gradient(1 - d, 1, s - 1).by_x;
        return g;
    }

    // The likelihood of two levels that share their parameters.
    LevelLikelihood operator+(const LevelLikelihood& other) const {
        LevelLikelihood sum = *this;
        sum.customers_.insert(sum.customers_.end(), other.customers_.begin(), other.customers_.end());
        sum.tables_.insert(sum.tables_.end(), other.tables_.begin(), other.tables_.end());
        sum.sizes_.insert(sum.sizes_.end(), other.sizes_.begin(), other.sizes_.end());
        return sum;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> customers_, tables_, sizes_;
};

// The likelihoods of all levels, gathered in one pass over the franchise.
inline std::vector<LevelLikelihood> level_likelihoods(const Franchise& franchise) {
    struct Counts {
        CountOfCounts customers, tables, sizes;
    };
    std::vector<Counts> counts(franchise.levels());
    for (const Restaurant& r : franchise.restaurants()) {
        counts[r.depth].customers.add(r.customers);
        counts[r.depth].tables.add(r.tables);
    }
    for (const Entry& entry : franchise.entries())
        for_each_table_size(entry, franchise.table_sizes(), [&](std::int32_t size, std::int32_t tables) {
            if (size > 1) counts[franchise.restaurants()[entry.restaurant].depth].sizes.add(size, tables);
        });
    std::vector<LevelLikelihood> levels;
    for (const Counts& c : counts) levels.emplace_back(c.customers, c.tables, c.sizes);
    return levels;
}

// d ~ Beta(discount_a, discount_b), theta ~ Gamma(strength_shape, strength_rate).
struct HyperPrior {
    double discount_a = 1, discount_b = 1, strength_shape = 1, strength_rate = 1;

    double log_discount(double d) const { return (discount_a - 1) * std::log(d) + (discount_b - 1) * std::log1p(-d); }
    double log_strength(double theta) const { return (strength_shape - 1) * std::log(theta) - strength_rate * theta; }
};

// One slice-sampling step for each parameter of a level. Returns (discount, strength). The strength moves on the logarithmic
// scale (with the Jacobian), since it ranges over orders of magnitude. With `dirichlet`, the discount is 0.
inline std::pair<double, double> slice_level(const LevelLikelihood& likelihood, double d, double theta, const HyperPrior& prior,
                                             bool dirichlet, Stream& rng) {
    if (dirichlet) d = 0.0;
    // The prior has no mass at or below 0. A chain that starts there moves to the edge first.
    if (!(theta > 0)) theta = 1e-3;
    if (!dirichlet) {
        auto of_discount = [&](double x) {
            if (!(x > 0 && x < 1)) return -std::numeric_limits<double>::infinity();
            return likelihood(x, theta) + prior.log_discount(x);
        };
        d = slice_step(d, of_discount, 0.1, 0.0, 1.0, rng);
    }
    auto of_log_strength = [&](double x) { return likelihood(d, std::exp(x)) + prior.log_strength(std::exp(x)) + x; };
    return {d, std::exp(slice_step(std::log(theta), of_log_strength, 1.0, -30.0, 30.0, rng))};
}

// Updates the discount and strength of every level of a franchise in the same way.
inline void slice_hyperparameters(Franchise& franchise, const HyperPrior& prior, bool dirichlet, Stream& rng) {
    const auto likelihoods = level_likelihoods(franchise);
    for (int level = 0; level < franchise.levels(); ++level) {
        const auto [d, theta] =
            slice_level(likelihoods[level], franchise.discount_at(level), franchise.strength_at(level), prior, dirichlet, rng);
        franchise.set_parameters(level, d, theta);
    }
}

}  // namespace bistro
