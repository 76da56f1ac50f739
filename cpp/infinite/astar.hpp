// A* over partial trees of a sentence, from the top, under a model of rules in contexts.
//
// The best partial tree is taken from a queue, its leftmost open node is rewritten in every way, and what comes of it is put into the queue:
//
//     score(T+) = log P(T) + log P(rule | context) + h
//
//     full frontier    h = Σ over all open nodes of T+ of their log inside sums under the grammar
//     local frontier   h = the same over the children of the rule alone
//
// and between the two, open nodes other than the children count by the share `frontier`.
//
// No more than `beam` partial trees are kept: the worst falls out. The search ends when so many complete trees as were wanted have been
// made, when no partial tree is left, or after as many expansions as it may make. Neither guess is a bound, so the best of the trees that
// were made counts. If none was, the tree that takes the best-scored rule at every node (`descend`) stands in, and `complete` says so.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "infinite/context_forest.hpp"

namespace bistro {

struct AStarOptions {
    double frontier;  // 1: full, 0: local
    std::int64_t beam;
    std::int64_t completions;  // complete trees after which to stop
    std::int64_t expansions;   // most partial trees to rewrite
};

struct AStarResult {
    RuleTree tree;
    bool complete = false;  // found by the search itself
    std::int64_t expansions = 0, completions = 0;
};

template <RuleModel Model>
class AStar {
public:

    AStar(ContextForest<Model>& nodes, const AStarOptions& options) : nodes_(&nodes), options_(options) {}

    AStarResult search() {
        AStarResult result;
        open(nodes_->root());
        frontier_.push_back({nodes_->root(), kNone});
        expand({0.0, nodes_->forest().log_inside(nodes_->node(nodes_->root()).item), kNone, kNone, 0}, kNone);
        result.expansions = 1;
        while (!queue_.empty() && completions_ < options_.completions && result.expansions < options_.expansions) {
            const std::uint32_t best = queue_.begin()->second;
            queue_.erase(queue_.begin());
            expand(rewritten(partial_[best]), best);
            ++result.expansions;
        }
        result.complete = best_complete_ != kNone;
        result.completions = completions_;
        result.tree = nodes_->tree(result.complete ? steps_to(best_complete_) : descend());
        return result;
    }

private:
    // A way to rewrite a node, and what it adds to the score.
    struct Candidate {
        std::uint32_t way;
        bool lexical;
        double log_prob, below;  // of the rule in its context; log inside sums of its children
    };
    // A partial tree: one with one step less, and that step; what is open is known when the tree is rewritten.
    struct Partial {
        double log_prob, open_inside;  // sum over the open nodes
        std::uint32_t before, way;
        std::uint32_t frontier;  // of the tree before
    };
    struct Open {
        std::uint32_t node, next;
    };

    // The leftmost open node of a partial tree, and all others behind it.
    Partial rewritten(Partial partial) {
        const Open leftmost = frontier_[partial.frontier];
        const auto& step = nodes_->step(nodes_->step(leftmost.node, partial.way));
        const std::uint32_t first = step.first, second = step.second;
        partial.frontier = leftmost.next;
        for (const std::uint32_t child : {second, first})
            if (child != kNone) {
                frontier_.push_back({child, partial.frontier});
                partial.frontier = static_cast<std::uint32_t>(frontier_.size() - 1);
            }
        return partial;
    }

    // `from` has its frontier up to date.
    void expand(const Partial& from, std::uint32_t number) {
        const Open leftmost = frontier_[from.frontier];
        const double others = from.open_inside - nodes_->forest().log_inside(nodes_->node(leftmost.node).item);
        for (const Candidate& candidate : open(leftmost.node)) {
            const double log_prob = from.log_prob + candidate.log_prob;
            const double score = log_prob + candidate.below + options_.frontier * others;
            const bool complete = candidate.lexical && leftmost.next == kNone;
            if (!complete && full() && score <= queue_.rbegin()->first.score) break;  // and so do those after it
            partial_.push_back({log_prob, others + candidate.below, number, candidate.way, from.frontier});
            const auto made = static_cast<std::uint32_t>(partial_.size() - 1);
            complete ? keep_complete(made) : keep(score, made);
        }
    }

    bool full() const { return static_cast<std::int64_t>(queue_.size()) >= options_.beam; }

    void keep(double score, std::uint32_t made) {
        queue_.insert({{score}, made});
        if (static_cast<std::int64_t>(queue_.size()) > options_.beam) queue_.erase(std::prev(queue_.end()));
    }

    void keep_complete(std::uint32_t made) {
        ++completions_;
        if (best_complete_ == kNone || partial_[made].log_prob > partial_[best_complete_].log_prob) best_complete_ = made;
    }

    // The candidates of a node, best first; those behind the first `beam` cannot outlive these.
    const std::vector<Candidate>& open(std::uint32_t number) {
        if (number >= candidates_.size()) candidates_.resize(number + 1);
        std::vector<Candidate>& made = candidates_[number];
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

    // log P(rule | context) + log inside of the children differs by what the item has in common from log (share P(rule | context) / Q(rule)).
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
        const auto kept = std::min<std::int64_t>(options_.beam, static_cast<std::int64_t>(ranked_.size()));
        std::partial_sort(ranked_.begin(), ranked_.begin() + kept, ranked_.end(), better);
        ranked_.resize(kept);
    }

    std::vector<std::uint32_t> steps_to(std::uint32_t number) {
        std::vector<std::uint32_t> steps;
        for (; number != kNone; number = partial_[number].before)
            steps.push_back(nodes_->step(frontier_[partial_[number].frontier].node, partial_[number].way));
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    std::vector<std::uint32_t> descend() {
        std::vector<std::uint32_t> steps, waiting{nodes_->root()};
        while (!waiting.empty()) {
            const std::uint32_t node = waiting.back();
            waiting.pop_back();
            const std::uint32_t taken = nodes_->step(node, open(node).front().way);
            steps.push_back(taken);
            if (nodes_->step(taken).second != kNone) waiting.push_back(nodes_->step(taken).second);
            if (nodes_->step(taken).first != kNone) waiting.push_back(nodes_->step(taken).first);
        }
        return steps;
    }

    // The best first; of equals, the older.
    struct Priority {
        double score;
        bool operator<(const Priority& other) const { return score > other.score; }
        bool operator==(const Priority&) const = default;
    };

    ContextForest<Model>* nodes_;
    AStarOptions options_;
    std::vector<Partial> partial_;
    std::vector<Open> frontier_;
    std::set<std::pair<Priority, std::uint32_t>> queue_;
    std::vector<std::vector<Candidate>> candidates_;  // by node
    std::vector<std::pair<double, std::uint32_t>> ranked_;
    std::uint32_t best_complete_ = kNone;
    std::int64_t completions_ = 0;
};

}  // namespace bistro
