// Products on any processor: with the vectors of ARM, or one float at a time.
#include "isbn/products.hpp"

#if defined(__ARM_NEON) || defined(_M_ARM64)
#include <arm_neon.h>
#endif

#include "isbn/fused.hpp"
#include "isbn/tiles.hpp"

namespace bistro::isbn {
namespace {

#if (defined(__ARM_NEON) && defined(__aarch64__)) || defined(_M_ARM64)

struct Anywhere {
    using Vector = float32x4_t;
    using Half = Anywhere;
    static constexpr std::size_t kWidth = 4;
    // Panels in a tile with 1, 2, 3, ... vectors: at most 24 of the 32 registers hold sums.
    static constexpr std::size_t kPanels[] = {5, 3, 2, 1, 1, 1};

    static BISTRO_TILE_INLINE Vector zero() { return vdupq_n_f32(0); }
    static BISTRO_TILE_INLINE Vector load(const float* from) { return vld1q_f32(from); }
    static BISTRO_TILE_INLINE void store(float* to, Vector v) { vst1q_f32(to, v); }
    static BISTRO_TILE_INLINE Vector fused(float x, Vector y, Vector z) { return vfmaq_n_f32(z, y, x); }
};

#else

struct Anywhere {
    using Vector = float;
    using Half = Anywhere;
    static constexpr std::size_t kWidth = 1;
    static constexpr std::size_t kPanels[] = {1};

    static BISTRO_TILE_INLINE Vector zero() { return 0; }
    static BISTRO_TILE_INLINE Vector load(const float* from) { return *from; }
    static BISTRO_TILE_INLINE void store(float* to, Vector v) { *to = v; }
    static BISTRO_TILE_INLINE Vector fused(float x, Vector y, Vector z) {
#if defined(__FP_FAST_FMAF)
        return __builtin_fmaf(x, y, z);
#else
        return fused_by_doubles(x, y, z);
#endif
    }
};

#endif

}  // namespace

Products* products_anywhere() { return products<Anywhere>; }

}  // namespace bistro::isbn
