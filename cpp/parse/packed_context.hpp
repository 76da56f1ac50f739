// The first elements of a context, packed into one number: up to seven tags, labels or counts before the first word.
//
// Contexts that begin with the same tags recur in every text, so their restaurants are worth caching.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "parse/contexts.hpp"

namespace bistro {

class PackedContext {
public:
    explicit PackedContext(const ContextList& list) {
        for (const std::uint8_t e : list) {
            if (length_ == kMost || is_word(e)) break;
            elements_[static_cast<std::size_t>(length_++)] = e;
        }
    }

    int length() const { return length_; }

    // Returns false if a value has more than 9 bits, or if the context begins with a word or is empty.
    bool pack(const Elements& elements, std::uint64_t& key) const {
        std::uint32_t all = 0;
        key = 1;
        for (int k = 0; k < length_; ++k) {
            const auto value = static_cast<std::uint32_t>(elements[elements_[static_cast<std::size_t>(k)]]);
            all |= value;
            key = key << kBits | value;
        }
        return all >> kBits == 0 && length_ > 0;
    }

private:
    static constexpr int kMost = 7, kBits = 9;  // 63 bits and a leading 1, so no key is 0

    static bool is_word(std::uint8_t e) {
        if (e >= kStackItems * kFacts) return e == element("p1.word") || e == element("p2.word");
        constexpr std::array words{number_of(kFactNames, "word"), number_of(kFactNames, "lc1.word"),
                                   number_of(kFactNames, "rc1.word")};
        return std::find(words.begin(), words.end(), e % kFacts) != words.end();
    }

    std::array<std::uint8_t, kMost> elements_{};
    int length_ = 0;
};

}  // namespace bistro
