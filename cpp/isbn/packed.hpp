// The network in the form that the search uses: matrices in panels, for several states at once (panels.hpp).
//
// Two relations often lead to the same earlier state. After an arc or a reduction, the previous state is the last state with the
// same front. It is also the last state with the same stack (after a right-arc), with the rightmost child of the top on top
// (after a reduction), or with the leftmost child of the front on top (after a left-arc). After a right-arc and a shift, the last
// state with the head of the top on top is also the last state with the top in front. The contribution of such a state along both
// relations is one product with the sum of the two matrices.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "isbn/network.hpp"
#include "isbn/panels.hpp"

namespace bistro::isbn {

inline constexpr std::array<std::array<int, 2>, 4> kPairs{{{0, 1}, {0, 2}, {0, 4}, {5, 6}}};

// The number of sendings. A sending is a product for a pair of relations or, after the pairs, for one relation.
inline constexpr std::size_t kSendings = kPairs.size() + kRelations;

// Calls use(state, sending) for sendings that cover every link once.
template <class Use>
void each_sending(Links links, const Use& use) {
    for (std::size_t s = 0; s < kPairs.size(); ++s) {
        const auto [one, other] = kPairs[s];
        if (links[one] == kAbsent || links[one] != links[other]) continue;
        use(links[one], s);
        links[one] = links[other] = kAbsent;
    }
    for (std::size_t r = 0; r < kRelations; ++r)
        if (links[r] != kAbsent) use(links[r], kPairs.size() + r);
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
    std::size_t width() const { return whole_panels(h_); }  // of the vectors of a state, with padding

    void send(std::size_t sending, const Real* const* means, Real* const* sent, std::size_t n) const {
        panel_products(sent, means, n, sendings_.data() + sending * h_ * width(), nullptr, h_, width());
    }

    std::size_t columns(std::int32_t group) const { return whole_panels(shape().outcomes(group)); }

    // Potentials of the outcomes of a group; the padding is minus infinity.
    void weigh(std::int32_t group, const Real* const* means, Real* const* potentials, std::size_t n) const {
        const Real* const at = groups_.data() + group_at_[static_cast<std::size_t>(group)];
        panel_products(potentials, means, n, at, at + h_ * columns(group), h_, columns(group));
    }

    // Derivatives of the log-probability of an outcome with respect to all means. `p` are the probabilities of the outcomes,
    // padded to whole panels.
    void slopes(std::int32_t group, std::int32_t outcome, const Real* p, Real* slopes) const {
        const Real* const at = groups_.data() + group_at_[static_cast<std::size_t>(group)];
        panel_means(slopes, p, at, h_, columns(group));
        const auto [first, stride] = panel_column(h_, columns(group), static_cast<std::size_t>(outcome));
        for (std::size_t i = 0; i < h_; ++i) slopes[i] = at[first + i * stride] - slopes[i];
    }

private:
    void pack_sendings() {
        sendings_.resize(kSendings * h_ * width());
        for (std::size_t s = 0; s < kSendings; ++s) {
            const auto [one, other] = s < kPairs.size() ? kPairs[s] : std::array{static_cast<int>(s - kPairs.size()), kRelations};
            const Real* const matrix = network_.weights() + shape().links_at(one);
            std::vector<Real> sum(matrix, matrix + h_ * h_);
            if (other < kRelations) add_row(sum.data(), network_.weights() + shape().links_at(other), sum.size());
            pack_panels(sendings_.data() + s * h_ * width(), sum.data(), h_, h_);
        }
    }

    // Stores the panels of each group, followed by its biases.
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
