// A* with a full frontier, over partial trees of a sentence, from the top, under a model of rules in contexts.
//
// The best partial tree is taken from a queue, its leftmost open node is rewritten in every way, and what comes of it is put into the queue:
//
//     score(T+) = log P(T) + log P(rule | context) + Σ over all open nodes of T+ of their log inside sums under the grammar
//
// No more than `beam` partial trees are kept: the worst falls out. The search ends when so many complete trees as were wanted have been
// made, when no partial tree is left, or after as many expansions as it may make. The guess is no bound, so the best of the trees that
// were made counts. If none was, the tree that takes the best way at every node stands in, and `complete` says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "infinite/rewrites.hpp"

namespace bistro {

template <RuleModel Model>
class FullAStar {
public:
    // Of the ways to rewrite a node those behind the first `beam` cannot outlive these.
    FullAStar(ContextForest<Model>& nodes, const AStarOptions& options)
        : nodes_(&nodes), options_(options), rewrites_(nodes, options.beam) {}

    AStarResult search() {
        AStarResult result;
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
        result.tree = nodes_->tree(result.complete ? steps_to(best_complete_) : rewrites_.descend());
        return result;
    }

private:
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
        for (const Rewrite& rewrite : rewrites_.of(leftmost.node)) {
            const double log_prob = from.log_prob + rewrite.log_prob;
            const double score = log_prob + rewrite.below + others;
            const bool complete = rewrite.lexical && leftmost.next == kNone;
            if (!complete && full() && score <= queue_.rbegin()->first.score) break;  // and so do those after it
            partial_.push_back({log_prob, others + rewrite.below, number, rewrite.way, from.frontier});
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

    std::vector<std::uint32_t> steps_to(std::uint32_t number) {
        std::vector<std::uint32_t> steps;
        for (; number != kNone; number = partial_[number].before)
            steps.push_back(nodes_->step(frontier_[partial_[number].frontier].node, partial_[number].way));
        std::reverse(steps.begin(), steps.end());
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
    Rewrites<Model> rewrites_;
    std::vector<Partial> partial_;
    std::vector<Open> frontier_;
    std::set<std::pair<Priority, std::uint32_t>> queue_;
    std::uint32_t best_complete_ = kNone;
    std::int64_t completions_ = 0;
};

}  // namespace bistro
