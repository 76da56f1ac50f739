// x * y + z with a single rounding (fused multiply-add), for processors without such an instruction.
#pragma once

#include <cstdint>
#include <cstring>

namespace bistro::isbn {

// The product of two floats is exact in double precision. Its sum with z is rounded to odd: an inexact sum becomes the neighbour
// whose last bit is 1, so that it is never half-way between two floats. Rounding it again, to a float, then gives the float
// nearest to the exact result (Boldo and Melquiond, 2008).
inline float fused_by_doubles(float x, float y, float z) {
    const double product = static_cast<double>(x) * static_cast<double>(y), addend = z;
    double sum = product + addend;
    const double taken = sum - product;
    const double error = (product - (sum - taken)) + (addend - taken);  // the exact error of the sum
    std::int64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    const bool is_inexact = error > 0 || error < 0, is_even = (bits & 1) == 0;
    const std::int64_t away_from_zero = (error > 0) == (sum > 0) ? 1 : -1;
    bits += is_inexact && is_even ? away_from_zero : 0;
    std::memcpy(&sum, &bits, sizeof sum);
    return static_cast<float>(sum);
}

}  // namespace bistro::isbn
