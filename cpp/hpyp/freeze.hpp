// Converts the trainable form to the frozen form, for one sample of the seating or the mean of several samples.
//
// The predictive probabilities of all entries are averaged. For a dish that a restaurant has not seen, the exact mean of
// weight times parent's probability is replaced by mean weight times mean probability, where the weight makes the
// restaurant's distribution sum to 1. Therefore, several samples take no more space than one.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "hpyp/franchise.hpp"
#include "hpyp/frozen.hpp"

namespace bistro {

// Predictive probabilities and back-off weights, summed over samples.
struct PredictiveSum {
    LongArray<double> probability;  // one per entry
    LongArray<double> backoff;      // one per restaurant
    std::int32_t samples = 0;

    void add(const Franchise& franchise) {
        const auto& entries = franchise.entries();
        if (probability.size() > entries.size() || backoff.size() > franchise.restaurants().size())
            throw std::invalid_argument("the samples belong to another set of events");
        catch_up(franchise);
        const LongArray<double> now = franchise.entry_probabilities();
        for (std::size_t i = 0; i < now.size(); ++i) probability[i] += now[i];
        for (std::size_t i = 0; i < backoff.size(); ++i) backoff[i] += franchise.backoff(franchise.restaurants()[i]);
        ++samples;
    }

private:
    // Pairs created since the last sample did not exist in earlier samples: there, a new restaurant had its parent's
    // values, and a new dish had the restaurant's weight times its parent's probability (mean times mean, as in `freeze`).
    void catch_up(const Franchise& franchise) {
        const auto& entries = franchise.entries();
        backoff.resize(franchise.restaurants().size(), samples);
        for (std::size_t i = probability.size(); i < entries.size(); ++i) {
            const Entry& entry = entries[i];
            const double parent =
                entry.parent == kNone ? samples * franchise.base().probability(entry.dish) : probability[entry.parent];
            probability.push_back(samples > 0 ? backoff[entry.restaurant] / samples * parent : 0.0);
        }
    }
};

struct FrozenArrays {
    LongArray<std::uint32_t> child_begin, element, entry_begin, dish;
    LongArray<float> backoff, probability;
    std::vector<double> base;
};

// Members of each group, in order: members[begin[g]] to members[begin[g + 1]].
struct Groups {
    LongArray<std::uint32_t> begin, members;

    template <class GroupOf>
    Groups(std::size_t groups, std::size_t items, const GroupOf& group_of) : begin(groups + 1, 0) {
        for (std::uint32_t i = 0; i < items; ++i)
            if (group_of(i) != kNone) ++begin[group_of(i) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        members.resize(begin.back());
        LongArray<std::uint32_t> next(begin.begin(), begin.end() - 1);
        for (std::uint32_t i = 0; i < items; ++i)
            if (group_of(i) != kNone) members[next[group_of(i)]++] = i;
    }
};

// Appends a region for the given members. owner[slot] is the member in each slot.
template <class KeyOf>
void append_region(const std::uint32_t* first, const std::uint32_t* last, const KeyOf& key_of, LongArray<std::uint32_t>& keys,
                   LongArray<std::uint32_t>& owner) {
    const auto begin = static_cast<std::uint32_t>(keys.size());
    const std::uint32_t size = region_size(static_cast<std::size_t>(last - first));
    keys.resize(begin + size, kNone);
    owner.resize(begin + size, kNone);
    std::uint32_t next = begin;
    for (; first != last; ++first) {
        const std::uint32_t key = key_of(*first);
        std::uint32_t at = size <= kLinear ? next++ : begin + region_start(key, size);
        while (keys[at] != kNone)
            if (++at == begin + size) at = begin;
        keys[at] = key;
        owner[at] = *first;
    }
}

// The weight of the parent that makes a restaurant's distribution sum to 1.
inline double normalising_backoff(const Franchise& franchise, const PredictiveSum& sum, const std::uint32_t* first,
                                  const std::uint32_t* last, std::uint32_t restaurant) {
    double seen = 0, seen_by_parent = 0;
    for (; first != last; ++first) {
        const Entry& entry = franchise.entries()[*first];
        seen += sum.probability[*first] / sum.samples;
        seen_by_parent +=
            entry.parent == kNone ? franchise.base().probability(entry.dish) : sum.probability[entry.parent] / sum.samples;
    }
    // If nearly all of the mass is seen, the quotient is rounding noise, and hardly any mass is left.
    if (sum.samples == 1 || 1 - seen_by_parent < 1e-6 || 1 - seen < 0) return sum.backoff[restaurant] / sum.samples;
    return (1 - seen) / (1 - seen_by_parent);
}

inline FrozenArrays freeze(const Franchise& franchise, const PredictiveSum& sum) {
    const auto& restaurants = franchise.restaurants();
    const auto& entries = franchise.entries();
    if (sum.samples < 1 || sum.probability.size() != entries.size() || sum.backoff.size() != restaurants.size())
        throw std::invalid_argument("the samples belong to another set of events");
    const Groups children(restaurants.size(), restaurants.size(), [&](std::uint32_t i) { return restaurants[i].parent; });
    const Groups served(restaurants.size(), entries.size(), [&](std::uint32_t i) { return entries[i].restaurant; });

    FrozenArrays out;
    out.element.push_back(kNone);
    LongArray<std::uint32_t> restaurant_at{0}, entry_at;
    std::size_t parents = 0;
    for (std::uint32_t slot = 0; slot < restaurant_at.size(); ++slot) {
        out.child_begin.push_back(static_cast<std::uint32_t>(out.element.size()));
        out.entry_begin.push_back(static_cast<std::uint32_t>(out.dish.size()));
        const std::uint32_t r = restaurant_at[slot];
        out.backoff.push_back(1.0f);
        if (r == kNone) continue;
        const std::uint32_t* kids = children.members.data();
        append_region(
            kids + children.begin[r], kids + children.begin[r + 1],
            [&](std::uint32_t i) { return static_cast<std::uint32_t>(restaurants[i].element); }, out.element, restaurant_at);
        if (children.begin[r] != children.begin[r + 1]) parents = slot + 1;
        const std::uint32_t* own = served.members.data();
        append_region(
            own + served.begin[r], own + served.begin[r + 1],
            [&](std::uint32_t i) { return static_cast<std::uint32_t>(entries[i].dish); }, out.dish, entry_at);
        out.backoff[slot] =
            static_cast<float>(normalising_backoff(franchise, sum, own + served.begin[r], own + served.begin[r + 1], r));
    }
    out.child_begin.push_back(static_cast<std::uint32_t>(out.element.size()));
    out.child_begin.resize(parents + 1);  // the remaining restaurants have no children
    out.child_begin.shrink_to_fit();
    out.entry_begin.push_back(static_cast<std::uint32_t>(out.dish.size()));
    for (const std::uint32_t id : entry_at)
        out.probability.push_back(id == kNone ? 0.0f : static_cast<float>(sum.probability[id] / sum.samples));
    const bool uniform = dynamic_cast<const UniformBase*>(&franchise.base()) != nullptr;
    for (std::int32_t x = 0; x < (uniform ? 1 : franchise.base().dishes()); ++x)
        out.base.push_back(franchise.base().probability(x));
    return out;
}

}  // namespace bistro
