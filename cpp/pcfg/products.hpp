// The inner loop of a chart: the terms of one span, over all its splits.
#pragma once

#include <cstddef>
#include <vector>

#include "pcfg/terms.hpp"

namespace bistro::pcfg {

// One split: the left sides of the span before the split, and the right sides of the span after the split.
struct Split {
    const double *left, *right;
};

// x[t] += left[t] right[t] for terms with their own left side. Four splits are processed at a time, so that x is read and
// written once for all of them.
template <class Semiring>
void add_singles(double* __restrict x, std::size_t n, const std::vector<Split>& splits) {
    std::size_t s = 0;
    for (; s + 4 <= splits.size(); s += 4) {
        const double* __restrict a0 = splits[s].left, * __restrict b0 = splits[s].right;
        const double* __restrict a1 = splits[s + 1].left, * __restrict b1 = splits[s + 1].right;
        const double* __restrict a2 = splits[s + 2].left, * __restrict b2 = splits[s + 2].right;
        const double* __restrict a3 = splits[s + 3].left, * __restrict b3 = splits[s + 3].right;
        for (std::size_t t = 0; t < n; ++t) {
            double sum = Semiring::plus(x[t], a0[t] * b0[t]);
            sum = Semiring::plus(sum, a1[t] * b1[t]);
            sum = Semiring::plus(sum, a2[t] * b2[t]);
            x[t] = Semiring::plus(sum, a3[t] * b3[t]);
        }
    }
    for (; s < splits.size(); ++s) {
        const double* __restrict a = splits[s].left, * __restrict b = splits[s].right;
        for (std::size_t t = 0; t < n; ++t) x[t] = Semiring::plus(x[t], a[t] * b[t]);
    }
}

// x[t] += left right[t] for the terms of a run, which share their left side.
template <class Semiring>
void add_run(double* __restrict x, double left, const double* __restrict right, Terms::Run run) {
    for (std::int32_t t = run.begin; t < run.end; ++t) x[t] = Semiring::plus(x[t], left * right[t]);
}

template <class Semiring>
void add_products(double* x, const Terms& terms, const std::vector<Split>& splits) {
    add_singles<Semiring>(x, static_cast<std::size_t>(terms.singles), splits);
    for (const Split& split : splits)
        for (std::size_t r = 0; r < terms.runs.size(); ++r) {
            const double left = split.left[terms.singles + r];
            if (left != 0) add_run<Semiring>(x, left, split.right, terms.runs[r]);
        }
}

}  // namespace bistro::pcfg
