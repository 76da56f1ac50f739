// The morphemes of a language as numbers, and a tree of letters that finds the morphemes that may begin at a position of a
// word.
//
// A morpheme has a label and a surface, a string of letters that may be empty. Several morphemes may share both: they are
// spelled in the same way but differ in their identity (kwa and ku, both written kw). In contexts a label l is the element
// 1 + l and surface s the element 2 + labels + s; 0 precedes everything, and 1 + labels stands for the beginning of a word.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/flat_map.hpp"

namespace bistro {

using Letters = std::span<const std::int32_t>;

// The morphemes in a model file.
struct MorphemeColumns {
    std::int32_t labels;
    std::span<const std::int32_t> label, surface;  // one per morpheme
    std::span<const std::uint8_t> plain;           // [morpheme]: whether it equals its letters, like an unseen morpheme
    std::span<const std::int32_t> letters;         // all surfaces, concatenated
    std::span<const std::int64_t> offsets;         // [surface]: index of its first letter; and the end of the last surface

    void check() const {
        bool good = labels > 0 && label.size() == surface.size() && label.size() == plain.size() && !offsets.empty() &&
                    offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(letters.size());
        for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] <= offsets[i + 1];
        for (const std::int32_t l : label) good = good && l >= 0 && l < labels;
        for (const std::int32_t s : surface) good = good && s >= 0 && static_cast<std::size_t>(s) + 1 < offsets.size();
        for (const std::int32_t letter : letters) good = good && letter >= 0;
        if (!good) throw std::invalid_argument("the table of morphemes is damaged");
    }
};

class MorphemeTable {
public:
    explicit MorphemeTable(const MorphemeColumns& columns) : labels_(columns.labels) {
        columns.check();
        label_.assign(columns.label.begin(), columns.label.end());
        surface_.assign(columns.surface.begin(), columns.surface.end());
        plain_.assign(columns.plain.begin(), columns.plain.end());
        num_surfaces_ = static_cast<std::int32_t>(columns.offsets.size() - 1);
        nodes_.push_back({});
        std::vector<std::uint32_t> end_of(static_cast<std::size_t>(num_surfaces_));
        for (std::int32_t s = 0; s < num_surfaces_; ++s) {
            const auto begin = static_cast<std::size_t>(columns.offsets[s]), end = static_cast<std::size_t>(columns.offsets[s + 1]);
            end_of[s] = insert(columns.letters.subspan(begin, end - begin));
        }
        for (std::int32_t m = 0; m < size(); ++m) nodes_[end_of[surface_[m]]].morphemes.push_back(m);
    }

    std::int32_t size() const { return static_cast<std::int32_t>(label_.size()); }
    std::int32_t labels() const { return labels_; }
    std::int32_t label(std::int32_t morpheme) const { return label_[morpheme]; }
    std::int32_t surface(std::int32_t morpheme) const { return surface_[morpheme]; }

    bool plain(std::int32_t morpheme) const { return plain_[morpheme] != 0; }

    std::int32_t end_event() const { return labels_; }  // in the place of a label: no further morpheme
    std::int32_t label_element(std::int32_t label) const { return 1 + label; }
    std::int32_t begin_element() const { return 1 + labels_; }
    std::int32_t surface_element(std::int32_t morpheme) const { return 2 + labels_ + surface_[morpheme]; }
    std::int32_t unknown_element() const { return 2 + labels_ + num_surfaces_; }  // occurs in no learned context

    // Calls found(length, morphemes) for every surface that is a prefix of these letters, including the empty surface if it
    // exists.
    template <class Found>
    void prefixes(Letters letters, const Found& found) const {
        std::uint32_t at = 0;
        for (std::size_t length = 0;; ++length) {
            if (!nodes_[at].morphemes.empty())
                found(static_cast<std::int32_t>(length), std::span<const std::int32_t>(nodes_[at].morphemes));
            if (length == letters.size()) return;
            const std::uint32_t edge = index_.find(pair_key(at, static_cast<std::uint32_t>(letters[length])), edges_);
            if (edge == kNone) return;
            at = edges_[edge].child;
        }
    }

private:
    struct Node {
        std::vector<std::int32_t> morphemes;  // morphemes whose surface ends here
    };
    struct Edge {
        std::uint32_t parent, letter, child;
        std::uint64_t key() const { return pair_key(parent, letter); }
    };

    std::uint32_t insert(Letters letters) {
        std::uint32_t at = 0;
        for (const std::int32_t letter : letters) {
            const std::uint32_t edge = index_.find(pair_key(at, static_cast<std::uint32_t>(letter)), edges_);
            if (edge != kNone) {
                at = edges_[edge].child;
                continue;
            }
            const auto child = static_cast<std::uint32_t>(nodes_.size());
            edges_.push_back({at, static_cast<std::uint32_t>(letter), child});
            index_.insert_last(edges_);
            nodes_.push_back({});
            at = child;
        }
        return at;
    }

    std::int32_t labels_, num_surfaces_ = 0;
    std::vector<std::int32_t> label_, surface_;
    std::vector<std::uint8_t> plain_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    PairIndex index_;
};

}  // namespace bistro
