// Products of a matrix in panels (panels.hpp) with several vectors, one implementation per kind of processor.
//
// All implementations give the same bits: every output has a lane of its own, to which the products are added in the order of the
// rows, each by a fused multiply-add, which rounds once. Most x86-64 processors since 2013 and all 64-bit processors by ARM have this
// operation. Elsewhere it is computed from operations in double precision, with the same result (fused.hpp).
//
// Some of the files with an implementation are compiled for processors that may not be the user's. These files must not use inline
// functions of other headers, since the linker could choose their version for the whole program.
#pragma once

#include <cstddef>

namespace bistro::isbn {

// Floats in a panel, and in the half panel that a matrix may end with.
constexpr std::size_t kWhole = 16, kHalf = 8;

// ys[s][j] = start[j] + sum over i of xs[s][i] w[i][j] for n vectors; from 0 without a start. The number of columns is a multiple of
// eight: whole panels, and half a panel at most.
using Products = void(float* const* ys, const float* const* xs, std::size_t n, const float* panels, const float* start,
                      std::size_t rows, std::size_t columns);

// For registers of 512 and 256 bits; null if the file was compiled without these instructions. The caller checks that the processor has
// them.
Products* products_avx512();
Products* products_avx2();

// For any processor.
Products* products_anywhere();

}  // namespace bistro::isbn
