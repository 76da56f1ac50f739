// The tree of least risk (Goodman 1996): of all trees of the grammar, the one whose nodes were found most often in trees that were drawn.
//
//     argmax over trees of  Σ over nodes (symbol, start, end) of count(symbol, start, end)
#pragma once

#include <cstdint>
#include <vector>

#include "infinite/forest.hpp"

namespace bistro {

// Counts of the items of a forest, by number.
struct ItemCounts {
    const RuleForest* forest;
    const std::vector<std::uint32_t>* counts;

    template <class Semiring>
    double of(const SpanItem& item) const {
        const std::uint32_t number = forest->find(item);
        return number < counts->size() ? (*counts)[number] : 0.0;
    }
};

// Rules all weigh alike, if they are possible at all.
inline RuleWeights equal_weights(const Grammar& grammar) {
    std::vector<double> weights(grammar.log_prob().by_rule);
    for (double& w : weights) w = w > -kInfinity ? 0.0 : w;
    return grammar.weights(std::move(weights));
}

// `chart` is memory for it. The sum of the counts is returned beside the rules.
inline std::vector<std::int32_t> least_risk_rules(const RuleForest& forest, const RuleWeights& equal, const Lattice& lattice,
                                                  const std::vector<std::uint32_t>& counts, RuleChart<MaxPlus>& chart, double& sum) {
    sum = chart.fill(forest.grammar(), equal, lattice, ItemCounts{&forest, &counts});
    return best_rules(chart);
}

}  // namespace bistro
