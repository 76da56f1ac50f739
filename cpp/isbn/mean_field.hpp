// The mean-field update: how a decision changes the means of the state that made it.
//
// Given the decision d, the best means m maximise the bound
//   entropy(m) + sum_i m_i (eta_i + W_di) - log sum_d' exp(bias_d') prod_j (1 - m_j + m_j exp(W_d'j))
// in which the last logarithm is not below the mean of log sum_d' exp(bias_d' + sum_j W_d'j s_j). Where its derivatives are 0,
//   m_i = 1 / (1 + exp(-(eta_i + W_di - c_i)))    c_i = sum_d' pi_d' (exp(W_d'i) - 1) / (1 - m_i + m_i exp(W_d'i))
// with pi_d' ~ exp(bias_d') prod_j (1 - m_j + m_j exp(W_d'j)). The update is one step towards this point, starting from the means
// before the decision. It changes the potentials, and the next decision of the state starts from the changed potentials.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isbn/network.hpp"

namespace bistro::isbn {

template <class Real>
class MeanField {
public:
    explicit MeanField(const Network<Real>& network) : network_(network), shape_(network.shape()), h_(shape_.hidden()) {}

    // Computes pi for the outcomes of a group.
    void weigh(std::int32_t group, std::uint8_t mask, const Real* m, Real* pi) const {
        const std::size_t d = shape_.outcomes(group);
        std::copy_n(network_.weights() + shape_.bias_at(group), d, pi);
        add_log_factors(pi, m, network_.gains(group), h_, d);
        rule_out(mask, pi, d);
        normalise(pi, d);
    }

    // Computes c, which does not depend on the decision.
    void expect(std::int32_t group, const Real* m, const Real* pi, Real* c) const {
        mean_ratios(c, m, pi, network_.gains(group), h_, shape_.outcomes(group));
    }

    // Changes the potentials to those after a decision.
    void move(std::int32_t group, std::int32_t outcome, const Real* c, Real* eta) const {
        const std::size_t d = shape_.outcomes(group);
        const Real* const w = network_.weights() + shape_.group_at(group) + outcome;
        for (std::size_t i = 0; i < h_; ++i) eta[i] += w[i * d] - c[i];
    }

    // From the derivatives with respect to c, computes the derivatives with respect to the logarithms in pi (`by_log`), and adds
    // those with respect to the means to `by_mean`.
    void back(std::int32_t group, const Real* m, const Real* pi, const Real* by_c, Real* by_log, Real* by_mean) const {
        const std::size_t d = shape_.outcomes(group);
        std::fill(by_log, by_log + d, Real(0));
        add_ratios(by_log, m, by_c, network_.gains(group), h_, d);
        Real mean = 0;
        for (std::size_t j = 0; j < d; ++j) mean += pi[j] * by_log[j];
        for (std::size_t j = 0; j < d; ++j) by_log[j] = pi[j] * (by_log[j] - mean);
        add_slopes(by_mean, m, by_c, pi, by_log, network_.gains(group), h_, d);
    }

    // Adds the derivatives with respect to the weights and biases of a group to the derivatives of all parameters.
    void collect(std::int32_t group, std::int32_t outcome, const Real* m, const Real* pi, const Real* by_c, const Real* by_log,
                 Real* by_parameter) const {
        const std::size_t d = shape_.outcomes(group);
        Real* const by_weight = by_parameter + shape_.group_at(group);
        add_gain_slopes(by_weight, m, by_c, pi, by_log, network_.gains(group), h_, d);
        for (std::size_t i = 0; i < h_; ++i) by_weight[i * d + static_cast<std::size_t>(outcome)] -= by_c[i];
        add_row(by_parameter + shape_.bias_at(group), by_log, d);
    }

private:
    const Network<Real>& network_;
    const Shape& shape_;
    std::size_t h_;
};

}  // namespace bistro::isbn
