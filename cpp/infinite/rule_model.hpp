// The queries of a search to a model of rules: the place of a context, and the probability of a rule there.
//
// P(T) = Π over nodes of P(rule | context). The context of a node is its own symbol, followed by the symbols of its
// ancestors or the rules that rewrite them, nearest first, up to the root. Finding the place of a context takes longer than
// finding a probability there, so these are separate queries.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace bistro {

// The place of a context in a model: the deepest stored place that agrees with it.
struct Place {
    std::uint32_t node;
    std::int32_t depth;  // number of elements of the context that were followed, including its own symbol

    bool operator==(const Place&) const = default;
};

template <class Model>
concept RuleModel = requires(const Model& model, std::span<const std::int32_t> nearest_first, Place place, std::int32_t rule) {
    { model.locate(nearest_first) } -> std::same_as<Place>;
    { model.probability(place, rule) } -> std::convertible_to<double>;
    { model.depth_bound() } -> std::convertible_to<int>;  // longer contexts are cut to this length; -1: no limit
};

}  // namespace bistro
