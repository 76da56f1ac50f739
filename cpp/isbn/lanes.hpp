// Vectors of sixteen numbers that are added and multiplied together, so that partial sums stay in registers.
//
// GCC and Clang have built-in types for them. Elsewhere (or with BISTRO_PLAIN_LANES, which the tests define), they are arrays,
// and the compiler may turn their loops into the same instructions. The sums are identical to the last bit.
#pragma once

#include <cstddef>
#include <cstring>

#include "platform.hpp"

// Functions with these attributes are compiled for several widths of registers; one version is chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define BISTRO_WIDE __attribute__((target_clones("avx2", "default")))
#define BISTRO_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BISTRO_WIDE
#define BISTRO_WIDEST
#endif

namespace bistro::isbn {

constexpr std::size_t kLanes = 16;

#if (defined(__GNUC__) || defined(__clang__)) && !defined(BISTRO_PLAIN_LANES)

template <class Real, std::size_t n = kLanes>
struct Lanes {
    typedef Real type __attribute__((vector_size(n * sizeof(Real))));
};

#else

template <class Real, std::size_t n = kLanes>
struct Lanes {
    struct type {
        Real values[n];

        BISTRO_INLINE Real operator[](std::size_t k) const { return values[k]; }
        BISTRO_INLINE type& operator+=(const type& other) {
            for (std::size_t k = 0; k < n; ++k) values[k] += other.values[k];
            return *this;
        }
        friend BISTRO_INLINE type operator+(type a, const type& b) { return a += b; }
        friend BISTRO_INLINE type operator*(type a, const type& b) {
            for (std::size_t k = 0; k < n; ++k) a.values[k] *= b.values[k];
            return a;
        }
        friend BISTRO_INLINE type operator*(Real x, type a) {
            for (std::size_t k = 0; k < n; ++k) a.values[k] *= x;
            return a;
        }
    };
};

#endif

template <class Real, std::size_t n = kLanes>
using Vector = typename Lanes<Real, n>::type;

template <class Real, std::size_t n = kLanes>
BISTRO_INLINE Vector<Real, n> load(const Real* from) {
    Vector<Real, n> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class Real, std::size_t n = kLanes>
BISTRO_INLINE void store(Real* to, Vector<Real, n> v) {
    std::memcpy(to, &v, sizeof v);
}

// The maximum of each lane.
template <class V>
BISTRO_INLINE V higher(const V& a, const V& b) {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(BISTRO_PLAIN_LANES)
    return a > b ? a : b;
#else
    V c = a;
    for (std::size_t k = 0; k < sizeof c.values / sizeof *c.values; ++k)
        c.values[k] = a.values[k] > b.values[k] ? a.values[k] : b.values[k];
    return c;
#endif
}

// Adds up lanes in the order of `in_order` until four are left.
template <class Real>
BISTRO_INLINE Vector<Real, 4> to_four(Vector<Real> v) {
    Vector<Real, 8> halves[2];
    std::memcpy(halves, &v, sizeof v);
    halves[0] += halves[1];
    Vector<Real, 4> quarters[2];
    std::memcpy(quarters, &halves[0], sizeof halves[0]);
    return quarters[0] + quarters[1];
}

// The sums of four vectors, each in the order of `in_order`.
template <class Real>
BISTRO_INLINE Vector<Real, 4> four_sums(const Vector<Real>* v) {
    const auto a = to_four<Real>(v[0]), b = to_four<Real>(v[1]), c = to_four<Real>(v[2]), d = to_four<Real>(v[3]);
#if (defined(__GNUC__) || defined(__clang__)) && !defined(BISTRO_PLAIN_LANES)
    const auto ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const auto cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const auto lane0 = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5), lane2 = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
    const auto lane1 = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5), lane3 = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
    return (lane0 + lane2) + (lane1 + lane3);
#else
    Vector<Real, 4> sums{};
    const Vector<Real, 4> rows[4] = {a, b, c, d};
    for (std::size_t r = 0; r < 4; ++r) sums.values[r] = (rows[r][0] + rows[r][2]) + (rows[r][1] + rows[r][3]);
    return sums;
#endif
}

}  // namespace bistro::isbn
