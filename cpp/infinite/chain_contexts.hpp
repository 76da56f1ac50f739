// The part of the past that a tag sequence depends on, as a number. Two kinds of memory have the same three functions.
//
//     start()                         the number of the empty past
//     step(context, candidate)        p(tag | past) p(word | tag, past), and the number of the longer past
//     end(context)                    p(end of sentence | past)
//
// A hidden Markov model remembers one tag. The unbounded model remembers the place in the trie: contexts are stored with
// all their suffixes, so a longer past can reach at most one place deeper, and pasts with the same place have the same
// future. All queries of the trie are cached, since most pasts recur.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "infinite/chain_grammar.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

struct ChainStep {
    std::int32_t context;
    double probability;
};

class HmmContexts {
public:
    explicit HmmContexts(const ChainGrammar& grammar) : grammar_(&grammar) {}

    std::int32_t start() const { return grammar_->start; }
    ChainStep step(std::int32_t from, ChainGrammar::Candidate to) const {
        return {to.tag, of(grammar_->transition_rule(from, to.tag)) * of(to.rule)};
    }
    double end(std::int32_t from) const { return of(grammar_->end[from]); }

private:
    double of(std::int32_t rule) const { return rule < 0 ? 0.0 : grammar_->probability[rule]; }

    const ChainGrammar* grammar_;
};

template <RuleModel Model>
class TrieContexts {
public:
    TrieContexts(const ChainGrammar& grammar, const Model& model) : grammar_(&grammar), model_(&model) { clear(); }

    std::int32_t start() const { return 0; }

    ChainStep step(std::int32_t from, ChainGrammar::Candidate to) {
        const Move& move = moves_[find_move(from, to.tag)];
        if (move.transition == 0.0) return {move.next, 0.0};
        const std::int32_t next = move.next;
        const double transition = move.transition;
        return {next, transition * emissions_[find_emission(move.twin, to.rule)].probability};
    }

    double end(std::int32_t from) { return moves_[find_move(from, kEnd)].transition; }

    // Clears the cache if it is too large. Contexts are then renumbered.
    void trim() {
        if (moves_.size() + emissions_.size() > kMostKept) clear();
    }

private:
    static constexpr std::int32_t kEnd = -1;
    static constexpr std::size_t kMostKept = std::size_t{1} << 22;

    struct Context {
        Place place;
        std::int32_t symbol;
        std::size_t begin;  // index of its first symbol; it has place.depth symbols, nearest first
    };
    struct Move {
        std::uint32_t from;
        std::int32_t tag, next, twin;
        double transition;
        std::uint64_t key() const { return pair_key(from, static_cast<std::uint32_t>(tag)); }
    };
    struct Emission {
        std::uint32_t twin;
        std::int32_t rule;
        double probability;
        std::uint64_t key() const { return pair_key(twin, static_cast<std::uint32_t>(rule)); }
    };
    struct Hash {
        std::size_t operator()(const Context& c) const {
            return mix(pair_key(c.place.node, static_cast<std::uint32_t>(c.place.depth)) * 31 +
                       static_cast<std::uint32_t>(c.symbol));
        }
    };
    struct Equal {
        bool operator()(const Context& a, const Context& b) const {
            return a.place.node == b.place.node && a.place.depth == b.place.depth && a.symbol == b.symbol;
        }
    };

    void clear() {
        contexts_.clear();
        numbers_.clear();
        symbols_.clear();
        moves_.clear();
        emissions_.clear();
        move_index_ = {};
        emission_index_ = {};
        longer_.assign(1, grammar_->start);
        number_of_longer();
    }

    std::uint32_t find_move(std::int32_t from, std::int32_t tag) {
        const std::uint64_t key = pair_key(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(tag));
        const std::uint32_t known = move_index_.find(key, moves_);
        if (known != kNone) return known;
        moves_.push_back(make_move(from, tag));
        move_index_.insert_last(moves_);
        return static_cast<std::uint32_t>(moves_.size() - 1);
    }

    Move make_move(std::int32_t from, std::int32_t tag) {
        const Context context = contexts_[from];
        const std::int32_t rule = tag == kEnd ? grammar_->end[context.symbol] : grammar_->transition_rule(context.symbol, tag);
        Move move{static_cast<std::uint32_t>(from), tag, -1, -1, rule < 0 ? 0.0 : model_->probability(context.place, rule)};
        if (rule < 0 || tag == kEnd) return move;
        const auto first = symbols_.begin() + static_cast<std::ptrdiff_t>(context.begin);
        longer_.assign(1, tag);
        longer_.insert(longer_.end(), first, first + context.place.depth);
        move.next = number_of_longer();
        longer_[0] = grammar_->twin[tag];
        move.twin = number_of_longer();
        return move;
    }

    // The number of the context in longer_. Only the elements that its place depends on are kept.
    std::int32_t number_of_longer() {
        const Context context{model_->locate(longer_), longer_[0], symbols_.size()};
        const auto [found, is_new] = numbers_.try_emplace(context, static_cast<std::int32_t>(contexts_.size()));
        if (is_new) {
            contexts_.push_back(context);
            symbols_.insert(symbols_.end(), longer_.begin(), longer_.begin() + context.place.depth);
        }
        return found->second;
    }

    std::uint32_t find_emission(std::int32_t twin, std::int32_t rule) {
        const std::uint64_t key = pair_key(static_cast<std::uint32_t>(twin), static_cast<std::uint32_t>(rule));
        const std::uint32_t known = emission_index_.find(key, emissions_);
        if (known != kNone) return known;
        emissions_.push_back({static_cast<std::uint32_t>(twin), rule, model_->probability(contexts_[twin].place, rule)});
        emission_index_.insert_last(emissions_);
        return static_cast<std::uint32_t>(emissions_.size() - 1);
    }

    const ChainGrammar* grammar_;
    const Model* model_;
    std::vector<Context> contexts_;
    std::unordered_map<Context, std::int32_t, Hash, Equal> numbers_;
    std::vector<std::int32_t> symbols_, longer_;
    std::vector<Move> moves_;
    std::vector<Emission> emissions_;
    PairIndex move_index_, emission_index_;
};

}  // namespace bistro
