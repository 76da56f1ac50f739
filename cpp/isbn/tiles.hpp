// Products with panels on one kind of processor: `Processor` defines vectors of floats and their fused multiply-add.
//
// A tile contains the sums for some vectors and some panels, which stay in registers while all rows are added to them. The larger
// a tile is, the fewer numbers are loaded per sum, so the best tiles use nearly all registers.
#pragma once

#include <cstddef>

#include "compiler.hpp"
#include "isbn/products.hpp"

namespace bistro::isbn {
namespace {

template <class Processor, std::size_t vectors, std::size_t panels, std::size_t lanes>
BISTRO_INLINE void tile(float* const* ys, const float* const* xs, const float* w, const float* start, std::size_t rows,
                             std::size_t column) {
    constexpr std::size_t width = Processor::kWidth, parts = lanes / width;
    typename Processor::Vector sums[vectors][panels][parts];
    const float* x[vectors];
    for (std::size_t s = 0; s < vectors; ++s) {
        x[s] = xs[s];
        for (std::size_t p = 0; p < panels; ++p)
            for (std::size_t k = 0; k < parts; ++k)
                sums[s][p][k] = start ? Processor::load(start + column + p * lanes + k * width) : Processor::zero();
    }
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t p = 0; p < panels; ++p)
            for (std::size_t k = 0; k < parts; ++k) {
                const typename Processor::Vector row = Processor::load(w + (p * rows + i) * lanes + k * width);
                for (std::size_t s = 0; s < vectors; ++s) sums[s][p][k] = Processor::fused(x[s][i], row, sums[s][p][k]);
            }
    for (std::size_t s = 0; s < vectors; ++s)
        for (std::size_t p = 0; p < panels; ++p)
            for (std::size_t k = 0; k < parts; ++k) Processor::store(ys[s] + column + p * lanes + k * width, sums[s][p][k]);
}

// A tile with `n` panels, at most `panels`.
template <class Processor, std::size_t vectors, std::size_t panels>
BISTRO_INLINE void whole_tile(std::size_t n, float* const* ys, const float* const* xs, const float* w, const float* start,
                                   std::size_t rows, std::size_t column) {
    if (n == panels) return tile<Processor, vectors, panels, kWhole>(ys, xs, w, start, rows, column);
    if constexpr (panels > 1) whole_tile<Processor, vectors, panels - 1>(n, ys, xs, w, start, rows, column);
}

// A part of the columns of a matrix: whole panels from `column` on, then a half panel if columns remain.
struct Block {
    const float* panels;  // the first panel
    const float* start;
    std::size_t rows, column, columns;
};

// The panels are distributed evenly among tiles.
template <class Processor, std::size_t vectors>
void block_of(const Block& block, float* const* ys, const float* const* xs) {
    constexpr std::size_t most = Processor::kPanels[vectors - 1];
    const std::size_t whole = block.columns / kWhole, tiles = (whole + most - 1) / most, rows = block.rows;
    for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t first = t * whole / tiles, n = (t + 1) * whole / tiles - first;
        whole_tile<Processor, vectors, most>(n, ys, xs, block.panels + first * kWhole * rows, block.start, rows,
                                             block.column + first * kWhole);
    }
    if (whole * kWhole < block.columns)
        tile<typename Processor::Half, vectors, 1, kHalf>(ys, xs, block.panels + whole * kWhole * rows, block.start, rows,
                                                          block.column + whole * kWhole);
}

// A group of `n` vectors, at most `vectors`.
template <class Processor, std::size_t vectors>
BISTRO_INLINE void some_vectors(std::size_t n, const Block& block, float* const* ys, const float* const* xs) {
    if (n == vectors) return block_of<Processor, vectors>(block, ys, xs);
    if constexpr (vectors > 1) some_vectors<Processor, vectors - 1>(n, block, ys, xs);
}

// Many vectors are distributed evenly among groups, since small groups are slow. A block of columns stays in the second-level
// cache while all groups are multiplied with it.
template <class Processor>
void products(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start, std::size_t rows,
              std::size_t columns) {
    constexpr std::size_t most = sizeof Processor::kPanels / sizeof *Processor::kPanels;
    constexpr std::size_t floats_of_block = 1 << 16;
    const std::size_t block_columns = (floats_of_block / (kWhole * rows + 1) + 1) * kWhole, groups = (n + most - 1) / most;
    for (std::size_t column = 0; column < columns; column += block_columns) {
        const std::size_t left = columns - column;
        const Block block{panels + column * rows, start, rows, column, left < block_columns ? left : block_columns};
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t first = g * n / groups;
            some_vectors<Processor, most>((g + 1) * n / groups - first, block, ys + first, xs + first);
        }
    }
}

}  // namespace
}  // namespace bistro::isbn
