// A tree as the rules of its nodes in pre-order, and the best tree of a chart.
#pragma once

#include <cstdint>
#include <vector>

#include "infinite/chart.hpp"

namespace bistro {

struct RuleTree {
    std::vector<std::int32_t> rules;  // empty if there is no tree
    double log_prob = -kInfinity;
};

// The tree with the highest value. Among equal ways to derive an item, the first one is used, and unary rules come last.
inline std::vector<std::int32_t> best_rules(const RuleChart<MaxPlus>& chart) {
    std::vector<std::int32_t> rules;
    if (chart.lattice().length() == 0 || chart.value(chart.goal()) == MaxPlus::zero) return rules;
    std::vector<SpanItem> waiting{chart.goal()};
    while (!waiting.empty()) {
        const SpanItem item = waiting.back();
        waiting.pop_back();
        double most = MaxPlus::zero;
        int best = -1, best_split = -1;
        chart.each_way(item, [&](double weight, int rule, int split) {
            if (weight <= most) return;
            most = weight;
            best = rule;
            best_split = split;
        });
        rules.push_back(best);
        const Grammar& grammar = chart.grammar();
        if (grammar.children(best) == 2) waiting.push_back({grammar.second(best), best_split, item.end});
        if (grammar.children(best) > 0)
            waiting.push_back({grammar.first(best), item.start, grammar.children(best) == 2 ? best_split : item.end});
    }
    return rules;
}

inline RuleTree best_rule_tree(const Grammar& grammar, const Lattice& lattice, RuleChart<MaxPlus>& chart) {
    if (!RuleChart<MaxPlus>::fits(grammar, lattice)) return {};
    const double log_prob = chart.fill(grammar, grammar.log_prob(), lattice);
    return {best_rules(chart), log_prob};
}

}  // namespace bistro
