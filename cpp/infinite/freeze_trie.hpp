// Converts the trie of counts to the arrays of the frozen trie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/freeze.hpp"
#include "infinite/context_trie.hpp"

namespace bistro {

struct TrieArrays {
    FrozenArrays restaurants;
    std::vector<std::uint32_t> length, label, link_next, link_element;
};

// The chains of edges, renumbered in the order in which they are first read, so that chains that are read together are
// adjacent.
class LinkList {
public:
    explicit LinkList(const Spines& spines) : spines_(spines), number_(spines.size(), kNone) {
        next.push_back(0), element.push_back(kNone);  // the end of all chains
    }

    // The link of the first of the given number of elements of a chain.
    std::uint32_t of(std::uint32_t chain, std::int32_t elements) {
        if (elements <= 0) return 0;
        const std::uint32_t first = link(chain);
        for (std::uint32_t at = first; elements > 1; --elements) {
            chain = spines_.rest(chain);
            const std::uint32_t behind = link(chain);
            next[at] = behind;
            at = behind;
        }
        return first;
    }

    std::vector<std::uint32_t> next, element;

private:
    std::uint32_t link(std::uint32_t chain) {
        if (number_[chain] == kNone) {
            number_[chain] = static_cast<std::uint32_t>(next.size());
            next.push_back(0);
            element.push_back(static_cast<std::uint32_t>(spines_.element(chain)));
        }
        return number_[chain];
    }

    const Spines& spines_;
    std::vector<std::uint32_t> number_;
};

// Arranges the nodes in breadth-first order, like `freeze` of a franchise.
class TrieFreezer {
public:
    TrieFreezer(const ContextTrie& trie, const LevelParameters& parameters)
        : trie_(trie), parameters_(parameters), links_(trie.spines()),
          children_(trie.nodes().size(), trie.nodes().size(), [&](std::uint32_t i) { return trie.nodes()[i].parent; }),
          entries_(trie.served().size()) {
        std::iota(entries_.begin(), entries_.end(), 0u);
    }

    TrieArrays run(std::span<const double> base) && {
        FrozenArrays& to = out_.restaurants;
        to.element.push_back(kNone);
        for (std::uint32_t slot = 0; slot < node_at_.size(); ++slot) {
            to.child_begin.push_back(static_cast<std::uint32_t>(to.element.size()));
            to.entry_begin.push_back(static_cast<std::uint32_t>(to.dish.size()));
            to.backoff.push_back(1.0f), out_.length.push_back(0), out_.label.push_back(0);
            const std::uint32_t i = node_at_[slot];
            if (i != kNone) append_children(slot, i);
            if (i != kNone && i != 0) append_node(slot, trie_.nodes()[i]);
        }
        to.child_begin.push_back(static_cast<std::uint32_t>(to.element.size()));
        to.child_begin.resize(parents_ + 1);  // the remaining nodes have no children
        to.entry_begin.push_back(static_cast<std::uint32_t>(to.dish.size()));
        const std::vector<double> probability = trie_.probabilities(parameters_, base);
        for (const std::uint32_t e : entry_at_) to.probability.push_back(e == kNone ? 0.0f : static_cast<float>(probability[e]));
        out_.link_next = std::move(links_.next), out_.link_element = std::move(links_.element);
        return std::move(out_);
    }

private:
    void append_children(std::uint32_t slot, std::uint32_t i) {
        const auto first_element = [&](std::uint32_t child) {
            return static_cast<std::uint32_t>(
                trie_.spines().element(trie_.spines().skip(trie_.nodes()[child].chain, trie_.nodes()[i].depth)));
        };
        const std::uint32_t *first = children_.members.data() + children_.begin[i],
                            *last = children_.members.data() + children_.begin[i + 1];
        append_region(first, last, first_element, out_.restaurants.element, node_at_);
        if (first != last) parents_ = slot + 1;
    }

    void append_node(std::uint32_t slot, const TrieNode& node) {
        const auto dish_of = [&](std::uint32_t e) { return static_cast<std::uint32_t>(trie_.served()[e].dish); };
        append_region(entries_.data() + node.begin, entries_.data() + node.end, dish_of, out_.restaurants.dish, entry_at_);
        const std::int32_t above = trie_.nodes()[node.parent].depth, edge = node.depth - above;
        const auto tables = static_cast<std::int32_t>(node.end - node.begin);
        out_.restaurants.backoff[slot] =
            static_cast<float>(parameters_.run(tables, above, node.depth - 1) *
                               parameters_.backoff(node.depth, static_cast<double>(node.customers), tables));
        out_.length[slot] = static_cast<std::uint32_t>(edge);
        out_.label[slot] = links_.of(trie_.spines().skip(node.chain, above + 1), edge - 1);
    }

    const ContextTrie& trie_;
    const LevelParameters& parameters_;
    LinkList links_;
    Groups children_;
    LongArray<std::uint32_t> entries_, node_at_{0}, entry_at_;
    std::size_t parents_ = 0;
    TrieArrays out_;
};

inline TrieArrays freeze(const ContextTrie& trie, const LevelParameters& parameters, std::span<const double> base) {
    if (base.size() < static_cast<std::size_t>(trie.num_rules())) throw std::invalid_argument("the base lacks a rule of the trie");
    return TrieFreezer(trie, parameters).run(base);
}

}  // namespace bistro
