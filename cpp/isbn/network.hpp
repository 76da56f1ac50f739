// The incremental sigmoid belief network: computes the means of a state's variables from its features and linked states, and
// decision probabilities from the means.
//
// A state has binary variables with means mu. Its potentials are eta = sum of the rows of its features + sum over relations of J
// mu', where mu' are the means of the linked states. Its means are mu = 1 / (1 + exp(-eta)). A decision among the outcomes of a
// group has the probabilities p(d) ~ exp(bias_d + sum_j W_dj mu_j) over the possible outcomes. Feed-forward means do not change;
// mean-field means change with every decision (mean_field.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "isbn/derivation.hpp"
#include "isbn/kernels.hpp"

namespace bistro::isbn {

// Sets the log-probabilities of impossible outcomes to minus infinity.
template <class Real>
void rule_out(std::uint8_t mask, Real* logs, std::size_t n) {
    if (mask == kAll) return;
    for (std::size_t i = 0; i < n && i < 8; ++i)
        if (!(mask >> i & 1)) logs[i] = -std::numeric_limits<Real>::infinity();
}

template <class Real>
class Network {
public:
    // Gains are exp(w) - 1 for the weights of all groups. They are needed only for mean-field means.
    Network(const Shape& shape, const Real* weights, const Real* gains) : shape_(shape), w_(weights), gains_(gains) {}

    const Shape& shape() const { return shape_; }
    const Real* weights() const { return w_; }
    const Real* gains(std::int32_t group) const { return gains_ + (shape_.group_at(group) - shape_.group_at(0)); }

    // Computes the contribution of a state along a relation.
    void send(int relation, const Real* mu, Real* sent) const {
        std::fill(sent, sent + shape_.hidden(), Real(0));
        add_square_product(sent, mu, w_ + shape_.links_at(relation), shape_.hidden());
    }

    // Computes the potentials of a state. sent_by(state, relation) returns the contribution of an earlier state.
    template <class SentBy>
    void sum_up(std::span<const std::int32_t> features, const Links& links, const SentBy& sent_by, Real* eta) const {
        const std::size_t h = shape_.hidden();
        std::fill(eta, eta + h, Real(0));
        for (const std::int32_t row : features) add_row(eta, w_ + shape_.row_at(row), h);
        if (!shape_.linked()) return;
        for (int r = 0; r < kRelations; ++r)
            if (links[r] != kAbsent) add_row(eta, sent_by(links[r], r), h);
    }

    // Probabilities of the outcomes of a group; impossible outcomes have probability 0.
    void decide(std::int32_t group, std::uint8_t mask, const Real* mu, Real* p) const {
        const std::size_t d = shape_.outcomes(group);
        std::copy_n(w_ + shape_.bias_at(group), d, p);
        add_product(p, mu, w_ + shape_.group_at(group), shape_.hidden(), d);
        rule_out(mask, p, d);
        normalise(p, d);
    }

private:
    const Shape& shape_;
    const Real* w_;
    const Real* gains_;
};

// The gains of all groups; empty if means are feed-forward.
template <class Real>
Aligned<Real> all_gains(const Shape& shape, const Real* weights) {
    if (!shape.mean_field()) return {};
    Aligned<Real> gains(shape.parameters() - shape.group_at(0));
    gains_of(gains.data(), weights + shape.group_at(0), gains.size());
    return gains;
}

// A probability of 0 can only result from rounding, so the logarithm stays finite.
template <class Real>
double log_of(Real p) {
    return std::log(std::max(static_cast<double>(p), 1e-38));
}

}  // namespace bistro::isbn
