// Parser configurations of the arc-standard system, as a persistent tree.
//
// Every transition creates one new State, the new top of the stack. `below` leads to the rest of the stack, which is shared
// between configurations, and `previous` to the previous configuration, from which the whole derivation can be read.
// Nothing is copied or changed, so each derivation of a beam costs one State per step.
#pragma once

#include <cstdint>
#include <vector>

#include "hpyp/flat_map.hpp"

namespace bistro {

enum class Action : std::uint8_t { shift = 0, left_arc = 1, right_arc = 2, end = 3, start = 4 };

struct Child {
    std::int16_t tag;
    std::int16_t label;
    std::int32_t word;
};

struct State {
    std::uint32_t previous = kNone;
    std::uint32_t below = kNone;  // the configuration whose top is the second item of this stack
    std::int32_t position = 0;    // of the top item: 0 is the root, words count from 1
    std::int32_t word = 0;
    Child left{}, right{};  // outermost children of the top item
    std::int16_t tag = 0;
    std::uint8_t left_count = 0, right_count = 0;
    std::int32_t shifted = 0;                           // words generated so far
    std::int32_t depth = 0;                             // items on the stack
    std::int32_t dependent = 0;                         // of the arc that this transition made
    std::int16_t label = -1;                            // of that arc
    std::int16_t last_tag = -1, last_tag_but_one = -1;  // of the words generated last
    std::uint16_t given_children = 0;                   // number of children of the top item so far that the evidence gives
    Action action = Action::start;
    std::uint64_t tree = 0;  // a hash of the arcs and tags so far, independent of their order
};

// The contribution of one arc or tag to the hash of its tree.
inline std::uint64_t arc_hash(std::int32_t dependent, std::int32_t head, std::int32_t label) {
    return mix(mix(pair_key(static_cast<std::uint32_t>(dependent), static_cast<std::uint32_t>(head))) +
               static_cast<std::uint64_t>(label + 1));
}
inline std::uint64_t tag_hash(std::int32_t position, std::int32_t tag) {
    return mix(~pair_key(static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(tag)));
}

using States = std::vector<State>;

}  // namespace bistro
