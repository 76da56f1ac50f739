// Differences between compilers, systems and processors: GCC, Clang and MSVC; Linux, macOS and Windows. See also compiler.hpp,
// isbn/lanes.hpp and isbn/products.hpp.
//
// Results are the same everywhere, and only speed may differ. Where prefetching or large pages are not supported, nothing is
// prefetched, and memory has pages of the default size.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(_WIN32)
#include <malloc.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "compiler.hpp"

namespace bistro {

// Prefetches memory that is needed soon.
inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
    static_cast<void>(address);
#endif
}

// Does this processor have registers of 256 bits with fused multiply-add, and does the system save them?
inline bool has_avx2() {
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(_M_X64)
    int basic[4], extended[4];
    __cpuid(basic, 1);
    __cpuidex(extended, 7, 0);
    const bool saves = (basic[2] >> 27 & 1) && (_xgetbv(0) & 0x06) == 0x06;
    return saves && (basic[2] >> 12 & 1) && (extended[1] >> 5 & 1);
#else
    return false;
#endif
}

// Does this processor also have registers of 512 bits, and does the system save them?
inline bool has_avx512() {
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    return has_avx2() && __builtin_cpu_supports("avx512f");
#elif defined(_M_X64)
    int extended[4];
    __cpuidex(extended, 7, 0);
    // The compiler uses five extensions with these registers: F, DQ, CD, BW and VL.
    constexpr unsigned all = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    return has_avx2() && (_xgetbv(0) & 0xe6) == 0xe6 && (static_cast<unsigned>(extended[1]) & all) == all;
#else
    return false;
#endif
}

// The product of two 64-bit numbers, in two halves.
struct WideProduct {
    std::uint64_t high, low;
};

inline WideProduct wide_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    return {__umulh(a, b), a * b};
#else
    const std::uint64_t a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32);
    const std::uint64_t other = a_low * b_high + (middle & 0xffffffff);
    return {a_high * b_high + (middle >> 32) + (other >> 32), a * b};
#endif
}

// `size` must be a multiple of `alignment`. The result must be freed by `free_aligned`, and is null if there is not enough
// memory.
inline void* allocate_aligned(std::size_t alignment, std::size_t size) {
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    return std::aligned_alloc(alignment, size);
#endif
}

inline void free_aligned(void* memory) {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

// Requests large pages, if the system supports it.
inline void prefer_large_pages(void* memory, std::size_t size) {
#if defined(MADV_HUGEPAGE)
    madvise(memory, size, MADV_HUGEPAGE);
#else
    static_cast<void>(memory), static_cast<void>(size);
#endif
}

// Maps a new unnamed file in a folder. Returns null and sets the error number if this fails. Its disk space is allocated at
// once, since a full disk would later crash the process.
inline void* map_new_file(const std::string& folder, std::size_t size, int& error) {
#if defined(_WIN32)
    static_cast<void>(folder), static_cast<void>(size);
    error = ENOSYS;
    return nullptr;
#else
    std::string name = folder + "/bistro-counts-XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) return error = errno, nullptr;
    unlink(name.c_str());
#if defined(__APPLE__)
    error = ftruncate(file, static_cast<off_t>(size)) == 0 ? 0 : errno;
#else
    error = posix_fallocate(file, 0, static_cast<off_t>(size));
#endif
    void* memory = error == 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : nullptr;
    if (memory == MAP_FAILED) error = errno, memory = nullptr;
    close(file);
    return memory;
#endif
}

inline void unmap(void* memory, std::size_t size) {
#if defined(_WIN32)
    static_cast<void>(memory), static_cast<void>(size);
#else
    munmap(memory, size);
#endif
}

// A thread that is joined at the end of its scope. The standard library of macOS has no std::jthread.
class JoiningThread {
public:
    template <class Run>
    explicit JoiningThread(Run&& run) : thread_(std::forward<Run>(run)) {}
    JoiningThread(JoiningThread&&) = default;
    JoiningThread& operator=(JoiningThread&&) = delete;
    ~JoiningThread() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::thread thread_;
};

}  // namespace bistro
