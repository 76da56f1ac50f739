// How several derivations of the same words are combined: by their sum, or by their maximum.
//
// `star(a)` is the value of any number of repetitions, 1 + a + a² + …
#pragma once

#include <stdexcept>

namespace bistro::pcfg {

struct Sums {
    static double plus(double a, double b) { return a + b; }
    static double star(double a) {
        if (!(a < 1)) throw std::invalid_argument("a cycle of unary rules has a probability of 1 or more");
        return 1 / (1 - a);
    }
};

struct Maxima {
    static double plus(double a, double b) { return a > b ? a : b; }
    static double star(double) { return 1; }  // a repetition never makes a derivation more probable
};

}  // namespace bistro::pcfg
