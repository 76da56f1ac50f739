// The means of many states at once, for search and generation.
//
// A stage is a state with the decisions that it has made so far. Feed-forward means have one stage a state; where means move
// (mean_field.hpp) every decision leads to a new one. A stage decides among the outcomes of one group only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isbn/mean_field.hpp"

namespace bistro::isbn {

template <class Real>
class Stages {
public:
    explicit Stages(const Network<Real>& network) : network_(&network), h_(network.shape().hidden()) {}

    void clear() {
        for (auto* pool : {&mu_, &eta_, &sent_, &c_}) pool->clear();
        sent_at_.clear();
        c_at_.clear();
    }

    // A new state; links are stages.
    std::int32_t add(std::span<const std::int32_t> features, const Links& links) {
        now_.resize(h_);
        network_->sum_up(features, links, [&](std::int32_t from, int relation) { return sent_by(from, relation); }, now_.data());
        return add_now();
    }

    // The stage after a decision; one that had to come moves nothing.
    std::int32_t after(std::int32_t stage, std::int32_t group, std::uint8_t mask, std::int32_t outcome) {
        if (!network_->shape().mean_field() || network_->shape().outcomes(group) == 1) return stage;
        const MeanField<Real> field(*network_);
        std::int32_t& place = c_at_[static_cast<std::size_t>(stage)];
        if (place == kAbsent) {
            place = grown(c_);
            pi_.resize(network_->shape().outcomes(group));
            field.weigh(group, mask, mu(stage), pi_.data());
            field.expect(group, mu(stage), pi_.data(), at(c_, place));
        }
        now_.assign(at(eta_, stage), at(eta_, stage) + h_);
        field.move(group, outcome, at(c_, place), now_.data());
        return add_now();
    }

    void decide(std::int32_t stage, std::int32_t group, std::uint8_t mask, std::vector<Real>& p) const {
        p.resize(network_->shape().outcomes(group));
        network_->decide(group, mask, mu(stage), p.data());
    }

private:
    Real* at(Aligned<Real>& pool, std::int32_t i) const { return pool.data() + static_cast<std::size_t>(i) * h_; }
    const Real* mu(std::int32_t stage) const { return mu_.data() + static_cast<std::size_t>(stage) * h_; }

    std::int32_t grown(Aligned<Real>& pool) const {
        pool.resize(pool.size() + h_);
        return static_cast<std::int32_t>(pool.size() / h_) - 1;
    }

    // A stage with the potentials of now.
    std::int32_t add_now() {
        const std::int32_t stage = grown(mu_);
        logistic(at(mu_, stage), now_.data(), h_);
        sent_at_.resize(sent_at_.size() + kRelations, kAbsent);
        c_at_.push_back(kAbsent);
        if (network_->shape().mean_field()) eta_.insert(eta_.end(), now_.begin(), now_.end());
        return stage;
    }

    // Many derivations follow the same stages: what these send is worked out once.
    const Real* sent_by(std::int32_t stage, int relation) {
        std::int32_t& place = sent_at_[static_cast<std::size_t>(stage) * kRelations + static_cast<std::size_t>(relation)];
        if (place == kAbsent) {
            place = grown(sent_);
            network_->send(relation, mu(stage), at(sent_, place));
        }
        return at(sent_, place);
    }

    const Network<Real>* network_;
    std::size_t h_;
    Aligned<Real> mu_, eta_;         // by stage; potentials only where they move
    Aligned<Real> sent_, c_;
    std::vector<std::int32_t> sent_at_;  // by stage and relation: where in sent_, if it is known
    std::vector<std::int32_t> c_at_;     // by stage: where in c_, if it is known
    Aligned<Real> now_, pi_;
};

}  // namespace bistro::isbn
