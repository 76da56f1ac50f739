// The minimum-risk tree (Goodman 1996) for a sample of trees: the tree of the grammar with the lowest expected number of
// wrong and missing nodes. With count(symbol, start, end) in n drawn trees,
//
//     argmax over trees of  Σ over nodes of  count(symbol, start, end) - cost n
//
// where a cost of 1/2 makes a wrong node as bad as a missing node.
//
// In a grammar without unary rules, all trees of a sentence have the same number of nodes, and the cost has no effect. With
// unary rules and no cost, the tree would contain every unary rule that was drawn at least once. Among equal trees, the
// most probable one under the grammar is used.
#pragma once

#include <cstdint>
#include <vector>

#include "infinite/forest.hpp"

namespace bistro {

// Number of times that each node was found.
class SpanCounts {
public:
    struct Record {
        SpanItem item;
        std::uint32_t count;
        std::uint64_t key() const { return key_of(item); }
    };

    void clear() {
        records_.clear();
        index_ = {};
    }
    void add(const SpanItem& item, std::uint32_t times) {
        const std::uint32_t found = index_.find(key_of(item), records_);
        if (found != kNone) {
            records_[found].count += times;
            return;
        }
        records_.push_back({item, times});
        index_.insert_last(records_);
    }
    std::uint32_t of(const SpanItem& item) const {
        const std::uint32_t found = index_.find(key_of(item), records_);
        return found == kNone ? 0 : records_[found].count;
    }
    const std::vector<Record>& all() const { return records_; }

private:
    static std::uint64_t key_of(const SpanItem& item) {
        return (static_cast<std::uint64_t>(item.symbol) << 32) | (static_cast<std::uint64_t>(item.start) << 16) | item.end;
    }
    std::vector<Record> records_;
    PairIndex index_;
};

struct SpanGains {
    const SpanCounts* counts;
    double cost;  // cost of each node, in counts

    template <class Semiring>
    double of(const SpanItem& item) const {
        return counts->of(item) - cost;
    }
};

// The weights of rules are tiny: together, they are less than one count.
inline RuleWeights tie_breakers(const Grammar& grammar) {
    std::vector<double> weights(grammar.log_prob().by_rule);
    for (double& w : weights) w *= 1e-6;
    return grammar.weights(std::move(weights));
}

// `chart` is working memory.
inline std::vector<std::int32_t> least_risk_rules(const Grammar& grammar, const RuleWeights& ties, const Lattice& lattice,
                                                  const SpanGains& gains, RuleChart<MaxPlus>& chart) {
    chart.fill(grammar, ties, lattice, gains);
    return best_rules(chart);
}

}  // namespace bistro
