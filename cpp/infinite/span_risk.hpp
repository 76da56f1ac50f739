// The tree of least risk (Goodman 1996) for trees that were drawn: of all trees of the grammar, the one that is expected to have the fewest
// wrong and missing nodes. With count(symbol, start, end) in n drawn trees,
//
//     argmax over trees of  Σ over nodes of  count(symbol, start, end) - cost n          cost = 1/2: a wrong node is as bad as a missing one
//
// In a grammar without unary rules all trees of a sentence have the same number of nodes, and the cost changes nothing. With them, a tree
// of no cost would take in every unary rule that was drawn but once. Of equal trees, the most probable one under the grammar counts.
#pragma once

#include <cstdint>
#include <vector>

#include "infinite/forest.hpp"

namespace bistro {

// Counts of the items of a forest, by number.
struct ItemCounts {
    const RuleForest* forest;
    const std::vector<std::uint32_t>* counts;
    double cost;  // of a node, in counts

    template <class Semiring>
    double of(const SpanItem& item) const {
        const std::uint32_t number = forest->find(item);
        return (number < counts->size() ? (*counts)[number] : 0.0) - cost;
    }
};

// Rules weigh next to nothing, together less than one count.
inline RuleWeights tie_breakers(const Grammar& grammar) {
    std::vector<double> weights(grammar.log_prob().by_rule);
    for (double& w : weights) w *= 1e-6;
    return grammar.weights(std::move(weights));
}

// `chart` is memory for it.
inline std::vector<std::int32_t> least_risk_rules(const RuleWeights& ties, const Lattice& lattice, const ItemCounts& counts,
                                                  RuleChart<MaxPlus>& chart) {
    chart.fill(counts.forest->grammar(), ties, lattice, counts);
    return best_rules(chart);
}

}  // namespace bistro
