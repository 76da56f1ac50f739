// Counts of rules in contexts of any length: a suffix trie of restaurants with minimal seating, without the contexts that
// do not branch.
//
// The restaurant of context u[0..k) has one table per dish, and each of its tables is a customer of u[0..k-1). If a context
// is extended by only one longer context, and no event ends in it, then it has one customer for every dish of that longer
// context, each at its own table. With T dishes its step is
//
//     p_k(x) = (1 - w_k)/T [x is one of them] + w_k p_{k-1}(x),     w_k = (theta_k + d_k T)/(T + theta_k)
//
// so a sequence of such contexts is a single step whose weight W is the product of their weights. These contexts are not
// stored. A node is a context that branches or in which an event ends, and it stores the length of the edge to its parent.
// The base is below depth 1: the empty context has no restaurant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/hyper.hpp"
#include "infinite/derivations.hpp"
#include "infinite/level_parameters.hpp"
#include "infinite/spines.hpp"

namespace bistro {

// One event: a rule in the context that is stored as a chain. Blocks of events can be left out in turn (left_out.hpp).
struct RuleEvent {
    std::uint32_t chain;
    std::int32_t rule;
    std::int32_t block = 0;
};

struct Served {
    std::int32_t dish, customers;
};

struct TrieNode {
    std::uint32_t parent;
    std::uint32_t chain;  // a context that passes through here
    std::int32_t depth;
    std::uint32_t begin, end;  // range of its dishes, in numerical order
    std::int64_t customers;
    std::uint32_t own_begin, own_end;  // range of the events that end here
};

class ContextTrie {
public:
    // Contexts are cut to `bound` elements; a negative bound means no limit.
    ContextTrie(Spines spines, std::vector<RuleEvent> events, std::int32_t bound)
        : spines_(std::move(spines)), bound_(bound < 0 ? std::numeric_limits<std::int32_t>::max() : bound) {
        if (bound == 0) throw std::invalid_argument("a context must have at least one element");
        for (const RuleEvent& event : events)
            if (event.chain == Spines::kEmpty || event.rule < 0)
                throw std::invalid_argument("an event must be a rule in a non-empty context");
        events_ = std::move(events);
        sort();
        build();
    }

    // The seating likelihoods of contexts of length 1, 2, ..., where `levels` and longer ones are combined. They include
    // the contexts that are not stored.
    std::vector<LevelLikelihood> level_likelihoods(int levels) const {
        struct Counts {
            CountOfCounts customers, tables, sizes;
        };
        std::vector<Counts> counts(levels);
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            const TrieNode& node = nodes_[i];
            const auto tables = static_cast<std::int32_t>(node.end - node.begin);
            for (std::int32_t depth = nodes_[node.parent].depth + 1; depth < node.depth; ++depth) {
                // From `levels` on, all contexts have the same parameters.
                const std::int64_t times = depth >= levels ? node.depth - depth : 1;
                Counts& level = counts[std::min(depth, levels) - 1];
                level.customers.add(tables, times);
                level.tables.add(tables, times);
                depth += static_cast<std::int32_t>(times) - 1;
            }
            Counts& level = counts[std::min(node.depth, levels) - 1];
            level.customers.add(static_cast<std::int32_t>(node.customers));
            level.tables.add(tables);
            for (std::uint32_t e = node.begin; e < node.end; ++e) level.sizes.add(served_[e].customers);
        }
        std::vector<LevelLikelihood> out;
        for (const Counts& level : counts) out.emplace_back(level.customers, level.tables, level.sizes);
        return out;
    }

    // The probability of every served dish, in the order of `served`: parents come before their children.
    std::vector<double> probabilities(const LevelParameters& parameters, std::span<const double> base) const {
        std::vector<double> out(served_.size());
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            const TrieNode& node = nodes_[i];
            const std::int32_t above = nodes_[node.parent].depth;
            const auto dishes = static_cast<std::int32_t>(node.end - node.begin);
            const double run = parameters.run(dishes, above, node.depth - 1);
            const double weight = parameters.backoff(node.depth, static_cast<double>(node.customers), dishes);
            const double discount = parameters.discount(node.depth);
            const double total = static_cast<double>(node.customers) + parameters.strength(node.depth);
            for (std::uint32_t e = node.begin; e < node.end; ++e) {
                const std::int32_t dish = served_[e].dish;
                const double parent = node.parent == 0 ? base[dish] : out[find(nodes_[node.parent], dish)];
                out[e] = (served_[e].customers - discount) / total + weight * ((1 - run) / dishes + run * parent);
            }
        }
        return out;
    }

    // The position of a dish of a node, or where it would be inserted.
    std::uint32_t find(const TrieNode& node, std::int32_t dish) const {
        const auto first = served_.begin() + node.begin, last = served_.begin() + node.end;
        const auto at = std::lower_bound(first, last, dish, [](const Served& s, std::int32_t x) { return s.dish < x; });
        return static_cast<std::uint32_t>(at - served_.begin());
    }

    const std::vector<TrieNode>& nodes() const { return nodes_; }
    const std::vector<Served>& served() const { return served_; }
    const std::vector<RuleEvent>& events() const { return events_; }
    const Spines& spines() const { return spines_; }
    std::size_t num_events() const { return events_.size(); }
    std::int32_t num_rules() const { return num_rules_; }  // one more than the highest number of a rule
    std::int32_t depth() const {
        std::int32_t deepest = 0;
        for (const TrieNode& node : nodes_) deepest = std::max(deepest, node.depth);
        return deepest;
    }

    // The numbers of restaurants and of their dishes in a trie that stores all contexts.
    std::pair<std::int64_t, std::int64_t> plain_size() const {
        std::int64_t restaurants = 0, entries = 0;
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            const std::int64_t edge = nodes_[i].depth - nodes_[nodes_[i].parent].depth;
            restaurants += edge;
            entries += edge * (nodes_[i].end - nodes_[i].begin);
        }
        return {restaurants, entries};
    }

private:
    // A node that may still get children. These are the nodes on the path to the last context.
    struct Open {
        std::int32_t depth;
        std::uint32_t chain;
        std::vector<std::int32_t> customers{};  // dish of each customer
        std::vector<std::uint32_t> children{};
        std::uint32_t own_begin = 0, own_end = 0;
    };

    void sort() {
        std::vector<std::uint32_t> order, rank(spines_.size(), kNone);
        for (const RuleEvent& event : events_) {
            if (rank[event.chain] == kNone) order.push_back(event.chain);
            rank[event.chain] = 0;
        }
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return spines_.before(a, b, bound_); });
        for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
        std::sort(events_.begin(), events_.end(), [&](const RuleEvent& a, const RuleEvent& b) {
            return rank[a.chain] != rank[b.chain] ? rank[a.chain] < rank[b.chain] : a.rule < b.rule;
        });
    }

    void build() {
        std::vector<Open> path{Open{0, Spines::kEmpty}};
        std::uint32_t last = Spines::kEmpty;
        for (std::uint32_t i = 0; i < events_.size(); ++i) {
            const RuleEvent& event = events_[i];
            num_rules_ = std::max(num_rules_, event.rule + 1);
            if (event.chain != last) enter(path, event.chain, spines_.common(last, event.chain, bound_));
            last = event.chain;
            // Events that end in the same context are adjacent.
            if (path.back().own_end == 0) path.back().own_begin = i;
            path.back().own_end = i + 1;
            path.back().customers.push_back(event.rule);
        }
        enter(path, Spines::kEmpty, 0);
        close(path);
        number_from_the_root();
        served_.shrink_to_fit();
    }

    // Leaves the path where the next context branches off, and follows that context down.
    void enter(std::vector<Open>& path, std::uint32_t chain, std::int32_t common) {
        while (path.back().depth > common) {
            if (path[path.size() - 2].depth < common) {
                // The branching node did not exist before.
                path.insert(path.end() - 1, Open{common, path.back().chain});
            }
            close(path);
        }
        const std::int32_t depth = std::min(bound_, spines_.length(chain));
        if (depth > path.back().depth) path.push_back(Open{depth, chain});
    }

    // Counts the customers of the last node of the path, and sends one for each of its dishes to its parent.
    void close(std::vector<Open>& path) {
        Open open = std::move(path.back());
        path.pop_back();
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        for (const std::uint32_t child : open.children) nodes_[child].parent = number;
        std::sort(open.customers.begin(), open.customers.end());
        const auto begin = static_cast<std::uint32_t>(served_.size());
        const bool has_restaurant = open.depth > 0;
        for (const std::int32_t dish : open.customers) {
            if (!has_restaurant) break;
            if (served_.size() == begin || served_.back().dish != dish) served_.push_back({dish, 0});
            ++served_.back().customers;
        }
        if (served_.size() >= kNone) throw std::length_error("more than four billion rules in contexts");
        const auto end = static_cast<std::uint32_t>(served_.size());
        const auto customers = static_cast<std::int64_t>(open.customers.size());
        nodes_.push_back({kNone, open.chain, open.depth, begin, end, customers, open.own_begin, open.own_end});
        if (path.empty()) return;
        path.back().children.push_back(number);
        for (std::uint32_t e = begin; e < end; ++e) path.back().customers.push_back(served_[e].dish);
    }

    // Nodes were closed with children first. From now on, the root is node 0 and parents come first.
    void number_from_the_root() {
        std::reverse(nodes_.begin(), nodes_.end());
        const auto last = static_cast<std::uint32_t>(nodes_.size() - 1);
        for (TrieNode& node : nodes_)
            if (node.parent != kNone) node.parent = last - node.parent;
        nodes_.shrink_to_fit();
    }

    Spines spines_;
    std::int32_t bound_;
    std::int32_t num_rules_ = 0;
    std::vector<RuleEvent> events_;  // in the order of their contexts
    std::vector<TrieNode> nodes_;
    std::vector<Served> served_;
};

// The events of trees: every rule in the context of its node's symbol and of the symbols, or the rules, above it.
// Consecutive trees share one of the blocks.
inline ContextTrie trie_of_trees(const RuleColumns& rules, const DerivationList& trees, bool by_rules, std::int32_t bound,
                                 std::int32_t blocks = 1) {
    rules.check();
    trees.check();
    Spines spines;
    std::vector<RuleEvent> events;
    events.reserve(trees.rules.size());
    std::vector<OpenSymbol> open;
    std::vector<std::uint32_t> behind;  // [node]: the chain with which the contexts of its children continue
    for (std::size_t i = 0; i < trees.size(); ++i) {
        behind.resize(trees[i].size());
        const auto block = static_cast<std::int32_t>(i * static_cast<std::size_t>(blocks) / trees.size());
        walk_derivation(rules, trees[i], open, [&](std::int32_t node, std::int32_t parent, std::int32_t rule) {
            const std::uint32_t above = parent < 0 ? Spines::kEmpty : behind[parent];
            const std::uint32_t own = spines.extend(above, rules.left[rule]);
            events.push_back({own, rule, block});
            behind[node] = by_rules && !rules.lexical(rule) ? spines.extend(above, rule) : own;
        });
    }
    return ContextTrie(std::move(spines), std::move(events), bound);
}

}  // namespace bistro
