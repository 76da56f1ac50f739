// A factor on the probability of a shift that depends on the number of generated words: (words / begin)^-exponent after
// `begin` words, and 1 before.
//
// Contexts contain the top of the stack but not the length of the sentence, and with smoothed contexts, long sentences
// continue too often. The factor is applied before the possible actions are normalised, so the model remains a distribution
// over all finite sentences and trees.
#pragma once

#include <cmath>
#include <cstdint>

namespace bistro {

struct Pace {
    double begin = 1, exponent = 0;  // with exponent 0, every factor is 1

    double factor(std::int32_t words) const { return exponent == 0 || words <= begin ? 1.0 : std::pow(words / begin, -exponent); }
};

}  // namespace bistro
