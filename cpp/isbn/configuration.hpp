// Configurations of the arc-eager transition system of Titov & Henderson (2007), and their links to earlier states.
//
// The front of the queue is the word generated last. Left-arc attaches the top of the stack to the front and pops it. Right-arc
// attaches the front to the top; after it, only shift is possible. Reduce pops a top that has a head. Shift pushes the front and
// generates the next word or the end of the sentence. Words that have no head at the end are attached to the root.
//
// A word is pushed only once, and the items below it do not change. Two stacks of a derivation are therefore the same if and only
// if their tops are the same. As a result, two numbers per word determine all seven relations between states: the last state with
// the word on top, and the last state with the word in front. The decisions of these states are stored with them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/shape.hpp"

namespace bistro::isbn {

using Links = std::array<std::int32_t, kRelations>;

class Configuration {
public:
    // Reserves memory for this number of words.
    explicit Configuration(std::int32_t words = 0) {
        cells_.reserve((static_cast<std::size_t>(words) + 2) * kColumns);
        add_word();
    }
    Configuration(const Configuration&) = default;
    Configuration(Configuration&&) = default;
    Configuration& operator=(Configuration&&) = default;
    // If memory must be allocated, reserves as much as `other` has, since copies in the search grow too.
    Configuration& operator=(const Configuration& other) {
        if (cells_.capacity() < other.cells_.size()) cells_.reserve(other.cells_.capacity());
        cells_ = other.cells_;
        now_ = other.now_;
        return *this;
    }

    std::int32_t front() const { return now_.front; }
    bool ended() const { return now_.ended; }
    std::int32_t depth() const { return now_.depth; }
    std::int32_t last_action() const { return now_.last_action; }
    // Position of an item of the stack, counted from the top; 0 if there is none.
    std::int32_t item(std::int32_t below) const { return below < now_.depth ? at(kStack, now_.depth - 1 - below) : 0; }
    std::int32_t top() const { return item(0); }
    std::int32_t head(std::int32_t word) const { return at(kHead, word); }
    std::int32_t label(std::int32_t word) const { return at(kLabel, word); }
    std::int32_t cluster(std::int32_t word) const { return at(kCluster, word); }
    std::int32_t leftmost(std::int32_t word) const { return word ? at(kLeft, word) : 0; }
    std::int32_t rightmost(std::int32_t word) const { return word ? at(kRight, word) : 0; }
    std::int32_t head_or_none(std::int32_t word) const { return word && head(word) > 0 ? head(word) : 0; }

    // Bit mask of the actions that are possible until the end is generated.
    std::uint8_t possible() const {
        std::uint8_t bits = 1 << kShift;
        if (now_.front == 0 || head(now_.front) >= 0 || now_.depth == 0) return bits;
        bits |= 1 << kRightArc;
        bits |= static_cast<std::uint8_t>(1 << (head(top()) >= 0 ? kReduce : kLeftArc));
        return bits;
    }

    // May the sentence end with the next shift?
    bool may_end(bool single_root) const { return now_.front > 0 && (!single_root || now_.headless + (head(now_.front) < 0) == 1); }

    // Can the sentence end after a right-arc and a shift? After any other action, left-arcs can still give heads to all
    // words but one.
    bool may_end_after_right_arc(bool single_root) const { return !single_root || now_.headless == 1; }

    void left_arc(std::int32_t label) {
        const std::int32_t word = top();
        note_decision(Symbols::arc_decision(kLeftArc, label));
        at(kHead, word) = now_.ended ? 0 : now_.front;
        at(kLabel, word) = label;
        at(kLeft, now_.front) = word;
        --now_.depth, --now_.headless;
        now_.last_action = kLeftArc;
    }
    void right_arc(std::int32_t label) {
        note_decision(Symbols::arc_decision(kRightArc, label));
        at(kHead, now_.front) = top();
        at(kLabel, now_.front) = label;
        at(kRight, top()) = now_.front;
        now_.last_action = kRightArc;
    }
    void reduce() {
        // After the end, this is not a decision: every top with a head is popped.
        if (!now_.ended) note_decision(Symbols::kReduceDecision);
        --now_.depth;
        now_.last_action = kReduce;
    }
    void shift(std::int32_t next_cluster) {
        push_front();
        at(kCluster, now_.front) = next_cluster;
    }
    void shift_to_end() {
        push_front();
        now_.ended = true;
    }

    // The states to which a new state is linked, in the order of the paper, and the decisions of these states.
    Links links() const { return related(kLastFront, kLastTop, now_.last_empty); }
    Links decisions() const { return related(kFrontDecision, kTopDecision, now_.empty_decision); }
    // Records the state of this configuration.
    void note(std::int32_t state) {
        at(kLastFront, now_.front) = state;
        (now_.depth ? at(kLastTop, top()) : now_.last_empty) = state;
    }

    // All states to which a later state can be linked: those of the words that can be on top or in front, of their outermost
    // children, and of their heads.
    template <class Use>
    void each_linked(const Use& use) const {
        use(now_.last_empty);
        auto word = [&](std::int32_t i) {
            use(at(kLastFront, i));
            for (const std::int32_t seen : {i, leftmost(i), rightmost(i), head_or_none(i)}) use(at(kLastTop, seen));
        };
        word(now_.front);
        for (std::int32_t below = 0; below < now_.depth; ++below) word(item(below));
    }

private:
    // The data of each word. kStack contains the items of the stack from the bottom; there are never more items than words.
    enum Column : std::size_t {
        kHead,
        kLastTop,
        kLastFront,
        kTopDecision,
        kFrontDecision,
        kLabel,
        kLeft,
        kRight,
        kStack,
        kCluster,
        kColumns
    };

    std::int32_t& at(Column column, std::int32_t i) { return cells_[static_cast<std::size_t>(i) * kColumns + column]; }
    std::int32_t at(Column column, std::int32_t i) const { return cells_[static_cast<std::size_t>(i) * kColumns + column]; }

    // Only the words up to the front have cells, so that copies are small.
    void add_word() { cells_.insert(cells_.end(), {kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, 0, 0, 0, 0, 0}); }

    // The values stored for the last states, one per relation.
    Links related(Column in_front, Column on_top, std::int32_t empty) const {
        const std::int32_t t = top();
        auto of_top = [&](std::int32_t word) { return word ? at(on_top, word) : kAbsent; };
        return {at(in_front, now_.front),     t ? at(on_top, t) : empty, of_top(rightmost(t)),         of_top(leftmost(t)),
                of_top(leftmost(now_.front)), of_top(head_or_none(t)),   t ? at(in_front, t) : kAbsent};
    }

    // An action is taken in the configuration whose state was recorded last, so the decision belongs to this state.
    void note_decision(std::int32_t decision) {
        at(kFrontDecision, now_.front) = decision;
        (now_.depth ? at(kTopDecision, top()) : now_.empty_decision) = decision;
    }

    void push_front() {
        note_decision(Symbols::kShiftDecision);
        if (now_.front > 0) {
            at(kStack, now_.depth++) = now_.front;
            now_.headless += head(now_.front) < 0;
        }
        ++now_.front;
        add_word();
        now_.last_action = kShift;
    }

    struct Now {
        std::int32_t front = 0, depth = 0, headless = 0, last_empty = kAbsent, empty_decision = kAbsent, last_action = kStart;
        bool ended = false;
    };

    std::vector<std::int32_t> cells_;
    Now now_;
};

// The words of a sentence: words[i] is the number of word i, counted from 1. Lemmas that are not given follow from the words.
struct Tokens {
    const std::int32_t* words;
    std::span<const std::int32_t> lemmas{};  // indices from 0; empty if none is given; kAbsent if one is not given

    std::int32_t lemma(const Symbols& symbols, std::int32_t word) const {
        const std::int32_t given = lemmas.empty() ? kAbsent : lemmas[static_cast<std::size_t>(word) - 1];
        return given == kAbsent ? symbols.lemma_of[words[word]] : given;
    }
};

// Positions of the words that a state can see; 0 if there is no such word.
inline std::array<std::int32_t, kPlaceNames.size()> places_of(const Configuration& c) {
    const std::int32_t top = c.top(), second = c.item(1), front = c.front();
    return {top,
            second,
            c.item(2),
            front,
            c.leftmost(top),
            c.rightmost(top),
            c.head_or_none(top),
            c.leftmost(front),
            front > 1 ? front - 1 : 0,
            front > 2 ? front - 2 : 0,
            c.leftmost(second),
            c.rightmost(second),
            c.head_or_none(second)};
}

// A word as a state sees it, independent of its place in the tree.
struct SeenWord {
    std::int32_t position, cluster;
    bool is_end;  // whether it is the end of the sentence
};

inline SeenWord seen_word(const Configuration& c, std::int32_t position) {
    const bool is_end = position > 0 && position == c.front() && c.ended();
    return {position, position == 0 || is_end ? kAbsent : c.cluster(position), is_end};
}

// Adds the rows of a feature that depends on the word alone.
inline void see_word(const Symbols& s, const Element& e, const SeenWord& seen, const Tokens& tokens,
                     std::vector<std::int32_t>& rows) {
    const std::int32_t word = seen.position;
    // The last two values represent a missing word and the end of the sentence.
    auto value = [&](std::int32_t none, auto&& otherwise) {
        return e.first_row + (word == 0 ? none : seen.is_end ? none + 1 : otherwise());
    };
    switch (e.attribute) {
        case attribute("word"): return rows.push_back(value(s.no_word(), [&] { return tokens.words[word]; }));
        case attribute("tag"): return rows.push_back(value(s.no_tag(), [&] { return s.tag_of[seen.cluster]; }));
        case attribute("lemma"): return rows.push_back(value(s.lemmas, [&] { return tokens.lemma(s, word); }));
        case attribute("coarse"): return rows.push_back(value(s.coarse_tags, [&] { return s.coarse_of[seen.cluster]; }));
        case attribute("feats"):
            if (seen.cluster == kAbsent) return;
            for (auto i = s.component_begin[seen.cluster]; i < s.component_begin[seen.cluster + 1]; ++i)
                rows.push_back(e.first_row + s.component_list[i]);
    }
}

// Calls use(row) with the row of a feature of the tree or of earlier actions, if there is one.
template <class Use>
void see_tree(const Symbols& s, const Element& e, const Configuration& c, std::int32_t word, const Use& use) {
    switch (e.attribute) {
        case attribute("label"):
            return use(e.first_row + (word == 0 ? s.label_of_none() : c.head(word) < 0 ? s.no_label() : c.label(word)));
        case attribute("action"): return use(e.first_row + c.last_action());
        case attribute("distance"): {
            const std::int32_t d = c.top() ? c.front() - c.top() : 0;
            return use(e.first_row + (d == 0 ? 5 : d <= 3 ? d - 1 : d <= 6 ? 3 : 4));
        }
        default:  // an edge from the decision of a linked state, if there is one
            if (const std::int32_t decision = c.decisions()[e.attribute - kFirstDecision]; decision != kAbsent)
                use(e.first_row + decision);
    }
}

// Adds the rows of all explicit features of a state.
inline void see(const Shape& shape, const Configuration& c, const Tokens& tokens, std::vector<std::int32_t>& rows) {
    const auto places = places_of(c);
    rows.push_back(0);
    for (const Element& e : shape.elements())
        if (e.is_of_word())
            see_word(shape.symbols(), e, seen_word(c, places[e.place]), tokens, rows);
        else
            see_tree(shape.symbols(), e, c, places[e.place], [&](std::int32_t row) { rows.push_back(row); });
}

}  // namespace bistro::isbn
