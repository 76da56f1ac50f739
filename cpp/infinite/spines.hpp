// Contexts as chains, each stored once as an element and the remaining chain.
//
// The context of a node is its own element followed by the context of its parent. So every distinct context of a treebank
// is one chain link of 12 bytes, however long it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/flat_map.hpp"

namespace bistro {

class Spines {
public:
    static constexpr std::uint32_t kEmpty = 0;

    Spines() {
        links_.push_back({kNone, 0, 0});
        index_.insert_last(links_);
    }

    // The chain that begins with `element` and continues with `rest`.
    std::uint32_t extend(std::uint32_t rest, std::int32_t element) {
        if (element < 0) throw std::invalid_argument("a context element is negative");
        const std::uint32_t found = index_.find(pair_key(rest, static_cast<std::uint32_t>(element)), links_);
        if (found != kNone) return found;
        links_.push_back({rest, element, links_[rest].length + 1});
        index_.insert_last(links_);
        return static_cast<std::uint32_t>(links_.size() - 1);
    }

    std::uint32_t of(std::span<const std::int32_t> nearest_first) {
        std::uint32_t chain = kEmpty;
        for (auto element = nearest_first.rbegin(); element != nearest_first.rend(); ++element) chain = extend(chain, *element);
        return chain;
    }

    std::int32_t element(std::uint32_t chain) const { return links_[chain].element; }
    std::uint32_t rest(std::uint32_t chain) const { return links_[chain].rest; }
    std::int32_t length(std::uint32_t chain) const { return links_[chain].length; }
    std::size_t size() const { return links_.size(); }
    std::size_t bytes() const { return links_.capacity() * sizeof(Link) + index_.bytes(); }

    std::uint32_t skip(std::uint32_t chain, std::int32_t elements) const {
        for (; elements > 0; --elements) chain = links_[chain].rest;
        return chain;
    }

    // Number of first elements that two chains share, at most `bound`.
    std::int32_t common(std::uint32_t a, std::uint32_t b, std::int32_t bound) const {
        std::int32_t shared = 0;
        while (shared < bound) {
            if (a == b) return std::min(bound, shared + links_[a].length);
            if (a == kEmpty || b == kEmpty || links_[a].element != links_[b].element) break;
            a = links_[a].rest, b = links_[b].rest;
            ++shared;
        }
        return shared;
    }

    // Lexicographic order, nearest element first, by at most `bound` elements.
    bool before(std::uint32_t a, std::uint32_t b, std::int32_t bound) const {
        for (; bound > 0 && a != b; --bound) {
            if (a == kEmpty || b == kEmpty) return a == kEmpty;
            if (links_[a].element != links_[b].element) return links_[a].element < links_[b].element;
            a = links_[a].rest, b = links_[b].rest;
        }
        return false;
    }

private:
    struct Link {
        std::uint32_t rest;
        std::int32_t element;
        std::int32_t length;
        std::uint64_t key() const { return pair_key(rest, static_cast<std::uint32_t>(element)); }
    };
    std::vector<Link> links_;
    PairIndex index_;
};

}  // namespace bistro
