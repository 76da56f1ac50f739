// The seating of one dish in one restaurant: customers, tables, and the sizes of the tables.
//
// Tables of equal size are counted, not listed (Blunsom et al. 2009). A single table needs no list: its
// size is the number of customers. An explicit list of (size, how many) exists only once a second table
// has been opened under Gibbs seating, and it is sorted by size so that equal states are equal bytes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/rng.hpp"

namespace bistro {

enum class Seating { gibbs, minimal, maximal };

inline Seating seating_from(const std::string& name) {
    if (name == "gibbs") return Seating::gibbs;
    if (name == "minimal") return Seating::minimal;
    if (name == "maximal") return Seating::maximal;
    throw std::invalid_argument("seating must be one of gibbs, minimal, maximal, not " + name);
}

struct SizeCount {
    std::int32_t size;
    std::int32_t tables;
};
using TableSizes = std::vector<SizeCount>;

// One (restaurant, dish) pair. Its parent pair, the same dish in a context with one element less, never changes. Therefore,
// a sweep needs no hashing.
struct Entry {
    std::int32_t customers = 0;
    std::int32_t tables = 0;
    std::uint32_t restaurant = 0;
    std::int32_t dish = 0;
    std::uint32_t parent = kNone;
    std::uint32_t sizes = kNone;  // number of its TableSizes list, if it has one

    std::uint64_t key() const { return pair_key(restaurant, static_cast<std::uint32_t>(dish)); }
};

// One table of an entry that gained or lost a customer; size 0 stands for "no table".
struct TableMove {
    std::uint32_t entry;
    std::int32_t from, to;
};

inline void grow_table(TableSizes& sizes, std::int32_t size, std::int32_t change) {
    // Moves one table from `size` to `size + change`; size 0 stands for "no table".
    auto add = [&sizes](std::int32_t s, std::int32_t tables) {
        if (s == 0) return;
        auto at = sizes.begin();
        while (at != sizes.end() && at->size < s) ++at;
        if (at == sizes.end() || at->size != s)
            sizes.insert(at, SizeCount{s, tables});
        else if ((at->tables += tables) == 0)
            sizes.erase(at);
    };
    add(size, -1);
    add(size + change, +1);
}

// Calls visit(size, tables) for every table size of an entry.
template <class Counts, class Visit>
void for_each_table_size(const Counts& entry, const LongArray<TableSizes>& lists, const Visit& visit) {
    if (entry.sizes != kNone) {
        for (const SizeCount& item : lists[entry.sizes]) visit(item.size, item.tables);
    } else if (entry.tables > 0) {
        // Without a list, either every customer has a table (maximal seating), or all customers share one table.
        visit(entry.customers / entry.tables, entry.tables);
    }
}

// The total weight of the tables, c - d t, is already known to exceed `x`. Finds the table that `x` falls on.
inline std::int32_t table_at_weight(const TableSizes& sizes, double discount, double x) {
    for (const SizeCount& item : sizes) {
        x -= item.tables * (item.size - discount);
        if (x < 0) return item.size;
    }
    return sizes.back().size;  // only reached when rounding leaves x at exactly 0
}

// The size of the table of a customer drawn uniformly among those of the dish.
inline std::int32_t table_of_customer(const TableSizes& sizes, std::int64_t customer) {
    for (const SizeCount& item : sizes) {
        customer -= static_cast<std::int64_t>(item.tables) * item.size;
        if (customer < 0) return item.size;
    }
    return sizes.back().size;
}

}  // namespace bistro
