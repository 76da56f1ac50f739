// What a search asks of a model of rules: where a context stands, and how probable a rule is there.
//
// P(T) = Π over nodes of P(rule | context). The context of a node is its own symbol, then what its ancestors are, nearest first, up to
// the root: their symbols, or the rules they were rewritten with. Finding the place of a context costs more than a probability there,
// so the two are asked apart.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace bistro {

// What is left of a context in a model: the deepest stored place that agrees with it.
struct Place {
    std::uint32_t node;
    std::int32_t depth;  // how many elements of the context were followed, its own symbol included

    bool operator==(const Place&) const = default;
};

template <class Model>
concept RuleModel = requires(const Model& model, std::span<const std::int32_t> nearest_first, Place place, std::int32_t rule) {
    { model.locate(nearest_first) } -> std::same_as<Place>;
    { model.probability(place, rule) } -> std::convertible_to<double>;
    { model.depth_bound() } -> std::convertible_to<int>;  // longer contexts are cut to this length; -1: none is
};

}  // namespace bistro
