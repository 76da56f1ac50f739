// Implementation of kernels.hpp: templates, compiled for float (for several widths of registers) and for double.
#include "isbn/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "isbn/elementary.hpp"
#include "isbn/lanes.hpp"
#include "platform.hpp"

namespace bistro::isbn {

namespace {

template <class Real>
BISTRO_INLINE void scaled(Real* __restrict y, Real a, const Real* __restrict x, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) y[j] += a * x[j];
}

template <class Real>
BISTRO_INLINE void row(Real* __restrict y, const Real* __restrict x, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) y[j] += x[j];
}

// Adds up whole blocks of columns in registers, starting at column `first`. Returns the first remaining column.
template <std::size_t block, class Real>
BISTRO_INLINE std::size_t product_in_blocks(Real* __restrict y, const Real* __restrict x, const Real* __restrict w,
                                            std::size_t rows, std::size_t columns, std::size_t first) {
    for (; first + block <= columns; first += block) {
        Real sums[block];
        for (std::size_t k = 0; k < block; ++k) sums[k] = y[first + k];
        for (std::size_t i = 0; i < rows; ++i) {
            const Real* __restrict from = w + i * columns + first;
            const Real a = x[i];
            for (std::size_t k = 0; k < block; ++k) sums[k] += a * from[k];
        }
        for (std::size_t k = 0; k < block; ++k) y[first + k] = sums[k];
    }
    return first;
}

// Adds up whole blocks of columns in registers, and the remaining columns four rows at a time.
template <std::size_t block, class Real>
BISTRO_INLINE void product(Real* __restrict y, const Real* __restrict x, const Real* __restrict w, std::size_t rows,
                           std::size_t columns) {
    const std::size_t first = product_in_blocks<block>(y, x, w, rows, columns, 0);
    std::size_t i = 0;
    for (; first < columns && i + 4 <= rows; i += 4) {
        const Real* __restrict w0 = w + i * columns;
        const Real* __restrict w1 = w0 + columns;
        const Real* __restrict w2 = w1 + columns;
        const Real* __restrict w3 = w2 + columns;
        const Real x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (std::size_t j = first; j < columns; ++j) y[j] = (((y[j] + x0 * w0[j]) + x1 * w1[j]) + x2 * w2[j]) + x3 * w3[j];
    }
    for (; first < columns && i < rows; ++i) scaled(y + first, x[i], w + i * columns + first, columns - first);
}

template <class Real>
BISTRO_INLINE Real dot(const Real* __restrict x, const Real* __restrict y, std::size_t n) {
    Real lanes[kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += x[j + k] * y[j + k];
    Real rest = 0;
    for (; j < n; ++j) rest += x[j] * y[j];
    return in_order(lanes) + rest;
}

// Four rows at a time: each sum is a chain of additions, and four independent chains keep the processor busy.
template <class Real>
BISTRO_INLINE void transposed(Real* __restrict y, const Real* __restrict x, const Real* __restrict w, std::size_t rows,
                              std::size_t columns) {
    constexpr std::size_t at_once = 4;
    std::size_t i = 0;
    for (; i + at_once <= rows; i += at_once, w += at_once * columns) {
        Vector<Real> sums[at_once] = {};
        Real rest[at_once] = {};
        std::size_t j = 0;
        for (; j + kLanes <= columns; j += kLanes) {
            const Vector<Real> v = load(x + j);
            for (std::size_t r = 0; r < at_once; ++r) sums[r] += load(w + r * columns + j) * v;
        }
        for (; j < columns; ++j)
            for (std::size_t r = 0; r < at_once; ++r) rest[r] += w[r * columns + j] * x[j];
        const Vector<Real, 4> whole = four_sums<Real>(sums);
        for (std::size_t r = 0; r < at_once; ++r) y[i + r] += whole[r] + rest[r];
    }
    for (; i < rows; ++i, w += columns) y[i] += dot(w, x, columns);
}

// A tile of the sum (`at_once` rows, `vectors` vectors of columns) stays in registers while all products are added to it.
// columns_of(s) returns the columns of product s.
template <std::size_t at_once, std::size_t vectors, class Real, class Columns>
BISTRO_INLINE void outer_tile(Real* __restrict g, std::size_t stride, const Real* const* xs, std::size_t n, std::size_t i,
                              const Columns& columns_of) {
    Vector<Real> sums[at_once][vectors];
    for (std::size_t r = 0; r < at_once; ++r)
        for (std::size_t b = 0; b < vectors; ++b) sums[r][b] = load(g + r * stride + b * kLanes);
    for (std::size_t s = 0; s < n; ++s) {
        const Real* __restrict x = xs[s] + i;
        const Real* __restrict y = columns_of(s);
        for (std::size_t b = 0; b < vectors; ++b) {
            const Vector<Real> v = load(y + b * kLanes);
            for (std::size_t r = 0; r < at_once; ++r) sums[r][b] += x[r] * v;
        }
    }
    for (std::size_t r = 0; r < at_once; ++r)
        for (std::size_t b = 0; b < vectors; ++b) store(g + r * stride + b * kLanes, sums[r][b]);
}

// The columns from `first` on, which do not fill a vector. `padded` contains them for each product, padded with zeros.
template <std::size_t at_once, class Real>
BISTRO_INLINE void outer_rest(Real* __restrict g, const Real* const* xs, const Real* padded, std::size_t n, std::size_t i,
                              std::size_t first, std::size_t columns) {
    alignas(64) Real tile[at_once * kLanes] = {};
    const std::size_t width = columns - first;
    for (std::size_t r = 0; r < at_once; ++r) std::copy_n(g + (i + r) * columns + first, width, tile + r * kLanes);
    outer_tile<at_once, 1>(tile, kLanes, xs, n, i, [&](std::size_t s) BISTRO_INLINE_LAMBDA { return padded + s * kLanes; });
    for (std::size_t r = 0; r < at_once; ++r) std::copy_n(tile + r * kLanes, width, g + (i + r) * columns + first);
}

template <class Real>
BISTRO_INLINE void outers(Real* __restrict g, const Real* const* xs, const Real* const* ys, std::size_t n, std::size_t rows,
                          std::size_t columns) {
    constexpr std::size_t at_once = 4, vectors = 2;
    const std::size_t first = columns - columns % kLanes;
    static thread_local Aligned<Real> padded;
    if (first < columns) {
        padded.assign(n * kLanes, Real(0));
        for (std::size_t s = 0; s < n; ++s) std::copy_n(ys[s] + first, columns - first, padded.data() + s * kLanes);
    }
    std::size_t i = 0;
    for (; i + at_once <= rows; i += at_once) {
        std::size_t j = 0;
        auto columns_of = [&](std::size_t s) BISTRO_INLINE_LAMBDA { return ys[s] + j; };
        for (; j + vectors * kLanes <= columns; j += vectors * kLanes)
            outer_tile<at_once, vectors>(g + i * columns + j, columns, xs, n, i, columns_of);
        for (; j < first; j += kLanes) outer_tile<at_once, 1>(g + i * columns + j, columns, xs, n, i, columns_of);
        if (first < columns) outer_rest<at_once>(g, xs, padded.data(), n, i, first, columns);
    }
    for (; i < rows; ++i)
        for (std::size_t s = 0; s < n; ++s) scaled(g + i * columns, xs[s][i], ys[s], columns);
}

template <class Real>
BISTRO_INLINE void squash(Real* __restrict y, const Real* __restrict x, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) y[j] = Real(1) / (Real(1) + exponential(-x[j]));
}

template <class Real>
BISTRO_INLINE Real softmax(Real* __restrict x, std::size_t n) {
    const Real highest = highest_of(x, n);
    for (std::size_t j = 0; j < n; ++j) x[j] = exponential(x[j] - highest);
    Real lanes[kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += x[j + k];
    Real rest = 0;
    for (; j < n; ++j) rest += x[j];
    const Real sum = in_order(lanes) + rest, inverse = Real(1) / sum;
    for (std::size_t k = 0; k < n; ++k) x[k] *= inverse;
    return highest + std::log(sum);
}

template <class Real>
BISTRO_INLINE void gains(Real* __restrict y, const Real* __restrict x, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) y[j] = exponential(x[j]) - Real(1);
}

// 1 + m e, kept above 0 despite rounding errors.
template <class Real>
BISTRO_INLINE Real factor(Real m, Real e) {
    return std::max(Real(1) + m * e, Real(1e-6));
}

// One logarithm is computed for the product of four rows.
template <class Real>
BISTRO_INLINE void log_factors(Real* __restrict y, const Real* __restrict m, const Real* __restrict e, std::size_t rows,
                               std::size_t columns) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const Real* __restrict e0 = e + i * columns;
        const Real* __restrict e1 = e0 + columns;
        const Real* __restrict e2 = e1 + columns;
        const Real* __restrict e3 = e2 + columns;
        for (std::size_t j = 0; j < columns; ++j)
            y[j] +=
                logarithm((factor(m[i], e0[j]) * factor(m[i + 1], e1[j])) * (factor(m[i + 2], e2[j]) * factor(m[i + 3], e3[j])));
    }
    for (; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) y[j] += logarithm(factor(m[i], e[i * columns + j]));
}

// The sum over j of term(j), in lanes.
template <class Real, class Term>
BISTRO_INLINE Real sum_of(std::size_t n, const Term& term) {
    Real lanes[kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += term(j + k);
    Real rest = 0;
    for (; j < n; ++j) rest += term(j);
    return in_order(lanes) + rest;
}

template <class Real>
BISTRO_INLINE void ratio_means(Real* __restrict y, const Real* __restrict m, const Real* __restrict p, const Real* __restrict e,
                               std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i, e += columns)
        y[i] = sum_of<Real>(columns, [&](std::size_t j) BISTRO_INLINE_LAMBDA { return p[j] * e[j] / factor(m[i], e[j]); });
}

template <class Real>
BISTRO_INLINE void ratios(Real* __restrict y, const Real* __restrict m, const Real* __restrict c, const Real* __restrict e,
                          std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i, e += columns)
        for (std::size_t j = 0; j < columns; ++j) y[j] += c[i] * e[j] / factor(m[i], e[j]);
}

template <class Real>
BISTRO_INLINE void mean_slopes(Real* __restrict y, const Real* __restrict m, const Real* __restrict c, const Real* __restrict p,
                               const Real* __restrict a, const Real* __restrict e, std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i, e += columns)
        y[i] += sum_of<Real>(columns, [&](std::size_t j) BISTRO_INLINE_LAMBDA {
            const Real ratio = e[j] / factor(m[i], e[j]);
            return (a[j] - c[i] * p[j] * ratio) * ratio;
        });
}

template <class Real>
BISTRO_INLINE void gain_slopes(Real* __restrict g, const Real* __restrict m, const Real* __restrict c, const Real* __restrict p,
                               const Real* __restrict a, const Real* __restrict e, std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i, e += columns, g += columns)
        for (std::size_t j = 0; j < columns; ++j) {
            const Real inverse = Real(1) / factor(m[i], e[j]);
            g[j] += (Real(1) + e[j]) * inverse * (c[i] * p[j] * inverse + a[j] * m[i]);
        }
}

template <class Real>
BISTRO_INLINE void step(Real* __restrict w, Real* __restrict g, Real* __restrict squares, std::size_t n, Real rate, Real decay) {
    for (std::size_t j = 0; j < n; ++j) {
        const Real slope = g[j] + decay * w[j];
        squares[j] += slope * slope;
        w[j] -= rate * slope / std::sqrt(squares[j] + Real(1e-8));
        g[j] = 0;
    }
}

}  // namespace

#define BISTRO_KERNELS(Real, CLONES, WIDEST)                                                                                     \
    CLONES void add_row(Real* y, const Real* x, std::size_t n) { row(y, x, n); }                                                 \
    CLONES void add_product(Real* y, const Real* x, const Real* w, std::size_t rows, std::size_t columns) {                      \
        product<40>(y, x, w, rows, columns);                                                                                     \
    }                                                                                                                            \
    WIDEST void add_square_product(Real* y, const Real* x, const Real* w, std::size_t n) { product<80>(y, x, w, n, n); }         \
    WIDEST void add_transposed(Real* y, const Real* x, const Real* w, std::size_t rows, std::size_t columns) {                   \
        transposed(y, x, w, rows, columns);                                                                                      \
    }                                                                                                                            \
    WIDEST void add_outers(Real* g, const Real* const* xs, const Real* const* ys, std::size_t n, std::size_t rows,               \
                           std::size_t columns) {                                                                                \
        outers(g, xs, ys, n, rows, columns);                                                                                     \
    }                                                                                                                            \
    WIDEST void logistic(Real* y, const Real* x, std::size_t n) { squash(y, x, n); }                                             \
    CLONES Real normalise(Real* x, std::size_t n) { return softmax(x, n); }                                                      \
    CLONES void gains_of(Real* y, const Real* x, std::size_t n) { gains(y, x, n); }                                              \
    CLONES void add_log_factors(Real* y, const Real* m, const Real* e, std::size_t rows, std::size_t columns) {                  \
        log_factors(y, m, e, rows, columns);                                                                                     \
    }                                                                                                                            \
    CLONES void mean_ratios(Real* y, const Real* m, const Real* p, const Real* e, std::size_t rows, std::size_t columns) {       \
        ratio_means(y, m, p, e, rows, columns);                                                                                  \
    }                                                                                                                            \
    CLONES void add_ratios(Real* y, const Real* m, const Real* c, const Real* e, std::size_t rows, std::size_t columns) {        \
        ratios(y, m, c, e, rows, columns);                                                                                       \
    }                                                                                                                            \
    CLONES void add_slopes(Real* y, const Real* m, const Real* c, const Real* p, const Real* a, const Real* e, std::size_t rows, \
                           std::size_t columns) {                                                                                \
        mean_slopes(y, m, c, p, a, e, rows, columns);                                                                            \
    }                                                                                                                            \
    CLONES void add_gain_slopes(Real* g, const Real* m, const Real* c, const Real* p, const Real* a, const Real* e,              \
                                std::size_t rows, std::size_t columns) {                                                         \
        gain_slopes(g, m, c, p, a, e, rows, columns);                                                                            \
    }                                                                                                                            \
    CLONES void adagrad(Real* w, Real* g, Real* squares, std::size_t n, Real rate, Real decay) {                                 \
        step(w, g, squares, n, rate, decay);                                                                                     \
    }

BISTRO_KERNELS(float, BISTRO_WIDE, BISTRO_WIDEST)
BISTRO_KERNELS(double, , )

}  // namespace bistro::isbn
