// All stacks of a sentence in one graph (a graph-structured stack, Tomita 1985; Huang & Sagae 2010).
//
// A node has the facts about a stack that the contexts of the model use: all used facts about its top item, and fewer facts
// about each item below. A link leads to a node that the item was shifted onto. Every path of links down to the empty stack
// is one stack, and its probability is the product of the weights on the path. Configurations that look the same share one
// node, independent of the deeper items, so a few hundred nodes represent astronomically many derivations.
//
// Weights are scaled word by word so that the probabilities of all stacks after each word sum to 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "parse/stack_items.hpp"
#include "parse/thinning.hpp"

namespace bistro {

// Weighted means over all derivations of a node or a link. They are added where weights are multiplied.
//
// A mean is first accumulated as a weighted sum. The weights can be far below the smallest number of single precision: the
// end of 1,000 equal words may have a probability of 1e-58. Such sums are scaled by a power of two, which causes no
// rounding error.
struct Tally {
    double log_joint = 0;  // log probability
    Noise noise{};         // independent copies of the relative error
    double lift = 1;       // power of two by which a weighted sum of noise is scaled

    // Adds a mean to a mean.
    void add(const Tally& other) {
        log_joint += other.log_joint;
        add_noise(noise, other.noise);
    }
    void add_times(double weight, const Tally& other) {
        log_joint += weight * other.log_joint;
        add_noise_times(weight, other.noise);
    }
    void add_noise_times(double weight, const Noise& other) {
        if (const double lifted = weight * lift; !(lifted > kLeastWeight && lifted < kLargestWeight)) choose_lift(weight);
        const auto w = static_cast<float>(weight * lift);
        for (std::size_t c = 0; c < kChannels; ++c) noise[c] += w * other[c];
    }
    // Turns a weighted sum into a mean.
    void scale(double factor) {
        log_joint *= factor;
        const auto f = static_cast<float>(factor / lift);
        for (float& x : noise) x *= f;
        lift = 1;
    }

private:
    static constexpr double kLeastWeight = 0x1p-60, kLargestWeight = 0x1p60;

    // A weight far smaller than earlier weights does not change the sum, so only the first weight can raise the lift.
    void choose_lift(double weight) {
        if (!(weight > 0)) return;
        const bool is_first = std::all_of(noise.begin(), noise.end(), [](float x) { return x == 0; });
        if (weight * lift < 1 && !is_first) return;
        const double next = std::ldexp(1.0, std::min(-std::ilogb(weight), 1000));
        if (!is_first)
            for (float& x : noise) x *= static_cast<float>(next / lift);
        lift = next;
    }
};

struct StackLook {
    std::array<std::uint32_t, kStackItems> items{};  // from the top down; each has only the facts that are used at its depth
    std::int16_t last_tag = -1, last_tag_but_one = -1;
    std::int32_t begin = 0;  // position of the first word in the subtree of the top item
    bool operator==(const StackLook&) const = default;

    std::uint64_t hash() const {
        const std::uint32_t tags =
            static_cast<std::uint32_t>(static_cast<std::uint16_t>(last_tag)) << 16 | static_cast<std::uint16_t>(last_tag_but_one);
        std::uint64_t h = static_cast<std::uint64_t>(begin) << 32 | tags;
        for (const std::uint32_t item : items) h = (h ^ item) * 0x9E3779B97F4A7C15ULL;
        return mix(h);
    }
};

struct StackNode {
    StackLook look;
    std::uint32_t first_link = kNone;
    double mass = 0;  // sum over all stacks with this node on top
    Tally tally;
};

struct StackLink {
    std::uint32_t below, next;
    double weight;
    Tally tally;
};

class StackGraph {
public:
    std::vector<StackNode> nodes;
    std::vector<StackLink> links;

    void clear() {
        nodes.clear();
        links.clear();
        forget_looks();
    }

    // Forgets all looks, so that later nodes are new even if they look like earlier ones.
    void forget_looks() {
        std::fill(slots_.begin(), slots_.end(), kNone);
        known_ = 0;
    }

    // The node with this look. `is_new` is set if there was none.
    std::uint32_t node(const StackLook& look, bool& is_new) {
        if ((known_ + 1) * 2 > slots_.size()) grow();
        std::size_t slot = look.hash() & (slots_.size() - 1);
        for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
            if (nodes[slots_[slot]].look == look) {
                is_new = false;
                return slots_[slot];
            }
        slots_[slot] = static_cast<std::uint32_t>(nodes.size());
        ++known_;
        nodes.push_back({look, kNone, 0, {}});
        is_new = true;
        return slots_[slot];
    }

    // Adds a weight to the link between two nodes. Until `settle`, the tally of the link is a weighted sum.
    StackLink& link(std::uint32_t node, std::uint32_t below, double weight) {
        for (std::uint32_t at = nodes[node].first_link; at != kNone; at = links[at].next)
            if (links[at].below == below) {
                links[at].weight += weight;
                return links[at];
            }
        links.push_back({below, nodes[node].first_link, weight, {}});
        nodes[node].first_link = static_cast<std::uint32_t>(links.size() - 1);
        return links.back();
    }

    // Called when all links of a node exist. Their tallies become means, and the node's own tally is computed.
    void settle(std::uint32_t id) {
        StackNode& node = nodes[id];
        node.mass = 0;
        for (std::uint32_t at = node.first_link; at != kNone; at = links[at].next) {
            StackLink& link = links[at];
            link.tally.scale(1 / link.weight);
            const StackNode& below = nodes[link.below];
            const double mass = below.mass * link.weight;
            node.mass += mass;
            node.tally.add_times(mass, below.tally);
            node.tally.add_times(mass, link.tally);
        }
        node.tally.scale(1 / node.mass);
    }

private:
    void grow() {
        const std::vector<std::uint32_t> before = std::move(slots_);
        slots_.assign(before.size() * 2, kNone);
        for (const std::uint32_t id : before) {
            if (id == kNone) continue;
            std::size_t slot = nodes[id].look.hash() & (slots_.size() - 1);
            while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = id;
        }
    }

    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256, kNone);  // nodes by their looks
    std::size_t known_ = 0;
};

}  // namespace bistro
