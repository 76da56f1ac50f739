// A* that searches each node separately. Nodes have the same values as with a full frontier (equation 10 of Shareghi et al.
// 2015, see astar_queue.hpp), but the agenda differs.
//
// If the contexts of a model are ancestors, the tree below a node does not depend on the nodes beside it. So every node is
// searched once, however many partial trees contain it. The value of an unopened node is its log inside sum under the
// grammar, and the value of a way to rewrite a node is
//
//     log P(rule | context) + Σ over the children of the rule of their values
//
// Every node has its best complete tree and its best incomplete tree. Each round goes down from the top along the best
// incomplete tree to its leftmost node with an untried way, tries that way, and updates the nodes above. At most `beam`
// ways of a node are tried. The search ends when the requested number of complete trees has been found, when no tree is
// incomplete, or after `expansions` rounds. Inside sums are not bounds, so the result is the best complete tree. If there
// is none, the result is the tree that takes the best way at every node, and `complete` is false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "infinite/rewrites.hpp"
#include "stop/pause.hpp"

namespace bistro {

template <RuleModel Model>
class NodeAStar {
public:
    NodeAStar(ContextForest<Model>& nodes, const AStarOptions& options)
        : nodes_(&nodes), options_(options), rewrites_(nodes, options.beam) {}

    AStarResult search() {
        AStarResult result;
        const std::uint32_t top = nodes_->root();
        reach(top);
        while (found_[top].open > -kInfinity && result.completions < options_.completions &&
               result.expansions < options_.expansions) {
            pause();
            result.completions += try_next(top);
            ++result.expansions;
        }
        result.complete = found_[top].complete > -kInfinity;
        result.tree = nodes_->tree(result.complete ? best_steps(top) : rewrites_.descend());
        return result;
    }

private:
    struct Children {
        std::uint32_t first, second;
    };
    // The results of the search below a node.
    struct Found {
        explicit Found(double guess) : open(guess) {}

        double open, complete = -kInfinity;        // values of the best incomplete tree and of the best complete tree
        std::uint32_t open_way = 0, best_way = 0;  // their ways, as indices in the order of trying
        std::vector<Children> tried;               // nodes below each tried way, in order
        std::vector<std::uint32_t> above;          // nodes with a way that leads here

        double best() const { return std::max(open, complete); }
        bool is_open() const { return open > complete; }
    };

    void reach(std::uint32_t number) {
        for (auto next = static_cast<std::uint32_t>(found_.size()); next <= number; ++next)
            found_.emplace_back(nodes_->forest().log_inside(nodes_->node(next).item));
    }

    // Returns true if a tree became complete.
    bool try_next(std::uint32_t node) {
        bool elsewhere = false;  // a node beside the path is incomplete
        while (found_[node].open_way < found_[node].tried.size()) {
            const auto [first, second] = found_[node].tried[found_[node].open_way];
            const bool left = second == kNone || open_below(first) + best_below(second) >= best_below(first) + open_below(second);
            elsewhere = elsewhere || (left && second != kNone && found_[second].is_open());
            node = left ? first : second;
        }
        return try_way(node) && !elsewhere;
    }

    // Returns true if there are complete trees below the way.
    bool try_way(std::uint32_t node) {
        const Rewrite rewrite = rewrites_.of(node)[found_[node].tried.size()];
        const auto& step = nodes_->step(nodes_->step(node, rewrite.way));
        const Children below{step.first, step.second};
        for (const std::uint32_t child : {below.first, below.second}) {
            if (child == kNone) continue;
            reach(child);
            found_[child].above.push_back(node);
        }
        found_[node].tried.push_back(below);
        tell(node);
        return complete_below(below.first) + complete_below(below.second) > -kInfinity;
    }

    // Updates a node and, if it changes, all nodes that lead to it.
    void tell(std::uint32_t node) {
        changed_.clear();
        if (revise(node)) changed_.push_back(node);
        for (std::size_t i = 0; i < changed_.size(); ++i)
            for (const std::uint32_t above : found_[changed_[i]].above)
                if (revise(above)) changed_.push_back(above);
    }

    bool revise(std::uint32_t node) {
        Found& found = found_[node];
        const std::vector<Rewrite>& ways = rewrites_.of(node);
        const double open = found.open, complete = found.complete;
        const auto next = static_cast<std::uint32_t>(found.tried.size());
        found.open = next < ways.size() ? ways[next].score() : -kInfinity;
        found.open_way = next;
        found.complete = -kInfinity;
        for (std::uint32_t way = 0; way < next; ++way) {
            const auto [first, second] = found.tried[way];
            const double still = std::max(open_below(first) + best_below(second), best_below(first) + open_below(second));
            const double done = complete_below(first) + complete_below(second);
            if (ways[way].log_prob + still > found.open) found.open = ways[way].log_prob + still, found.open_way = way;
            if (ways[way].log_prob + done > found.complete) found.complete = ways[way].log_prob + done, found.best_way = way;
        }
        return found.open != open || found.complete != complete;
    }

    // A missing child counts as complete.
    double open_below(std::uint32_t child) const { return child == kNone ? -kInfinity : found_[child].open; }
    double complete_below(std::uint32_t child) const { return child == kNone ? 0.0 : found_[child].complete; }
    double best_below(std::uint32_t child) const { return child == kNone ? 0.0 : found_[child].best(); }

    std::vector<std::uint32_t> best_steps(std::uint32_t top) {
        std::vector<std::uint32_t> steps;
        nodes_->walk(top, [&](std::uint32_t node) { return rewrites_.of(node)[found_[node].best_way].way; }, steps);
        return steps;
    }

    ContextForest<Model>* nodes_;
    AStarOptions options_;
    Rewrites<Model> rewrites_;
    std::vector<Found> found_;            // one per node
    std::vector<std::uint32_t> changed_;  // scratch
};

}  // namespace bistro
