// Sentences for charts of rules, and trees of rules as flat arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "infinite/lattice.hpp"
#include "infinite/rule_tree.hpp"

namespace bistro::bind {

struct Lattices {
    std::vector<Lattice> all;

    // Sentence i has lengths[i] positions and the words offsets[i] to offsets[i + 1]; word w spans starts[w] to ends[w].
    static Lattices of_words(const In<std::int32_t>& lengths, const In<std::int64_t>& offsets, const In<std::int32_t>& starts,
                             const In<std::int32_t>& ends, const In<std::int32_t>& words) {
        check(offsets, words.shape(0));
        if (lengths.shape(0) + 1 != offsets.shape(0) || starts.shape(0) != words.shape(0) || ends.shape(0) != words.shape(0))
            throw std::invalid_argument("sentences and words do not match");
        Lattices out;
        for (std::size_t i = 0; i < lengths.shape(0); ++i) {
            std::vector<WordEdge> edges;
            for (auto w = offsets.data()[i]; w < offsets.data()[i + 1]; ++w)
                edges.push_back({starts.data()[w], ends.data()[w], words.data()[w]});
            out.all.emplace_back(lengths.data()[i], std::move(edges));
        }
        return out;
    }

    // Sentence i has the consecutive words offsets[i] to offsets[i + 1].
    static Lattices of_sentences(const In<std::int64_t>& offsets, const In<std::int32_t>& words) {
        check(offsets, words.shape(0));
        Lattices out;
        for (std::size_t i = 0; i + 1 < offsets.shape(0); ++i) {
            std::vector<WordEdge> edges;
            for (auto w = offsets.data()[i]; w < offsets.data()[i + 1]; ++w) {
                const auto position = static_cast<std::int32_t>(w - offsets.data()[i]);
                edges.push_back({position, position + 1, words.data()[w]});
            }
            const auto length = static_cast<int>(edges.size());
            out.all.emplace_back(length, std::move(edges));
        }
        return out;
    }

private:
    static void check(const In<std::int64_t>& offsets, std::size_t words) {
        const auto borders = view(offsets);
        if (borders.empty() || borders.front() != 0 || borders.back() != static_cast<std::int64_t>(words) ||
            !std::is_sorted(borders.begin(), borders.end()))
            throw std::invalid_argument("the offsets of sentences do not cover their words");
    }
};

// Concatenated trees. The rules of tree i are rules[offsets[i]:offsets[i + 1]]; without rules, there is no tree.
struct TreeArrays {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> rules;
    std::vector<double> log_prob;

    void add(const RuleTree& tree) {
        rules.insert(rules.end(), tree.rules.begin(), tree.rules.end());
        offsets.push_back(static_cast<std::int64_t>(rules.size()));
        log_prob.push_back(tree.log_prob);
    }
    void give_to(nb::dict& out) {
        out["offsets"] = give(std::move(offsets));
        out["rules"] = give(std::move(rules));
        out["log_prob"] = give(std::move(log_prob));
    }
};

}  // namespace bistro::bind
