// Sparse weights: one bit per place, and a list of the weights that are not 0.
//
// A table of all weights would take as much memory for a few weights as for millions. Here, each place takes a quarter of a
// byte.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace bistro::stack {

class SparseWeights {
public:
    // Places must be in increasing order, without duplicates.
    SparseWeights(std::size_t size, std::span<const std::uint32_t> places, std::span<const float> values)
        : size_(size), words_(size / 64 + 1), values_(values.begin(), values.end()) {
        if (places.size() != values.size()) throw std::invalid_argument("every place needs a weight");
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= size || (i > 0 && places[i] <= places[i - 1]))
                throw std::invalid_argument("places of weights must be in order, and within the table");
            words_[places[i] / 64].bits |= std::uint64_t{1} << places[i] % 64;
        }
        std::uint32_t before = 0;
        for (Word& word : words_) {
            word.before = before;
            before += static_cast<std::uint32_t>(std::popcount(word.bits));
        }
    }

    std::size_t size() const { return size_; }

    float operator[](std::size_t place) const {
        const Word& word = words_[place / 64];
        const std::uint64_t bit = std::uint64_t{1} << place % 64;
        if (!(word.bits & bit)) return 0;
        return values_[word.before + static_cast<std::uint32_t>(std::popcount(word.bits & (bit - 1)))];
    }

    std::vector<std::uint32_t> places() const {
        std::vector<std::uint32_t> out;
        out.reserve(values_.size());
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t rest = words_[i].bits; rest; rest &= rest - 1)
                out.push_back(static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
        return out;
    }
    const std::vector<float>& values() const { return values_; }

private:
    // 64 places, and the number of listed weights before them.
    struct Word {
        std::uint64_t bits = 0;
        std::uint32_t before = 0;
    };
    std::size_t size_;
    std::vector<Word> words_;
    std::vector<float> values_;
};

}  // namespace bistro::stack
