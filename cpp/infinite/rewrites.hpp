// The ways to rewrite a node of a sentence's trees, best first, and the code that both variants of A* share.
//
// The score of a way depends only on the node's own span:
//
//     log P(rule | context) + Σ over the children of the rule of their log inside sums under the grammar
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "infinite/context_forest.hpp"

namespace bistro {

struct AStarOptions {
    std::int64_t beam;
    std::int64_t completions;  // number of complete trees after which the search stops
    std::int64_t expansions;   // maximum number of partial trees to rewrite
};

struct AStarResult {
    RuleTree tree;
    bool complete = false;  // the search itself completed the tree
    std::int64_t expansions = 0, completions = 0;
};

struct Rewrite {
    std::uint32_t way;
    bool lexical;
    double log_prob, below;  // log-probability of the rule in its context; log inside sums of its children

    double score() const { return log_prob + below; }
};

template <RuleModel Model>
class Rewrites {
public:
    // `most` is the maximum number of ways per node.
    Rewrites(ContextForest<Model>& nodes, std::int64_t most) : nodes_(&nodes), most_(most) {}

    const std::vector<Rewrite>& of(std::uint32_t number) {
        if (number >= made_.size()) made_.resize(number + 1);
        std::vector<Rewrite>& made = made_[number];
        if (!made.empty()) return made;
        rank(number);
        const double log_inside = nodes_->forest().log_inside(nodes_->node(number).item);
        const auto ways = nodes_->forest().ways(nodes_->node(number).item);
        for (const auto& [value, way] : ranked_) {
            const std::int32_t rule = ways[way].rule;
            const double base = nodes_->forest().grammar().log_prob().by_rule[rule];
            const bool lexical = nodes_->forest().grammar().lexical(rule);
            const double below = lexical ? 0.0 : std::log(ways[way].share) + log_inside - base;
            made.push_back({way, lexical, std::log(nodes_->probability(number, rule)), below});
        }
        return made;
    }

    // The tree that takes the best way at every node.
    std::vector<std::uint32_t> descend() {
        std::vector<std::uint32_t> steps;
        nodes_->walk(nodes_->root(), [&](std::uint32_t node) { return of(node).front().way; }, steps);
        return steps;
    }

private:
    // Up to a constant of the item, the score is log (share P(rule | context) / Q(rule)).
    void rank(std::uint32_t number) {
        const auto ways = nodes_->forest().ways(nodes_->node(number).item);
        ranked_.clear();
        double factor = 0;
        for (std::uint32_t way = 0; way < ways.size(); ++way) {
            const std::int32_t rule = ways[way].rule;
            if (way == 0 || rule != ways[way - 1].rule)
                factor = nodes_->probability(number, rule) / nodes_->forest().grammar().prob().by_rule[rule];
            ranked_.emplace_back(ways[way].share * factor, way);
        }
        auto better = [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; };
        const auto kept = std::min<std::int64_t>(most_, static_cast<std::int64_t>(ranked_.size()));
        std::partial_sort(ranked_.begin(), ranked_.begin() + kept, ranked_.end(), better);
        ranked_.resize(kept);
    }

    ContextForest<Model>* nodes_;
    std::int64_t most_;
    std::vector<std::vector<Rewrite>> made_;  // one list per node
    std::vector<std::pair<double, std::uint32_t>> ranked_;
};

}  // namespace bistro
