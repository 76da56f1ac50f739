// Registers of 256 bits with fused multiply-add, with the interface that tiles.hpp expects.
#pragma once

#include <immintrin.h>

#include "isbn/tiles.hpp"

namespace bistro::isbn {
namespace {

struct Registers256 {
    using Vector = __m256;
    using Half = Registers256;
    static constexpr std::size_t kWidth = 8;
    // Panels in a tile with 1, 2, 3, ... vectors: at most 12 of the 16 registers hold sums.
    static constexpr std::size_t kPanels[] = {5, 3, 2, 1, 1, 1};

    static BISTRO_INLINE Vector zero() { return _mm256_setzero_ps(); }
    static BISTRO_INLINE Vector load(const float* from) { return _mm256_loadu_ps(from); }
    static BISTRO_INLINE void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
    static BISTRO_INLINE Vector fused(float x, Vector y, Vector z) { return _mm256_fmadd_ps(_mm256_set1_ps(x), y, z); }
};

}  // namespace
}  // namespace bistro::isbn
