// Products of a matrix in panels (panels.hpp) with several vectors, one implementation per kind of processor.
//
// All implementations give the same bits: every output has its own lane, to which the products are added in the order of the
// rows, each by a fused multiply-add, which rounds once. Most x86-64 processors since 2013 and all 64-bit ARM processors have
// this operation. Elsewhere, it is computed from operations in double precision, with the same result (fused.hpp).
//
// Some implementations are compiled for instructions that the user's processor may not have. Their files must not use inline
// functions of other headers, since the linker could choose their version for the whole program.
#pragma once

#include <cstddef>

namespace bistro::isbn {

// Floats in a panel, and in the half panel that a matrix may end with.
constexpr std::size_t kWhole = 16, kHalf = 8;

// ys[s][j] = start[j] + sum over i of xs[s][i] w[i][j] for n vectors; without the first term if `start` is null. The number of
// columns is a multiple of eight: whole panels, and at most one half panel.
using Products = void(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                      std::size_t rows, std::size_t columns);

// For registers of 512 and 256 bits; null if the file was compiled without these instructions. The caller checks whether the
// processor has them.
Products* products_avx512();
Products* products_avx2();

// For any processor.
Products* products_anywhere();

}  // namespace bistro::isbn
