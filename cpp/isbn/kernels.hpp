// The loops over vectors and matrices in which the latent-variable parser spends its time.
//
// Matrices are stored row by row. Row i belongs to input i, so a product adds up rows, and every output has its own lane. Sums
// over a vector are computed in sixteen lanes, which are added up in a fixed order. The result is therefore the same for all
// widths of registers. Fused multiply-add is not used here (see CMakeLists.txt).
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bistro::isbn {

// Allocates memory that starts at a cache line. If rows are whole cache lines too, no register is loaded from two lines: a
// product with a matrix that does not fit into the first-level cache takes two thirds of the time.
template <class Real>
struct InLines {
    using value_type = Real;
    static constexpr std::align_val_t kLine{64};

    InLines() = default;
    template <class Other>
    InLines(const InLines<Other>&) {}
    Real* allocate(std::size_t n) { return static_cast<Real*>(::operator new(n * sizeof(Real), kLine)); }
    void deallocate(Real* p, std::size_t) { ::operator delete(p, kLine); }
    template <class Other>
    bool operator==(const InLines<Other>&) const {
        return true;
    }
};
template <class Real>
using Aligned = std::vector<Real, InLines<Real>>;

// y += x
void add_row(float* y, const float* x, std::size_t n);
void add_row(double* y, const double* x, std::size_t n);

// y[j] += sum over i of x[i] w[i][j]
void add_product(float* y, const float* x, const float* w, std::size_t rows, std::size_t columns);
void add_product(double* y, const double* x, const double* w, std::size_t rows, std::size_t columns);

// The same with a square matrix, for which the widest registers are worthwhile.
void add_square_product(float* y, const float* x, const float* w, std::size_t n);
void add_square_product(double* y, const double* x, const double* w, std::size_t n);

// y[i] += sum over j of w[i][j] x[j]
void add_transposed(float* y, const float* x, const float* w, std::size_t rows, std::size_t columns);
void add_transposed(double* y, const double* x, const double* w, std::size_t rows, std::size_t columns);

// g[i][j] += xs[s][i] ys[s][j] for s = 0, 1, ... n - 1, in this order
void add_outers(float* g, const float* const* xs, const float* const* ys, std::size_t n, std::size_t rows, std::size_t columns);
void add_outers(double* g, const double* const* xs, const double* const* ys, std::size_t n, std::size_t rows, std::size_t columns);

// y[i] = 1 / (1 + exp(-x[i]))
void logistic(float* y, const float* x, std::size_t n);
void logistic(double* y, const double* x, std::size_t n);

// Turns logarithms of weights into probabilities and returns the logarithm of the sum of the weights.
float normalise(float* x, std::size_t n);
double normalise(double* x, std::size_t n);

// y[i] = exp(x[i]) - 1
void gains_of(float* y, const float* x, std::size_t n);
void gains_of(double* y, const double* x, std::size_t n);

// The mean-field update (see mean_field.hpp) with means m and gains e = exp(w) - 1: f_ij = 1 + m_i e_ij, r_ij = e_ij / f_ij.
// y[j] += sum over i of log f_ij
void add_log_factors(float* y, const float* m, const float* e, std::size_t rows, std::size_t columns);
void add_log_factors(double* y, const double* m, const double* e, std::size_t rows, std::size_t columns);

// y[i] = sum over j of p_j r_ij
void mean_ratios(float* y, const float* m, const float* p, const float* e, std::size_t rows, std::size_t columns);
void mean_ratios(double* y, const double* m, const double* p, const double* e, std::size_t rows, std::size_t columns);

// y[j] += sum over i of c_i r_ij
void add_ratios(float* y, const float* m, const float* c, const float* e, std::size_t rows, std::size_t columns);
void add_ratios(double* y, const double* m, const double* c, const double* e, std::size_t rows, std::size_t columns);

// y[i] += sum over j of (a_j - c_i p_j r_ij) r_ij
void add_slopes(float* y, const float* m, const float* c, const float* p, const float* a, const float* e, std::size_t rows,
                std::size_t columns);
void add_slopes(double* y, const double* m, const double* c, const double* p, const double* a, const double* e, std::size_t rows,
                std::size_t columns);

// g[i][j] += (1 + e_ij) (c_i p_j / f_ij + a_j m_i) / f_ij
void add_gain_slopes(float* g, const float* m, const float* c, const float* p, const float* a, const float* e, std::size_t rows,
                     std::size_t columns);
void add_gain_slopes(double* g, const double* m, const double* c, const double* p, const double* a, const double* e,
                     std::size_t rows, std::size_t columns);

// A step of AdaGrad: squares += g^2, w -= rate g / sqrt(squares), with g the gradient plus decay times w; g becomes 0.
void adagrad(float* w, float* g, float* squares, std::size_t n, float rate, float decay);
void adagrad(double* w, double* g, double* squares, std::size_t n, double rate, double decay);

}  // namespace bistro::isbn
