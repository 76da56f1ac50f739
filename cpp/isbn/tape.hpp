// One derivation run forwards and backwards: the log-probability of its decisions, and how it changes with every potential.
//
// In learning, variables may be left out at random (dropout): their means count as 0, those of the others as so much more that
// nothing changes on average.
#pragma once

#include <cstdint>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/network.hpp"

namespace bistro::isbn {

// Which variables are left out: each with some probability, by a stream of its own.
struct Dropout {
    double probability = 0;
    std::uint64_t seed = 0, purpose = 0, index = 0;
};

template <class Real>
class Tape {
public:
    void forward(const Network<Real>& network, const Derivation& derivation, const Dropout& dropout = {}) {
        const std::size_t h = network.shape().hidden();
        mu_.resize(derivation.states() * h);
        eta_.resize(h);
        sent_.resize(h);
        auto sent_by = [&](std::int32_t state, int relation) {
            network.send(relation, mu(state, h), sent_.data());
            return sent_.data();
        };
        slope_begin_.clear();
        slopes_.clear();
        log_probs_.clear();
        choose_variables(derivation.states() * h, dropout);
        for (std::size_t s = 0; s < derivation.states(); ++s) {
            network.sum_up(derivation.features_of(s), derivation.links[s], sent_by, eta_.data());
            Real* const means = mu_.data() + s * h;
            logistic(means, eta_.data(), h);
            for (std::size_t j = 0; j < h && !factor_.empty(); ++j) means[j] *= factor_[s * h + j];
            for (auto k = derivation.decision_begin[s]; k < derivation.decision_begin[s + 1]; ++k)
                predict(network, derivation.decisions[static_cast<std::size_t>(k)], means);
        }
    }

    // After forward: derivatives of the negative log-probability by the potentials of every state and by those of every outcome.
    void backward(const Network<Real>& network, const Derivation& derivation) {
        const Shape& shape = network.shape();
        const std::size_t h = shape.hidden();
        delta_.assign(derivation.states() * h, Real(0));
        for (std::size_t s = derivation.states(); s-- > 0;) {
            Real* const delta = delta_.data() + s * h;
            for (auto k = static_cast<std::size_t>(derivation.decision_begin[s]);
                 k < static_cast<std::size_t>(derivation.decision_begin[s + 1]); ++k) {
                const Decision& d = derivation.decisions[k];
                slopes(k)[d.outcome] -= Real(1);
                add_transposed(delta, slopes(k), network.weights() + shape.group_at(d.group), h, shape.outcomes(d.group));
            }
            // With a factor f the mean is f m, and its derivative f m (1 - m).
            const Real* const means = mu_.data() + s * h;
            for (std::size_t j = 0; j < h; ++j)
                delta[j] *= means[j] * (Real(1) - (factor_.empty() ? means[j] : means[j] * kept_));
            if (!shape.linked()) continue;
            for (int r = 0; r < kRelations; ++r)
                if (const std::int32_t from = derivation.links[s][r]; from != kAbsent)
                    add_transposed(delta_.data() + static_cast<std::size_t>(from) * h, delta, network.weights() + shape.links_at(r), h, h);
        }
    }

    const Real* mu(std::int32_t state, std::size_t h) const { return mu_.data() + static_cast<std::size_t>(state) * h; }
    const Real* delta(std::size_t state, std::size_t h) const { return delta_.data() + state * h; }
    const Real* slopes(std::size_t decision) const { return slopes_.data() + slope_begin_[decision]; }
    const std::vector<double>& log_probs() const { return log_probs_; }

private:
    Real* slopes(std::size_t decision) { return slopes_.data() + slope_begin_[decision]; }

    void choose_variables(std::size_t n, const Dropout& dropout) {
        factor_.clear();
        if (dropout.probability <= 0) return;
        kept_ = static_cast<Real>(1 - dropout.probability);
        const auto limit = static_cast<std::uint64_t>(dropout.probability * 65536);
        Stream rng(dropout.seed, dropout.purpose, dropout.index);
        factor_.resize(n);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < n; ++i, bits >>= 16) {
            if (i % 4 == 0) bits = rng.next();
            factor_[i] = (bits & 0xffff) < limit ? Real(0) : Real(1) / kept_;
        }
    }

    void predict(const Network<Real>& network, const Decision& d, const Real* means) {
        slope_begin_.push_back(slopes_.size());
        slopes_.resize(slopes_.size() + network.shape().outcomes(d.group));
        Real* const p = slopes_.data() + slope_begin_.back();
        network.decide(d.group, d.mask, means, p);
        log_probs_.push_back(log_of(p[d.outcome]));
    }

    std::vector<Real> mu_, eta_, sent_, delta_, slopes_;  // slopes: probabilities, after backward minus 1 for the outcome
    std::vector<Real> factor_;  // by state and variable, where some are left out
    Real kept_ = 1;
    std::vector<std::size_t> slope_begin_;
    std::vector<double> log_probs_;
};

}  // namespace bistro::isbn
