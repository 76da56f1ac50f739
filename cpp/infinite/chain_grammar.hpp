// The grammar of tag sequences: every tag t has a twin t', which is rewritten into the word.
//
//     S  -> t'1 t1      t1 -> t'2 t2      ...      tn -> end         transitions
//     t'1 -> word1      t'2 -> word2      ...                        emissions
//
// Its trees are chains that branch to the right, so the ancestors of a node are the tags before it, nearest first. As a
// PCFG, it is a hidden Markov model. It is built from the table of rules that all searches share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "infinite/derivations.hpp"

namespace bistro {

struct ChainGrammar {
    struct Candidate {
        std::int32_t tag, rule;
    };

    std::int32_t start = 0, symbols = 0;
    std::vector<std::int32_t> twin;        // twin of each tag; -1 for other symbols
    std::vector<std::int32_t> transition;  // [symbol * symbols + tag]: the rule; -1: there is none
    std::vector<std::int32_t> end;         // [symbol]: the rule that ends the sentence; -1: there is none
    std::vector<std::int64_t> begin;       // [word]: index of its first candidate
    std::vector<Candidate> candidates;     // the tags of each word, with the rule of the emission
    std::vector<double> probability;       // [rule]: given its left side, as in the hidden Markov model

    // `end_word` is the word of the rules that end a sentence.
    ChainGrammar(RuleColumns rules, std::span<const double> of_rules, std::int32_t start_symbol, std::int32_t num_symbols,
                 std::int32_t num_words, std::int32_t end_word)
        : start(start_symbol), symbols(num_symbols), twin(num_symbols, -1),
          transition(static_cast<std::size_t>(num_symbols) * num_symbols, -1), end(num_symbols, -1), begin(num_words + 1, 0),
          probability(of_rules.begin(), of_rules.end()) {
        check(rules, num_words, end_word);
        for (std::size_t r = 0; r < rules.left.size(); ++r)
            if (rules.second[r] >= 0) add_transition(rules, static_cast<std::int32_t>(r));
        add_words(rules, end_word);
    }

    std::span<const Candidate> of_word(std::int32_t word) const {
        if (word < 0 || word + 1 >= static_cast<std::int32_t>(begin.size()) || begin[word] == begin[word + 1])
            throw std::invalid_argument("a word has no tag in the grammar");
        return {candidates.data() + begin[word], static_cast<std::size_t>(begin[word + 1] - begin[word])};
    }

    std::int32_t transition_rule(std::int32_t from, std::int32_t to) const {
        return transition[static_cast<std::size_t>(from) * symbols + to];
    }

private:
    void check(const RuleColumns& rules, std::int32_t num_words, std::int32_t end_word) const {
        const std::size_t n = rules.left.size();
        if (rules.first.size() != n || rules.second.size() != n || probability.size() != n)
            throw std::invalid_argument("the columns of the rules differ in length");
        if (start < 0 || start >= symbols || end_word < 0 || end_word >= num_words)
            throw std::invalid_argument("start or end is not in the grammar");
        auto is_symbol = [&](std::int32_t s) { return s >= 0 && s < symbols; };
        for (std::size_t r = 0; r < n; ++r) {
            const bool lexical = rules.second[r] < 0 && rules.first[r] < 0 && -1 - rules.first[r] < num_words;
            if (!is_symbol(rules.left[r]) || !(lexical || (is_symbol(rules.first[r]) && is_symbol(rules.second[r]))))
                throw std::invalid_argument("a rule does not belong to a grammar of tag sequences");
        }
    }

    void add_transition(const RuleColumns& rules, std::int32_t r) {
        const std::int32_t tag = rules.second[r];
        if (twin[tag] >= 0 && twin[tag] != rules.first[r]) throw std::invalid_argument("a tag has two twins");
        twin[tag] = rules.first[r];
        transition[static_cast<std::size_t>(rules.left[r]) * symbols + tag] = r;
    }

    void add_words(const RuleColumns& rules, std::int32_t end_word) {
        std::vector<std::int32_t> tag_of_twin(symbols, -1);
        for (std::int32_t tag = 0; tag < symbols; ++tag)
            if (twin[tag] >= 0) tag_of_twin[twin[tag]] = tag;
        auto each_emission = [&](auto&& act) {
            for (std::size_t r = 0; r < rules.left.size(); ++r)
                if (rules.second[r] < 0 && tag_of_twin[rules.left[r]] >= 0)
                    act(-1 - rules.first[r], Candidate{tag_of_twin[rules.left[r]], static_cast<std::int32_t>(r)});
        };
        each_emission([&](std::int32_t word, Candidate) { ++begin[word + 1]; });
        for (std::size_t w = 1; w < begin.size(); ++w) begin[w] += begin[w - 1];
        candidates.resize(static_cast<std::size_t>(begin.back()));
        std::vector<std::int64_t> at(begin.begin(), begin.end() - 1);
        each_emission([&](std::int32_t word, Candidate c) { candidates[at[word]++] = c; });
        for (std::size_t r = 0; r < rules.left.size(); ++r)
            if (rules.second[r] < 0 && -1 - rules.first[r] == end_word && tag_of_twin[rules.left[r]] < 0)
                end[rules.left[r]] = static_cast<std::int32_t>(r);
    }
};

}  // namespace bistro
