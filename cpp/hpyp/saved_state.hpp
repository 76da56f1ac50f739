// A saved seating comes from a file, so everything that the franchise relies on is checked before use.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/franchise.hpp"

namespace bistro {

struct SavedState {
    std::span<const std::int32_t> customers, tables;  // one per entry
    std::span<const std::int32_t> sizes;              // concatenated triples (entry, size, tables)
};

// Whether the counts of one entry are possible in a seating of the given kind.
inline bool is_seating(Seating seating, std::int32_t customers, std::int32_t tables) {
    if (customers < 0 || tables < 0 || tables > customers || (tables == 0) != (customers == 0)) return false;
    if (seating == Seating::minimal) return tables <= 1;
    return seating == Seating::gibbs || tables == customers;
}

// The listed sizes of every entry must be sorted and add up to its counts; several tables need a list.
inline bool sizes_add_up(Seating seating, const SavedState& state) {
    if (state.sizes.size() % 3 != 0 || (seating != Seating::gibbs && !state.sizes.empty())) return false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < state.customers.size(); ++i) {
        std::int64_t customers = 0, tables = 0;
        const std::size_t first = at;
        for (; at < state.sizes.size() && state.sizes[at] == static_cast<std::int64_t>(i); at += 3) {
            const std::int64_t size = state.sizes[at + 1], count = state.sizes[at + 2];
            if (size < 1 || count < 1 || (at > first && state.sizes[at - 2] >= size)) return false;
            customers += size * count;
            tables += count;
        }
        const bool listed = at > first;
        if (listed && (customers != state.customers[i] || tables != state.tables[i])) return false;
        if (!listed && seating == Seating::gibbs && state.tables[i] > 1) return false;
    }
    return at == state.sizes.size();  // otherwise, a triple of an unknown entry, or out of order, remains
}

// Throws unless the state is one that this franchise could be in.
inline void check_state(const Franchise& franchise, const SavedState& state) {
    const auto& entries = franchise.entries();
    bool good = state.customers.size() == entries.size() && state.tables.size() == entries.size();
    std::vector<std::int64_t> sent_up(entries.size(), 0), seated(franchise.restaurants().size(), 0);
    for (std::size_t i = 0; good && i < entries.size(); ++i) {
        good = is_seating(franchise.seating(), state.customers[i], state.tables[i]);
        if (entries[i].parent != kNone) sent_up[entries[i].parent] += state.tables[i];
        seated[entries[i].restaurant] += state.customers[i];
    }
    // Every table is a customer of the parent, which may have additional customers of its own.
    for (std::size_t i = 0; good && i < entries.size(); ++i) good = sent_up[i] <= state.customers[i];
    // Training continues from here and adds customers, so 32-bit counts need room for them.
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - (std::int64_t{1} << 28);
    for (std::size_t r = 0; good && r < seated.size(); ++r) good = seated[r] <= most;
    if (!good || !sizes_add_up(franchise.seating(), state))
        throw std::invalid_argument("the saved state belongs to another set of events, or is damaged");
}

}  // namespace bistro
