// A frozen n-gram model as an automaton that reads one symbol at a time.
//
// A state is the longest context that the model knows, so two histories in the same state have the same future. Along a
// text the depth of the state rises by at most one per symbol: all steps down the back-off chain together are no
// more than the symbols read, and a step costs about two look-ups whatever the order of the model.
//
// Hidden events (a word ends, a sentence ends) are tried between almost any two characters and are mostly improbable:
// each state has their probabilities ready, so that a vain trial costs no look-up at all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/frozen.hpp"

namespace bistro {

inline constexpr int kHiddenEvents = 3;

struct Move {
    double probability;
    std::uint32_t state;
};

class Automaton {
public:
    Automaton(const Frozen& frozen, std::array<std::uint32_t, kHiddenEvents> hidden) : base_(frozen.base), dishes_(frozen.dishes) {
        states_.resize(frozen.element.size() + 1);
        hidden_.resize(frozen.element.size());
        entries_.resize(frozen.dish.size());
        std::vector<std::uint32_t> depth(frozen.element.size(), 0);
        for (std::uint32_t at = 0; at < frozen.element.size(); ++at) {
            enter(frozen, at, depth);
            for (int e = 0; e < kHiddenEvents; ++e) {
                const Move move = step(at, hidden[e]);
                hidden_[at][e] = {static_cast<float>(move.probability), move.state};
            }
            if (at + 1 < frozen.child_begin.size())
                for (std::uint32_t child = frozen.child_begin[at]; child < frozen.child_begin[at + 1]; ++child) {
                    if (child <= at) throw std::invalid_argument("the arrays of a frozen franchise are damaged");
                    states_[child].shorter = at;
                    depth[child] = depth[at] + 1;
                }
        }
    }

    // p(symbol | state) and the state after it.
    Move step(std::uint32_t state, std::uint32_t symbol) const {
        double weight = 1.0;
        for (;;) {
            const State& here = states_[state];
            if (here.symbols & bit(symbol))
                if (const Entry* entry = find(state, symbol)) return {weight * entry->probability, entry->next};
            weight *= here.backoff;
            if (state == 0) return {weight * base(symbol), 0};
            state = here.shorter;
        }
    }

    Move hidden(std::uint32_t state, int event) const {
        return {hidden_[state][static_cast<std::size_t>(event)].probability, hidden_[state][static_cast<std::size_t>(event)].next};
    }

    // Tells the processor that a state is read soon: memory, not arithmetic, is what takes the time.
    void expect(std::uint32_t state) const {
        __builtin_prefetch(&states_[state]);
        __builtin_prefetch(&hidden_[state]);
    }

    std::int32_t symbols() const { return dishes_; }

private:
    struct Hidden {
        float probability;
        std::uint32_t next;
    };
    struct State {
        std::uint32_t first = 0;    // its entries begin here and end where those of the next state begin
        std::uint32_t shorter = 0;  // the context without its oldest symbol
        float backoff = 1;
        std::uint32_t symbols = 0;  // one bit for several symbols: without it, none of them has an entry
    };
    struct Entry {
        std::uint32_t symbol;
        float probability;
        std::uint32_t next;
    };

    double base(std::uint32_t symbol) const {
        if (symbol >= static_cast<std::uint32_t>(dishes_)) return 0.0;
        return base_.size() == 1 ? base_[0] : base_[symbol];
    }

    static std::uint32_t bit(std::uint32_t symbol) { return 1u << (symbol & 31u); }

    const Entry* find(std::uint32_t state, std::uint32_t symbol) const {
        const std::uint32_t begin = states_[state].first, end = states_[state + 1].first, size = end - begin;
        if (size <= kLinear) {
            for (std::uint32_t at = begin; at < end; ++at)
                if (entries_[at].symbol == symbol) return &entries_[at];
            return nullptr;
        }
        for (std::uint32_t at = begin + region_start(symbol, size);;) {
            if (entries_[at].symbol == symbol) return &entries_[at];
            if (entries_[at].symbol == kNone) return nullptr;
            if (++at == end) at = begin;
        }
    }

    // Fills in one state; those of all shorter contexts are there already. The context of (state, symbol) is that of
    // (shorter state, symbol) with one more element at its far end, if the model knows it.
    void enter(const Frozen& frozen, std::uint32_t at, const std::vector<std::uint32_t>& depth) {
        State& state = states_[at];
        state.first = frozen.entry_begin[at];
        states_[at + 1].first = frozen.entry_begin[at + 1];
        state.backoff = frozen.backoff[at];
        for (std::uint32_t e = frozen.entry_begin[at]; e < frozen.entry_begin[at + 1]; ++e) {
            const std::uint32_t symbol = frozen.dish[e];
            entries_[e] = {symbol, frozen.probability[e], 0};
            if (symbol == kNone) continue;
            state.symbols |= bit(symbol);
            std::uint32_t next = 0;
            if (at == 0) {
                next = frozen.child(0, symbol);
            } else {
                const std::uint32_t below = step(state.shorter, symbol).state;
                next = depth[below] == depth[state.shorter] + 1 ? frozen.child(below, frozen.element[at]) : kNone;
                if (next == kNone) next = below;
            }
            entries_[e].next = next == kNone ? 0 : next;
        }
    }

    std::vector<State> states_;
    std::vector<std::array<Hidden, kHiddenEvents>> hidden_;  // by state
    std::vector<Entry> entries_;
    std::span<const double> base_;
    std::int32_t dishes_;
};

}  // namespace bistro
