// Partial derivations of the search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isbn/configuration.hpp"

namespace bistro::isbn {

struct Node {
    Configuration configuration;
    double log_prob = 0;
    std::uint32_t level = 0;
    std::int32_t stage = kAbsent;                      // of its state
    std::array<std::int32_t, kActions> after = kNone;  // the stages after an action, if made

    static constexpr std::array<std::int32_t, kActions> kNone{kAbsent, kAbsent, kAbsent, kAbsent};

    // The same memory for another derivation.
    void become(double log_prob_, std::uint32_t level_) { log_prob = log_prob_, level = level_, stage = kAbsent, after = kNone; }
};

// Nodes that keep their memory when they are cleared.
class Nodes {
public:
    Node& operator[](std::int32_t i) { return nodes_[static_cast<std::size_t>(i)]; }
    std::int32_t size() const { return static_cast<std::int32_t>(used_); }
    bool empty() const { return used_ == 0; }
    std::span<const Node> view() const { return {nodes_.data(), used_}; }
    void clear() { used_ = 0; }
    void drop() { --used_; }
    Node& add() {
        if (used_ == nodes_.size()) nodes_.emplace_back();
        return nodes_[used_++];
    }

private:
    std::vector<Node> nodes_;
    std::size_t used_ = 0;
};

}  // namespace bistro::isbn
