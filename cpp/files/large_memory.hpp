// Memory in large pages, if the system supports them.
//
// A hundred thousand page faults take longer than reading a model, and random look-ups in a large table wait for the
// translation of small pages as often as for the table itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "platform.hpp"

namespace bistro {

struct Freed {
    void operator()(unsigned char* p) const { free_aligned(p); }
};
using Memory = std::unique_ptr<unsigned char[], Freed>;

inline Memory large_memory(std::size_t size) {
    constexpr std::size_t kLargePage = std::size_t{2} << 20, kLine = 64;
    const std::size_t alignment = size >= kLargePage ? kLargePage : kLine;
    const std::size_t whole = std::max((size + alignment - 1) / alignment * alignment, alignment);
    Memory memory(static_cast<unsigned char*>(allocate_aligned(alignment, whole)));
    if (!memory) throw std::bad_alloc();
    if (size >= kLargePage) prefer_large_pages(memory.get(), whole);
    return memory;
}

}  // namespace bistro
