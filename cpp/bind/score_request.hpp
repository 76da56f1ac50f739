// How the probabilities of prefixes are asked for.
#pragma once

#include <cstdint>

#include "hpyp/frozen.hpp"
#include "parse/search.hpp"

namespace bistro::bind {

// How to sum over derivations: `repeats` independent runs over a graph of stacks or of sequential Monte Carlo, or one search.
struct ScoreRequest {
    bool draws = false;
    bool graph = false;         // a graph of stacks, thinned to `size` nodes per word; all of it if that is 0
    std::int64_t size = 1000;
    bool by_weight = true;      // how a search shares its particles out after each word
    bool all_tags = false;      // whether or not the word had them in training
    bool both_reduces = true;
    int tags = 3, labels = 3;  // most that are tried
    int repeats = 1;
    std::uint64_t seed = 1, purpose = 0;
    // Which sentences of a larger text these are: the number of the first, and of all (0: these are all). Streams are named by it.
    std::uint64_t first = 0, total = 0;

    SearchOptions options() const { return {tags, labels, both_reduces, all_tags ? 1.0 : 0.0}; }
};

}  // namespace bistro::bind
