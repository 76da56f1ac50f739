// How well events are predicted from all blocks except their own. Discounts and strengths are fitted to this figure.
//
// With minimal seating, the counts without block b follow from the counts with it. A dish of a node that occurs only in b
// disappears, together with its customer in the parent. So every (node, dish) stores its block, if it occurs in only one.
// For a rule r and a node u
//
//     n_u(r) without b  =  n_u(r) - events of r in b that end at u - longer contexts of u that have r from b alone
//
// The predictive probability is a recursion over the nodes from the root to the deepest node that does not belong to b
// alone. The forward pass gives the value, and the backward pass the gradient. Events with the same block, rule and deepest
// node share one term.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "infinite/context_trie.hpp"
#include "infinite/level_parameters.hpp"

namespace bistro {

class LeftOut {
public:
    LeftOut(const ContextTrie& trie, std::int32_t blocks, std::span<const double> base) : trie_(trie), blocks_(blocks) {
        if (blocks < 2) throw std::invalid_argument("there must be at least two blocks to leave out in turn");
        if (base.size() < static_cast<std::size_t>(trie.num_rules()))
            throw std::invalid_argument("the base lacks a rule of the trie");
        for (const RuleEvent& event : trie.events())
            if (event.block < 0 || event.block >= blocks) throw std::invalid_argument("the block of an event is out of range");
        find_owners();
        make_terms(base);
        forget();
    }

    struct Result {
        double value = 0;
        std::vector<double> by_discount, by_strength;
    };

    // Σ over events of log P(rule | context), without the event's block, and its derivatives.
    Result operator()(const LevelParameters& parameters) const {
        Result result{0, std::vector<double>(parameters.levels()), std::vector<double>(parameters.levels())};
        std::vector<double> before, between;
        for (const Term& term : terms_) {
            const std::span<const Step> steps(steps_.data() + term.begin, term.end - term.begin);
            const double p = forwards(steps, parameters, term.base, before, between);
            result.value += term.times * std::log(p);
            backwards(steps, parameters, term.times / p, p, before, between, result);
        }
        return result;
    }

    std::size_t num_terms() const { return terms_.size(); }
    std::size_t num_steps() const { return steps_.size(); }
    double num_events() const {
        double sum = 0;
        for (const Term& term : terms_) sum += term.times;
        return sum;
    }

private:
    static constexpr std::int32_t kMany = -1;

    // The counts of a node without one block, for one rule. Each context on the edge above has one customer for each dish.
    struct Step {
        std::int32_t above, depth, dishes, of_rule;
        double customers;
    };
    struct Term {
        double base, times;
        std::size_t begin, end;
    };
    // The origin of customers of a dish: one block, or several.
    struct Reason {
        std::int32_t dish, block;
        bool operator<(const Reason& other) const { return std::tie(dish, block) < std::tie(other.dish, other.block); }
    };
    // The number of customers of a dish that come from this block alone.
    struct Share {
        std::int32_t block, customers;
    };

    // From the deepest nodes up: the block of every dish of every node, and the number of customers from each block.
    void find_owners() {
        const auto& nodes = trie_.nodes();
        owner_.assign(trie_.served().size(), kMany);
        node_owner_.assign(nodes.size(), kMany);
        share_begin_.assign(trie_.served().size(), {0, 0});
        std::vector<std::vector<Reason>> reasons(nodes.size());
        for (std::size_t i = nodes.size(); i-- > 1;) {
            const TrieNode& node = nodes[i];
            std::vector<Reason> here = std::move(reasons[i]);
            for (std::uint32_t e = node.own_begin; e < node.own_end; ++e)
                here.push_back({trie_.events()[e].rule, trie_.events()[e].block});
            std::sort(here.begin(), here.end());
            note_shares(node, here);
            node_owner_[i] = owner_[node.begin];
            for (std::uint32_t e = node.begin; e < node.end; ++e) {
                if (owner_[e] != node_owner_[i]) node_owner_[i] = kMany;
                if (node.parent != 0) reasons[node.parent].push_back({trie_.served()[e].dish, owner_[e]});
            }
            reasons[i] = {};
        }
    }

    // `here` is sorted by dish, like the dishes of the node.
    void note_shares(const TrieNode& node, const std::vector<Reason>& here) {
        std::size_t at = 0;
        for (std::uint32_t e = node.begin; e < node.end; ++e) {
            const std::int32_t dish = trie_.served()[e].dish;
            owner_[e] = here[at].block;
            share_begin_[e].first = shares_.size();
            for (; at < here.size() && here[at].dish == dish; ++at) {
                if (here[at].block != owner_[e]) owner_[e] = kMany;
                if (here[at].block == kMany) continue;
                if (shares_.size() == share_begin_[e].first || shares_.back().block != here[at].block)
                    shares_.push_back({here[at].block, 0});
                ++shares_.back().customers;
            }
            share_begin_[e].second = shares_.size();
        }
    }

    void make_terms(std::span<const double> base) {
        struct Key {
            std::uint32_t node;
            std::int32_t block, rule;
            bool operator<(const Key& other) const {
                return std::tie(node, block, rule) < std::tie(other.node, other.block, other.rule);
            }
            bool operator==(const Key&) const = default;
        };
        std::vector<Key> keys;
        for (std::uint32_t i = 1; i < trie_.nodes().size(); ++i)
            for (std::uint32_t e = trie_.nodes()[i].own_begin; e < trie_.nodes()[i].own_end; ++e) {
                const RuleEvent& event = trie_.events()[e];
                std::uint32_t at = i;
                while (at != 0 && node_owner_[at] == event.block) at = trie_.nodes()[at].parent;
                // A rule that occurs in no other block is not predicted.
                if (at != 0 && base[event.rule] > 0 && is_known_elsewhere(at, event.rule, event.block))
                    keys.push_back({at, event.block, event.rule});
            }
        std::sort(keys.begin(), keys.end());
        sizes_.assign(trie_.nodes().size(), {});
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i > 0 && keys[i] == keys[i - 1]) {
                ++terms_.back().times;
                continue;
            }
            const std::size_t begin = steps_.size();
            for (std::uint32_t at = keys[i].node; at != 0; at = trie_.nodes()[at].parent)
                steps_.push_back(step(at, keys[i].block, keys[i].rule));
            std::reverse(steps_.begin() + static_cast<std::ptrdiff_t>(begin), steps_.end());
            terms_.push_back({base[keys[i].rule], 1, begin, steps_.size()});
        }
    }

    bool is_known_elsewhere(std::uint32_t at, std::int32_t rule, std::int32_t block) const {
        while (trie_.nodes()[at].parent != 0) at = trie_.nodes()[at].parent;
        const std::uint32_t e = trie_.find(trie_.nodes()[at], rule);
        return owner_[e] != block;
    }

    Step step(std::uint32_t i, std::int32_t block, std::int32_t rule) {
        const TrieNode& node = trie_.nodes()[i];
        if (sizes_[i].empty()) count_without(i);
        const auto [customers, dishes] = sizes_[i][static_cast<std::size_t>(block)];
        std::int32_t of_rule = 0;
        const std::uint32_t e = trie_.find(node, rule);
        if (e < node.end && trie_.served()[e].dish == rule) {
            of_rule = trie_.served()[e].customers;
            for (std::size_t s = share_begin_[e].first; s < share_begin_[e].second; ++s)
                if (shares_[s].block == block) of_rule -= shares_[s].customers;
        }
        return {trie_.nodes()[node.parent].depth, node.depth, dishes, of_rule, static_cast<double>(customers)};
    }

    // Computes (customers, dishes) of a node without each of the blocks.
    void count_without(std::uint32_t i) {
        const TrieNode& node = trie_.nodes()[i];
        sizes_[i].assign(static_cast<std::size_t>(blocks_), {node.customers, static_cast<std::int32_t>(node.end - node.begin)});
        for (std::uint32_t e = node.begin; e < node.end; ++e) {
            if (owner_[e] != kMany) --sizes_[i][static_cast<std::size_t>(owner_[e])].second;
            for (std::size_t s = share_begin_[e].first; s < share_begin_[e].second; ++s)
                sizes_[i][static_cast<std::size_t>(shares_[s].block)].first -= shares_[s].customers;
        }
    }

    // Only terms and steps are needed later.
    void forget() {
        owner_ = {}, node_owner_ = {}, shares_ = {}, share_begin_ = {}, sizes_ = {};
        steps_.shrink_to_fit(), terms_.shrink_to_fit();
    }

    // before[i] is the probability at the start of step i, and between[i] the probability after its edge.
    static double forwards(std::span<const Step> steps, const LevelParameters& parameters, double p, std::vector<double>& before,
                           std::vector<double>& between) {
        before.clear(), between.clear();
        for (const Step& s : steps) {
            before.push_back(p);
            const double own = s.of_rule > 0 ? 1.0 : 0.0;
            const double run = parameters.run(s.dishes, s.above, s.depth - 1);
            p = (1 - run) * own / s.dishes + run * p;
            between.push_back(p);
            const double d = parameters.discount(s.depth), c = parameters.strength(s.depth);
            p = (s.of_rule - d * own + (c + d * s.dishes) * p) / (s.customers + c);
        }
        return p;
    }

    static void backwards(std::span<const Step> steps, const LevelParameters& parameters, double weight, double p,
                          const std::vector<double>& before, const std::vector<double>& between, Result& result) {
        for (std::size_t i = steps.size(); i-- > 0;) {
            const Step& s = steps[i];
            const double own = s.of_rule > 0 ? 1.0 : 0.0;
            const double d = parameters.discount(s.depth), c = parameters.strength(s.depth);
            const double scaled = weight / (s.customers + c);
            const std::size_t level = parameters.index(s.depth);
            result.by_discount[level] += scaled * (s.dishes * between[i] - own);
            result.by_strength[level] += scaled * (between[i] - p);
            weight = scaled * (c + d * s.dishes);
            p = before[i];
            if (s.depth - s.above == 1) continue;
            const double run = parameters.run(s.dishes, s.above, s.depth - 1);
            along_edge(s, parameters, weight * run * (p - own / s.dishes), result);
            weight *= run;
        }
    }

    // `weight` is the derivative with respect to the logarithm of the edge's weight, which is a sum over the edge's contexts.
    static void along_edge(const Step& s, const LevelParameters& parameters, double weight, Result& result) {
        const std::int32_t last = parameters.levels();
        for (std::int32_t depth = s.above + 1; depth < s.depth; ++depth) {
            const std::int32_t times = depth >= last ? s.depth - depth : 1;
            const double d = parameters.discount(depth), c = parameters.strength(depth);
            const double weighed = weight * times, inverse = 1 / (c + d * s.dishes);
            const std::size_t level = parameters.index(depth);
            result.by_discount[level] += weighed * s.dishes * inverse;
            result.by_strength[level] += weighed * (inverse - 1 / (s.dishes + c));
            if (depth >= last) return;
        }
    }

    const ContextTrie& trie_;
    std::int32_t blocks_;
    std::vector<std::int32_t> owner_, node_owner_;
    std::vector<Share> shares_;
    std::vector<std::pair<std::size_t, std::size_t>> share_begin_;
    std::vector<std::vector<std::pair<std::int64_t, std::int32_t>>> sizes_;
    std::vector<Step> steps_;
    std::vector<Term> terms_;
};

}  // namespace bistro
