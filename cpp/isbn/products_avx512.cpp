// Products for x86-64 processors with registers of 512 bits. See products.hpp for what this file must not include.
#include "compiler.hpp"
#include "isbn/products.hpp"

#if defined(BISTRO_FILE_FOR_AVX512)

#include "isbn/registers256.hpp"
#include "isbn/tiles.hpp"

namespace bistro::isbn {
namespace {

struct Registers512 {
    using Vector = __m512;
    using Half = Registers256;
    static constexpr std::size_t kWidth = 16;
    // Panels in a tile with 1, 2, 3, ... vectors: at most 25 of the 32 registers hold sums.
    static constexpr std::size_t kPanels[] = {5, 10, 8, 5, 5, 4, 3, 3, 2, 2, 2, 2};

    static BISTRO_INLINE Vector zero() { return _mm512_setzero_ps(); }
    static BISTRO_INLINE Vector load(const float* from) { return _mm512_loadu_ps(from); }
    static BISTRO_INLINE void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
    static BISTRO_INLINE Vector fused(float x, Vector y, Vector z) { return _mm512_fmadd_ps(_mm512_set1_ps(x), y, z); }
};

}  // namespace

Products* products_avx512() { return products<Registers512>; }

}  // namespace bistro::isbn

#else

bistro::isbn::Products* bistro::isbn::products_avx512() { return nullptr; }

#endif
