// The frozen suffix trie: the place of a context, and the probability of a rule there.
//
// A node is a stored restaurant. Every served rule has its interpolated probability, and every node has the weight of all
// restaurants between its parent (exclusive) and itself, so
//
//     P(rule | u) = p[deepest node on the way of u that serves the rule]  times the weights of the nodes passed on the way there
//
// and for a place inside an edge, with W the weight of the contexts of that edge up to the place and T the number of dishes
// below it,
//
//     P(rule | u) = (1 - W)/T [the node below serves the rule] + W P(rule | parent)
//
// The layout is that of the frozen franchise (hpyp/frozen.hpp). The elements of an edge after the first are a chain, which
// other edges may share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/frozen.hpp"
#include "infinite/level_parameters.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

// The arrays of a trie in a model file, without the parameters of the levels.
struct TrieColumns {
    Frozen restaurants;                           // its `base` has H(rule | left side) for each rule
    std::span<const std::uint32_t> length;        // [node]: length of the edge that leads to it
    std::span<const std::uint32_t> label;         // [node]: the link of the edge's second element
    std::span<const std::uint32_t> link_next;     // [link]: the next link
    std::span<const std::uint32_t> link_element;  // [link]: a context element

    void validate() const {
        if (restaurants.base.size() != static_cast<std::size_t>(restaurants.dishes) || link_next.empty())
            throw std::invalid_argument("the arrays of a trie do not match");
        restaurants.validate();
        const std::size_t nodes = restaurants.element.size();
        bool good = length.size() == nodes && label.size() == nodes && link_next.size() == link_element.size();
        for (std::size_t i = 0; good && i < nodes; ++i) good = label[i] < link_next.size() && length[i] < (1u << 30);
        for (const std::uint32_t next : link_next) good = good && next < link_next.size();
        if (!good) throw std::invalid_argument("the arrays of a trie are damaged");
    }
};

class RuleTrie {
public:
    RuleTrie(const TrieColumns& columns, LevelParameters parameters, std::int32_t bound)
        : parameters_(std::move(parameters)), bound_(bound) {
        columns.validate();
        const Frozen& from = columns.restaurants;
        element_.assign(from.element.begin(), from.element.end());
        dish_.assign(from.dish.begin(), from.dish.end());
        probability_.assign(from.probability.begin(), from.probability.end());
        base_.assign(from.base.begin(), from.base.end());
        links_.resize(columns.link_next.size());
        for (std::size_t i = 0; i < links_.size(); ++i) links_[i] = {columns.link_next[i], columns.link_element[i]};
        take_nodes(columns);
        for (std::int32_t dishes = 1; dishes <= kTabled; ++dishes) tabulate(dishes);
    }

    std::int32_t depth_bound() const { return bound_; }
    std::int32_t num_rules() const { return static_cast<std::int32_t>(base_.size()); }
    double base_probability(std::int32_t rule) const { return base_[rule]; }

    Place locate(std::span<const std::int32_t> nearest_first) const {
        auto length = static_cast<std::int32_t>(nearest_first.size());
        if (bound_ >= 0) length = std::min(length, bound_);
        std::uint32_t at = 0;
        std::int32_t depth = 0;
        while (depth < length) {
            const Node& node = nodes_[at];
            const std::uint32_t child =
                find_in_region(element_.data(), node.child_begin, node.child_end, static_cast<std::uint32_t>(nearest_first[depth]));
            if (child == kNone) break;
            ++depth;
            at = child;
            const std::int32_t end = nodes_[child].depth;
            for (std::uint32_t link = nodes_[child].label; depth < end; ++depth) {
                if (depth == length || links_[link].element != static_cast<std::uint32_t>(nearest_first[depth]))
                    return {child, depth};
                link = links_[link].next;
            }
        }
        return {at, depth};
    }

    double probability(Place place, std::int32_t rule) const {
        const Node& node = nodes_[place.node];
        if (place.depth == node.depth) return climb(place.node, static_cast<std::uint32_t>(rule));
        const std::int32_t dishes = node.dishes();
        const double weight = run(dishes, nodes_[node.parent].depth, place.depth);
        const double parent = climb(node.parent, static_cast<std::uint32_t>(rule));
        const bool served =
            find_in_region(dish_.data(), node.entry_begin, node.entry_end, static_cast<std::uint32_t>(rule)) != kNone;
        return served ? (1 - weight) / dishes + weight * parent : weight * parent;
    }

    std::size_t num_nodes() const { return nodes_.size(); }
    std::size_t bytes() const {
        return nodes_.size() * sizeof(Node) + element_.size() * 4 + dish_.size() * 4 + probability_.size() * 4 +
               links_.size() * sizeof(Link) + base_.size() * 8;
    }

private:
    // Everything that one step up or down needs fits in half a cache line.
    struct Node {
        std::uint32_t parent, child_begin, child_end, entry_begin, entry_end, label;
        std::int32_t depth;
        float backoff;

        // A region of many keys has two slots per key.
        std::int32_t dishes() const {
            const std::uint32_t size = entry_end - entry_begin;
            return static_cast<std::int32_t>(size <= kLinear ? size : size / 2);
        }
    };
    struct Link {
        std::uint32_t next, element;
    };
    static constexpr std::int32_t kTabled = 4, kLongest = 64;

    double climb(std::uint32_t at, std::uint32_t rule) const {
        double weight = 1;
        for (;;) {
            const Node& node = nodes_[at];
            const std::uint32_t entry = find_in_region(dish_.data(), node.entry_begin, node.entry_end, rule);
            if (entry != kNone) return weight * probability_[entry];
            if (at == 0) return weight * node.backoff * base_[rule];
            weight *= node.backoff;
            at = node.parent;
        }
    }

    // Most edges are below a context that was seen once, so their weights are in a table.
    double run(std::int32_t dishes, std::int32_t from, std::int32_t to) const {
        const std::int32_t last = parameters_.levels() - 1;
        if (dishes > kTabled || to - last >= kLongest || last >= kLongest) return parameters_.run(dishes, from, to);
        const double before = own_[dishes][std::min(from, last)];
        if (before < 1e-200) return parameters_.run(dishes, from, to);
        const double weight = own_[dishes][std::min(to, last)] / before;
        return to > last ? weight * shared_[dishes][to - std::max(from, last)] : weight;
    }

    void tabulate(std::int32_t dishes) {
        const std::int32_t last = parameters_.levels() - 1;
        for (std::int32_t k = 0; k < kLongest; ++k) {
            own_[dishes][k] = parameters_.run(dishes, 0, std::min(k, last));
            shared_[dishes][k] = parameters_.run(dishes, last, last + k);
        }
    }

    void take_nodes(const TrieColumns& columns) {
        const Frozen& from = columns.restaurants;
        nodes_.resize(from.element.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const bool may_have_children = i + 1 < from.child_begin.size();
            nodes_[i] = {0, 0, 0, from.entry_begin[i], from.entry_begin[i + 1], columns.label[i], 0, from.backoff[i]};
            if (may_have_children) nodes_[i].child_begin = from.child_begin[i], nodes_[i].child_end = from.child_begin[i + 1];
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            for (std::uint32_t child = nodes_[i].child_begin; child < nodes_[i].child_end; ++child) {
                if (element_[child] == kNone) continue;
                // Children must come after their parents. Otherwise, the walk up would not end.
                if (child <= i || columns.length[child] == 0) throw std::invalid_argument("the arrays of a trie are damaged");
                nodes_[child].parent = i;
                nodes_[child].depth = nodes_[i].depth + static_cast<std::int32_t>(columns.length[child]);
                if (columns.length[child] > 1 && nodes_[child].dishes() == 0)
                    throw std::invalid_argument("the arrays of a trie are damaged");
            }
    }

    LevelParameters parameters_;
    std::int32_t bound_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> element_, dish_;
    std::vector<float> probability_;
    std::vector<Link> links_;
    std::vector<double> base_;
    std::array<std::array<double, kLongest>, kTabled + 1> own_{}, shared_{};
};

static_assert(RuleModel<RuleTrie>);

}  // namespace bistro
