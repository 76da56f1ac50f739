// Options and results of the search for derivations (beam.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace bistro::isbn {

struct BeamOptions {
    std::size_t width = 30;
    std::size_t labels = 5;    // maximum number of labels per arc
    std::size_t clusters = 3;  // maximum number of clusters (tags with features) per word
    double margin = 2;         // a derivation is dropped if its next word would have to be e^margin times as probable as any found
    std::size_t at_once = 1;   // maximum number of derivations extended together; more are faster and find slightly more
    std::size_t states = 0;    // number of states above which unneeded ones are freed; 0: as many as take 64 MB, at least 1000
};

// The clusters with which each word was seen in training, and the relative frequencies log p(word | cluster).
struct SeenClusters {
    std::vector<std::int32_t> begin, list;
    std::vector<float> log_share;
};

// A complete derivation.
struct Final {
    std::vector<std::int32_t> heads, labels, clusters;
    double log_prob;
    double log_words;  // summed over the root labels that are not given: their probabilities sum to 1
};

}  // namespace bistro::isbn
