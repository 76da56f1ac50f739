// The input of a chart: words between positions. A sentence is a lattice in which word i spans position i to i + 1. If word
// boundaries are unknown or ambiguous, words may span any two positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace bistro {

struct WordEdge {
    std::int32_t start, end, word;  // unknown words, such as -1, are allowed

    bool operator==(const WordEdge&) const = default;
};

class Lattice {
public:
    Lattice(int length, std::vector<WordEdge> edges) : length_(length), edges_(std::move(edges)) {
        if (length < 0) throw std::invalid_argument("a sentence has a negative length");
        for (const WordEdge& edge : edges_)
            if (edge.start < 0 || edge.end <= edge.start || edge.end > length)
                throw std::invalid_argument("a word does not lie within its sentence");
        auto key = [](const WordEdge& e) { return std::tuple(e.start, e.end, e.word); };
        std::sort(edges_.begin(), edges_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
        begin_.assign(length + 1, 0);
        for (const WordEdge& edge : edges_) ++begin_[edge.start + 1];
        for (int i = 0; i < length; ++i) begin_[i + 1] += begin_[i];
    }

    int length() const { return length_; }
    const std::vector<WordEdge>& edges() const { return edges_; }

    template <class Visit>
    void each_word(int start, int end, const Visit& visit) const {
        for (int e = begin_[start]; e < begin_[start + 1]; ++e)
            if (edges_[e].end == end) visit(edges_[e].word);
    }

private:
    int length_;
    std::vector<WordEdge> edges_;      // sorted by start, end and word
    std::vector<std::int32_t> begin_;  // [position]: index of the first word that starts there
};

}  // namespace bistro
