// One sentence: the symbols that may emit its words, and the results of a chart.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace bistro::pcfg {

// The symbols that emit each word, with their probabilities. The entries of word i are begin[i] to begin[i + 1] - 1.
struct Words {
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> symbols;
    std::span<const double> probs;

    std::int32_t count() const { return static_cast<std::int32_t>(begin.size()) - 1; }
    template <class Use>
    void each(std::int32_t word, const Use& use) const {
        for (std::int64_t e = begin[word]; e < begin[word + 1]; ++e) use(symbols[e], probs[e]);
    }
};

// The results of a chart.
struct Result {
    double log_prob = -std::numeric_limits<double>::infinity();
    std::vector<double> prefix_log_probs;  // of the first word, the first two, …
    std::vector<double> scales;            // the factor of the probabilities of each word
    std::vector<double> expected;          // if requested, by symbol: p(words, symbol begins after them) / p(words)
    // If requested: symbols and values over each span. The entries of a span are begin[c] to begin[c + 1] - 1 with c =
    // cell(start, end).
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> symbols;
    std::vector<double> values;

    // Index of a span: by column (end) from left to right, and from the shortest to the longest span within a column.
    static std::int64_t cell(std::int64_t start, std::int64_t end) { return end * (end - 1) / 2 + (end - 1 - start); }
};

}  // namespace bistro::pcfg
