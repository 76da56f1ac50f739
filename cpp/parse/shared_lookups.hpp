// Probabilities of a few outcomes in many contexts that lead to the same restaurants. Each is looked up once.
//
// p(x) in a restaurant is its own entry, or its back-off weight times p(x) in the restaurant above it. Contexts with a
// common beginning share the restaurants of that beginning.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/frozen.hpp"

namespace bistro {

class SharedLookups {
public:
    SharedLookups(const Frozen& franchise, std::vector<std::uint32_t> outcomes)
        : franchise_(franchise), outcomes_(std::move(outcomes)) {}

    // The row of a context: the deepest restaurant it leads to.
    template <class Context>
    std::uint32_t row(const Context& context, int length) {
        std::uint32_t at = 0, restaurant = 0;
        if (rows_.empty()) add(0, kNone);
        for (int k = 0; k < length; ++k) {
            restaurant = franchise_.child(restaurant, static_cast<std::uint32_t>(context(k)));
            if (restaurant == kNone) break;
            const std::uint32_t known = index_.find(restaurant, rows_);
            at = known != kNone ? known : add(restaurant, at);
        }
        return at;
    }

    // log p of the outcome with this number.
    double log_probability(std::uint32_t row, std::size_t outcome) {
        double& known = logarithms_[row * outcomes_.size() + outcome];
        if (std::isnan(known)) known = std::log(probability(row, outcome));
        return known;
    }

    double probability(std::uint32_t row, std::size_t outcome) {
        double& known = values_[row * outcomes_.size() + outcome];
        if (!std::isnan(known)) return known;
        const auto [restaurant, above] = rows_[row];
        const std::uint32_t entry = find_in_region(franchise_.dish.data(), franchise_.entry_begin[restaurant],
                                                   franchise_.entry_begin[restaurant + 1], outcomes_[outcome]);
        if (entry != kNone) return known = franchise_.probability[entry];
        const double below = above == kNone ? franchise_.base_probability(outcomes_[outcome]) : probability(above, outcome);
        return known = franchise_.backoff[restaurant] * below;
    }

private:
    struct Row {
        std::uint32_t restaurant, above;
        std::uint64_t key() const { return restaurant; }
    };

    std::uint32_t add(std::uint32_t restaurant, std::uint32_t above) {
        rows_.push_back({restaurant, above});
        index_.insert_last(rows_);
        values_.resize(rows_.size() * outcomes_.size(), std::numeric_limits<double>::quiet_NaN());
        logarithms_.resize(values_.size(), std::numeric_limits<double>::quiet_NaN());
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    const Frozen& franchise_;
    std::vector<std::uint32_t> outcomes_;
    std::vector<Row> rows_;
    PairIndex index_;
    std::vector<double> values_, logarithms_;
};

}  // namespace bistro
