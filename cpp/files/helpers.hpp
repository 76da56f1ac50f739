// Threads that share some work: each takes the next part until no part is left.
//
// If the system allows no more threads, the existing threads do the work. The result does not depend on their number.
#pragma once

#include <cstddef>
#include <system_error>
#include <vector>

#include "platform.hpp"

namespace bistro {

// Starts up to n threads that call run(). They are joined when the result goes out of scope.
template <class Run>
[[nodiscard]] std::vector<JoiningThread> helpers(int n, const Run& run) {
    std::vector<JoiningThread> started;
    // Memory is allocated before the first thread starts.
    started.reserve(n > 0 ? static_cast<std::size_t>(n) : 0);
    try {
        while (static_cast<int>(started.size()) < n) started.emplace_back([&run] { run(); });
    } catch (const std::system_error&) {
    }
    return started;
}

}  // namespace bistro
