// Training events of annotated trees: the contexts and outcomes of one derivation.
//
// The deterministic oracle makes every arc as soon as possible: right arcs, then left arcs, then shifts. Actions without an
// alternative are not events, since nothing could be learned from them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parse/model.hpp"

namespace bistro {

// One transition of a derivation.
struct HistoryStep {
    Action action;
    std::int16_t tag, label;  // tag of a shift, label of an arc
};
using History = std::vector<HistoryStep>;

// Contexts (row by row) and outcomes of one distribution.
struct EventList {
    std::vector<std::int32_t> contexts, outcomes;

    void add(const Elements& elements, const ContextList& list, std::int32_t outcome) {
        for (const std::uint8_t element : list) contexts.push_back(elements[element]);
        outcomes.push_back(outcome);
    }
};

struct DerivationEvents {
    EventList actions, labels, tags, words;
};

struct ContextLists {
    ContextList actions, labels, tags, words;
};

// The properties of a model that the recorder needs.
struct EventShape {
    System system;
    ContextLists contexts;
    bool labelled = true, joint_labels = false, lexicalised = true;

    ActionCode code() const { return {joint_labels && labelled ? system.symbols.labels : 1}; }
};

class Recorder {
public:
    Recorder(const EventShape& shape, DerivationEvents& out) : shape_(shape), out_(out) {}

    // Follows the deterministic oracle through a tree. Returns false if it is not a projective tree.
    bool follow(const Sentence& sentence) {
        states_.clear();
        std::uint32_t id = start(shape_.system, states_);
        for (last_ = id; !is_final(shape_.system, states_, id); last_ = id) {
            const Choices allowed = agreeing(shape_.system, states_, id, sentence);
            if (allowed.right_arc)
                id = step(sentence, id, Action::right_arc);
            else if (allowed.left_arc)
                id = step(sentence, id, Action::left_arc);
            else if (allowed.shift)
                id = step(sentence, id, Action::shift);
            else if (allowed.end)
                id = step(sentence, id, Action::end);
            else
                return false;
        }
        return true;
    }

    // Follows a known derivation. Tags and labels that the sentence lacks are taken from the history.
    void retrace(const Sentence& sentence, const std::vector<HistoryStep>& history) {
        states_.clear();
        last_ = start(shape_.system, states_);
        for (const HistoryStep& made : history) {
            if (!is_possible(sentence, made)) throw std::invalid_argument("the derivation is damaged");
            last_ = step(sentence, last_, made.action, &made);
        }
    }

    const States& states() const { return states_; }
    std::uint32_t last() const { return last_; }

private:
    // Whether a step is possible: a history may come from a damaged file.
    bool is_possible(const Sentence& sentence, const HistoryStep& made) const {
        const Choices possible = choices(shape_.system, states_, last_);
        const Symbols& symbols = shape_.system.symbols;
        switch (made.action) {
            case Action::shift:
                return possible.shift && static_cast<std::size_t>(states_[last_].shifted) < sentence.words.size() &&
                       made.tag >= 0 && made.tag <= symbols.root_tag();
            case Action::end: return possible.end;
            case Action::left_arc:
                return possible.left_arc && (!shape_.labelled || (made.label >= 0 && made.label < symbols.labels));
            case Action::right_arc:
                return possible.right_arc && (!shape_.labelled || (made.label >= 0 && made.label < symbols.labels));
            default: return false;
        }
    }

    // Records one transition and makes it.
    std::uint32_t step(const Sentence& sentence, std::uint32_t id, Action action, const HistoryStep* made = nullptr) {
        observe(states_, id, shape_.system.symbols, sentence.words, elements_);
        const State& top = states_[id];
        const bool is_arc = action == Action::left_arc || action == Action::right_arc;
        const std::int32_t dependent = action == Action::left_arc ? states_[top.below].position : top.position;
        const std::int32_t label = !is_arc || !shape_.labelled ? 0 : made ? made->label : sentence.given_label(dependent);
        const bool given = is_arc && sentence.given_head(dependent) >= 0;
        const ActionCode code = shape_.code();
        const bool joint = code.arc_labels > 1;
        if (choices(shape_.system, states_, id).count() > 1 || (is_arc && joint))
            out_.actions.add(elements_, shape_.contexts.actions,
                             action == Action::shift ? code.shift()
                             : action == Action::end ? code.end()
                                                     : code.arc(action, label));
        if (is_arc && shape_.labelled && !joint) {
            elements_[element("action")] = action == Action::right_arc;
            out_.labels.add(elements_, shape_.contexts.labels, label);
        }
        const auto l = static_cast<std::int16_t>(label);
        switch (action) {
            case Action::left_arc: return left_arc(states_, id, l, given);
            case Action::right_arc: return right_arc(states_, id, l, given);
            case Action::end: return end(shape_.system, states_, id);
            default: return generate(sentence, id, made ? made->tag : sentence.given_tag(states_[id].shifted + 1));
        }
    }

    std::uint32_t generate(const Sentence& sentence, std::uint32_t id, std::int32_t tag) {
        const std::int32_t word = sentence.words[states_[id].shifted];
        out_.tags.add(elements_, shape_.contexts.tags, tag);
        set_next_tag(shape_.system.symbols, tag, elements_);
        if (shape_.lexicalised) out_.words.add(elements_, shape_.contexts.words, word);
        return shift(shape_.system, states_, id, tag, word);
    }

    const EventShape& shape_;
    DerivationEvents& out_;
    States states_;
    std::uint32_t last_ = kNone;
    Elements elements_{};
};

}  // namespace bistro
