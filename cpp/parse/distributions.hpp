// Whole distributions of a predictor, remembered between questions.
//
// A distribution depends on the deepest restaurant of its context alone. Each restaurant has one slot where its distribution is
// kept until another needs the slot; a franchise that still learns has nothing to keep.
#pragma once

#include <algorithm>
#include <bit>
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
        if (slots_.empty()) slots_.resize(num_slots());
        Slot& slot = slots_[mix(path[depth]) & (slots_.size() - 1)];
        const bool is_known = kKeeps && slot.restaurant == path[depth];
        if (slot.row == kNone) add_row(slot);
        double* values = values_.data() + slot.row * outcomes_;
        if (is_known) return values;
        predictor_.franchise->distribution(path.data(), depth, values);
        slot.restaurant = path[depth];
        return values;
    }

private:
    struct Slot {
        std::uint32_t restaurant = kNone, row = kNone;
    };
    static constexpr bool kKeeps = std::is_same_v<Franchise, Frozen>;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 14, kMostBytes = std::size_t{1} << 23;

    std::size_t num_slots() const {
        return kKeeps ? std::min(kMostSlots, std::bit_floor(1 + kMostBytes / (outcomes_ * sizeof(double)))) : 1;
    }
    // Slots get memory when they are first used: a single sentence needs few.
    void add_row(Slot& slot) {
        slot.row = static_cast<std::uint32_t>(values_.size() / outcomes_);
        values_.resize(values_.size() + outcomes_);
    }

    const Predictor<Franchise>& predictor_;
    std::size_t outcomes_;
    std::vector<Slot> slots_;
    std::vector<double> values_;  // by row and outcome
};

}  // namespace bistro
