// Estimates of how much log-probability a derivation will lose until its next shift, based on others that made the same step.
//
// The next word depends mostly on the word at the front and on the top of the stack. Derivations that take the same action with
// the same top therefore lose about the same factor by what follows: the remaining actions, and the next tag and word. The most
// probable continuation found so far shows whether a waiting derivation is worth a state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "isbn/configuration.hpp"

namespace bistro::isbn {

class Prospects {
public:
    // Starts a new word. A continuation is expected to be at most e^margin times as probable as the best one so far with the same
    // action and top.
    void begin(double margin) {
        margin_ = margin;
        for (const std::size_t place : known_) highest_[place] = kNothing;
        known_.clear();
    }

    // A derivation took this action with this top and has shifted. In between, its log-probability changed by `log_factor`.
    void note(std::int32_t top, std::int32_t action, double log_factor) {
        const std::size_t place = place_of(top, action);
        if (place >= highest_.size()) highest_.resize(place + kActions, kNothing);
        if (highest_[place] == kNothing) known_.push_back(place);
        highest_[place] = std::max(highest_[place], log_factor);
    }

    // Upper estimate of the change in log-probability of another derivation; 0 if nothing is known.
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
    std::vector<std::size_t> known_;  // indices with values in highest_
};

}  // namespace bistro::isbn
