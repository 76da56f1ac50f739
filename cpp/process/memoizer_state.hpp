// Conversion of a sequence memoizer to plain arrays and back. A file may be damaged, so everything is checked before use.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "process/memoizer.hpp"

namespace bistro {

struct MemoizerState {
    std::vector<std::int32_t> text;
    std::vector<std::uint32_t> nodes;     // end, depth, number of children, number of outcomes served
    std::vector<std::int32_t> leaves;     // end, depth (its complement if vacant)
    std::vector<std::uint32_t> children;  // symbol, child, starting with the first node
    std::vector<std::int32_t> seats;      // outcome, customers, tables
    std::vector<std::int32_t> sizes;      // number of the seats, size, tables
};

inline MemoizerState saved_state(const Memoizer& memoizer) {
    const ContextTree& tree = memoizer.tree();
    MemoizerState out;
    out.text = tree.text();
    for (const ContextLeaf& leaf : tree.leaves())
        out.leaves.insert(out.leaves.end(), {static_cast<std::int32_t>(leaf.end), leaf.depth});
    std::vector<std::uint32_t> slots;
    for (const ContextNode& node : tree.nodes()) {
        out.nodes.insert(out.nodes.end(), {node.end, static_cast<std::uint32_t>(node.depth), node.children.size, node.seats.size});
        tree.children().sorted(node.children, slots);
        for (const std::uint32_t slot : slots)
            out.children.insert(out.children.end(), {tree.children()[slot].key, tree.children()[slot].child});
        memoizer.seats().sorted(node.seats, slots);
        for (const std::uint32_t slot : slots) {
            const Seats& seats = memoizer.seats()[slot];
            const auto number = static_cast<std::int32_t>(out.seats.size() / 3);
            out.seats.insert(out.seats.end(), {static_cast<std::int32_t>(seats.key), seats.customers, seats.tables});
            if (seats.sizes == kNone || seats.tables < 2) continue;
            for (const SizeCount& item : memoizer.table_sizes()[seats.sizes])
                out.sizes.insert(out.sizes.end(), {number, item.size, item.tables});
        }
    }
    return out;
}

struct MemoizerColumns {
    std::span<const std::int32_t> text;
    std::span<const std::uint32_t> nodes;
    std::span<const std::int32_t> leaves;
    std::span<const std::uint32_t> children;
    std::span<const std::int32_t> seats, sizes;
};

// Fills an empty memoizer.
class MemoizerReader {
public:
    MemoizerReader(Memoizer& memoizer, const MemoizerColumns& from) : memoizer_(memoizer), from_(from) {
        check(memoizer.tree().nodes().size() == 1 && memoizer.tree().text().empty());
        check(from.nodes.size() % 4 == 0 && from.nodes.size() >= 4 && from.leaves.size() % 2 == 0);
        check(from.children.size() % 2 == 0 && from.seats.size() % 3 == 0 && from.sizes.size() % 3 == 0);
        read_tree();
        read_seats();
        check_customers();
    }

private:
    static void check(bool good) {
        if (!good) throw std::invalid_argument("the saved process is damaged");
    }

    void read_tree() {
        ContextTree& tree = memoizer_.tree();
        const auto size = static_cast<std::int64_t>(from_.text.size());
        for (const std::int32_t symbol : from_.text) check(symbol >= 0);
        tree.text().assign(from_.text.begin(), from_.text.end());
        for (std::size_t i = 0; i < from_.leaves.size(); i += 2) {
            const ContextLeaf leaf{static_cast<std::uint32_t>(from_.leaves[i]), from_.leaves[i + 1]};
            check(from_.leaves[i] >= 0 && leaf.end < size && leaf.length() <= static_cast<std::int64_t>(leaf.end));
            check(leaf.vacant() || from_.text[leaf.end] < memoizer_.base().dishes());
            tree.leaves().push_back(leaf);
        }
        tree.nodes().clear();
        for (std::size_t i = 0; i < from_.nodes.size(); i += 4) {
            check(from_.nodes[i] <= size && from_.nodes[i + 1] <= from_.nodes[i]);
            tree.nodes().push_back({from_.nodes[i], static_cast<std::int32_t>(from_.nodes[i + 1]), 0, 0, {}, {}});
        }
        check(tree.nodes()[0].depth == 0);
        read_children();
    }

    // The result is a tree if every node except the root, and every current leaf, has exactly one parent, which is shorter.
    void read_children() {
        ContextTree& tree = memoizer_.tree();
        std::vector<bool> node_seen(tree.nodes().size()), leaf_seen(tree.leaves().size());
        node_seen[0] = true;
        std::size_t at = 0, found = 1;
        for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
            for (std::uint32_t k = 0; k < from_.nodes[4 * i + 2]; ++k, at += 2) {
                check(at + 2 <= from_.children.size());
                const std::uint32_t key = from_.children[at], child = from_.children[at + 1];
                const std::size_t number = is_leaf(child) ? child & ~kLeaf : child;
                auto& seen = is_leaf(child) ? leaf_seen : node_seen;
                check(key != kNone && (k == 0 || key > from_.children[at - 2]));
                check(number < seen.size() && !seen[number]);
                seen[number] = true;
                found += !is_leaf(child);
                const auto [end, depth] = tree.label(child);
                check(depth > tree.nodes()[i].depth);
                check(static_cast<std::uint32_t>(from_.text[end - 1 - static_cast<std::uint32_t>(tree.nodes()[i].depth)]) == key);
                tree.children().insert(tree.nodes()[i].children, ChildSlot{key, child});
            }
        }
        check(at == from_.children.size() && found == tree.nodes().size());
    }

    void read_seats() {
        std::size_t at = 0, size_at = 0;
        for (std::size_t i = 0; i < memoizer_.tree().nodes().size(); ++i) {
            ContextNode& node = memoizer_.tree().nodes()[i];
            for (std::uint32_t k = 0; k < from_.nodes[4 * i + 3]; ++k, at += 3) {
                check(at + 3 <= from_.seats.size());
                const std::int32_t dish = from_.seats[at], customers = from_.seats[at + 1], tables = from_.seats[at + 2];
                check(dish >= 0 && dish < memoizer_.base().dishes() && (k == 0 || dish > from_.seats[at - 3]));
                check(tables >= 0 && tables <= customers && (tables > 0) == (customers > 0) &&
                      customers < (1 << 30) - node.customers);
                Seats seats{static_cast<std::uint32_t>(dish), customers, tables, kNone};
                if (memoizer_.seating() == Seating::gibbs && tables > 1) read_sizes(seats, at / 3, size_at);
                check(memoizer_.seating() != Seating::minimal || tables <= 1);
                check(memoizer_.seating() != Seating::maximal || tables == customers);
                memoizer_.seats().insert(node.seats, seats);
                node.customers += customers, node.tables += tables;
            }
        }
        check(at == from_.seats.size() && size_at == from_.sizes.size());
    }

    void read_sizes(Seats& seats, std::size_t number, std::size_t& at) {
        TableSizes list;
        std::int64_t customers = 0, tables = 0;
        for (; at < from_.sizes.size() && from_.sizes[at] == static_cast<std::int32_t>(number); at += 3) {
            const SizeCount item{from_.sizes[at + 1], from_.sizes[at + 2]};
            check(item.size > 0 && item.tables > 0 && (list.empty() || item.size > list.back().size));
            customers += std::int64_t{item.size} * item.tables, tables += item.tables;
            list.push_back(item);
        }
        check(customers == seats.customers && tables == seats.tables);
        seats.sizes = static_cast<std::uint32_t>(memoizer_.table_sizes().size());
        memoizer_.table_sizes().push_back(std::move(list));
    }

    // Every table of a child is a customer of its parent.
    void check_customers() const {
        for (std::uint32_t i = 0; i < memoizer_.tree().nodes().size(); ++i)
            for (const auto& [dish, events] : memoizer_.own_events(i, false)) check(events >= 0);
    }

    Memoizer& memoizer_;
    const MemoizerColumns& from_;
};

}  // namespace bistro
