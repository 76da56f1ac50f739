// Contexts that Python passes in, and training events that are returned to Python.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"

namespace bistro::bind {

using NamedContexts = std::map<std::string, std::vector<std::string>>;  // elements of the contexts of each distribution

// Returns (contexts as a matrix with `width` columns, outcomes).
inline nb::tuple give_events(std::vector<std::int32_t> contexts, std::vector<std::int32_t> outcomes, std::size_t width) {
    const std::size_t rows = outcomes.size();
    auto owned = std::make_unique<std::vector<std::int32_t>>(std::move(contexts));
    auto* data = owned.get();
    nb::capsule keeper(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> matrix(data->data(), {rows, width}, keeper);
    return nb::make_tuple(matrix, give(std::move(outcomes)));
}

}  // namespace bistro::bind
