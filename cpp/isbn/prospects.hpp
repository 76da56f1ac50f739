// What derivations become by their next shift, judged by others that have made the same step.
//
// The next word depends mostly on the word at the front and on the top of the stack. So derivations that take the same action with the
// same top lose about the same by what follows: a choice of actions, and the next tag and word. The most probable continuation found so
// far tells of those still waiting whether they are worth a state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "isbn/configuration.hpp"

namespace bistro::isbn {

class Prospects {
public:
    // A new word; `margin`: a continuation is expected to be at most e^margin times as probable as the best of its kind so far.
    void begin(double margin) {
        margin_ = margin;
        for (const std::size_t place : known_) highest_[place] = kNothing;
        known_.clear();
    }

    // A derivation that took this action with this top has shifted, and has become less probable by this factor.
    void note(std::int32_t top, std::int32_t action, double log_factor) {
        const std::size_t place = place_of(top, action);
        if (place >= highest_.size()) highest_.resize(place + kActions, kNothing);
        if (highest_[place] == kNothing) known_.push_back(place);
        highest_[place] = std::max(highest_[place], log_factor);
    }

    // The factor that another one is expected not to exceed.
    double most(std::int32_t top, std::int32_t action) const {
        const std::size_t place = place_of(top, action);
        return place < highest_.size() && highest_[place] != kNothing ? highest_[place] + margin_ : 0.0;
    }

private:
    static constexpr double kNothing = -std::numeric_limits<double>::infinity();

    static std::size_t place_of(std::int32_t top, std::int32_t action) {
        return static_cast<std::size_t>(top) * kActions + static_cast<std::size_t>(action);
    }

    double margin_ = 0;
    std::vector<double> highest_;     // by top and action
    std::vector<std::size_t> known_;  // places in it
};

}  // namespace bistro::isbn
