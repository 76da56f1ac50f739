// The entries of events that are sorted by their contexts: `Franchise::resolve` without look-ups.
//
// In sorted order, a context never returns after another context. So a restaurant that is not on the path of the previous
// event is new, and only the entries of the restaurants on the path can recur. For every depth, a table has the entry of
// each dish in the restaurant that is currently on the path. Restaurants and entries get the same numbers as with
// `resolve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hpyp/franchise.hpp"

namespace bistro {

class SortedResolver {
public:
    // The franchise must be empty, and all contexts have this length.
    SortedResolver(Franchise& franchise, int length)
        : franchise_(franchise), length_(length), path_(1, 0), table_(static_cast<std::size_t>(length) + 1) {
        if (length >= franchise.levels()) throw std::invalid_argument("a context has more elements than the franchise has levels");
        if (!franchise.is_empty()) throw std::invalid_argument("sorted events need an empty franchise");
        for (auto& row : table_) row.assign(static_cast<std::size_t>(franchise.base().dishes()), Seen{kNone, kNone});
    }

    // The entry of the next event. Its context must be equal to or come after the context of the previous event.
    template <class Context>
    std::uint32_t operator()(const Context& context, std::int32_t dish) {
        descend(context);
        int depth = length_;
        std::uint32_t id = kNone;
        for (; depth >= 0; --depth) {
            const Seen& seen = table_[depth][dish];
            if (seen.restaurant != path_[depth]) continue;
            id = seen.entry;
            break;
        }
        auto& entries = franchise_.entries_;
        for (++depth; depth <= length_; ++depth) {
            const auto child = static_cast<std::uint32_t>(entries.size());
            if (child == kNone) throw std::length_error("more than four billion outcomes");
            entries.push_back(Entry{0, 0, path_[depth], dish, id, kNone});
            table_[depth][dish] = {path_[depth], child};
            id = child;
        }
        return id;
    }

private:
    struct Seen {
        std::uint32_t restaurant, entry;
    };

    template <class Context>
    void descend(const Context& context) {
        auto& restaurants = franchise_.restaurants_;
        std::size_t depth = 1;
        while (depth < path_.size() && restaurants[path_[depth]].element == context(static_cast<int>(depth) - 1)) ++depth;
        if (depth < path_.size() && restaurants[path_[depth]].element > context(static_cast<int>(depth) - 1))
            throw std::invalid_argument("the events are not sorted by their contexts");
        path_.resize(static_cast<std::size_t>(length_) + 1);
        for (; static_cast<int>(depth) <= length_; ++depth) {
            path_[depth] = static_cast<std::uint32_t>(restaurants.size());
            if (path_[depth] == kNone) throw std::length_error("more than four billion contexts");
            restaurants.push_back(
                Restaurant{0, 0, path_[depth - 1], context(static_cast<int>(depth) - 1), static_cast<std::int32_t>(depth)});
        }
    }

    Franchise& franchise_;
    int length_;
    std::vector<std::uint32_t> path_;
    std::vector<std::vector<Seen>> table_;  // indexed by depth and dish
};

}  // namespace bistro
