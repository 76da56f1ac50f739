// Exponential and logarithm that give the same results on every machine in single precision, and sums and maxima in lanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "isbn/lanes.hpp"
#include "platform.hpp"

namespace bistro::isbn {

template <class Real>
BISTRO_INLINE Real in_order(const Real* lanes) {
    Real half[kLanes / 2], quarter[kLanes / 4];
    for (std::size_t k = 0; k < kLanes / 2; ++k) half[k] = lanes[k] + lanes[k + kLanes / 2];
    for (std::size_t k = 0; k < kLanes / 4; ++k) quarter[k] = half[k] + half[k + kLanes / 4];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

// The maximum of n numbers. It does not depend on the order; in lanes, the comparisons need not wait for each other.
template <class Real>
BISTRO_INLINE Real highest_of(const Real* x, std::size_t n) {
    Real lanes[kLanes];
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = x[k < n ? k : 0];
    std::size_t j = kLanes;
    for (; j + kLanes <= n; j += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = x[j + k] > lanes[k] ? x[j + k] : lanes[k];
    for (std::size_t k = 0; j + k < n; ++k) lanes[k] = x[j + k] > lanes[k] ? x[j + k] : lanes[k];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) lanes[k] = lanes[k + half] > lanes[k] ? lanes[k + half] : lanes[k];
    return lanes[0];
}

// exp by a reduction modulo log 2 and a polynomial of degree 7 (relative error below 2e-7); 0 below -87.
BISTRO_INLINE float exponential(float x) {
    x = std::min(x, 88.0f);
    const float in_range = std::max(x, -87.0f);
    const float scaled_x = in_range * 1.44269504f;
    constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
    const float whole = (scaled_x + to_whole) - to_whole;
    float f = in_range - whole * 0.693359375f;
    f = f + whole * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * f + 1.3981999507e-3f;
    p = p * f + 8.3334519073e-3f;
    p = p * f + 4.1665795894e-2f;
    p = p * f + 1.6666665459e-1f;
    p = p * f + 5.0000001201e-1f;
    p = p * (f * f) + f + 1.0f;
    const std::int32_t bits = (static_cast<std::int32_t>(whole) + 127) << 23;
    float power;
    std::memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0.0f : p * power;
}
BISTRO_INLINE double exponential(double x) { return std::exp(x); }

// log of a positive number by a polynomial of degree 11 around 1 (relative error below 2e-7).
BISTRO_INLINE float logarithm(float x) {
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::int32_t shifted = bits - 0x3f3504f3;  // the bits of sqrt(1/2)
    const std::int32_t whole = shifted >> 23;
    bits = (shifted & 0x7fffff) + 0x3f3504f3;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    f -= 1.0f;
    float p = 7.0376836292e-2f;
    p = p * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    const float square = f * f, power = static_cast<float>(whole);
    p = p * f * square - 2.12194440e-4f * power - 0.5f * square;
    return f + p + 0.693359375f * power;
}
BISTRO_INLINE double logarithm(double x) { return std::log(x); }

}  // namespace bistro::isbn
