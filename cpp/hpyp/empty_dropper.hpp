// Frees unused memory: restaurants and entries without customers.
//
// When derivations are redrawn, contexts come and go. An empty restaurant has the same probabilities as its parent, as if
// it did not exist, so only the memory changes. The remaining restaurants and entries keep their order and are renumbered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hpyp/franchise.hpp"

namespace bistro {

class EmptyDropper {
public:
    explicit EmptyDropper(Franchise& franchise) : franchise_(franchise) {}

    // Whether at least half of the entries are empty, so that freeing them is worthwhile.
    bool is_due() const {
        const auto& entries = franchise_.entries_;
        const auto empty = std::count_if(entries.begin(), entries.end(), [](const Entry& e) { return e.customers == 0; });
        return 2 * static_cast<std::size_t>(empty) > entries.size();
    }

    // Returns the new number of every entry, or kNone for entries that were freed.
    LongArray<std::uint32_t> drop() {
        const auto rooms =
            drop_from(franchise_.restaurants_, [](const Restaurant& r) { return r.customers > 0 || r.parent == kNone; });
        const auto numbers = drop_from(franchise_.entries_, [](const Entry& e) { return e.customers > 0; });
        LongArray<TableSizes> sizes;
        for (Restaurant& r : franchise_.restaurants_)
            if (r.parent != kNone) r.parent = rooms[r.parent];
        for (Entry& entry : franchise_.entries_) {
            entry.restaurant = rooms[entry.restaurant];
            if (entry.parent != kNone) entry.parent = numbers[entry.parent];
            if (entry.sizes == kNone) continue;
            sizes.push_back(std::move(franchise_.sizes_[entry.sizes]));
            entry.sizes = static_cast<std::uint32_t>(sizes.size() - 1);
        }
        franchise_.sizes_ = std::move(sizes);
        franchise_.by_element_.forget(), franchise_.by_dish_.forget();
        return numbers;
    }

    // Leaves only the root, as in a new franchise.
    void clear() {
        franchise_.restaurants_.assign(1, Restaurant{});
        franchise_.entries_.clear(), franchise_.sizes_.clear();
        franchise_.by_element_.forget(), franchise_.by_dish_.forget();
    }

private:
    template <class Record, class Keep>
    static LongArray<std::uint32_t> drop_from(LongArray<Record>& records, Keep keep) {
        LongArray<std::uint32_t> numbers(records.size(), kNone);
        LongArray<Record> kept;
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!keep(records[i])) continue;
            numbers[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(records[i]);
        }
        kept.shrink_to_fit();
        records = std::move(kept);
        return numbers;
    }

    Franchise& franchise_;
};

}  // namespace bistro
