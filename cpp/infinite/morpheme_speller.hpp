// The spelling of a morpheme with a given label, letter by letter: the probability of an unseen morpheme.
//
//     P(c_1 ... c_n | label) = Π_i P(c_i | label, c_1 ... c_{i-1}) · P(end | label, c_1 ... c_n)
//
// The context of a letter has the label and the previous letters, nearest first.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "infinite/morpheme_table.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

// The context of the letter after `before`: 0, which all labels share; the label; the previous letters; the beginning.
inline void spelling_context(Letters before, std::int32_t label, std::int32_t labels, std::vector<std::int32_t>& out) {
    out.assign({0, 1 + label});
    for (std::size_t i = before.size(); i-- > 0;) out.push_back(2 + labels + before[i]);
    out.push_back(1 + labels);
}

template <RuleModel Trie>
class MorphemeSpeller {
public:
    // Events are letters; the last event is the end.
    MorphemeSpeller(const Trie& trie, std::int32_t labels, std::int32_t letters) : trie_(&trie), labels_(labels), end_(letters) {}

    // Calls visit(length, log P) for every prefix of these letters that has at least `shortest` letters, as a morpheme.
    template <class Visit>
    void spell(Letters letters, std::int32_t label, std::size_t shortest, const Visit& visit) const {
        // Like `spelling_context`, at the end of a vector that is filled from the back, so that the cost of a letter does
        // not depend on its position.
        const std::size_t n = letters.size();
        std::vector<std::int32_t> context(n + 3);
        context[n + 2] = 1 + labels_;
        double log_prob = 0;
        for (std::size_t length = 0;; ++length) {
            const std::size_t first = n - length;
            context[first] = 0;
            context[first + 1] = 1 + label;
            if (length > 0) context[first + 2] = 2 + labels_ + letters[length - 1];
            const Place place = trie_->locate(std::span<const std::int32_t>(context).subspan(first));
            if (length >= shortest) visit(static_cast<std::int32_t>(length), log_prob + std::log(trie_->probability(place, end_)));
            if (length == letters.size()) return;
            log_prob += std::log(trie_->probability(place, letters[length]));
        }
    }

    double log_prob(Letters letters, std::int32_t label) const {
        double found = 0;
        spell(letters, label, letters.size(), [&](std::int32_t, double p) { found = p; });
        return found;
    }

private:
    const Trie* trie_;
    std::int32_t labels_, end_;
};

}  // namespace bistro
