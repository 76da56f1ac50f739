// The restaurants of a franchise and their dishes: the tree of contexts, without the customers.
//
// A restaurant is one context; its parent has one element less. An entry is one dish in one restaurant; its parent is the
// entry of the same dish in the parent restaurant. Both are numbered in the order of their creation, so that parents come
// first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/seating.hpp"

namespace bistro {

struct Restaurant {
    std::int32_t customers = 0;
    std::int32_t tables = 0;
    std::uint32_t parent = kNone;
    std::int32_t element = 0;  // the context element that leads here from the parent
    std::int32_t depth = 0;

    std::uint64_t key() const { return pair_key(parent, static_cast<std::uint32_t>(element)); }
};

class RestaurantTree {
public:
    explicit RestaurantTree(int levels) : levels_(levels) {
        if (levels < 1) throw std::invalid_argument("a franchise must have at least one level");
        restaurants_.push_back(Restaurant{});
        by_element_.insert_last(restaurants_);
    }

    int levels() const { return levels_; }
    const LongArray<Restaurant>& restaurants() const { return restaurants_; }
    const LongArray<Entry>& entries() const { return entries_; }
    bool is_empty() const { return restaurants_.size() == 1 && entries_.empty(); }

    // The entry of (context, dish), which is created with all its ancestors if it does not exist. `context(i)` is its i-th
    // element; `path` is scratch space that keeps the restaurants of the previous call's context.
    template <class Context>
    std::uint32_t resolve(const Context& context, int length, std::int32_t dish, std::vector<std::uint32_t>& path) {
        if (length >= levels()) throw std::invalid_argument("a context has more elements than the franchise has levels");
        path.resize(std::max<std::size_t>(path.size(), 1), 0);
        path[0] = 0;
        // Sorted events share most of their path with the previous event.
        std::size_t depth = 1;
        while (depth < path.size() && static_cast<int>(depth) <= length &&
               restaurants_[path[depth]].element == context(static_cast<int>(depth) - 1))
            ++depth;
        path.resize(length + 1);
        for (; static_cast<int>(depth) <= length; ++depth)
            path[depth] = find_or_add_restaurant(path[depth - 1], context(static_cast<int>(depth) - 1));
        return find_or_add_entry(path.data(), length, dish);
    }

    // The deepest restaurant of a context that exists.
    template <class Context>
    std::uint32_t deepest_restaurant(const Context& context, int length) const {
        std::uint32_t at = 0;
        for (int k = 0; k < length; ++k) {
            const std::uint32_t child = by_element_.find(pair_key(at, static_cast<std::uint32_t>(context(k))), restaurants_);
            if (child == kNone) break;
            at = child;
        }
        return at;
    }

    // --- many look-ups at once (see PairIndex) -------------------------------------------------------

    static std::uint64_t child_key(std::uint32_t parent, std::int32_t element) {
        return pair_key(parent, static_cast<std::uint32_t>(element));
    }
    const PairIndex& children() const { return by_element_.ready(restaurants_); }
    const PairIndex& dishes() const { return by_dish_.ready(entries_); }
    std::uint32_t find_child(std::uint32_t parent, std::int32_t element) const {
        return by_element_.find(child_key(parent, element), restaurants_);
    }
    std::uint32_t make_child(std::uint32_t parent, std::int32_t element) { return find_or_add_restaurant(parent, element); }
    // The entry of a dish in the last restaurant of a path, which is created with all its ancestors if it does not exist.
    std::uint32_t make_entry(const std::uint32_t* path, int length, std::int32_t dish) {
        return find_or_add_entry(path, length, dish);
    }

    // Fills `path` with the restaurants of a context, from depth 0 on; returns the depth reached.
    template <class Context>
    int descend(const Context& context, int length, std::uint32_t* path) const {
        path[0] = 0;
        int depth = 0;
        while (depth < length) {
            const std::uint32_t next =
                by_element_.find(pair_key(path[depth], static_cast<std::uint32_t>(context(depth))), restaurants_);
            if (next == kNone) break;
            path[++depth] = next;
        }
        return depth;
    }

    // The entry of a dish in a restaurant, or kNone if it was never served.
    std::uint32_t entry_of(std::uint32_t restaurant, std::int32_t dish) const { return find_entry(restaurant, dish); }

    // Frees the memory that growth by doubling left unused, once all events are resolved.
    void shrink_to_fit() {
        restaurants_.shrink_to_fit();
        entries_.shrink_to_fit();
    }

    // Rebuilds all restaurants and entries with their old numbers, from (parent, element) of every restaurant except the
    // first and (restaurant, dish) of every entry. Existing ones must be the first of them. No customers are seated.
    void rebuild(std::span<const std::uint32_t> restaurants, std::span<const std::uint32_t> entries, std::int32_t num_dishes) {
        const auto check = [](bool good) {
            if (!good) throw std::invalid_argument("the saved franchise is damaged, or does not continue this one");
        };
        check(restaurants.size() % 2 == 0 && entries.size() % 2 == 0);
        check(restaurants.size() / 2 + 1 >= restaurants_.size() && entries.size() / 2 >= entries_.size());
        for (std::size_t i = 0; i < restaurants.size(); i += 2) {
            const std::size_t number = i / 2 + 1;
            const auto element = static_cast<std::int32_t>(restaurants[i + 1]);
            check(restaurants[i] < number && element >= 0 && restaurants_[restaurants[i]].depth + 1 < levels());
            check(find_or_add_restaurant(restaurants[i], element) == number);
        }
        for (std::size_t i = 0; i < entries.size(); i += 2) {
            const auto dish = static_cast<std::int32_t>(entries[i + 1]);
            check(entries[i] < restaurants_.size() && dish >= 0 && dish < num_dishes);
            const std::uint32_t known = find_entry(entries[i], dish);
            check(i / 2 < entries_.size() ? known == i / 2 : known == kNone);
            if (known != kNone) continue;
            const std::uint32_t above = restaurants_[entries[i]].parent;
            const std::uint32_t parent = above == kNone ? kNone : find_entry(above, dish);
            check(above == kNone || parent != kNone);
            entries_.push_back(Entry{0, 0, entries[i], dish, parent, kNone});
            by_dish_.insert_last(entries_);
        }
    }

protected:
    std::uint32_t find_entry(std::uint32_t restaurant, std::int32_t dish) const {
        return by_dish_.find(pair_key(restaurant, static_cast<std::uint32_t>(dish)), entries_);
    }

    std::uint32_t find_or_add_restaurant(std::uint32_t parent, std::int32_t element) {
        const std::uint64_t key = pair_key(parent, static_cast<std::uint32_t>(element));
        const std::uint32_t found = by_element_.find(key, restaurants_);
        if (found != kNone) return found;
        const auto id = static_cast<std::uint32_t>(restaurants_.size());
        restaurants_.push_back(Restaurant{0, 0, parent, element, restaurants_[parent].depth + 1});
        by_element_.insert_last(restaurants_);
        return id;
    }

    std::uint32_t find_or_add_entry(const std::uint32_t* path, int length, std::int32_t dish) {
        // Most events have been seen before, so the deepest restaurant is tried first, and missing ones are created.
        int depth = length;
        std::uint32_t id = kNone;
        while (depth >= 0 && (id = find_entry(path[depth], dish)) == kNone) --depth;
        for (++depth; depth <= length; ++depth) {
            const auto child = static_cast<std::uint32_t>(entries_.size());
            entries_.push_back(Entry{0, 0, path[depth], dish, id, kNone});
            by_dish_.insert_last(entries_);
            id = child;
        }
        return id;
    }

    LongArray<Restaurant> restaurants_;
    LongArray<Entry> entries_;
    LateIndex by_element_, by_dish_;

private:
    int levels_;
};

}  // namespace bistro
