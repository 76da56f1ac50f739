// Options for the probabilities of prefixes.
#pragma once

#include <cstdint>

#include "hpyp/frozen.hpp"
#include "parse/search.hpp"

namespace bistro::bind {

// How to sum over derivations: `repeats` independent runs over a graph of stacks or of sequential Monte Carlo, or one search.
struct ScoreRequest {
    bool draws = false;
    bool graph = false;         // a graph of stacks, thinned to `size` nodes per word; 0 keeps all nodes
    std::int64_t size = 1000;
    bool by_weight = true;      // how a search redistributes its particles after each word
    bool all_tags = false;      // all tags, including those that the word did not have in training
    bool both_reduces = true;
    int tags = 3, labels = 3;  // maximum numbers of tags and labels tried
    int repeats = 1;
    std::uint64_t seed = 1, purpose = 0;
    // The position of these sentences in a larger text: the index of the first sentence and the total number of sentences
    // (0: these sentences are the whole text). The random streams depend on both.
    std::uint64_t first = 0, total = 0;

    SearchOptions options() const { return {tags, labels, both_reduces, all_tags ? 1.0 : 0.0}; }
};

}  // namespace bistro::bind
