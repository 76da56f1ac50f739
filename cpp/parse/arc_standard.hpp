// The arc-standard transitions: which of them are possible, and which of them agree with the known parts of the tree.
//
// With the root first, item 0 of the stack is the root. If one root child is allowed, the arc from the root ends the
// sentence. If several are allowed, an end event with only the root on the stack ends it. With the root last, the end event
// generates the root, which then takes the remaining stack items by left arcs: one item, or all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/contexts.hpp"
#include "parse/state.hpp"

namespace bistro {

struct System {
    Symbols symbols;
    bool root_first = true;
    bool single_root = true;
};

// The actions that the model allows in a configuration, independent of the sentence.
struct Choices {
    bool shift = false, left_arc = false, right_arc = false, end = false;
    int count() const { return shift + left_arc + right_arc + end; }
};

inline bool is_root(const System& system, const State& state) { return state.tag == system.symbols.root_tag(); }

inline bool is_final(const System& system, const States& states, std::uint32_t id) {
    const State& s = states[id];
    if (system.root_first && system.single_root) return s.depth == 1 && s.action == Action::right_arc;
    if (system.root_first) return s.action == Action::end;
    return s.depth == 1 && is_root(system, s);
}

inline Choices choices(const System& system, const States& states, std::uint32_t id) {
    const State& s = states[id];
    Choices c;
    if (system.root_first) {
        const bool below_is_root = s.depth == 2;
        c.shift = true;
        c.right_arc = s.depth >= 2;
        c.left_arc = s.depth >= 2 && !below_is_root;
        c.end = !system.single_root && s.depth == 1 && s.shifted > 0;
        return c;
    }
    if (s.depth > 0 && is_root(system, s)) {  // after the root is generated, it takes all remaining items
        c.left_arc = s.depth >= 2;
        return c;
    }
    c.shift = true;
    c.left_arc = c.right_arc = s.depth >= 2;
    c.end = s.depth == 1 || (s.depth > 1 && !system.single_root);
    return c;
}

// --- transitions --------------------------------------------------------------------------------------------------

inline Child no_child(const Symbols& s) {
    return {static_cast<std::int16_t>(s.no_tag()), static_cast<std::int16_t>(s.no_label()), s.no_word()};
}

// Creates a new top item for the stack `below`.
inline State pushed(const System& system, std::uint32_t below, const State* before, std::int32_t position, std::int32_t tag,
                    std::int32_t word) {
    State s;
    s.below = below;
    s.position = position;
    s.word = word;
    s.tag = static_cast<std::int16_t>(tag);
    s.left = s.right = no_child(system.symbols);
    s.depth = before ? before->depth + 1 : 1;
    if (before) {
        s.shifted = before->shifted;
        s.last_tag = before->last_tag;
        s.last_tag_but_one = before->last_tag_but_one;
        s.tree = before->tree;
    }
    return s;
}

// A State describes the top item of a stack. With the root last, the stack is empty at the start: a State of depth 0.
inline std::uint32_t start(const System& system, States& states) {
    const Symbols& symbols = system.symbols;
    State s = pushed(system, kNone, nullptr, 0, system.root_first ? symbols.root_tag() : symbols.no_tag(),
                     system.root_first ? symbols.root_word() : symbols.no_word());
    s.depth = system.root_first ? 1 : 0;
    states.push_back(s);
    return static_cast<std::uint32_t>(states.size() - 1);
}

inline std::uint32_t shift(const System& system, States& states, std::uint32_t id, std::int32_t tag, std::int32_t word) {
    const State before = states[id];
    State s = pushed(system, before.depth == 0 ? kNone : id, &before, before.shifted + 1, tag, word);
    s.previous = id;
    s.action = Action::shift;
    s.shifted = before.shifted + 1;
    s.last_tag = static_cast<std::int16_t>(tag);
    s.last_tag_but_one = before.last_tag;
    s.tree += tag_hash(s.position, tag);
    states.push_back(s);
    return static_cast<std::uint32_t>(states.size() - 1);
}

inline std::uint32_t end(const System& system, States& states, std::uint32_t id) {
    const State before = states[id];
    State s = before;
    if (!system.root_first)
        s = pushed(system, id, &before, before.shifted + 1, system.symbols.root_tag(), system.symbols.root_word());
    s.previous = id;
    s.action = Action::end;
    states.push_back(s);
    return static_cast<std::uint32_t>(states.size() - 1);
}

inline Child as_child(const State& s, std::int16_t label) { return {s.tag, label, s.word}; }

// Adds the configuration after an arc: `s` is the head, which is now the top of the stack, and `dependent` is the position
// of the item that was removed.
inline std::uint32_t attached(States& states, std::uint32_t id, State s, Action action, std::int32_t dependent, std::int16_t label,
                              bool given) {
    s.previous = id;
    s.given_children = static_cast<std::uint16_t>(s.given_children + given);
    s.action = action;
    s.dependent = dependent;
    s.label = label;
    s.tree += arc_hash(dependent, s.position, label);
    states.push_back(s);
    return static_cast<std::uint32_t>(states.size() - 1);
}

inline std::uint32_t left_arc(States& states, std::uint32_t id, std::int16_t label, bool given) {
    State s = states[id];
    const State& dependent = states[s.below];
    s.left = as_child(dependent, label);
    s.left_count = static_cast<std::uint8_t>(std::min(255, s.left_count + 1));
    s.below = dependent.below;
    s.depth -= 1;
    return attached(states, id, s, Action::left_arc, dependent.position, label, given);
}

inline std::uint32_t right_arc(States& states, std::uint32_t id, std::int16_t label, bool given) {
    const State& dependent = states[id];
    State s = states[dependent.below];
    s.right = as_child(dependent, label);
    s.right_count = static_cast<std::uint8_t>(std::min(255, s.right_count + 1));
    // Values that belong to the whole derivation, not to the item, are copied from the old top.
    s.shifted = dependent.shifted;
    s.last_tag = dependent.last_tag;
    s.last_tag_but_one = dependent.last_tag_but_one;
    s.tree = dependent.tree;
    return attached(states, id, s, Action::right_arc, dependent.position, label, given);
}

// --- evidence -----------------------------------------------------------------------------------------------------

// One sentence: its words, and its tags, heads and labels as far as they are known (-1: unknown). Heads count from 1, and 0
// is the root. The evidence must allow a projective tree. Then no transition that agrees with it leads to a dead end.
struct Sentence {
    std::span<const std::int32_t> words, tags, heads, labels;
    std::span<const std::int32_t> lemmas;  // -1: unknown; only for parsers that use lemmas
    // Row of p(spelling | tag) of each word that shares its id with others and is distinguished by its spelling; -1 for all
    // other words.
    std::span<const std::int32_t> spelled;
    std::span<const double> spellings;
    std::vector<std::uint16_t> demanded;  // by position: number of children in the evidence
    // For each position, the first position whose item must become a descendant of this word, or of one of the word's
    // ancestors in the evidence, when the word is shifted. Stack items from there on are covered by an arc of one of these
    // words in the evidence, or are the dependents of such an arc.
    std::vector<std::int32_t> covered_from;

    std::int32_t size() const { return static_cast<std::int32_t>(words.size()); }
    std::int32_t given_tag(std::int32_t position) const { return tags.empty() ? -1 : tags[position - 1]; }
    std::int32_t given_head(std::int32_t position) const { return heads.empty() ? -1 : heads[position - 1]; }
    std::int32_t given_label(std::int32_t position) const { return labels.empty() ? -1 : labels[position - 1]; }

    const double* spelling(std::int32_t position, std::int32_t tags_in_all) const {
        if (spelled.empty() || spelled[position - 1] < 0) return nullptr;
        return spellings.data() + static_cast<std::ptrdiff_t>(spelled[position - 1]) * tags_in_all;
    }

    void prepare() {
        demanded.assign(words.size() + 1, 0);
        covered_from.resize(words.size() + 1);
        for (std::int32_t at = 0; at <= size(); ++at) covered_from[at] = at;
        for (std::int32_t at = 1; at <= size(); ++at)
            if (const std::int32_t head = given_head(at); head >= 0) {
                ++demanded.at(head);
                covered_from[head] = std::min(covered_from[head], at);
            }
        for (std::int32_t at = size(); at > 0; --at)
            if (const std::int32_t head = given_head(at); head >= 0)
                covered_from[at] = std::min(covered_from[at], head > at ? covered_from[head] : head + 1);
    }
};

// The position of an item in the evidence. The root is 0 even if it comes last.
inline std::int32_t known_position(const System& system, const State& s) { return is_root(system, s) ? 0 : s.position; }

inline bool arc_agrees(const System& system, const Sentence& sentence, const State& head, const State& dependent) {
    const std::int32_t given = sentence.given_head(dependent.position);
    if (given >= 0 && given != known_position(system, head)) return false;
    // An item gets no more children once it is attached, so it must already have all of its children in the evidence.
    return dependent.given_children == sentence.demanded[dependent.position];
}

// Must all items above this item on the stack become its descendants? This is the case if the item still needs children, or
// a head on its left. Otherwise, an item on its right can become its head.
inline bool must_dominate(const System& system, const Sentence& sentence, const State& item) {
    const std::int32_t head = sentence.given_head(item.position);
    const bool head_on_left = head >= 0 && head < item.position && (head > 0 || system.root_first);
    return head_on_left || item.given_children < sentence.demanded[item.position];
}

// May an item be pushed onto this stack if all items from position `first` on must become its descendants?
inline bool may_cover(const System& system, const States& states, std::uint32_t id, const Sentence& sentence, std::int32_t first) {
    for (; id != kNone && states[id].position >= first; id = states[id].below)
        if (must_dominate(system, sentence, states[id])) return false;
    return true;
}

// The choices that agree with the sentence: a shift if words are left, the end if none are left, and arcs that do not
// contradict the evidence.
inline Choices agreeing(const System& system, const States& states, std::uint32_t id, const Sentence& sentence) {
    Choices c = choices(system, states, id);
    const State& top = states[id];
    const bool words_left = top.shifted < sentence.size();
    c.shift = c.shift && words_left && may_cover(system, states, id, sentence, sentence.covered_from[top.shifted + 1]);
    c.end = c.end && !words_left && may_cover(system, states, id, sentence, 1);
    if (c.left_arc) c.left_arc = arc_agrees(system, sentence, top, states[top.below]);
    if (c.right_arc) {
        const State& head = states[top.below];
        c.right_arc = arc_agrees(system, sentence, head, top);
        // This arc would end the sentence.
        if (system.root_first && system.single_root && top.depth == 2) c.right_arc &= !words_left;
    }
    return c;
}

}  // namespace bistro
