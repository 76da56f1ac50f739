// The seating in a tree of contexts: the restaurants of the sequence memoizer.
//
// When a new context leaves the tree in the middle of an edge, a restaurant is created there: every table of the child is
// split into pieces, which stay below, and the table itself moves up, with its pieces as customers. A table of n customers
// is split in the same way as n customers are seated in a Chinese restaurant with discount d2 and strength -d1 d2 (Gasthaus
// & Teh 2010), where d1 and d2 are the discounts of the upper and lower parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/base.hpp"
#include "hpyp/rng.hpp"
#include "hpyp/seating.hpp"
#include "process/chain_discounts.hpp"
#include "process/context_tree.hpp"
#include "process/discount_gradient.hpp"
#include "process/sequences.hpp"

namespace bistro {

class SeatedTree {
public:
    SeatedTree(std::shared_ptr<Base> base, std::vector<double> discount, double strength, Seating seating)
        : base_(std::move(base)), seating_(seating), parameters_(std::move(discount), strength) {
        if (!base_) throw std::invalid_argument("a process needs a base distribution");
    }

    // Calls visit(path) for every node, children before their parents.
    template <class Visit>
    void for_each_path(const Visit& visit) const {
        struct Open {
            std::vector<std::uint32_t> children;
            std::size_t next = 0;
        };
        TreePath path;
        std::vector<Open> open;
        const auto enter = [&](std::uint32_t number) {
            path.nodes.push_back(number);
            open.emplace_back();
            tree_.children().sorted(tree_.nodes()[number].children, open.back().children);
            for (std::uint32_t& slot : open.back().children) slot = tree_.children()[slot].child;
        };
        enter(0);
        while (!open.empty()) {
            Open& here = open.back();
            while (here.next < here.children.size() && is_leaf(here.children[here.next])) ++here.next;
            if (here.next < here.children.size()) {
                enter(here.children[here.next++]);
                continue;
            }
            visit(static_cast<const TreePath&>(path));
            open.pop_back();
            path.nodes.pop_back();
        }
    }

    // (outcome, events) of a node and of the leaves below it: customers that do not represent tables of longer contexts.
    // The event of a leaf has its own table, which represents it in the node.
    std::vector<std::pair<std::int32_t, std::int32_t>> own_events(std::uint32_t number, bool with_leaves = true) const {
        const ContextNode& node = tree_.nodes()[number];
        std::vector<std::uint32_t> slots, inner;
        std::vector<std::pair<std::int32_t, std::int32_t>> events;
        seats_.sorted(node.seats, slots);
        for (const std::uint32_t slot : slots)
            events.emplace_back(static_cast<std::int32_t>(seats_[slot].key), seats_[slot].customers);
        const auto subtract = [&](std::uint32_t dish, std::int32_t tables) {
            const auto at = std::lower_bound(events.begin(), events.end(), std::pair(static_cast<std::int32_t>(dish), -1));
            if (tables == 0) return;
            // Every table of a child is a customer here; if not, the tree is damaged.
            if (at == events.end() || at->first != static_cast<std::int32_t>(dish))
                throw std::invalid_argument("a table has no customer above it");
            at->second -= tables;
        };
        tree_.children().sorted(node.children, slots);
        for (const std::uint32_t slot : slots) {
            const std::uint32_t child = tree_.children()[slot].child;
            if (is_leaf(child)) {
                const ContextLeaf& leaf = tree_.leaves()[child & ~kLeaf];
                if (!with_leaves && !leaf.vacant()) subtract(static_cast<std::uint32_t>(tree_.text()[leaf.end]), 1);
                continue;
            }
            seats_.sorted(tree_.nodes()[child].seats, inner);
            for (const std::uint32_t at : inner) subtract(seats_[at].key, seats_[at].tables);
        }
        return events;
    }

    // --- parameters and access -----------------------------------------------------------------------

    const ChainDiscounts& parameters() const { return parameters_; }
    void set_parameters(std::vector<double> discount, double strength) { parameters_.assign(std::move(discount), strength); }
    Seating seating() const { return seating_; }
    const Base& base() const { return *base_; }
    ContextTree& tree() { return tree_; }
    const ContextTree& tree() const { return tree_; }
    BlockPool<Seats>& seats() { return seats_; }
    const BlockPool<Seats>& seats() const { return seats_; }
    LongArray<TableSizes>& table_sizes() { return sizes_; }
    const LongArray<TableSizes>& table_sizes() const { return sizes_; }

    std::size_t bytes() const {
        std::size_t total = tree_.bytes() + seats_.bytes() + sizes_.capacity() * sizeof(TableSizes);
        // 16 bytes for the allocator's own bookkeeping of each list.
        for (const TableSizes& list : sizes_) total += list.capacity() * sizeof(SizeCount) + 16;
        return total;
    }

protected:
    // Creates a restaurant where the path of a context leaves an edge, or ends at a leaf.
    void open_below(TreePath& path, Stream& rng) {
        const std::uint32_t child = tree_.children()[path.below].child;
        const std::int32_t above = tree_.nodes()[path.nodes.back()].depth;
        if (ends_at_leaf(path)) {
            const ContextLeaf leaf = tree_.open_leaf(path);
            if (!leaf.vacant()) put(path.nodes.back(), tree_.text()[leaf.end], 1, 1, {});
            return;
        }
        const std::uint32_t made = tree_.split(path);
        if (is_leaf(child)) {
            const ContextLeaf& leaf = tree_.leaves()[child & ~kLeaf];
            if (!leaf.vacant()) put(made, tree_.text()[leaf.end], 1, 1, {});
        } else {
            break_tables(child, made, above, rng);
        }
    }

    bool ends_at_leaf(const TreePath& path) const {
        const std::uint32_t child = tree_.children()[path.below].child;
        return is_leaf(child) && path.matched == tree_.label(child).second;
    }

    // Splits tables of `child` into pieces. Each table becomes a table of `made` that has its pieces as customers.
    void break_tables(std::uint32_t child, std::uint32_t made, std::int32_t above, Stream& rng) {
        const std::int32_t middle = tree_.nodes()[made].depth, bottom = tree_.nodes()[child].depth;
        const double whole = parameters_.discount(above, bottom), lower = parameters_.discount(middle, bottom);
        std::vector<std::uint32_t> slots;
        seats_.sorted(tree_.nodes()[child].seats, slots);
        for (const std::uint32_t slot : slots) {
            const Seats seats = seats_[slot];
            if (seats.customers == 0) continue;
            const auto dish = static_cast<std::int32_t>(seats.key);
            if (seating_ != Seating::gibbs || seats.customers == seats.tables) {
                put(made, dish, seats.tables, seats.tables, ones(seats.tables));
                continue;
            }
            TableSizes pieces, customers;
            std::int32_t num_pieces = 0;
            for_each_table_size(seats, sizes_, [&](std::int32_t size, std::int32_t tables) {
                for (std::int32_t i = 0; i < tables; ++i) {
                    const std::int32_t n = break_table(size, lower, whole, pieces, rng);
                    grow_table(customers, 0, n);
                    num_pieces += n;
                }
            });
            put(made, dish, num_pieces, seats.tables, std::move(customers));
            reseat(child, slot, num_pieces, std::move(pieces));
        }
    }

    // Seats `size` customers in a restaurant with this discount and strength -whole. Their tables are added to `pieces`.
    static std::int32_t break_table(std::int32_t size, double discount, double whole, TableSizes& pieces, Stream& rng) {
        TableSizes own{SizeCount{1, 1}};
        std::int32_t tables = 1;
        for (std::int32_t i = 1; i < size; ++i) {
            const double x = rng.uniform() * (i - whole) - (discount * tables - whole);
            const std::int32_t joined = x < 0 ? 0 : table_at_weight(own, discount, x);
            grow_table(own, joined, +1);
            tables += joined == 0;
        }
        for (const SizeCount& item : own)
            for (std::int32_t k = 0; k < item.tables; ++k) grow_table(pieces, 0, item.size);
        return tables;
    }

    // --- seating -------------------------------------------------------------------------------------

    // Fills steps_ with the values of every node of a path for an outcome. Returns the probability at the last node.
    double climb(const TreePath& path, std::int32_t dish) const {
        steps_.resize(path.nodes.size());
        double p = base_->probability(dish);
        std::int32_t above = 0;
        for (std::size_t k = 0; k < path.nodes.size(); ++k) {
            const ContextNode& node = tree_.nodes()[path.nodes[k]];
            PathStep& step = steps_[k];
            step = {above, node.depth, node.customers, node.tables, 0, 0, 0, 0, p, p};
            above = node.depth;
            step.discount = parameters_.discount(step.above, step.depth);
            step.strength = parameters_.strength(step.depth);
            if (node.customers == 0) continue;
            const std::uint32_t slot = seats_.find(node.seats, static_cast<std::uint32_t>(dish));
            if (slot != kNone) step.own_customers = seats_[slot].customers, step.own_tables = seats_[slot].tables;
            p = step.probability = step.predictive();
        }
        return p;
    }

    // Adds a customer to the last of the first `count` nodes of a path, and to the nodes above as long as tables are
    // opened.
    void seat_upwards(const TreePath& path, std::size_t count, std::int32_t dish, Stream& rng) {
        for (std::size_t k = count; k-- > 0;)
            if (!seat(path.nodes[k], dish, steps_[k], rng)) return;
        base_->add(dish, rng);
    }

    void unseat_upwards(const TreePath& path, std::size_t count, std::int32_t dish, Stream& rng) {
        for (std::size_t k = count; k-- > 0;)
            if (!unseat(path.nodes[k], dish, rng)) return;
        base_->remove(dish, rng);
    }

    // Returns true if a table was opened.
    bool seat(std::uint32_t number, std::int32_t dish, const PathStep& step, Stream& rng) {
        ContextNode& node = tree_.nodes()[number];
        std::uint32_t slot = seats_.find(node.seats, static_cast<std::uint32_t>(dish));
        if (slot == kNone) slot = seats_.insert(node.seats, Seats{static_cast<std::uint32_t>(dish)});
        Seats& seats = seats_[slot];
        std::int32_t size = seats.customers;  // size of the table if there is only one
        if (size > 0 && seating_ != Seating::minimal) size = seating_ == Seating::maximal ? 0 : join_table(seats, node, step, rng);
        ++seats.customers, ++node.customers;
        if (size > 0) return false;
        // A list is needed from the second table on. An existing list stays in use.
        if (seating_ == Seating::gibbs && seats.sizes == kNone && seats.tables > 0)
            list_sizes(seats, {SizeCount{seats.customers - 1, 1}});
        if (seats.sizes != kNone) grow_table(sizes_[seats.sizes], 0, +1);
        ++seats.tables, ++node.tables;
        return true;
    }

    // Draws one of the tables of this outcome or a new table (0), and adds a customer to it.
    std::int32_t join_table(const Seats& seats, const ContextNode& node, const PathStep& step, Stream& rng) {
        const double old_tables = seats.customers - step.discount * seats.tables;
        const double new_table = (step.strength + step.discount * node.tables) * step.parent;
        const double x = rng.uniform() * (old_tables + new_table) - new_table;
        if (x < 0) return 0;
        if (seats.sizes == kNone) return seats.customers;
        const std::int32_t size = table_at_weight(sizes_[seats.sizes], step.discount, x);
        grow_table(sizes_[seats.sizes], size, +1);
        return size;
    }

    // Returns true if a table was closed.
    bool unseat(std::uint32_t number, std::int32_t dish, Stream& rng) {
        ContextNode& node = tree_.nodes()[number];
        const std::uint32_t slot = seats_.find(node.seats, static_cast<std::uint32_t>(dish));
        if (slot == kNone || seats_[slot].customers == 0) throw std::invalid_argument("there is no such customer to remove");
        Seats& seats = seats_[slot];
        std::int32_t size = seats.customers;
        if (seats.tables > 1)
            size = seating_ == Seating::maximal ? 1 : table_of_customer(sizes_[seats.sizes], rng.below(seats.customers));
        if (seats.sizes != kNone) grow_table(sizes_[seats.sizes], size, -1);
        --seats.customers, --node.customers;
        if (size > 1) return false;
        --seats.tables, --node.tables;
        return true;
    }

    // Adds customers and tables of an outcome that the node did not have.
    void put(std::uint32_t number, std::int32_t dish, std::int32_t customers, std::int32_t tables, TableSizes sizes) {
        ContextNode& node = tree_.nodes()[number];
        Seats seats{static_cast<std::uint32_t>(dish), customers, tables, kNone};
        if (seating_ == Seating::gibbs && tables > 1) list_sizes(seats, std::move(sizes));
        seats_.insert(node.seats, seats);
        node.customers += customers, node.tables += tables;
    }

    void reseat(std::uint32_t number, std::uint32_t slot, std::int32_t tables, TableSizes sizes) {
        Seats& seats = seats_[slot];
        tree_.nodes()[number].tables += tables - seats.tables;
        seats.tables = tables;
        if (seats.sizes != kNone)
            sizes_[seats.sizes] = std::move(sizes);
        else if (tables > 1)
            list_sizes(seats, std::move(sizes));
    }

    void list_sizes(Seats& seats, TableSizes sizes) {
        seats.sizes = static_cast<std::uint32_t>(sizes_.size());
        sizes_.push_back(std::move(sizes));
    }

    static TableSizes ones(std::int32_t tables) { return {SizeCount{1, tables}}; }

    // Events in exactly the context of a node.
    std::int32_t own_events_of(std::uint32_t number, std::int32_t dish) const {
        for (const auto& [outcome, events] : own_events(number, false))
            if (outcome == dish) return events;
        return 0;
    }

    TreePath path_of(std::span<const std::int32_t> elements) const {
        TreePath path;
        tree_.locate(Before{elements.data() + elements.size()}, static_cast<std::int32_t>(elements.size()), path);
        return path;
    }

    std::shared_ptr<Base> base_;
    Seating seating_;
    ChainDiscounts parameters_;
    ContextTree tree_;
    BlockPool<Seats> seats_;
    LongArray<TableSizes> sizes_;
    mutable std::vector<PathStep> steps_;
};

}  // namespace bistro
