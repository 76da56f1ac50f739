// Probabilities of a few outcomes in many contexts that lead to the same restaurants. Each probability is looked up once.
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

    // The row of the deepest restaurant of a context. The elements at the beginning that are equal to those of the previous
    // context are not looked up again.
    template <class Context>
    std::uint32_t row(const Context& context, int length) {
        if (rows_.empty()) add(0, kNone);
        int k = 0;
        while (k < length && k < static_cast<int>(steps_.size()) && steps_[k].element == context(k)) ++k;
        steps_.resize(static_cast<std::size_t>(k));
        Step last = k > 0 ? steps_.back() : Step{};
        for (; k < length && last.restaurant != kNone; ++k) {
            last.element = context(k);
            last.restaurant = franchise_.child(last.restaurant, static_cast<std::uint32_t>(last.element));
            if (last.restaurant != kNone) {
                const std::uint32_t known = index_.find(last.restaurant, rows_);
                last.row = known != kNone ? known : add(last.restaurant, last.row);
            }
            steps_.push_back(last);
        }
        return last.row;
    }

    // Log-probability of the outcome with this index.
    double log_probability(std::uint32_t row, std::size_t outcome) {
        double& known = logarithms_[row * outcomes_.size() + outcome];
        if (std::isnan(known)) known = std::log(probability(row, outcome));
        return known;
    }

    // Log-probabilities of all outcomes, valid until the next call of `row`.
    const double* log_probabilities(std::uint32_t row) {
        if (!is_complete_[row])
            for (std::size_t i = 0; i < outcomes_.size(); ++i) log_probability(row, i);
        is_complete_[row] = true;
        return logarithms_.data() + row * outcomes_.size();
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
        is_complete_.push_back(false);
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }

    // An element of the previous context, the restaurant that it leads to (or kNone), and the deepest row so far.
    struct Step {
        std::int32_t element = 0;
        std::uint32_t restaurant = 0, row = 0;
    };

    const Frozen& franchise_;
    std::vector<std::uint32_t> outcomes_;
    std::vector<Step> steps_;
    std::vector<Row> rows_;
    PairIndex index_;
    std::vector<double> values_, logarithms_;
    std::vector<std::uint8_t> is_complete_;  // by row: all logarithms are known
};

}  // namespace bistro
