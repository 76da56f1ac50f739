// Sparse matrices in row order. The entries of each row are in the given order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bistro::pcfg {

struct Entry {
    std::int32_t row, column;
    double weight;
};

class Sparse {
public:
    Sparse() = default;
    Sparse(std::int32_t rows, const std::vector<Entry>& entries)
        : begin_(rows + 1, 0), column_(entries.size()), weight_(entries.size()) {
        for (const Entry& e : entries) ++begin_[e.row + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (const Entry& e : entries) {
            column_[next[e.row]] = e.column;
            weight_[next[e.row]++] = e.weight;
        }
    }

    bool empty(std::int32_t row) const { return begin_[row] == begin_[row + 1]; }

    // The sum of the products of the entries of a row and the values of their columns, added to a given value.
    template <class Semiring>
    double gather(std::int32_t row, const double* values, double sum = 0) const {
        for (std::size_t e = begin_[row]; e < begin_[row + 1]; ++e) sum = Semiring::plus(sum, weight_[e] * values[column_[e]]);
        return sum;
    }
    // Adds the entries of a row times a value to their columns.
    template <class Semiring>
    void scatter(std::int32_t row, double value, double* sums) const {
        for (std::size_t e = begin_[row]; e < begin_[row + 1]; ++e) {
            double& sum = sums[column_[e]];
            sum = Semiring::plus(sum, weight_[e] * value);
        }
    }
    template <class Use>
    void each(std::int32_t row, const Use& use) const {
        for (std::size_t e = begin_[row]; e < begin_[row + 1]; ++e) use(column_[e], weight_[e]);
    }

private:
    std::vector<std::size_t> begin_;
    std::vector<std::int32_t> column_;
    std::vector<double> weight_;
};

}  // namespace bistro::pcfg
