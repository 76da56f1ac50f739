// Whole distributions of a predictor, remembered between questions.
//
// A distribution depends on the deepest restaurant of its context alone. Each restaurant has one slot where its distribution is
// kept until another needs the slot; a franchise that still learns has nothing to keep.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "parse/model.hpp"

namespace bistro {

template <class Franchise>
class Distributions {
public:
    Distributions(const Predictor<Franchise>& predictor, std::int32_t outcomes)
        : predictor_(predictor), outcomes_(static_cast<std::size_t>(outcomes)) {}

    // The probability of every outcome, until the next question.
    const double* of(const Elements& elements) {
        Path path;
        const int depth = predictor_.descend(elements, path);
        if (kept_.empty()) {
            kept_.resize(kKeeps ? kSlots : 1, kNone);
            values_.resize(kept_.size() * outcomes_);
        }
        const std::size_t slot = kKeeps ? mix(path[depth]) & (kSlots - 1) : 0;
        double* values = values_.data() + slot * outcomes_;
        if (kKeeps && kept_[slot] == path[depth]) return values;
        predictor_.franchise->distribution(path.data(), depth, values);
        kept_[slot] = path[depth];
        return values;
    }

private:
    static constexpr bool kKeeps = std::is_same_v<Franchise, Frozen>;
    static constexpr std::size_t kSlots = 4096;
    const Predictor<Franchise>& predictor_;
    std::size_t outcomes_;
    std::vector<std::uint32_t> kept_;  // restaurants, by slot
    std::vector<double> values_;       // by slot and outcome
};

}  // namespace bistro
