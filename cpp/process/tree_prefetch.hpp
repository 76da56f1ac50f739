// Prefetches the data of the next events, several events in parallel.
//
// In a long text, every step down the tree waits for memory. The contexts of the next events are known, so a group of them
// walks ahead together, and their memory accesses overlap. Labels are not compared: a wrong path prefetches useless data,
// but has no other effect.
#pragma once

#include <cstdint>
#include <vector>

#include "platform.hpp"
#include "process/context_tree.hpp"
#include "process/sequences.hpp"

namespace bistro {

struct Walker {
    Before before;
    std::int32_t length;
    std::int32_t dish;
    std::int32_t depth = 0;
    std::uint32_t node = 0;
};

inline void walk_ahead(std::vector<Walker>& walkers, const ContextTree& tree, const BlockPool<Seats>& seats) {
    while (!walkers.empty()) {
        for (const Walker& walker : walkers) {
            const ContextNode& node = tree.nodes()[walker.node];
            tree.children().prefetch(node.children, static_cast<std::uint32_t>(walker.before(node.depth)));
            seats.prefetch(node.seats, static_cast<std::uint32_t>(walker.dish));
            if (node.depth > 0) bistro::prefetch(&tree.text()[node.end - 1 - static_cast<std::uint32_t>(walker.depth)]);
        }
        std::size_t kept = 0;
        for (Walker& walker : walkers) {
            const ContextNode& node = tree.nodes()[walker.node];
            const std::uint32_t slot = tree.children().find(node.children, static_cast<std::uint32_t>(walker.before(node.depth)));
            if (slot == kNone) continue;
            const std::uint32_t child = tree.children()[slot].child;
            if (is_leaf(child)) {
                bistro::prefetch(&tree.leaves()[child & ~kLeaf]);
                continue;
            }
            bistro::prefetch(&tree.nodes()[child]);
            walker.depth = node.depth;
            walker.node = child;
            walkers[kept++] = walker;
        }
        walkers.resize(kept, Walker{{nullptr}, 0, 0});
        // A context ends where its sequence begins.
        kept = 0;
        for (const Walker& walker : walkers)
            if (tree.nodes()[walker.node].depth < walker.length) walkers[kept++] = walker;
        walkers.resize(kept, Walker{{nullptr}, 0, 0});
    }
}

}  // namespace bistro
