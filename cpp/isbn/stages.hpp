// The means of many states at once, for search and generation.
//
// A stage is a state together with the decisions that it has made so far. Feed-forward means have one stage per state.
// With mean-field means (mean_field.hpp), every decision leads to a new stage; a stage then decides among the outcomes of
// a single group.
//
// New states are planned first and then computed together, so that each matrix is read once for all of them.
//
// States to which no derivation is linked any more can be freed; new states reuse their numbers and memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/mean_field.hpp"
#include "isbn/packed.hpp"

namespace bistro::isbn {

// Vectors of the same length whose addresses do not change; memory is kept when they are cleared.
template <class Real>
class Vectors {
public:
    explicit Vectors(std::size_t width) : width_(width) {}

    Real* operator[](std::int32_t i) {
        return blocks_[static_cast<std::size_t>(i) / kBlock].data() + static_cast<std::size_t>(i) % kBlock * width_;
    }
    const Real* operator[](std::int32_t i) const { return const_cast<Vectors&>(*this)[i]; }
    void clear() {
        size_ = 0;
        free_.clear();
    }
    std::int32_t add() {
        if (!free_.empty()) {
            const std::int32_t i = free_.back();
            free_.pop_back();
            return i;
        }
        if (size_ == blocks_.size() * kBlock) blocks_.emplace_back(kBlock * width_);
        return static_cast<std::int32_t>(size_++);
    }
    void free(std::int32_t i) { free_.push_back(i); }
    std::size_t used() const { return size_ - free_.size(); }

private:
    static constexpr std::size_t kBlock = 64;

    std::size_t width_, size_ = 0;
    std::vector<Aligned<Real>> blocks_;
    std::vector<std::int32_t> free_;
};

template <class Real>
class Stages {
public:
    explicit Stages(const PackedNetwork<Real>& network)
        : network_(&network), h_(network.shape().hidden()), mu_(network.width()), eta_(network.width()), sent_(network.width()),
          c_(network.width()) {}

    void clear() {
        for (auto* vectors : {&mu_, &eta_, &sent_, &c_}) vectors->clear();
        sent_at_.clear();
        c_at_.clear();
        is_used_.clear();
        live_ = 0;
    }

    // True if there are more than `least` stages, and more than twice as many as were left by the last call of `keep_only`.
    bool are_many(std::size_t least) const { return mu_.used() > std::max(least, 2 * live_); }

    // Frees all stages that `mark_all` does not mark.
    template <class MarkAll>
    void keep_only(const MarkAll& mark_all) {
        is_live_.assign(is_used_.size(), 0);
        mark_all([&](std::int32_t stage) {
            if (stage != kAbsent) is_live_[static_cast<std::size_t>(stage)] = 1;
        });
        for (std::size_t s = is_used_.size(); s-- > 0;)
            if (is_used_[s] && !is_live_[s]) free(static_cast<std::int32_t>(s));
        live_ = mu_.used();
    }

    // Memory of the means of a stage and of all vectors that it can send.
    std::size_t bytes_per_stage() const { return (1 + kSendings) * network_->width() * sizeof(Real); }

    const PackedNetwork<Real>& network() const { return *network_; }
    const Real* mu(std::int32_t stage) const { return mu_[stage]; }

    // Plans a new state. `seen` are the vectors that its features add to the potentials, and links are stages. The means are
    // available after `work_out`.
    std::int32_t plan(std::span<const Real* const> seen, const Links& links) {
        const std::int32_t stage = add_stage();
        planned_.push_back({stage, parts_.size()});
        parts_.insert(parts_.end(), seen.begin(), seen.end());
        if (network_->shape().linked())
            each_sending(links, [&](std::int32_t from, std::size_t sending) { parts_.push_back(sent_[sent_by(from, sending)]); });
        return stage;
    }

    void work_out() {
        for (std::size_t s = 0; s < kSendings; ++s) send(s);
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            const std::size_t begin = planned_[i].first_part,
                              end = i + 1 < planned_.size() ? planned_[i + 1].first_part : parts_.size();
            Real* const eta = eta_[place_of_eta(planned_[i].stage)];
            sum_rows(eta, parts_.data() + begin, end - begin, h_);
            logistic(mu_[planned_[i].stage], eta, h_);
        }
        planned_.clear();
        parts_.clear();
    }

    std::int32_t add(std::span<const Real* const> seen, const Links& links) {
        const std::int32_t stage = plan(seen, links);
        work_out();
        return stage;
    }

    // The stage after a decision. If the group has only one outcome, the means do not change.
    std::int32_t after(std::int32_t stage, std::int32_t group, std::uint8_t mask, std::int32_t outcome) {
        if (!network_->shape().mean_field() || network_->shape().outcomes(group) == 1) return stage;
        const MeanField<Real> field(network_->plain());
        std::int32_t& place = c_at_[static_cast<std::size_t>(stage)];
        if (place == kAbsent) {
            place = c_.add();
            pi_.resize(network_->shape().outcomes(group));
            field.weigh(group, mask, mu(stage), pi_.data());
            field.expect(group, mu(stage), pi_.data(), c_[place]);
        }
        const std::int32_t c = place, next = add_stage();
        std::copy_n(eta_[stage], h_, eta_[next]);
        field.move(group, outcome, c_[c], eta_[next]);
        logistic(mu_[next], eta_[next], h_);
        return next;
    }

    void decide(std::int32_t stage, std::int32_t group, std::uint8_t mask, std::vector<Real>& p) const {
        p.resize(network_->columns(group));
        const Real* const means = mu(stage);
        Real* const potentials = p.data();
        network_->weigh(group, &means, &potentials, 1);
        rule_out(mask, potentials, p.size());
        normalise_panels(potentials, p.size());
        p.resize(network_->shape().outcomes(group));
    }

private:
    struct Planned {
        std::int32_t stage;
        std::size_t first_part;
    };
    struct Sent {
        std::int32_t from, place;
    };

    std::int32_t add_stage() {
        const std::int32_t stage = mu_.add();
        if (static_cast<std::size_t>(stage) < is_used_.size()) {  // it reuses a freed one
            is_used_[static_cast<std::size_t>(stage)] = 1;
            return stage;
        }
        is_used_.push_back(1);
        sent_at_.resize(sent_at_.size() + kSendings, kAbsent);
        c_at_.push_back(kAbsent);
        if (network_->shape().mean_field() || stage == 0) eta_.add();
        return stage;
    }

    void free(std::int32_t stage) {
        auto free_at = [](Vectors<Real>& vectors, std::int32_t& place) {
            if (place != kAbsent) vectors.free(place);
            place = kAbsent;
        };
        is_used_[static_cast<std::size_t>(stage)] = 0;
        mu_.free(stage);
        free_at(c_, c_at_[static_cast<std::size_t>(stage)]);
        for (std::size_t i = 0; i < kSendings; ++i) free_at(sent_, sent_at_[static_cast<std::size_t>(stage) * kSendings + i]);
    }

    // Potentials of feed-forward means are temporary and share one place.
    std::int32_t place_of_eta(std::int32_t stage) const { return network_->shape().mean_field() ? stage : 0; }

    // Many derivations continue from the same stages, so the vectors that these send are computed only once.
    std::int32_t sent_by(std::int32_t stage, std::size_t sending) {
        std::int32_t& place = sent_at_[static_cast<std::size_t>(stage) * kSendings + sending];
        if (place == kAbsent) {
            place = sent_.add();
            to_send_[sending].push_back({stage, place});
        }
        return place;
    }

    void send(std::size_t sending) {
        if (to_send_[sending].empty()) return;
        rows_.clear();
        results_.clear();
        for (const Sent& s : to_send_[sending]) rows_.push_back(mu_[s.from]), results_.push_back(sent_[s.place]);
        network_->send(sending, rows_.data(), results_.data(), rows_.size());
        to_send_[sending].clear();
    }

    const PackedNetwork<Real>* network_;
    std::size_t h_;
    Vectors<Real> mu_, eta_;  // by stage; eta_ has only one entry for feed-forward means
    Vectors<Real> sent_, c_;
    std::vector<std::int32_t> sent_at_;            // by stage and sending: index in sent_, or kAbsent
    std::vector<std::int32_t> c_at_;               // by stage: index in c_, or kAbsent
    std::vector<std::uint8_t> is_used_, is_live_;  // by stage
    std::size_t live_ = 0;                         // number of stages that the last keep_only left
    std::vector<Planned> planned_;
    std::vector<const Real*> parts_;  // vectors whose sums are the potentials of planned states
    std::array<std::vector<Sent>, kSendings> to_send_;
    std::vector<const Real*> rows_;
    std::vector<Real*> results_;
    Aligned<Real> pi_;
};

}  // namespace bistro::isbn
