// The forward and backward passes over one derivation: the log-probabilities of its decisions, and their derivatives with respect
// to all potentials.
//
// The means of a state have stages. Feed-forward means have one stage; mean-field means have one before each decision and one
// after the last. Later states see the last stage of earlier states.
//
// In training, variables may be left out at random (dropout): their means count as 0, and the means of the other variables are
// scaled so that expected values do not change. The mean-field update uses the unscaled means of all variables.
#pragma once

#include <cstdint>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/mean_field.hpp"

namespace bistro::isbn {

// Each variable is left out with this probability. The random numbers are from the stream (seed, purpose, index).
struct Dropout {
    double probability = 0;
    std::uint64_t seed = 0, purpose = 0, index = 0;
};

template <class Real>
class Tape {
public:
    void forward(const Network<Real>& network, const Derivation& derivation, const Dropout& dropout = {}) {
        h_ = network.shape().hidden();
        clear(derivation, network.shape().mean_field());
        choose_variables(derivation.states() * h_, dropout);
        auto sent_by = [&](std::int32_t state, int relation) {
            network.send(relation, last_mu(state), sent_.data());
            return sent_.data();
        };
        for (std::size_t s = 0; s < derivation.states(); ++s) {
            network.sum_up(derivation.features_of(s), derivation.links[s], sent_by, eta_.data());
            std::size_t stage = stage_begin_[s];
            see_means(s, stage);
            for (auto k = first(derivation, s); k < first(derivation, s + 1); ++k) {
                predict(network, derivation.decisions[k], stage);
                if (!network.shape().mean_field()) continue;
                move(MeanField<Real>(network), derivation.decisions[k], k, stage);
                see_means(s, ++stage);
            }
        }
    }

    // Must be called after `forward`. Computes the derivatives of the negative log-probability with respect to the potentials of
    // every state and of every outcome.
    void backward(const Network<Real>& network, const Derivation& derivation) {
        const Shape& shape = network.shape();
        delta_.assign(derivation.states() * h_, Real(0));
        by_c_.resize(shape.mean_field() ? derivation.decisions.size() * h_ : 0);
        by_log_.resize(pi_.size());
        for (std::size_t s = derivation.states(); s-- > 0;) {
            Real* const delta = delta_.data() + s * h_;
            if (shape.mean_field())
                back_through_moves(network, derivation, s, delta);
            else
                back_through_decisions(network, derivation, s, delta);
            if (!shape.linked()) continue;
            for (int r = 0; r < kRelations; ++r)
                if (const std::int32_t from = derivation.links[s][r]; from != kAbsent)
                    add_transposed(delta_.data() + static_cast<std::size_t>(from) * h_, delta,
                                   network.weights() + shape.links_at(r), h_, h_);
        }
    }

    // The means that decision k of state s multiplies with the weights of its group, and the derivatives with respect to the
    // potentials of its outcomes.
    const Real* seen_by(std::size_t s, std::size_t k, bool mean_field) const { return mu(mean_field ? s + k : s); }
    const Real* slopes(std::size_t decision) const { return slopes_.data() + slope_begin_[decision]; }

    // Adds the derivatives with respect to the parameters of a group that result from changing the means after decision k
    // of state s.
    void collect_move(const Network<Real>& network, const Decision& d, std::size_t s, std::size_t k, Real* by_parameter) const {
        MeanField<Real>(network).collect(d.group, d.outcome, plain_mu(s + k), pi_.data() + slope_begin_[k], by_c_.data() + k * h_,
                                         by_log_.data() + slope_begin_[k], by_parameter);
    }

    // The means of a state as later states see them.
    const Real* last_mu(std::int32_t state) const { return mu(stage_begin_[static_cast<std::size_t>(state) + 1] - 1); }
    const Real* delta(std::size_t state) const { return delta_.data() + state * h_; }
    const std::vector<double>& log_probs() const { return log_probs_; }

private:
    static std::size_t first(const Derivation& derivation, std::size_t s) {
        return static_cast<std::size_t>(derivation.decision_begin[s]);
    }
    const Real* mu(std::size_t stage) const { return mu_.data() + stage * h_; }
    const Real* plain_mu(std::size_t stage) const { return factor_.empty() ? mu(stage) : plain_.data() + stage * h_; }

    // With mean-field means, the stage before decision k of state s has the number s + k.
    void clear(const Derivation& derivation, bool mean_field) {
        stage_begin_.clear();
        for (std::size_t s = 0; s <= derivation.states(); ++s) stage_begin_.push_back(mean_field ? s + first(derivation, s) : s);
        mu_.resize(stage_begin_.back() * h_);
        eta_.resize(h_);
        sent_.resize(h_);
        c_.resize(h_);
        slope_begin_.clear();
        slopes_.clear();
        pi_.clear();
        log_probs_.clear();
    }

    void choose_variables(std::size_t n, const Dropout& dropout) {
        factor_.clear();
        if (dropout.probability <= 0) return;
        kept_ = static_cast<Real>(1 - dropout.probability);
        const auto limit = static_cast<std::uint64_t>(dropout.probability * 65536);
        Stream rng(dropout.seed, dropout.purpose, dropout.index);
        factor_.resize(n);
        plain_.resize(mu_.size());
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < n; ++i, bits >>= 16) {
            if (i % 4 == 0) bits = rng.next();
            factor_[i] = (bits & 0xffff) < limit ? Real(0) : Real(1) / kept_;
        }
    }

    // Computes the means from the potentials, with dropout.
    void see_means(std::size_t s, std::size_t stage) {
        Real* const means = mu_.data() + stage * h_;
        logistic(means, eta_.data(), h_);
        if (factor_.empty()) return;
        std::copy_n(means, h_, plain_.data() + stage * h_);
        for (std::size_t j = 0; j < h_; ++j) means[j] *= factor_[s * h_ + j];
    }

    void predict(const Network<Real>& network, const Decision& d, std::size_t stage) {
        slope_begin_.push_back(slopes_.size());
        slopes_.resize(slopes_.size() + network.shape().outcomes(d.group));
        Real* const p = slopes_.data() + slope_begin_.back();
        network.decide(d.group, d.mask, mu(stage), p);
        log_probs_.push_back(log_of(p[d.outcome]));
    }

    void move(const MeanField<Real>& field, const Decision& d, std::size_t k, std::size_t stage) {
        pi_.resize(slopes_.size());
        Real* const pi = pi_.data() + slope_begin_[k];
        field.weigh(d.group, d.mask, plain_mu(stage), pi);
        field.expect(d.group, plain_mu(stage), pi, c_.data());
        field.move(d.group, d.outcome, c_.data(), eta_.data());
    }

    // Adds the derivatives with respect to the means that decision k uses.
    void back_through_decision(const Network<Real>& network, const Decision& d, std::size_t k, Real* by_mean) {
        slopes_[slope_begin_[k] + static_cast<std::size_t>(d.outcome)] -= Real(1);
        add_transposed(by_mean, slopes(k), network.weights() + network.shape().group_at(d.group), h_,
                       network.shape().outcomes(d.group));
    }

    // With a factor f, the mean is f m, and its derivative is f m (1 - m).
    Real slope(const Real* means, std::size_t j) const {
        return means[j] * (Real(1) - (factor_.empty() ? means[j] : means[j] * kept_));
    }

    // Replaces the derivatives with respect to the means that later states see, in `delta`, by those with respect
    // to the potentials.
    void back_through_decisions(const Network<Real>& network, const Derivation& derivation, std::size_t s, Real* delta) {
        for (auto k = first(derivation, s); k < first(derivation, s + 1); ++k)
            back_through_decision(network, derivation.decisions[k], k, delta);
        const Real* const means = mu(s);
        for (std::size_t j = 0; j < h_; ++j) delta[j] *= slope(means, j);
    }

    void back_through_moves(const Network<Real>& network, const Derivation& derivation, std::size_t s, Real* delta) {
        const MeanField<Real> field(network);
        by_mean_.assign(delta, delta + h_);
        by_plain_.assign(h_, Real(0));
        std::fill(delta, delta + h_, Real(0));
        for (auto k = first(derivation, s + 1); k-- > first(derivation, s);) {
            const Decision& d = derivation.decisions[k];
            add_through_means(s + k + 1, delta);
            Real* const by_c = by_c_.data() + k * h_;
            for (std::size_t j = 0; j < h_; ++j) by_c[j] = -delta[j];
            field.back(d.group, plain_mu(s + k), pi_.data() + slope_begin_[k], by_c, by_log_.data() + slope_begin_[k],
                       by_plain_.data());
            back_through_decision(network, d, k, by_mean_.data());
        }
        add_through_means(stage_begin_[s], delta);
    }

    // Adds the derivatives with respect to the potentials of a stage to `delta`, and sets those with respect to its means to 0.
    void add_through_means(std::size_t stage, Real* delta) {
        const Real *const means = mu(stage), *const plain = plain_mu(stage);
        for (std::size_t j = 0; j < h_; ++j) {
            delta[j] += by_mean_[j] * slope(means, j) + by_plain_[j] * plain[j] * (Real(1) - plain[j]);
            by_mean_[j] = by_plain_[j] = 0;
        }
    }

    std::size_t h_ = 0;
    std::vector<std::size_t> stage_begin_, slope_begin_;  // by state, by decision
    Aligned<Real> mu_, plain_;                            // by stage; plain_: without dropout
    Aligned<Real> eta_, sent_, c_, by_mean_, by_plain_;
    Aligned<Real> delta_;               // by state
    Aligned<Real> slopes_;              // by decision and outcome: probabilities; after backward, minus 1 for the actual outcome
    Aligned<Real> pi_, by_log_, by_c_;  // of the updates; pi_, by_log_: by decision and outcome; by_c_: by decision and variable
    Aligned<Real> factor_;              // by state and variable; empty without dropout
    Real kept_ = 1;
    std::vector<double> log_probs_;
};

}  // namespace bistro::isbn
