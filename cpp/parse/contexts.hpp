// What can be seen of a configuration: numbered elements, from which every context is made.
//
// Elements 0 to 39 are ten facts about each of the top four stack items; the rest follow. A context is a list of element
// numbers, most informative first, so a model's contexts are data. What is missing has a value of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/state.hpp"

namespace bistro {

inline constexpr int kStackItems = 4;
enum Fact { kTag, kWord, kLeftTag, kLeftLabel, kLeftWord, kRightTag, kRightLabel, kRightWord, kLeftCount, kRightCount, kFacts };
enum Element {
    kNextTag = kStackItems * kFacts,  // of the word about to be generated
    kLastTag,
    kLastWord,
    kLastButOneTag,
    kLastButOneWord,
    kDistance,
    kArcAction,
    kElements
};

using Elements = std::array<std::int32_t, kElements>;
using ContextList = std::vector<std::uint8_t>;

// How many tags, words and labels there are; beyond them stand the root and what is missing.
struct Symbols {
    std::int32_t tags = 1, words = 1, labels = 1;

    std::int32_t root_tag() const { return tags; }
    std::int32_t no_tag() const { return tags + 1; }
    std::int32_t root_word() const { return words; }
    std::int32_t no_word() const { return words + 1; }
    std::int32_t no_label() const { return labels; }
};

inline constexpr std::int32_t kMostChildren = 3;

inline std::int32_t distance_class(std::int32_t distance) {
    constexpr std::array<std::int32_t, 5> limits{1, 2, 3, 5, 10};
    return static_cast<std::int32_t>(std::lower_bound(limits.begin(), limits.end(), distance) - limits.begin());
}

// All elements of a configuration; kNextTag and kArcAction are set by whoever predicts with them.
inline void observe(const States& states, std::uint32_t id, const Symbols& symbols, std::span<const std::int32_t> words,
                    Elements& out) {
    const State& now = states[id];
    std::uint32_t at = now.depth > 0 ? id : kNone;  // with the root last, nothing is on the stack at first
    for (int item = 0; item < kStackItems; ++item) {
        std::int32_t* fact = &out[static_cast<std::size_t>(item) * kFacts];
        if (at == kNone) {
            const std::int32_t t = symbols.no_tag(), w = symbols.no_word(), l = symbols.no_label();
            const std::array<std::int32_t, kFacts> missing{t, w, t, l, w, t, l, w, kMostChildren + 1, kMostChildren + 1};
            std::copy(missing.begin(), missing.end(), fact);
            continue;
        }
        const State& s = states[at];
        const std::array<std::int32_t, kFacts> facts{
            s.tag, s.word, s.left.tag, s.left.label, s.left.word, s.right.tag, s.right.label, s.right.word,
            std::min<std::int32_t>(s.left_count, kMostChildren), std::min<std::int32_t>(s.right_count, kMostChildren)};
        std::copy(facts.begin(), facts.end(), fact);
        at = s.below;
    }
    out[kLastTag] = now.last_tag >= 0 ? now.last_tag : symbols.no_tag();
    out[kLastButOneTag] = now.last_tag_but_one >= 0 ? now.last_tag_but_one : symbols.no_tag();
    out[kLastWord] = now.shifted >= 1 ? words[now.shifted - 1] : symbols.no_word();
    out[kLastButOneWord] = now.shifted >= 2 ? words[now.shifted - 2] : symbols.no_word();
    out[kDistance] = now.below == kNone ? 6 : distance_class(now.position - states[now.below].position);
}

// One context, read element by element.
struct ContextOf {
    const Elements& elements;
    const ContextList& list;
    std::int32_t operator()(int k) const { return elements[list[k]]; }
};

}  // namespace bistro
