#include "isbn/panels.hpp"

#include <algorithm>
#include <cstring>

#include "isbn/elementary.hpp"

namespace bistro::isbn {

namespace {

// The sums of some vectors and panels stay in registers while all rows are added to them.
template <std::size_t vectors, std::size_t panels, std::size_t lanes = kLanes>
BISTRO_INLINE void tile(float* const* ys, const float* const* xs, const float* __restrict w, const float* start, std::size_t rows,
                        std::size_t column) {
    Vector<float, lanes> sums[vectors][panels] = {};
    const float* __restrict x[vectors];
    for (std::size_t s = 0; s < vectors; ++s) {
        x[s] = xs[s];
        for (std::size_t p = 0; start && p < panels; ++p) sums[s][p] = load<float, lanes>(start + column + p * lanes);
    }
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t p = 0; p < panels; ++p) {
            const Vector<float, lanes> row = load<float, lanes>(w + (p * rows + i) * lanes);
            for (std::size_t s = 0; s < vectors; ++s) sums[s][p] += x[s][i] * row;
        }
    for (std::size_t s = 0; s < vectors; ++s)
        for (std::size_t p = 0; p < panels; ++p) store<float, lanes>(ys[s] + column + p * lanes, sums[s][p]);
}

// A few vectors and all panels, so many at a time.
template <std::size_t vectors, std::size_t at_once>
BISTRO_INLINE void few_in(float* const* ys, const float* const* xs, const float* panels, const float* start, std::size_t rows,
                          std::size_t columns) {
    std::size_t column = 0;
    for (; column + at_once * kLanes <= columns; column += at_once * kLanes)
        tile<vectors, at_once>(ys, xs, panels + column * rows, start, rows, column);
    for (; column + kLanes <= columns; column += kLanes) tile<vectors, 1>(ys, xs, panels + column * rows, start, rows, column);
    if (column < columns) tile<vectors, 1, kHalfPanel>(ys, xs, panels + column * rows, start, rows, column);
}

// Six sums at a time, of one panel or several, keep the machine busy and fit into sixteen registers of 256 bits; with 32 registers of
// 512 bits a number of a vector, once fetched, serves five panels.
template <std::size_t vectors>
BISTRO_INLINE void few(float* const* ys, const float* const* xs, const float* panels, const float* start, std::size_t rows,
                       std::size_t columns) {
    if (has_many_registers())
        few_in<vectors, 5>(ys, xs, panels, start, rows, columns);
    else
        few_in<vectors, 6 / vectors>(ys, xs, panels, start, rows, columns);
}

// As many vectors as `n`, which is 3 at least and 15 at most, and one panel.
template <std::size_t lanes>
BISTRO_INLINE void one_tile(float* const* ys, const float* const* xs, std::size_t n, const float* panel, const float* start,
                            std::size_t rows, std::size_t column) {
    switch (n) {
        case 3: return tile<3, 1, lanes>(ys, xs, panel, start, rows, column);
        case 4: return tile<4, 1, lanes>(ys, xs, panel, start, rows, column);
        case 5: return tile<5, 1, lanes>(ys, xs, panel, start, rows, column);
        case 6: return tile<6, 1, lanes>(ys, xs, panel, start, rows, column);
        case 7: return tile<7, 1, lanes>(ys, xs, panel, start, rows, column);
        case 8: return tile<8, 1, lanes>(ys, xs, panel, start, rows, column);
        case 9: return tile<9, 1, lanes>(ys, xs, panel, start, rows, column);
        case 10: return tile<10, 1, lanes>(ys, xs, panel, start, rows, column);
        case 11: return tile<11, 1, lanes>(ys, xs, panel, start, rows, column);
        case 12: return tile<12, 1, lanes>(ys, xs, panel, start, rows, column);
        case 13: return tile<13, 1, lanes>(ys, xs, panel, start, rows, column);
        case 14: return tile<14, 1, lanes>(ys, xs, panel, start, rows, column);
        default: return tile<15, 1, lanes>(ys, xs, panel, start, rows, column);
    }
}

// Four or more vectors and one panel, at most so many in a tile. They are shared out evenly: a single vector would wait for itself.
template <std::size_t lanes>
BISTRO_INLINE void one_panel(float* const* ys, const float* const* xs, std::size_t n, std::size_t most, const float* panel,
                             const float* start, std::size_t rows, std::size_t column) {
    const std::size_t tiles = (n + most - 1) / most;
    for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t first = t * n / tiles;
        one_tile<lanes>(ys + first, xs + first, (t + 1) * n / tiles - first, panel, start, rows, column);
    }
}

BISTRO_INLINE void many(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                        std::size_t rows, std::size_t columns) {
    const std::size_t most = has_many_registers() ? 15 : 6;
    std::size_t column = 0;
    for (; column + kLanes <= columns; column += kLanes)
        one_panel<kLanes>(ys, xs, n, most, panels + column * rows, start, rows, column);
    if (column < columns) one_panel<kHalfPanel>(ys, xs, n, most, panels + column * rows, start, rows, column);
}

template <std::size_t vectors>
BISTRO_INLINE void sum_block(float* __restrict y, const float* const* rows, std::size_t n, std::size_t column) {
    Vector<float> sums[vectors] = {};
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t b = 0; b < vectors; ++b) sums[b] += load(rows[r] + column + b * kLanes);
    for (std::size_t b = 0; b < vectors; ++b) store(y + column + b * kLanes, sums[b]);
}

// Four rows at once, and one after the other what is left: a sum in sixteen lanes over all whole panels, then half a panel.
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

// The highest number, which is the same in any order.
BISTRO_INLINE float highest_in_panels(const float* x, std::size_t columns) {
    Vector<float, kHalfPanel> highest = load<float, kHalfPanel>(x);
    for (std::size_t j = kHalfPanel; j < columns; j += kHalfPanel) highest = higher(highest, load<float, kHalfPanel>(x + j));
    Vector<float, 4> halves[2];
    std::memcpy(halves, &highest, sizeof highest);
    const Vector<float, 4> four = higher(halves[0], halves[1]);
    const float a = four[0] > four[2] ? four[0] : four[2], b = four[1] > four[3] ? four[1] : four[3];
    return a > b ? a : b;
}

// The sum of sixteen lanes in the order of `in_order`; half a panel belongs to the first eight.
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

BISTRO_WIDEST void panel_products(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                                  std::size_t rows, std::size_t columns) {
    switch (n) {
        case 0: return;
        case 1: return few<1>(ys, xs, panels, start, rows, columns);
        case 2: return few<2>(ys, xs, panels, start, rows, columns);
        case 3: return few<3>(ys, xs, panels, start, rows, columns);
        default: many(ys, xs, n, panels, start, rows, columns);
    }
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
