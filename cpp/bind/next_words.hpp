// The probabilities of next words in the form that is returned to Python, for all parsers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bistro::bind {

struct NextWordSums {
    std::vector<double> log_prefix;  // per run
    std::vector<double> words;       // per run: all words, then the end of the sentence
    // p(tag, word) of the given words, indexed by run, word and tag.
    std::function<std::vector<double>(std::span<const std::int32_t>)> tags;
};

}  // namespace bistro::bind
