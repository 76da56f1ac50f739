// A frozen n-gram model as an automaton that reads one symbol at a time.
//
// A state is the longest context that the model knows, so two histories in the same state have the same future. Along a
// text, the depth of the state rises by at most one per symbol. So the total number of steps down the back-off chain is at
// most the number of symbols, and a step takes about two look-ups, independent of the order of the model.
//
// Hidden events (a word ends, a sentence ends) are tried between almost any two characters and are mostly improbable. Each
// state stores their probabilities, so that a failed trial needs no look-up.
#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "files/large_memory.hpp"
#include "hpyp/frozen.hpp"
#include "platform.hpp"

namespace bistro {

inline constexpr int kHiddenEvents = 3;

struct Move {
    double probability;
    std::uint32_t state;
};

class Automaton {
public:
    Automaton(const Frozen& frozen, std::array<std::uint32_t, kHiddenEvents> hidden) : base_(frozen.base), dishes_(frozen.dishes) {
        const std::size_t nodes = frozen.element.size();
        if (nodes == 0) throw std::invalid_argument("the arrays of a frozen franchise are damaged");
        std::vector<std::uint32_t> place(nodes);  // position of each node's record
        std::size_t words = 0;
        for (std::size_t node = 0; node < nodes; ++node) {
            place[node] = static_cast<std::uint32_t>(words);
            words += kStateWords + kEntryWords * (frozen.entry_begin[node + 1] - frozen.entry_begin[node]);
        }
        if (words > kNone) throw std::invalid_argument("a model of characters is too large");
        memory_ = large_memory(words * sizeof(std::uint32_t));
        // A state may lead to a later state, so all states are numbered first.
        for (std::uint32_t node = 0; node < nodes; ++node) new (&at(place[node])) State{node, 0, 0, 1, 0, {}};
        std::vector<std::uint32_t> parent(nodes, 0), depth(nodes, 0);
        for (std::uint32_t node = 0; node < nodes; ++node) {
            State& state = enter(frozen, node, place, parent[node], depth);
            for (std::size_t e = 0; e < kHiddenEvents; ++e) {
                const Move move = step(place[node], hidden[e]);
                state.hidden[e] = {static_cast<float>(move.probability), move.state};
            }
            if (node + 1 < frozen.child_begin.size())
                for (std::uint32_t child = frozen.child_begin[node]; child < frozen.child_begin[node + 1]; ++child) {
                    if (child <= node) throw std::invalid_argument("the arrays of a frozen franchise are damaged");
                    parent[child] = node;
                    depth[child] = depth[node] + 1;
                }
        }
    }

    // p(symbol | state) and the state after it.
    Move step(std::uint32_t state, std::uint32_t symbol) const {
        double weight = 1.0;
        for (;;) {
            const State& here = at(state);
            if (here.symbols & bit(symbol))
                if (const Entry* entry = find(here, symbol)) return {weight * entry->probability, entry->next};
            weight *= here.backoff;
            if (state == 0) return {weight * base(symbol), 0};
            state = here.shorter;
        }
    }

    Move hidden(std::uint32_t state, int event) const {
        const Hidden& found = at(state).hidden[static_cast<std::size_t>(event)];
        return {found.probability, found.next};
    }

    // Prefetches a state that is read soon, since most of the time is spent on memory access.
    void expect(std::uint32_t state) const {
        const State* soon = &at(state);
        bistro::prefetch(soon);
        bistro::prefetch(soon + 1);
    }

    std::int32_t symbols() const { return dishes_; }

private:
    struct Hidden {
        float probability;
        std::uint32_t next;
    };
    struct Entry {
        std::uint32_t symbol;
        float probability;
        std::uint32_t next;
    };
    // The record of one context. Its entries follow in memory, so that one access loads both.
    struct State {
        std::uint32_t node;     // its number in the frozen model
        std::uint32_t entries;  // number of entries that follow
        std::uint32_t shorter;  // the context without its oldest symbol
        float backoff;
        std::uint32_t symbols;  // one bit for several symbols; if it is 0, none of them has an entry
        std::array<Hidden, kHiddenEvents> hidden;

        const Entry* begin() const { return reinterpret_cast<const Entry*>(this + 1); }
        Entry* begin() { return reinterpret_cast<Entry*>(this + 1); }
    };
    static constexpr std::size_t kStateWords = sizeof(State) / sizeof(std::uint32_t),
                                 kEntryWords = sizeof(Entry) / sizeof(std::uint32_t);

    // A state is the position of its record in memory, in words of four bytes.
    State& at(std::uint32_t state) const { return *reinterpret_cast<State*>(memory_.get() + std::size_t{4} * state); }

    double base(std::uint32_t symbol) const {
        if (symbol >= static_cast<std::uint32_t>(dishes_)) return 0.0;
        return base_.size() == 1 ? base_[0] : base_[symbol];
    }

    static std::uint32_t bit(std::uint32_t symbol) { return 1u << (symbol & 31u); }

    static const Entry* find(const State& state, std::uint32_t symbol) {
        const Entry *begin = state.begin(), *end = begin + state.entries;
        if (state.entries <= kLinear) {
            for (const Entry* entry = begin; entry != end; ++entry)
                if (entry->symbol == symbol) return entry;
            return nullptr;
        }
        for (const Entry* entry = begin + region_start(symbol, state.entries);;) {
            if (entry->symbol == symbol) return entry;
            if (entry->symbol == kNone) return nullptr;
            if (++entry == end) entry = begin;
        }
    }

    // Fills in one state. The states of all shorter contexts must exist. The context of (state, symbol) is that of (shorter
    // state, symbol) with one more element at its far end, if the model knows it.
    State& enter(const Frozen& frozen, std::uint32_t node, const std::vector<std::uint32_t>& place, std::uint32_t shorter,
                 const std::vector<std::uint32_t>& depth) {
        const std::uint32_t first = frozen.entry_begin[node], entries = frozen.entry_begin[node + 1] - first;
        State& state = at(place[node]);
        state.entries = entries;
        state.shorter = place[shorter];
        state.backoff = frozen.backoff[node];
        for (std::uint32_t e = 0; e < entries; ++e) {
            const std::uint32_t symbol = frozen.dish[first + e];
            Entry& entry = *new (state.begin() + e) Entry{symbol, frozen.probability[first + e], 0};
            if (symbol == kNone) continue;
            state.symbols |= bit(symbol);
            std::uint32_t next = kNone;
            if (node == 0) {
                next = frozen.child(0, symbol);
            } else {
                const std::uint32_t below = at(step(state.shorter, symbol).state).node;
                if (depth[below] == depth[shorter] + 1) next = frozen.child(below, frozen.element[node]);
                if (next == kNone) next = below;
            }
            entry.next = next == kNone ? 0 : place[next];
        }
        return state;
    }

    Memory memory_;
    std::span<const double> base_;
    std::int32_t dishes_;
};

}  // namespace bistro
