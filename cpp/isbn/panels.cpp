// Implementation of panels.hpp. `panel_products` uses the fastest version for the processor, which is chosen at the first call.
#include "isbn/panels.hpp"

#include <algorithm>
#include <cstring>

#include "isbn/elementary.hpp"
#include "isbn/products.hpp"
#include "platform.hpp"

namespace bistro::isbn {

namespace {

// The fastest implementation for this processor.
Products* quickest_products() {
    Products* const by_512_bits = has_avx512() ? products_avx512() : nullptr;
    if (by_512_bits) return by_512_bits;
    Products* const by_256_bits = has_avx2() ? products_avx2() : nullptr;
    return by_256_bits ? by_256_bits : products_anywhere();
}

template <std::size_t vectors>
BISTRO_INLINE void sum_block(float* __restrict y, const float* const* rows, std::size_t n, std::size_t column) {
    Vector<float> sums[vectors] = {};
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t b = 0; b < vectors; ++b) sums[b] += load(rows[r] + column + b * kLanes);
    for (std::size_t b = 0; b < vectors; ++b) store(y + column + b * kLanes, sums[b]);
}

// Computes y for `at_once` rows, at most four: a sum in sixteen lanes over all whole panels, plus the sum over the half panel.
template <std::size_t at_once>
BISTRO_INLINE void row_means(float* y, const float* p, const float* panels, std::size_t rows, std::size_t columns, std::size_t i) {
    Vector<float> sums[4] = {};
    std::size_t column = 0;
    for (; column + kLanes <= columns; column += kLanes) {
        const Vector<float> v = load(p + column);
        for (std::size_t r = 0; r < at_once; ++r) sums[r] += load(panels + column * rows + (i + r) * kLanes) * v;
    }
    const Vector<float, 4> whole = four_sums<float>(sums);
    for (std::size_t r = 0; r < at_once; ++r) {
        float rest = 0;
        for (std::size_t k = 0; column + k < columns; ++k) rest += panels[column * rows + (i + r) * kHalfPanel + k] * p[column + k];
        y[i + r] = whole[r] + rest;
    }
}

// The maximum, which does not depend on the order.
BISTRO_INLINE float highest_in_panels(const float* x, std::size_t columns) {
    Vector<float, kHalfPanel> highest = load<float, kHalfPanel>(x);
    for (std::size_t j = kHalfPanel; j < columns; j += kHalfPanel) highest = higher(highest, load<float, kHalfPanel>(x + j));
    Vector<float, 4> halves[2];
    std::memcpy(halves, &highest, sizeof highest);
    const Vector<float, 4> four = higher(halves[0], halves[1]);
    const float a = four[0] > four[2] ? four[0] : four[2], b = four[1] > four[3] ? four[1] : four[3];
    return a > b ? a : b;
}

// The sum of sixteen lanes in the order of `in_order`; a half panel is added to the first eight lanes.
BISTRO_INLINE float sum_of_panels(const float* x, std::size_t columns) {
    Vector<float, kHalfPanel> low = {}, high = {};
    std::size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes)
        low += load<float, kHalfPanel>(x + j), high += load<float, kHalfPanel>(x + j + kHalfPanel);
    if (j < columns) low += load<float, kHalfPanel>(x + j);
    low += high;
    Vector<float, 4> quarters[2];
    std::memcpy(quarters, &low, sizeof low);
    quarters[0] += quarters[1];
    return (quarters[0][0] + quarters[0][2]) + (quarters[0][1] + quarters[0][3]);
}

template <std::size_t lanes>
BISTRO_INLINE void exponentials(float* x, float highest) {
    for (std::size_t k = 0; k < lanes; ++k) x[k] = exponential(x[k] - highest);
}

// exp(x - highest) in place; returns the inverse of the sum.
BISTRO_INLINE float unscaled(float* x, std::size_t columns) {
    const float highest = highest_in_panels(x, columns);
    std::size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) exponentials<kLanes>(x + j, highest);
    if (j < columns) exponentials<kHalfPanel>(x + j, highest);
    return 1.0f / sum_of_panels(x, columns);
}

}  // namespace

void pack_panels(float* panels, const float* matrix, std::size_t rows, std::size_t columns) {
    std::fill(panels, panels + rows * whole_panels(columns), 0.0f);
    for (std::size_t j = 0; j < columns; ++j) {
        const auto [first, stride] = panel_column(rows, whole_panels(columns), j);
        for (std::size_t i = 0; i < rows; ++i) panels[first + i * stride] = matrix[i * columns + j];
    }
}

void panel_products(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                    std::size_t rows, std::size_t columns) {
    static Products* const quickest = quickest_products();
    quickest(ys, xs, n, panels, start, rows, columns);
}

BISTRO_WIDEST void panel_means(float* y, const float* p, const float* panels, std::size_t rows, std::size_t columns) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) row_means<4>(y, p, panels, rows, columns, i);
    for (; i < rows; ++i) row_means<1>(y, p, panels, rows, columns, i);
}

BISTRO_WIDEST float dot_product(const float* x, const float* y, std::size_t n) {
    Vector<float> lanes = {};
    std::size_t j = 0;
    for (; j + kLanes <= n; j += kLanes) lanes += load(x + j) * load(y + j);
    const Vector<float, 4> four = to_four<float>(lanes);
    float sum = (four[0] + four[2]) + (four[1] + four[3]);
    for (; j < n; ++j) sum += x[j] * y[j];
    return sum;
}

BISTRO_WIDEST void sum_rows(float* y, const float* const* rows, std::size_t n, std::size_t width) {
    std::size_t column = 0;
    for (; column + 5 * kLanes <= width; column += 5 * kLanes) sum_block<5>(y, rows, n, column);
    for (; column + kLanes <= width; column += kLanes) sum_block<1>(y, rows, n, column);
    for (; column < width; ++column) {
        float sum = 0;
        for (std::size_t r = 0; r < n; ++r) sum += rows[r][column];
        y[column] = sum;
    }
}

BISTRO_WIDEST float exponentials_in_panels(float* x, std::size_t columns) { return unscaled(x, columns); }

BISTRO_WIDEST void normalise_panels(float* x, std::size_t columns) {
    const float inverse = unscaled(x, columns);
    for (std::size_t j = 0; j < columns; j += kHalfPanel)
        for (std::size_t k = 0; k < kHalfPanel; ++k) x[j + k] *= inverse;
}

}  // namespace bistro::isbn
