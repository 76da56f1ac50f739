// Whole distributions of a predictor, remembered between questions.
//
// A distribution depends on the deepest restaurant of its context alone. Each restaurant has one slot where its distribution is
// kept until another needs the slot; a franchise that still learns has nothing to keep.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "hpyp/frozen.hpp"
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
        return row(path[depth], [&](double* values) { predictor_.franchise->distribution(path.data(), depth, values); });
    }

    // Finds the restaurants of many contexts level by level: while memory fetches what one of them needs next, it fetches what the
    // others need, too.
    void prepare(std::span<const Elements> questions) {
        deepest_.assign(questions.size(), 0);
        active_.resize(questions.size());
        std::iota(active_.begin(), active_.end(), 0U);
        for (const std::uint8_t e : predictor_.contexts) take_together(questions, e);
        if (slots_.empty()) return;
        for (const std::uint32_t restaurant : deepest_) prefetch(&slots_[mix(restaurant) & (slots_.size() - 1)]);
    }

    // The same as `of`, for the question of this number among those prepared last.
    const double* of_prepared(std::size_t number, const Elements& elements) {
        return row(deepest_[number], [&](double* values) {
            Path path;
            const int depth = predictor_.descend(elements, path);
            predictor_.franchise->distribution(path.data(), depth, values);
        });
    }

private:
    struct Slot {
        std::uint32_t restaurant = kNone, row = kNone;
    };
    static constexpr bool kKeeps = std::is_same_v<Franchise, Frozen>;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 14, kMostBytes = std::size_t{1} << 23;

    // One element more of all contexts whose restaurants go on.
    void take_together(std::span<const Elements> questions, std::uint8_t e) {
        const Franchise& f = *predictor_.franchise;
        auto has_children = [&](std::uint32_t restaurant) { return restaurant + 1 < f.child_begin.size(); };
        auto key = [&](std::uint32_t i) { return static_cast<std::uint32_t>(questions[i][e]); };
        for (const std::uint32_t i : active_)
            if (has_children(deepest_[i])) prefetch(&f.child_begin[deepest_[i]]);
        for (const std::uint32_t i : active_) {
            if (!has_children(deepest_[i])) continue;
            const std::uint32_t begin = f.child_begin[deepest_[i]], size = f.child_begin[deepest_[i] + 1] - begin;
            prefetch(f.element.data() + begin + (size > kLinear ? region_start(key(i), size) : 0));
        }
        std::erase_if(active_, [&](std::uint32_t i) {
            const std::uint32_t next = f.child(deepest_[i], key(i));
            if (next != kNone) deepest_[i] = next;
            return next == kNone;
        });
    }

    // What is kept for a restaurant; `fill` finds it if it is not there.
    template <class Fill>
    const double* row(std::uint32_t restaurant, const Fill& fill) {
        if (slots_.empty()) slots_.resize(num_slots());
        Slot& slot = slots_[mix(restaurant) & (slots_.size() - 1)];
        const bool is_known = kKeeps && slot.restaurant == restaurant;
        if (slot.row == kNone) add_row(slot);
        double* values = values_.data() + slot.row * outcomes_;
        if (is_known) return values;
        fill(values);
        slot.restaurant = restaurant;
        return values;
    }

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
    std::vector<double> values_;          // by row and outcome
    std::vector<std::uint32_t> deepest_;  // by question prepared: the restaurant
    std::vector<std::uint32_t> active_;   // questions whose contexts may go on
};

}  // namespace bistro
