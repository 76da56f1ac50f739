// The tree of spans with the highest sum of gains among all ways to nest spans over n words, without a grammar.
//
//     best(i, j) = gain(i, j) + max over k of best(i, k) + best(k, j)
//
// A span that is not listed has gain 0, so that nodes may have any number of children. Among equal splits, the first one is
// used.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace bistro {

struct GainingSpan {
    std::int32_t start, end;
    double gain;
};

class SpanTree {
public:
    static constexpr int kLongest = 4000;  // words; the chart grows with the square

    // For every listed span (each at most once), whether it is in the best tree.
    std::vector<std::uint8_t> chosen(int words, std::span<const GainingSpan> spans) {
        if (words < 1 || words > kLongest) throw std::invalid_argument("a tree of spans must have 1 to 4000 words");
        size_ = words + 1;
        best_.assign(static_cast<std::size_t>(size_) * size_, 0.0);
        split_.assign(best_.size(), 0);
        for (const GainingSpan& s : spans) {
            if (s.start < 0 || s.start >= s.end || s.end > words) throw std::invalid_argument("a span is outside its sentence");
            best_[at(s.start, s.end)] = s.gain;
        }
        fill(words);
        mark(words);
        std::vector<std::uint8_t> found;
        for (const GainingSpan& s : spans) found.push_back(split_[at(s.start, s.end)] == kInTree);
        return found;
    }

private:
    static constexpr std::int32_t kInTree = -1;

    std::size_t at(int start, int end) const { return static_cast<std::size_t>(start) * size_ + end; }

    void fill(int words) {
        for (int width = 2; width <= words; ++width)
            for (int i = 0, j = width; j <= words; ++i, ++j) {
                int split = i + 1;
                double most = best_[at(i, split)] + best_[at(split, j)];
                for (int k = i + 2; k < j; ++k)
                    if (const double sum = best_[at(i, k)] + best_[at(k, j)]; sum > most) most = sum, split = k;
                best_[at(i, j)] += most;
                split_[at(i, j)] = split;
            }
    }

    void mark(int words) {
        std::vector<std::pair<int, int>> open{{0, words}};
        while (!open.empty()) {
            const auto [i, j] = open.back();
            open.pop_back();
            const int k = split_[at(i, j)];
            split_[at(i, j)] = kInTree;
            if (j - i > 1) open.insert(open.end(), {{i, k}, {k, j}});
        }
    }

    int size_ = 0;
    std::vector<double> best_;
    std::vector<std::int32_t> split_;
};

}  // namespace bistro
