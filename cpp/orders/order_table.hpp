// All orders of a head's dependents at once: a table of possible continuations for every remaining multiset and every
// context.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "stop/pause.hpp"

namespace bistro {

// The recursion of Futrell & Gibson (2015), Algorithm 1, from the empty multiset up: the right side of the head first, then
// the left side. A multiset is a number in mixed radix (counts + 1), so the remainder after a step has a smaller number. A
// context is a number in base kinds + 1. The last dependent is its lowest digit, and 0 stands for no dependent.
class OrderTable {
public:
    static constexpr int kLeft = 0, kRight = 1;
    static constexpr double kNothing = -std::numeric_limits<double>::infinity();

    // steps[side][context][kind, or stop as the last]: probabilities.
    OrderTable(std::span<const std::int64_t> counts, std::span<const double> steps, std::int64_t contexts)
        : counts_(counts), steps_(steps), kinds_(static_cast<std::int64_t>(counts.size())), contexts_(contexts) {
        if (contexts < 1 || std::ssize(steps) != 2 * contexts * (kinds_ + 1))
            throw std::invalid_argument("counts, steps and contexts of dependents do not match");
        for (const auto count : counts) {
            radix_.push_back(rows_);
            if (count < 0 || rows_ > kMostCells / (count + 1))
                throw std::invalid_argument("there are too many multisets of dependents");
            rows_ *= count + 1;
        }
        if (rows_ > kMostCells / contexts) throw std::invalid_argument("there are too many multisets of dependents");
        cells.resize(2 * rows_ * contexts_);
        log_scales.resize(2 * rows_);
    }

    // combine: the sum over the continuations, or their maximum.
    template <class Combine>
    void fill(Combine combine) {
        for (const int side : {kRight, kLeft}) {
            std::vector<std::int64_t> left_over(kinds_, 0);
            for (std::int64_t row = 0; row < rows_; ++row) {
                if (row % 64 == 0) pause();
                fill_row(side, row, left_over, combine);
                for (std::int64_t kind = 0; kind < kinds_; ++kind) {
                    if (++left_over[kind] <= counts_[kind]) break;
                    left_over[kind] = 0;
                }
            }
        }
    }

    std::vector<double> cells;       // [side][multiset][context], scaled so that the maximum of a row is 1
    std::vector<double> log_scales;  // [side][multiset]: log of the factor of the cells of a row

private:
    static constexpr std::int64_t kMostCells = std::int64_t{1} << 31;

    template <class Combine>
    void fill_row(int side, std::int64_t row, const std::vector<std::int64_t>& left_over, Combine combine) {
        const double ending = side == kLeft ? scale(kRight, row) : row == 0 ? 0.0 : kNothing;
        double top = ending;
        for (std::int64_t kind = 0; kind < kinds_; ++kind)
            if (left_over[kind]) top = std::max(top, scale(side, row - radix_[kind]));
        scale(side, row) = top;
        if (top == kNothing) return;  // no order is possible, and the cells are 0
        double* out = at(side, row);
        if (ending > kNothing) {
            const double share = std::exp(ending - top) * (side == kLeft ? at(kRight, row)[0] : 1.0);
            for (std::int64_t c = 0; c < contexts_; ++c) out[c] = share * step(side, c, kinds_);
        }
        for (std::int64_t kind = 0; kind < kinds_; ++kind) {
            if (!left_over[kind] || scale(side, row - radix_[kind]) == kNothing) continue;
            const double* rest = at(side, row - radix_[kind]);
            const double share = std::exp(scale(side, row - radix_[kind]) - top);
            for (std::int64_t c = 0, after = (kind + 1) % contexts_; c < contexts_; ++c) {
                out[c] = combine(out[c], share * step(side, c, kind) * rest[after]);
                if ((after += kinds_ + 1) >= contexts_) after -= contexts_;
            }
        }
        rescale(out, scale(side, row));
    }

    void rescale(double* out, double& log_scale) const {
        const double largest = *std::max_element(out, out + contexts_);
        for (std::int64_t c = 0; largest > 0 && c < contexts_; ++c) out[c] /= largest;
        log_scale = largest > 0 ? log_scale + std::log(largest) : kNothing;
    }

    double step(int side, std::int64_t context, std::int64_t kind) const {
        return steps_[(side * contexts_ + context) * (kinds_ + 1) + kind];
    }
    double* at(int side, std::int64_t row) { return cells.data() + (side * rows_ + row) * contexts_; }
    double& scale(int side, std::int64_t row) { return log_scales[side * rows_ + row]; }

    std::span<const std::int64_t> counts_;
    std::span<const double> steps_;
    std::int64_t kinds_;
    std::int64_t contexts_;
    std::int64_t rows_ = 1;
    std::vector<std::int64_t> radix_;
};

}  // namespace bistro
