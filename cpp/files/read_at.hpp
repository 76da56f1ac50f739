// Reading from a place of a file, by several threads at once: none of them moves the file's own position.
#pragma once

#include <cstddef>

namespace bistro {

// Reads up to `size` bytes from the place `at`; returns how many, 0 at the end of the file, or -1 with errno.
std::ptrdiff_t read_at(int descriptor, void* to, std::size_t size, std::size_t at);

}  // namespace bistro
