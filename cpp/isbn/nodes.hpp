// Partial derivations of the search.
//
// A derivation since the last word is a chain of actions, one node each. Its configuration is worked out when it is wanted, from that
// of the kept derivation that it goes on from: a node takes the same memory whatever the length of the sentence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isbn/configuration.hpp"

namespace bistro::isbn {

// A derivation that has generated a word.
struct Kept {
    Configuration configuration;
    double log_prob = 0;
};

// One step further.
struct Step {
    std::int32_t from = kAbsent;     // the node before, or the kept derivation where there is no action
    std::int32_t action = kStart;    // none yet
    std::int32_t label = 0;          // of an arc
    std::int32_t decided = kAbsent;  // the stage of the state before, when it had decided
};

struct Node {
    Step step;
    double log_prob = 0;
    std::uint32_t level = 0;
    std::int32_t stage = kAbsent;                      // of its state
    std::array<std::int32_t, kActions> after = kNone;  // the stages after an action, if made
    std::int32_t top = 0, front = 0;                   // of its configuration
    std::uint8_t possible = 0;                         // actions
    bool may_end = false;                              // with the next shift

    static constexpr std::array<std::int32_t, kActions> kNone{kAbsent, kAbsent, kAbsent, kAbsent};
};

// Entries that keep their memory when they are cleared.
template <class Entry>
class Reused {
public:
    Entry& operator[](std::int32_t i) { return entries_[static_cast<std::size_t>(i)]; }
    const Entry& operator[](std::int32_t i) const { return entries_[static_cast<std::size_t>(i)]; }
    std::int32_t size() const { return static_cast<std::int32_t>(used_); }
    bool empty() const { return used_ == 0; }
    std::span<const Entry> view() const { return {entries_.data(), used_}; }
    void clear() { used_ = 0; }
    void drop() { --used_; }
    Entry& add() {
        if (used_ == entries_.size()) entries_.emplace_back();
        return entries_[used_++];
    }

private:
    std::vector<Entry> entries_;
    std::size_t used_ = 0;
};

// What a step makes of a configuration.
inline void take(const Step& step, Configuration& c) {
    c.note(step.decided);
    if (step.action == kLeftArc) c.left_arc(step.label);
    if (step.action == kRightArc) c.right_arc(step.label);
    if (step.action == kReduce) c.reduce();
}

// Configurations of nodes.
class Present {
public:
    // That of a node, until the next one is asked for.
    const Configuration& of(std::int32_t node, const Reused<Node>& nodes, const Reused<Kept>& kept) {
        steps_.clear();
        for (; nodes[node].step.action != kStart; node = nodes[node].step.from) steps_.push_back(node);
        const Configuration& first = kept[nodes[node].step.from].configuration;
        if (steps_.empty()) return first;
        configuration_ = first;
        for (auto i = steps_.rbegin(); i != steps_.rend(); ++i) take(nodes[*i].step, configuration_);
        return configuration_;
    }

private:
    std::vector<std::int32_t> steps_;  // the last first
    Configuration configuration_;
};

}  // namespace bistro::isbn
