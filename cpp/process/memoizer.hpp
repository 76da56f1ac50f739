// The sequence memoizer: a hierarchical Pitman-Yor process whose contexts are as long as the text (Wood et al. 2009).
//
// Only contexts that branch have a restaurant (context_tree.hpp); all others are integrated out (chain_discounts.hpp). The
// seating of customers is in seated_tree.hpp. Here, events are added, predicted and removed.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "process/seated_tree.hpp"
#include "process/sequences.hpp"
#include "process/tree_prefetch.hpp"
#include "stop/pause.hpp"

namespace bistro {

class Memoizer : public SeatedTree {
public:
    using SeatedTree::SeatedTree;

    // --- events ------------------------------------------------------------------------------------

    // Observes all events. Returns the probability of each event just before it was observed. A `learner` receives each event
    // and updates the discounts after every few events.
    std::vector<double> observe(const Sequences& events, Stream& rng, DiscountLearner* learner = nullptr) {
        events.check(base_->dishes());
        std::vector<std::int32_t>& text = tree_.text();
        if (text.size() + events.elements.size() >= kNone) throw std::length_error("more than four billion symbols");
        const std::size_t shift = text.size();
        text.insert(text.end(), events.elements.begin(), events.elements.end());
        std::vector<double> out;
        const Sequences own{{text.data() + shift, events.elements.size()}, events.offsets, events.last_only, events.given};
        in_groups(own, [&](std::int64_t begin, std::int64_t at) {
            out.push_back(observe_one(static_cast<std::uint32_t>(shift + at), static_cast<std::int32_t>(at - begin), rng, learner));
        });
        return out;
    }

    // Removes events: all of them, or none if one of them was not observed.
    void forget(const Sequences& events, Stream& rng) {
        events.check(base_->dishes());
        std::vector<std::pair<std::int64_t, std::int64_t>> gone;
        bool all_found = true;
        events.for_each([&](std::int64_t begin, std::int64_t at) {
            if (all_found && (all_found = forget_one(events, begin, at, rng))) gone.emplace_back(begin, at);
        });
        if (all_found) return;
        for (const auto& [begin, at] : gone) {
            const std::int64_t offsets[] = {0, at - begin + 1};
            observe({events.elements.subspan(begin, at - begin + 1), offsets, true}, rng);
        }
        throw std::invalid_argument("there is no such customer to remove");
    }

    std::vector<double> probabilities(const Sequences& events) const {
        std::vector<double> out;
        TreePath path;
        in_groups(events, [&](std::int64_t begin, std::int64_t at) {
            tree_.locate(events.before(at), static_cast<std::int32_t>(at - begin), path);
            out.push_back(probability(path, events.elements[at]));
        });
        return out;
    }

    std::vector<double> distribution(std::span<const std::int32_t> elements) const {
        const TreePath path = path_of(elements);
        std::vector<double> out(static_cast<std::size_t>(base_->dishes()));
        for (std::size_t x = 0; x < out.size(); ++x) out[x] = probability(path, static_cast<std::int32_t>(x));
        return out;
    }

    // The share of the base in the predictive distribution of a context, which determines the probability of an unseen
    // outcome.
    double base_weight(std::span<const std::int32_t> elements) const { return probability(path_of(elements), -1); }

    // One Gibbs sweep: every event is removed and added again.
    void sweep(Stream& rng) {
        for_each_path([&](const TreePath& path) {
            pause();
            const std::uint32_t number = path.nodes.back();
            for (const auto& [dish, times] : own_events(number)) resit(path, dish, times, rng);
        });
    }

    // Removes all events. A base that learns loses the customers that represent their tables.
    void empty(Stream& rng) {
        for_each_path([&](const TreePath& path) {
            for (auto [dish, times] : own_events(path.nodes.back()))
                for (; times > 0; --times) unseat_upwards(path, path.nodes.size(), dish, rng);
        });
        for (ContextLeaf& leaf : tree_.leaves()) leaf.depth = ~leaf.length();
    }

    // (outcome, size, tables) of all tables in the restaurant of exactly this context; empty if there is none.
    std::vector<std::int32_t> tables(std::span<const std::int32_t> elements) const {
        const TreePath path = path_of(elements);
        std::vector<std::int32_t> out;
        const auto length = static_cast<std::int32_t>(elements.size());
        if (path.below != kNone && path.matched == length && ends_at_leaf(path)) {
            const ContextLeaf& leaf = tree_.leaves()[tree_.children()[path.below].child & ~kLeaf];
            if (!leaf.vacant()) out = {tree_.text()[leaf.end], 1, 1};
        }
        const ContextNode& node = tree_.nodes()[path.nodes.back()];
        if (path.below != kNone || node.depth != length) return out;
        std::vector<std::uint32_t> slots;
        seats_.sorted(node.seats, slots);
        for (const std::uint32_t slot : slots)
            for_each_table_size(seats_[slot], sizes_, [&](std::int32_t size, std::int32_t tables) {
                out.insert(out.end(), {static_cast<std::int32_t>(seats_[slot].key), size, tables});
            });
        return out;
    }

    // A customer of the empty context that represents a table of another process.
    void add_at_root(std::int32_t dish, Stream& rng) {
        path_.nodes.assign(1, 0);
        climb(path_, dish);
        seat_upwards(path_, 1, dish, rng);
    }
    void remove_at_root(std::int32_t dish, Stream& rng) {
        path_.nodes.assign(1, 0);
        unseat_upwards(path_, 1, dish, rng);
    }
    double probability_at_root(std::int32_t dish) const {
        TreePath path;
        path.nodes.assign(1, 0);
        return probability(path, dish);
    }

private:
    static constexpr std::size_t kGroup = 24;  // number of events whose data are prefetched together

    // Calls work(begin, at) for every event, in order, after the data of the next few events have been prefetched.
    template <class Work>
    void in_groups(const Sequences& events, const Work& work) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> group;
        std::vector<Walker> walkers;
        const auto finish = [&] {
            for (const auto& [begin, at] : group)
                if (at > begin) walkers.push_back({events.before(at), static_cast<std::int32_t>(at - begin), events.elements[at]});
            walk_ahead(walkers, tree_, seats_);
            for (const auto& [begin, at] : group) work(begin, at);
            group.clear();
        };
        events.for_each([&](std::int64_t begin, std::int64_t at) {
            group.emplace_back(begin, at);
            if (group.size() < kGroup) return;
            pause();  // between two events, the state is consistent
            finish();
        });
        finish();
    }

    double observe_one(std::uint32_t at, std::int32_t length, Stream& rng, DiscountLearner* learner) {
        const std::int32_t* text = tree_.text().data();
        const std::int32_t dish = text[at];
        tree_.locate(Before{text + at}, length, path_);
        if (path_.below != kNone) open_below(path_, rng);
        const bool is_new_leaf = tree_.nodes()[path_.nodes.back()].depth < length;
        const double p = climb(path_, dish);
        if (learner) learner->look(steps_, p, parameters_);
        if (is_new_leaf) tree_.add_leaf(path_, at, length);
        seat_upwards(path_, path_.nodes.size(), dish, rng);
        return p;
    }

    // --- sweeping and forgetting ---------------------------------------------------------------------

    void resit(const TreePath& path, std::int32_t dish, std::int32_t times, Stream& rng) {
        for (; times > 0; --times) {
            unseat_upwards(path, path.nodes.size(), dish, rng);
            climb(path, dish);
            seat_upwards(path, path.nodes.size(), dish, rng);
        }
    }

    // Removes one event. Returns false if there is none. Restaurants are kept.
    bool forget_one(const Sequences& events, std::int64_t begin, std::int64_t at, Stream& rng) {
        const auto length = static_cast<std::int32_t>(at - begin);
        const std::int32_t dish = events.elements[at];
        tree_.locate(events.before(at), length, path_);
        if (path_.below != kNone) {
            if (path_.matched < length || !ends_at_leaf(path_)) return false;
            ContextLeaf& leaf = tree_.leaves()[tree_.children()[path_.below].child & ~kLeaf];
            if (leaf.vacant() || tree_.text()[leaf.end] != dish) return false;
            leaf.depth = ~leaf.depth;
        } else if (path_.matched < length || own_events_of(path_.nodes.back(), dish) == 0) {
            return false;
        }
        unseat_upwards(path_, path_.nodes.size(), dish, rng);
        return true;
    }

    // --- prediction ----------------------------------------------------------------------------------

    // Inside an edge, the restaurant that would be created there is used, with the expected number of pieces of each table
    // that would be split.
    double probability(const TreePath& path, std::int32_t dish) const {
        double p = dish < 0 ? 1.0 : base_->probability(dish);
        std::int32_t above = 0;
        for (const std::uint32_t number : path.nodes) {
            const ContextNode& node = tree_.nodes()[number];
            const double discount = parameters_.discount(above, node.depth);
            above = node.depth;
            if (node.customers == 0) continue;
            const double strength = parameters_.strength(node.depth);
            const std::uint32_t slot = dish < 0 ? kNone : seats_.find(node.seats, static_cast<std::uint32_t>(dish));
            const double own = slot == kNone ? 0 : seats_[slot].customers - discount * seats_[slot].tables;
            p = (own + (strength + discount * node.tables) * p) / (node.customers + strength);
        }
        return path.below == kNone ? p : inside(path, above, dish, p);
    }

    double inside(const TreePath& path, std::int32_t above, std::int32_t dish, double p) const {
        const std::uint32_t child = tree_.children()[path.below].child;
        const double upper = parameters_.discount(above, path.matched), strength = parameters_.strength(path.matched);
        if (is_leaf(child)) {
            const ContextLeaf& leaf = tree_.leaves()[child & ~kLeaf];
            if (leaf.vacant()) return p;
            const double own = tree_.text()[leaf.end] == dish ? 1 - upper : 0;
            return (own + (strength + upper) * p) / (1 + strength);
        }
        const ContextNode& node = tree_.nodes()[child];
        if (node.customers == 0) return p;
        const double lower = parameters_.discount(path.matched, node.depth);
        double customers = 0, own = 0;
        std::vector<std::uint32_t> slots;
        seats_.sorted(node.seats, slots);
        for (const std::uint32_t slot : slots) {
            const double pieces = expected_pieces(seats_[slot], lower, upper * lower);
            customers += pieces;
            if (static_cast<std::int32_t>(seats_[slot].key) == dish) own = pieces - upper * seats_[slot].tables;
        }
        return (own + (strength + upper * node.tables) * p) / (customers + strength);
    }

    double expected_pieces(const Seats& seats, double discount, double whole) const {
        if (seating_ != Seating::gibbs || seats.customers == seats.tables) return seats.tables;
        double sum = 0;
        for_each_table_size(seats, sizes_, [&](std::int32_t size, std::int32_t tables) {
            double product = discount - whole;
            for (std::int32_t i = 1; i < size; ++i) product *= (i + discount - whole) / (i - whole);
            sum += tables * (product + whole) / discount;
        });
        return sum;
    }

    TreePath path_;
};

}  // namespace bistro
