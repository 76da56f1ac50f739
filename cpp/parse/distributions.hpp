// Whole distributions of a predictor, cached between queries.
//
// A distribution depends only on the deepest restaurant of its context. The distribution of a restaurant is kept in a slot
// until another restaurant needs the slot. Distributions of a franchise that still learns are not cached.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/context_paths.hpp"
#include "parse/model.hpp"

namespace bistro {

template <class Franchise>
class Distributions {
public:
    // One outcome that is never possible can be excluded: it gets probability 0, and the others are computed faster.
    Distributions(const Predictor<Franchise>& predictor, std::int32_t outcomes, std::uint32_t impossible = kNone)
        : predictor_(predictor), outcomes_(static_cast<std::size_t>(outcomes)), impossible_(impossible) {}

    // The probability of every outcome, valid until the next query.
    const double* of(const Elements& elements) {
        Path path;
        const int depth = predictor_.descend(elements, path);
        return row(path.data(), depth);
    }

    // Finds the restaurants of many contexts together, and prefetches the memory of their distributions: the cached rows,
    // or the data from which the others are computed.
    void prepare(std::span<const Elements> questions) {
        paths_.find(predictor_, questions);
        if (slots_.empty()) slots_.resize(num_slots());
        for (std::size_t i = 0; i < questions.size(); ++i) prefetch(&slot(paths_.deepest(i)));
        missing_.clear();
        for (std::uint32_t i = 0; i < questions.size(); ++i)
            if (const Slot& kept = slot(paths_.deepest(i)); kept.restaurant != paths_.deepest(i))
                missing_.push_back(i);
            else
                prefetch(&values_[kept.row * outcomes_]);
        for (const std::uint32_t i : missing_) {
            predictor_.franchise->prefetch_offsets(paths_.deepest(i));
            if (paths_.depth(i) > 0) prefetch(&slot(paths_.path(i)[paths_.depth(i) - 1]));
        }
        for (const std::uint32_t i : missing_) predictor_.franchise->prefetch_entries(paths_.deepest(i));
    }

    // The same as `of`, for the question with this index in the last call of `prepare`. The results can differ by rounding,
    // because a distribution is computed from that of the restaurant above.
    const double* of_prepared(std::size_t number) { return nested(paths_.path(number), paths_.depth(number)); }
    const double* nested_of(const Elements& elements) {
        Path path;
        const int depth = predictor_.descend(elements, path);
        if (slots_.empty()) slots_.resize(num_slots());
        return nested(path.data(), depth);
    }

private:
    struct Slot {
        std::uint32_t restaurant = kNone, row = kNone;
    };
    static constexpr bool kKeeps = std::is_same_v<Franchise, Frozen>;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 16, kMostBytes = std::size_t{1} << 23;

    Slot& slot(std::uint32_t restaurant) { return slots_[mix(restaurant) & (slots_.size() - 1)]; }

    // The distribution of the last restaurant of a path, computed unless it is cached.
    const double* row(const std::uint32_t* path, int depth) {
        if (slots_.empty()) slots_.resize(num_slots());
        Slot& slot = this->slot(path[depth]);
        const bool is_known = kKeeps && slot.restaurant == path[depth];
        if (slot.row == kNone) add_row(slot);
        double* values = values_.data() + slot.row * outcomes_;
        if (is_known) return values;
        if constexpr (kKeeps)
            predictor_.franchise->distribution(path, depth, values, impossible_);
        else
            predictor_.franchise->distribution(path, depth, values);
        slot.restaurant = path[depth];
        return values;
    }

    // The same, computed from the distribution of the restaurant above, which other contexts share, and from the entries of
    // this restaurant.
    const double* nested(const std::uint32_t* path, int depth) {
        if constexpr (!kKeeps) return row(path, depth);
        const std::uint32_t restaurant = path[depth];
        if (slot(restaurant).restaurant == restaurant) return values_.data() + slot(restaurant).row * outcomes_;
        if (depth == 0) return row(path, 0);
        const double* above = nested(path, depth - 1);
        if constexpr (kKeeps) predictor_.franchise->distribution_over(restaurant, above, scratch_, impossible_);
        Slot& slot = this->slot(restaurant);
        if (slot.row == kNone) add_row(slot);
        slot.restaurant = restaurant;
        double* values = values_.data() + slot.row * outcomes_;
        std::copy(scratch_.begin(), scratch_.end(), values);
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
    std::uint32_t impossible_;
    std::vector<Slot> slots_;
    std::vector<double> values_;  // by row and outcome
    ContextPaths paths_;          // of the questions in the last call of `prepare`
    std::vector<std::uint32_t> missing_;
    std::vector<double> scratch_ = std::vector<double>(outcomes_);
};

}  // namespace bistro
