// The tree with the highest expected number of correct heads: the best tree of a chart in which the weight of an arc is its
// probability.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "parse/chart_trees.hpp"

namespace bistro {

using Weighted = std::vector<std::pair<std::int32_t, double>>;  // (head, label, tag or node; probability)

// Heads of the best projective tree for scores[d - 1] = (head, score) of word d. The score of an unlisted head is 0.
inline std::vector<std::int32_t> least_risk_heads(const std::vector<Weighted>& scores, bool single_root) {
    std::vector<std::int32_t> positions(scores.size() + 1);
    std::iota(positions.begin(), positions.end(), 0);
    ArcWeights weights;
    weights.reset(positions, 2, 0.0);
    for (std::size_t d = 1; d <= scores.size(); ++d) {
        weights.kind[d] = 1;
        for (const auto& [head, p] : scores[d - 1]) weights.pair[weights.pair_at(head, static_cast<int>(d))] = p;
    }
    if (single_root) weights.step[weights.step_at(0, kRight, 1) + 1] = -kInfinity;  // no second child of the root
    Chart<MaxPlus, false> chart;
    chart.fill(weights);
    return best_tree(chart).head;
}

}  // namespace bistro
