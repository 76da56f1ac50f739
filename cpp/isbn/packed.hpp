// The network as the search reads it: in panels, for several states at once (panels.hpp).
//
// Two relations often lead to the same earlier state. After an arc or a reduction the state before is the last one with the same front,
// and also the last with the same stack, with the right child of the top or with the left child of the front; after a right-arc and a
// shift one state is the last with the head of the top, and the last with the top in front. What such a state sends along both is one
// product, with the sum of the two matrices.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "isbn/network.hpp"
#include "isbn/panels.hpp"

namespace bistro::isbn {

// The relations that a product is made for, as bits: pairs, then every relation alone.
inline constexpr std::array<std::uint8_t, 4 + kRelations> kSendings{0b0000011, 0b0000101, 0b0010001, 0b1100000, 1, 2, 4, 8, 16, 32, 64};

// Calls use(state, sending) until every link is served.
template <class Use>
void each_sending(const Links& links, const Use& use) {
    std::uint8_t left = 0;
    for (int r = 0; r < kRelations; ++r) left |= static_cast<std::uint8_t>((links[r] != kAbsent) << r);
    for (std::size_t s = 0; left != 0 && s < kSendings.size(); ++s) {
        const std::uint8_t wanted = kSendings[s];
        if ((left & wanted) != wanted) continue;
        std::int32_t from = kAbsent;
        bool is_one = true;
        for (int r = 0; r < kRelations; ++r)
            if (wanted >> r & 1) is_one = is_one && (from == kAbsent || from == links[r]), from = links[r];
        if (!is_one) continue;
        use(from, s);
        left &= static_cast<std::uint8_t>(~wanted);
    }
}

template <class Real>
class PackedNetwork {
public:
    explicit PackedNetwork(const Network<Real>& network) : network_(network), h_(network.shape().hidden()) {
        if (network.shape().linked()) pack_sendings();
        pack_groups();
    }

    const Network<Real>& plain() const { return network_; }
    const Shape& shape() const { return network_.shape(); }
    std::size_t width() const { return whole_panels(h_); }  // of a state's numbers

    void send(std::size_t sending, const Real* const* means, Real* const* sent, std::size_t n) const {
        panel_products(sent, means, n, sendings_.data() + sending * h_ * width(), nullptr, h_, width());
    }

    std::size_t columns(std::int32_t group) const { return whole_panels(shape().outcomes(group)); }

    // Potentials of the outcomes of a group, minus infinity where there is none.
    void weigh(std::int32_t group, const Real* const* means, Real* const* potentials, std::size_t n) const {
        const Real* const at = groups_.data() + group_at_[static_cast<std::size_t>(group)];
        panel_products(potentials, means, n, at, at + h_ * columns(group), h_, columns(group));
    }

private:
    void pack_sendings() {
        sendings_.resize(kSendings.size() * h_ * width());
        std::vector<Real> sum(h_ * h_);
        for (std::size_t s = 0; s < kSendings.size(); ++s) {
            std::fill(sum.begin(), sum.end(), Real(0));
            for (int r = 0; r < kRelations; ++r)
                if (kSendings[s] >> r & 1) add_row(sum.data(), network_.weights() + shape().links_at(r), sum.size());
            pack_panels(sendings_.data() + s * h_ * width(), sum.data(), h_, h_);
        }
    }

    // The panels of each group, then where its potentials start.
    void pack_groups() {
        std::size_t size = 0;
        for (std::int32_t g = 0; g < shape().groups(); ++g) {
            group_at_.push_back(size);
            if (shape().outcomes(g) > 1) size += (h_ + 1) * columns(g);
        }
        groups_.assign(size, -std::numeric_limits<Real>::infinity());
        for (std::int32_t g = 0; g < shape().groups(); ++g) {
            if (shape().outcomes(g) == 1) continue;
            Real* const at = groups_.data() + group_at_[static_cast<std::size_t>(g)];
            pack_panels(at, network_.weights() + shape().group_at(g), h_, shape().outcomes(g));
            std::copy_n(network_.weights() + shape().bias_at(g), shape().outcomes(g), at + h_ * columns(g));
        }
    }

    Network<Real> network_;
    std::size_t h_;
    Aligned<Real> sendings_, groups_;
    std::vector<std::size_t> group_at_;
};

}  // namespace bistro::isbn
