// The frozen franchise as a Python object.
#pragma once

#include "bind/arrays.hpp"
#include "hpyp/frozen.hpp"

namespace bistro::bind {

// Keeps the arrays alive for as long as queries may read them.
struct FrozenHolder {
    In<std::uint32_t> child_begin, element, entry_begin;
    In<float> backoff;
    In<std::uint32_t> dish;
    In<float> probability;
    In<double> base;
    Frozen frozen;

    FrozenHolder(In<std::uint32_t> child_begin_, In<std::uint32_t> element_, In<std::uint32_t> entry_begin_,
                 In<float> backoff_, In<std::uint32_t> dish_, In<float> probability_, In<double> base_, std::int32_t dishes)
        : child_begin(std::move(child_begin_)), element(std::move(element_)), entry_begin(std::move(entry_begin_)),
          backoff(std::move(backoff_)), dish(std::move(dish_)), probability(std::move(probability_)), base(std::move(base_)),
          frozen{view(child_begin), view(element), view(entry_begin), view(backoff),
                 view(dish),        view(probability), view(base),     dishes} {
        nb::gil_scoped_release release;
        frozen.validate();
    }
};

}  // namespace bistro::bind
