// Products of one matrix with several vectors at once, for the search.
//
// A matrix is cut into panels of sixteen columns, stored one after the other, so that every weight that is loaded is used for
// several vectors (tiles.hpp). The last panel may have eight columns; missing columns are filled with zeros. Every output has its
// own lane, to which the products are added in the order of the rows. `panel_products` uses fused multiply-add (products.hpp).
// The result depends neither on the number of vectors nor on the processor.
#pragma once

#include <cstddef>

#include "isbn/kernels.hpp"
#include "isbn/lanes.hpp"
#include "isbn/products.hpp"

namespace bistro::isbn {

inline constexpr std::size_t kHalfPanel = kLanes / 2;
static_assert(kLanes == kWhole && kHalfPanel == kHalf);
inline constexpr std::size_t whole_panels(std::size_t columns) { return (columns + kHalfPanel - 1) / kHalfPanel * kHalfPanel; }

// The panels of a matrix stored row by row; `panels` has room for rows * whole_panels(columns) numbers.
void pack_panels(float* panels, const float* matrix, std::size_t rows, std::size_t columns);

// Index of the first number of a column in panels, and the distance between its numbers.
struct PanelColumn {
    std::size_t first, stride;
};
inline PanelColumn panel_column(std::size_t rows, std::size_t columns, std::size_t j) {
    const std::size_t panel = j / kLanes * kLanes;
    return {panel * rows + j - panel, j < columns / kLanes * kLanes ? kLanes : kHalfPanel};
}

// ys[s][j] = start[j] + sum over i of xs[s][i] w[i][j] for n vectors; without the first term if `start` is null. `columns`
// includes the padding.
void panel_products(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                    std::size_t rows, std::size_t columns);

// y[i] = sum over j of p[j] w[i][j].
void panel_means(float* y, const float* p, const float* panels, std::size_t rows, std::size_t columns);

float dot_product(const float* x, const float* y, std::size_t n);

// y[j] = sum over r of rows[r][j], in this order.
void sum_rows(float* y, const float* const* rows, std::size_t n, std::size_t width);

// `normalise` for numbers that fill whole panels; the padding must be minus infinity.
void normalise_panels(float* x, std::size_t columns);

// The same, but the numbers must still be multiplied by the result. This is faster if only a few of them are used.
float exponentials_in_panels(float* x, std::size_t columns);

}  // namespace bistro::isbn
