// A factor on the probability of a shift by the words generated so far: (words / begin)^-exponent after `begin` words, 1 before.
//
// Contexts see the top of the stack, not how long the sentence is, and smoothed contexts go on too willingly in long sentences.
// The factor comes before the possible actions share the probability, so the model stays a distribution over all finite
// sentences and trees.
#pragma once

#include <cmath>
#include <cstdint>

namespace bistro {

struct Pace {
    double begin = 1, exponent = 0;  // without an exponent every factor is 1

    double factor(std::int32_t words) const { return exponent == 0 || words <= begin ? 1.0 : std::pow(words / begin, -exponent); }
};

}  // namespace bistro
