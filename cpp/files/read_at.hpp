// Reading at a position of a file, by several threads at once, without moving the file's own position.
#pragma once

#include <cstddef>

namespace bistro {

// Reads up to `size` bytes from the position `at`. Returns their number, 0 at the end of the file, or -1 with errno.
std::ptrdiff_t read_at(int descriptor, void* to, std::size_t size, std::size_t at);

}  // namespace bistro
