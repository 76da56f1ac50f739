// Names of context elements. The number of an element is its index in the list of its model family. Each list is defined
// once, in C++: Python reads the names and passes contexts as names.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bistro {

using ContextList = std::vector<std::uint8_t>;  // numbers of elements, the most informative first

inline constexpr std::size_t kLongestContext = 31;

// The number of a name that is known at compile time. An unknown name does not compile.
template <std::size_t n>
consteval int number_of(const std::array<std::string_view, n>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument("there is no such element");
    return static_cast<int>(found - names.begin());
}

// The index of a name that is known only at run time.
inline std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument("there is no context element " + name);
    return static_cast<std::size_t>(found - names.begin());
}

inline ContextList context_list(const std::vector<std::string>& names, const std::vector<std::string>& context) {
    if (context.size() > kLongestContext) throw std::invalid_argument("a context has more than 31 elements");
    ContextList list;
    for (const std::string& name : context) list.push_back(static_cast<std::uint8_t>(place_of(names, name)));
    return list;
}

}  // namespace bistro
