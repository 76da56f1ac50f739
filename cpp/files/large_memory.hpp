// Memory in large pages, where the system has them.
//
// A hundred thousand page faults take longer than reading a model, and look-ups all over a big table wait for the
// addresses of small pages as often as for the table itself.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace bistro {

struct Freed {
    void operator()(unsigned char* p) const { std::free(p); }
};
using Memory = std::unique_ptr<unsigned char[], Freed>;

inline Memory large_memory(std::size_t size) {
    constexpr std::size_t kLargePage = std::size_t{2} << 20, kLine = 64;
    const std::size_t alignment = size >= kLargePage ? kLargePage : kLine;
    const std::size_t whole = std::max((size + alignment - 1) / alignment * alignment, alignment);
    Memory memory(static_cast<unsigned char*>(std::aligned_alloc(alignment, whole)));
    if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (size >= kLargePage) madvise(memory.get(), whole, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace bistro
