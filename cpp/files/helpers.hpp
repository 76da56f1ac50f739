// Threads that help with a piece of work of which everyone takes the next part until none is left.
//
// Where the system allows no further thread, the work is done by those that there are: the result does not depend on it.
#pragma once

#include <cstddef>
#include <system_error>
#include <vector>

#include "platform.hpp"

namespace bistro {

// Starts up to n threads that call run(); they are waited for where the result goes out of scope.
template <class Run>
[[nodiscard]] std::vector<JoiningThread> helpers(int n, const Run& run) {
    std::vector<JoiningThread> started;
    // Memory is taken before the first thread starts.
    started.reserve(n > 0 ? static_cast<std::size_t>(n) : 0);
    try {
        while (static_cast<int>(started.size()) < n) started.emplace_back([&run] { run(); });
    } catch (const std::system_error&) {
    }
    return started;
}

}  // namespace bistro
