// Products for any processor: with ARM vectors, with the vectors that all x86-64 processors have, or one float at a time.
#include "isbn/products.hpp"

#if defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

#include "isbn/fused.hpp"
#include "isbn/tiles.hpp"

namespace bistro::isbn {
namespace {

#if defined(__aarch64__) || defined(_M_ARM64)

struct Anywhere {
    using Vector = float32x4_t;
    using Half = Anywhere;
    static constexpr std::size_t kWidth = 4;
    // Panels in a tile with 1, 2, 3, ... vectors: at most 24 of the 32 registers hold sums.
    static constexpr std::size_t kPanels[] = {5, 3, 2, 1, 1, 1};

    static BISTRO_INLINE Vector zero() { return vdupq_n_f32(0); }
    static BISTRO_INLINE Vector load(const float* from) { return vld1q_f32(from); }
    static BISTRO_INLINE void store(float* to, Vector v) { vst1q_f32(to, v); }
    static BISTRO_INLINE Vector fused(float x, Vector y, Vector z) { return vfmaq_f32(z, y, vdupq_n_f32(x)); }
};

#elif defined(__SSE2__) || defined(_M_X64)

// Without fused multiply-add. A sum in double precision that is rounded to a float is the fused result, unless the sum lies
// half-way between two floats or below the normal floats. Such sums are rare, and are computed with more care.
struct Anywhere {
    using Vector = __m128;
    using Half = Anywhere;
    static constexpr std::size_t kWidth = 4;
    static constexpr std::size_t kPanels[] = {1, 1};

    static BISTRO_INLINE Vector zero() { return _mm_setzero_ps(); }
    static BISTRO_INLINE Vector load(const float* from) { return _mm_loadu_ps(from); }
    static BISTRO_INLINE void store(float* to, Vector v) { _mm_storeu_ps(to, v); }
    static BISTRO_INLINE Vector fused(float x, Vector y, Vector z) {
        const __m128d factor = _mm_set1_pd(static_cast<double>(x));
        const __m128d low = sum(factor, y, z), high = sum(factor, _mm_movehl_ps(y, y), _mm_movehl_ps(z, z));
        if (_mm_movemask_epi8(are_special(_mm_castpd_ps(low), _mm_castpd_ps(high)))) return one_by_one(x, y, z);
        return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
    }

private:
    static BISTRO_INLINE __m128d sum(__m128d factor, __m128 y, __m128 z) {
        return _mm_add_pd(_mm_mul_pd(factor, _mm_cvtps_pd(y)), _mm_cvtps_pd(z));
    }

    // A double has 29 more bits than a float. The sums are never below the normal doubles.
    static BISTRO_INLINE __m128i are_special(__m128 low, __m128 high) {
        const __m128i last = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
        const __m128i first = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
        const __m128i size = _mm_and_si128(first, _mm_set1_epi32(0x7fffffff)), least_normal = _mm_set1_epi32(0x38100000);
        const __m128i are_half_way =
            _mm_cmpeq_epi32(_mm_and_si128(last, _mm_set1_epi32(0x1fffffff)), _mm_set1_epi32(0x10000000));
        const __m128i are_small = _mm_and_si128(_mm_cmplt_epi32(size, least_normal), _mm_cmpgt_epi32(size, _mm_setzero_si128()));
        return _mm_or_si128(are_half_way, are_small);
    }

    static Vector one_by_one(float x, Vector y, Vector z) {
        float ys[kWidth], zs[kWidth];
        store(ys, y), store(zs, z);
        for (std::size_t k = 0; k < kWidth; ++k) zs[k] = fused_by_doubles(x, ys[k], zs[k]);
        return load(zs);
    }
};

#else

struct Anywhere {
    using Vector = float;
    using Half = Anywhere;
    static constexpr std::size_t kWidth = 1;
    static constexpr std::size_t kPanels[] = {1};

    static BISTRO_INLINE Vector zero() { return 0; }
    static BISTRO_INLINE Vector load(const float* from) { return *from; }
    static BISTRO_INLINE void store(float* to, Vector v) { *to = v; }
    static BISTRO_INLINE Vector fused(float x, Vector y, Vector z) {
#if defined(__FP_FAST_FMAF)
        return BISTRO_FUSED_FLOATS(x, y, z);
#else
        return fused_by_doubles(x, y, z);
#endif
    }
};

#endif

}  // namespace

Products* products_anywhere() { return products<Anywhere>; }

}  // namespace bistro::isbn
