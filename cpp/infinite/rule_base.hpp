// The base of the trie: one distribution over the rules of each left side.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/base.hpp"

namespace bistro {

// H(rule | left side), by rule. It sums to 1 over the rules of each left side, not over all rules, since a context always
// begins with the left side.
class RuleBase final : public Base {
public:
    explicit RuleBase(std::vector<double> probabilities) : probabilities_(std::move(probabilities)) {
        for (const double p : probabilities_)
            if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a probability must lie in [0, 1]");
    }
    std::int32_t dishes() const override { return static_cast<std::int32_t>(probabilities_.size()); }
    double probability(std::int32_t rule) const override {
        return rule >= 0 && rule < dishes() ? probabilities_[static_cast<std::size_t>(rule)] : 0.0;
    }

private:
    std::vector<double> probabilities_;
};

}  // namespace bistro
