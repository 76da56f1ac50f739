// Partial derivations of the search.
//
// The part of a derivation since the last word is a chain of actions, with one node per action. The configuration of a node is
// computed when it is needed, from that of the kept derivation at the start of the chain. A node therefore takes the same memory
// whatever the length of the sentence.
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

// One action of a derivation.
struct Step {
    std::int32_t from = kAbsent;     // the previous node, or the kept derivation if the action is kStart
    std::int32_t action = kStart;    // kStart: no action yet
    std::int32_t label = 0;          // of an arc
    std::int32_t decided = kAbsent;  // stage of the previous state after its decision
};

struct Node {
    Step step;
    double log_prob = 0;
    std::uint32_t level = 0;
    std::int32_t stage = kAbsent;                      // of its state
    std::array<std::int32_t, kActions> after = kNone;  // the stage after each action, if computed
    std::int32_t top = 0, front = 0;                   // of its configuration
    std::uint8_t possible = 0;                         // bit mask of actions
    bool may_end = false;                              // whether the next shift may end the sentence

    static constexpr std::array<std::int32_t, kActions> kNone{kAbsent, kAbsent, kAbsent, kAbsent};
};

// A list that keeps the memory of its entries when it is cleared.
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

// Applies a step to a configuration.
inline void take(const Step& step, Configuration& c) {
    c.note(step.decided);
    if (step.action == kLeftArc) c.left_arc(step.label);
    if (step.action == kRightArc) c.right_arc(step.label);
    if (step.action == kReduce) c.reduce();
}

// Computes the configurations of nodes.
class Present {
public:
    // The configuration of a node. The reference is valid until the next call.
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
    std::vector<std::int32_t> steps_;  // the last one first
    Configuration configuration_;
};

}  // namespace bistro::isbn
