// The features that states see, as contributions to the potentials.
//
// The features that depend on a word alone, such as its form, tag and bundle, are added up once for every place at which the word
// is seen, since hundreds of states of a sentence see the same word there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/stages.hpp"

namespace bistro::isbn {

template <class Real>
class Sights {
public:
    explicit Sights(const PackedNetwork<Real>& network) : network_(&network), shape_(network.shape()), sums_(network.width()) {
        for (const Element& e : shape_.elements()) {
            if (!e.is_of_word())
                of_tree_.push_back(e);
            else
                of_place_[static_cast<std::size_t>(e.place)].push_back(e);
        }
    }

    // Must be called for a new sentence, and after a word was added to it.
    void clear() {
        sums_.clear();
        known_.clear();
        first_.clear();
    }

    std::span<const Real* const> see(const Configuration& c, const Tokens& tokens) {
        parts_.resize(1 + of_place_.size() + of_tree_.size());
        const Real** end = parts_.data();
        *end++ = row(0);
        const auto places = places_of(c);
        for (std::size_t place = 0; place < places.size(); ++place)
            if (!of_place_[place].empty()) *end++ = sum_of(place, seen_word(c, places[place]), tokens);
        for (const Element& e : of_tree_)
            see_tree(shape_.symbols(), e, c, places[static_cast<std::size_t>(e.place)], [&](std::int32_t r) { *end++ = row(r); });
        return {parts_.data(), end};
    }

private:
    struct Known {
        std::int32_t cluster, sum, next;  // next: index of the next entry for the same place and position
    };

    const Real* row(std::int32_t r) const { return network_->plain().weights() + shape_.row_at(r); }

    const Real* sum_of(std::size_t place, const SeenWord& word, const Tokens& tokens) {
        const std::size_t at = static_cast<std::size_t>(word.position) * of_place_.size() + place;
        if (at >= first_.size()) first_.resize(at + of_place_.size(), kAbsent);
        for (std::int32_t k = first_[at]; k != kAbsent; k = known_[static_cast<std::size_t>(k)].next)
            if (known_[static_cast<std::size_t>(k)].cluster == word.cluster) return sums_[known_[static_cast<std::size_t>(k)].sum];
        rows_.clear();
        for (const Element& e : of_place_[place]) see_word(shape_.symbols(), e, word, tokens, rows_);
        const std::int32_t sum = sums_.add();
        added_.clear();
        for (const std::int32_t r : rows_) added_.push_back(row(r));
        sum_rows(sums_[sum], added_.data(), added_.size(), shape_.hidden());
        known_.push_back({word.cluster, sum, first_[at]});
        first_[at] = static_cast<std::int32_t>(known_.size()) - 1;
        return sums_[sum];
    }

    const PackedNetwork<Real>* network_;
    const Shape& shape_;
    std::vector<Element> of_tree_;
    std::array<std::vector<Element>, kPlaceNames.size()> of_place_;
    Vectors<Real> sums_;
    std::vector<Known> known_;
    std::vector<std::int32_t> first_;  // by position and place: index of the latest entry in known_
    std::vector<std::int32_t> rows_;
    std::vector<const Real*> parts_, added_;
};

}  // namespace bistro::isbn
