// How the probabilities of prefixes are asked for.
#pragma once

#include <cstdint>

#include "hpyp/frozen.hpp"
#include "parse/search.hpp"

namespace bistro::bind {

// How to sum over derivations: `repeats` independent runs of sequential Monte Carlo, or one search.
struct ScoreRequest {
    bool draws = false;
    std::int64_t size = 1000;
    int tags = 3, labels = 3;  // 0: all tags, whether or not the word had them in training
    int repeats = 1;
    std::uint64_t seed = 1, purpose = 0;

    SearchOptions options(const TransitionModel<Frozen>& model) const {
        return {tags == 0 ? model.system.symbols.tags : tags, labels, true, tags == 0 ? 1.0 : 0.0};
    }
};

}  // namespace bistro::bind
