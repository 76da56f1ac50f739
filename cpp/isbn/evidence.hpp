// The actions that agree with the given heads of a sentence.
#pragma once

#include <cstdint>

#include "isbn/configuration.hpp"
#include "parse/arc_standard.hpp"

namespace bistro::isbn {

// Returns the possible actions that the evidence allows, and after which the sentence can still end.
inline std::uint8_t agreeing(const Configuration& c, const Sentence& sentence, std::uint8_t possible, bool is_last,
                             bool single_root) {
    std::uint8_t bits = possible;
    auto forbid = [&](std::int32_t action) { bits &= static_cast<std::uint8_t>(~(1 << action)); };
    const std::int32_t top = c.top(), front = c.front(), last = sentence.size();
    auto given = [&](std::int32_t word) { return sentence.given_head(word); };
    if (is_last && !c.may_end(single_root)) forbid(kShift);
    if (is_last && !c.may_end_after_right_arc(single_root)) forbid(kRightArc);
    if (sentence.heads.empty() || front == 0) return bits;
    if (top > 0) {
        if (given(top) >= 0 && given(top) != front) forbid(kLeftArc);
        if (given(front) >= 0 && given(front) != top) forbid(kRightArc);
        if (given(front) == top) forbid(kLeftArc), forbid(kReduce), c.head(front) < 0 ? forbid(kShift) : void();
        // A popped word gets no more children.
        for (std::int32_t word = front; word <= last; ++word)
            if (given(word) == top) forbid(kReduce), forbid(kLeftArc);
    }
    for (std::int32_t below = 0; below < c.depth(); ++below)
        if (const std::int32_t word = c.item(below); given(word) == front && c.head(word) < 0) forbid(kShift), forbid(kRightArc);
    // A front that is pushed without a head must find its head on its right, or become a root.
    if (c.head(front) < 0 && given(front) > 0 && given(front) < front) forbid(kShift);
    return bits;
}

}  // namespace bistro::isbn
