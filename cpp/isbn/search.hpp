// What the search for derivations is given, and what it gives (beam.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace bistro::isbn {

struct BeamOptions {
    std::size_t width = 30;
    std::size_t labels = 5;    // most labels an arc
    std::size_t clusters = 3;  // most clusters (tags with features) a word
    double margin = 2;         // a derivation is given up that needs its next word to be e^margin times as probable as any found
    std::size_t at_once = 1;   // most derivations that are taken further together: more are faster, and find a little more
    std::size_t states = 0;    // as soon as there are more, those that are not needed any more are freed; 0: more than take 64 MB
};

// The clusters that words were seen with, and how often: log p(word | cluster) as counted.
struct SeenClusters {
    std::vector<std::int32_t> begin, list;
    std::vector<float> log_share;
};

// A complete derivation.
struct Final {
    std::vector<std::int32_t> heads, labels, clusters;
    double log_prob;
    double log_words;  // with any labels of the roots that are not given: their probabilities sum to 1
};

}  // namespace bistro::isbn
