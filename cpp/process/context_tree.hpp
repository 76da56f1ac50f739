// The tree of all observed contexts with collapsed chains: a suffix tree of the reversed text, built symbol by symbol.
//
// A node is a context that branches, or in which several events were observed. All contexts between a node and its parent
// are left out. A leaf is a context with one event, and is only a position in the text. There are at most as many nodes as
// leaves, so memory is linear in the length of the text, however long the contexts are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "process/blocks.hpp"

namespace bistro {

// A child of a node: another node or, with the highest bit, a leaf.
struct ChildSlot {
    std::uint32_t key = kNone;  // the next earlier symbol
    std::uint32_t child = 0;
};
inline constexpr std::uint32_t kLeaf = 0x80000000u;
inline bool is_leaf(std::uint32_t child) { return (child & kLeaf) != 0; }

// Customers and tables of one outcome in one node. Table sizes are listed from the second table on.
struct Seats {
    std::uint32_t key = kNone;  // the outcome
    std::int32_t customers = 0;
    std::int32_t tables = 0;
    std::uint32_t sizes = kNone;
};

struct ContextNode {
    std::uint32_t end = 0;   // its symbols are text[end - 1], text[end - 2], ...
    std::int32_t depth = 0;  // number of its symbols
    std::int32_t customers = 0;
    std::int32_t tables = 0;
    Block children, seats;
};

// One event: text[end] after the `depth` symbols before it. A leaf is vacant after its event was removed.
struct ContextLeaf {
    std::uint32_t end = 0;
    std::int32_t depth = 0;
    bool vacant() const { return depth < 0; }
    std::int32_t length() const { return vacant() ? ~depth : depth; }
};

// The position of a context in the tree: the nodes on its path, and its position after the last of them.
struct TreePath {
    std::vector<std::uint32_t> nodes;  // from the root on
    // The slot of the child whose edge the context enters, or whose end it reaches if the child is a leaf.
    std::uint32_t below = kNone;
    std::int32_t matched = 0;  // number of symbols of the context on the path
};

class ContextTree {
public:
    ContextTree() : nodes_(1) {}

    // The path of a context of the given length. context(k) is its k-th symbol, nearest first.
    template <class Context>
    void locate(const Context& context, std::int32_t length, TreePath& path) const {
        path.nodes.assign(1, 0);
        path.below = kNone;
        std::int32_t depth = 0;
        while (depth < length) {
            const std::uint32_t slot = children_.find(nodes_[path.nodes.back()].children, symbol(context(depth)));
            if (slot == kNone) break;
            const auto [end, bottom] = label(children_[slot].child);
            const std::int32_t limit = std::min(length, bottom);
            ++depth;
            while (depth < limit && context(depth) == text_[end - 1 - static_cast<std::uint32_t>(depth)]) ++depth;
            if (depth < bottom || is_leaf(children_[slot].child)) {
                path.below = slot;
                break;
            }
            path.nodes.push_back(children_[slot].child);
        }
        path.matched = depth;
    }

    // Creates the node at which the path of a context leaves an edge, and returns its number. The child keeps its number.
    std::uint32_t split(TreePath& path) {
        const std::uint32_t child = children_[path.below].child;
        const auto end = label(child).first;
        const auto number = add_node(end, path.matched);
        children_[path.below].child = number;
        children_.insert(nodes_[number].children,
                         ChildSlot{symbol(text_[end - 1 - static_cast<std::uint32_t>(path.matched)]), child});
        path.nodes.push_back(number);
        path.below = kNone;
        return number;
    }

    // Adds a leaf below the last node of a path, for text[end] after `length` symbols.
    void add_leaf(const TreePath& path, std::uint32_t end, std::int32_t length) {
        ContextNode& parent = nodes_[path.nodes.back()];
        if (leaves_.size() >= kLeaf - 1) throw std::length_error("more than two billion events");
        const auto leaf = static_cast<std::uint32_t>(leaves_.size());
        leaves_.push_back({end, length});
        children_.insert(parent.children,
                         ChildSlot{symbol(text_[end - 1 - static_cast<std::uint32_t>(parent.depth)]), leaf | kLeaf});
    }

    // Turns the leaf at the end of a path into a node without customers, and returns the previous leaf.
    ContextLeaf open_leaf(TreePath& path) {
        ContextLeaf& old = leaves_[children_[path.below].child & ~kLeaf];
        const ContextLeaf leaf = old;
        old.depth = ~leaf.length();
        const auto number = add_node(leaf.end, leaf.length());
        children_[path.below].child = number;
        path.nodes.push_back(number);
        path.below = kNone;
        return leaf;
    }

    // End and depth of a child's label.
    std::pair<std::uint32_t, std::int32_t> label(std::uint32_t child) const {
        if (is_leaf(child)) return {leaves_[child & ~kLeaf].end, leaves_[child & ~kLeaf].length()};
        return {nodes_[child].end, nodes_[child].depth};
    }

    std::vector<std::int32_t>& text() { return text_; }
    const std::vector<std::int32_t>& text() const { return text_; }
    std::vector<ContextNode>& nodes() { return nodes_; }
    const std::vector<ContextNode>& nodes() const { return nodes_; }
    std::vector<ContextLeaf>& leaves() { return leaves_; }
    const std::vector<ContextLeaf>& leaves() const { return leaves_; }
    BlockPool<ChildSlot>& children() { return children_; }
    const BlockPool<ChildSlot>& children() const { return children_; }

    std::size_t bytes() const {
        return text_.capacity() * sizeof(std::int32_t) + nodes_.capacity() * sizeof(ContextNode) +
               leaves_.capacity() * sizeof(ContextLeaf) + children_.bytes();
    }

private:
    static std::uint32_t symbol(std::int32_t element) { return static_cast<std::uint32_t>(element); }

    std::uint32_t add_node(std::uint32_t end, std::int32_t depth) {
        if (nodes_.size() >= kLeaf - 1) throw std::length_error("more than two billion contexts");
        nodes_.push_back(ContextNode{end, depth, 0, 0, {}, {}});
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    std::vector<std::int32_t> text_;
    std::vector<ContextNode> nodes_;
    std::vector<ContextLeaf> leaves_;
    BlockPool<ChildSlot> children_;
};

}  // namespace bistro
