// A* over partial trees in one queue, as in Shareghi et al. (2015, section 5.1): from the top, under a model of rules in contexts.
//
// The best partial tree T is removed from the queue, one of its open nodes is rewritten in every possible way, and the
// results T+ are added to the queue:
//
//     score(T+) = log P(T) + log P(rule | context) + h(T+)
//
//     full frontier (equation 10)    h = Σ over all open nodes of T+ of their log inside sums under the grammar
//     local frontier (equation 11)   h = Σ over the children of the last rule only: other open nodes cost nothing
//
// Either the leftmost open node is rewritten, so that every tree is derived in only one order, or every open node in turn,
// as in the text of the paper. Then the same tree is reached in many orders, and only the first of them counts.
//
// At most `beam` partial trees are kept: the worst one is dropped. The search ends when the requested number of complete
// trees has been found, when no partial tree is left, or after `expansions` partial trees. Neither h is a bound, so the
// result is the best complete tree. If there is none, the result is the tree that takes the best way at every node, and
// `complete` is false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "infinite/rewrites.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct QueueKind {
    bool local;       // true: equation 11; false: equation 10
    bool everywhere;  // true: every open node is rewritten; false: only the leftmost
};

template <RuleModel Model>
class QueueAStar {
public:
    // Only the `beam` best ways to rewrite a node can stay in the queue.
    QueueAStar(ContextForest<Model>& nodes, QueueKind kind, const AStarOptions& options)
        : nodes_(&nodes), kind_(kind), options_(options), rewrites_(nodes, options.beam) {}

    AStarResult search() {
        AStarResult result;
        frontier_.push_back(nodes_->root());
        partial_.push_back({0.0, inside(nodes_->root()), 0, kNone, 0, 0, 0, 1});
        expand(0);
        result.expansions = 1;
        while (!queue_.empty() && completions_ < options_.completions && result.expansions < options_.expansions) {
            pause();
            const std::uint32_t best = queue_.begin()->second;
            queue_.erase(queue_.begin());
            open_frontier(best);
            expand(best);
            ++result.expansions;
        }
        result.complete = best_complete_ != kNone;
        result.completions = completions_;
        result.tree = nodes_->tree(result.complete ? steps_of(best_complete_) : rewrites_.descend());
        return result;
    }

private:
    // A partial tree, stored as the previous partial tree and the rule that was added to it. Its open nodes are listed when
    // it is expanded.
    struct Partial {
        double log_prob, open_inside;      // log-probability of its rules; sum of the log inside sums of its open nodes
        std::uint64_t key;                 // equal for the same rules at the same nodes
        std::uint32_t before, place, way;  // which open node of the previous tree was rewritten, and how
        std::uint32_t begin = 0, end = 0;  // range of its open nodes, left to right
    };

    double inside(std::uint32_t node) { return nodes_->forest().log_inside(nodes_->node(node).item); }

    std::uint32_t rewritten_node(const Partial& partial) const { return frontier_[partial_[partial.before].begin + partial.place]; }

    void open_frontier(std::uint32_t number) {
        const Partial partial = partial_[number];
        const auto& step = nodes_->step(nodes_->step(rewritten_node(partial), partial.way));
        const std::uint32_t first = step.first, second = step.second;
        const std::uint32_t begin = partial_[partial.before].begin, end = partial_[partial.before].end;
        partial_[number].begin = static_cast<std::uint32_t>(frontier_.size());
        for (std::uint32_t open = begin; open < end; ++open) {
            if (open != begin + partial.place) {
                frontier_.push_back(std::uint32_t{frontier_[open]});
                continue;
            }
            for (const std::uint32_t child : {first, second})
                if (child != kNone) frontier_.push_back(child);
        }
        partial_[number].end = static_cast<std::uint32_t>(frontier_.size());
    }

    void expand(std::uint32_t number) {
        const std::uint32_t size = partial_[number].end - partial_[number].begin;
        for (std::uint32_t place = 0; place < (kind_.everywhere ? size : 1); ++place) rewrite(number, place, size == 1);
    }

    void rewrite(std::uint32_t number, std::uint32_t place, bool is_last) {
        const Partial from = partial_[number];
        const std::uint32_t node = frontier_[from.begin + place];
        const double others = from.open_inside - inside(node);
        for (const Rewrite& rewrite : rewrites_.of(node)) {
            const double log_prob = from.log_prob + rewrite.log_prob;
            const double score = log_prob + rewrite.below + (kind_.local ? 0.0 : others);
            const bool complete = rewrite.lexical && is_last;
            if (!complete && full() && score <= queue_.rbegin()->first.score) break;  // the remaining rewrites do not score higher
            const std::uint64_t key = from.key + mixed(pair_key(node, rewrite.way));
            if (kind_.everywhere && !reached_.insert(key).second) continue;
            partial_.push_back({log_prob, others + rewrite.below, key, number, place, rewrite.way});
            const auto made = static_cast<std::uint32_t>(partial_.size() - 1);
            complete ? keep_complete(made) : keep(score, made);
        }
    }

    // The sum of these numbers identifies a set of rules at nodes, independent of their order.
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull + 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        return x ^ (x >> 31);
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

    // A symbol covers a span at most once in a tree, so a node identifies its way.
    std::vector<std::uint32_t> steps_of(std::uint32_t number) {
        std::unordered_map<std::uint32_t, std::uint32_t> ways;
        for (; partial_[number].before != kNone; number = partial_[number].before)
            ways[rewritten_node(partial_[number])] = partial_[number].way;
        std::vector<std::uint32_t> steps;
        nodes_->walk(nodes_->root(), [&](std::uint32_t node) { return ways.at(node); }, steps);
        return steps;
    }

    // The best tree comes first; among equal trees, the older one.
    struct Priority {
        double score;
        bool operator<(const Priority& other) const { return score > other.score; }
        bool operator==(const Priority&) const = default;
    };

    ContextForest<Model>* nodes_;
    QueueKind kind_;
    AStarOptions options_;
    Rewrites<Model> rewrites_;
    std::vector<Partial> partial_;
    std::vector<std::uint32_t> frontier_;
    std::unordered_set<std::uint64_t> reached_;  // keys
    std::set<std::pair<Priority, std::uint32_t>> queue_;
    std::uint32_t best_complete_ = kNone;
    std::int64_t completions_ = 0;
};

}  // namespace bistro
