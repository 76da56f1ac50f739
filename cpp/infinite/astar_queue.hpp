// A* over partial trees in one queue, as in Shareghi et al. (2015, section 5.1): from the top, under a model of rules in contexts.
//
// The best partial tree T is taken from the queue, an open node of it is rewritten in every way, and the results T+ are put into the queue:
//
//     score(T+) = log P(T) + log P(rule | context) + h(T+)
//
//     full frontier (equation 10)    h = Σ over all open nodes of T+ of their log inside sums under the grammar
//     local frontier (equation 11)   h = Σ over the children of the rule just used of the same: other open nodes cost nothing
//
// The node that is rewritten is the leftmost open one, so that every tree is made in one way only; or every open node in turn, as the
// paper's text has it. Then the same tree is reached in many orders, and counts once: by the first of them.
//
// No more than `beam` partial trees are kept: the worst falls out. The search ends when as many complete trees as requested have been
// made, when no partial tree is left, or after `expansions` partial trees. Neither h is a bound, so the best complete tree counts. If
// there is none, the result is the tree that takes the best way at every node, and `complete` is false.
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
    bool local;       // equation 11, else 10
    bool everywhere;  // every open node is rewritten, else the leftmost
};

template <RuleModel Model>
class QueueAStar {
public:
    // Of the ways to rewrite a node, those behind the first `beam` cannot outlive these.
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
    // A partial tree: one with one rule less, and that rule. Its open nodes are listed when it is expanded.
    struct Partial {
        double log_prob, open_inside;      // sum over the open nodes
        std::uint64_t key;                 // the same for the same rules at the same nodes
        std::uint32_t before, place, way;  // which open node of the tree before was rewritten, and how
        std::uint32_t begin = 0, end = 0;  // of its open nodes, left to right
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
            if (!complete && full() && score <= queue_.rbegin()->first.score) break;  // and so do those after it
            const std::uint64_t key = from.key + mixed(pair_key(node, rewrite.way));
            if (kind_.everywhere && !reached_.insert(key).second) continue;
            partial_.push_back({log_prob, others + rewrite.below, key, number, place, rewrite.way});
            const auto made = static_cast<std::uint32_t>(partial_.size() - 1);
            complete ? keep_complete(made) : keep(score, made);
        }
    }

    // The sum of such numbers identifies a set of rules at nodes, whatever their order.
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

    // A symbol has a span only once in a tree, so a node tells which way it takes.
    std::vector<std::uint32_t> steps_of(std::uint32_t number) {
        std::unordered_map<std::uint32_t, std::uint32_t> ways;
        for (; partial_[number].before != kNone; number = partial_[number].before)
            ways[rewritten_node(partial_[number])] = partial_[number].way;
        std::vector<std::uint32_t> steps;
        nodes_->walk(nodes_->root(), [&](std::uint32_t node) { return ways.at(node); }, steps);
        return steps;
    }

    // The best first; of equals, the older.
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
