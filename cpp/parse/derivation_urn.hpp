// Sentences from the prior of the transition model: every event is drawn given all events before it, and then seated
// (Pólya's urn), so that words, trees, derivations and seating are one draw from their joint distribution.
//
// Training does not mask impossible actions: it treats the events of a derivation as draws among all outcomes. Therefore,
// an action may be drawn that the configuration does not allow. Such data cannot occur in a treebank. To condition on
// possible actions, the caller must repeat the whole draw, including the hyper-parameters.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hpyp/franchise.hpp"
#include "parse/language.hpp"
#include "parse/oracle.hpp"

namespace bistro {

class DerivationUrn {
public:
    // Franchises in the order actions, labels, tags, words; null if the model has none.
    using Franchises = std::array<std::shared_ptr<Franchise>, 4>;

    DerivationUrn(const EventShape& shape, Franchises franchises) : shape_(shape), franchises_(std::move(franchises)) {}

    // Draws a sentence and its derivation. Returns false if an impossible action or more than `most_words` words were
    // drawn.
    bool draw(std::int32_t most_words, Stream& rng, Generated& out, History& history) {
        states_.clear();
        std::uint32_t id = start(shape_.system, states_);
        while (!is_final(shape_.system, states_, id)) {
            observe(states_, id, shape_.system.symbols, out.words, elements_);
            HistoryStep step{};
            if (!draw_action(choices(shape_.system, states_, id), rng, step)) return false;
            if (step.action == Action::shift) {
                if (static_cast<std::int32_t>(out.words.size()) == most_words) return false;
                id = generate(id, rng, step, out);
            } else if (step.action == Action::end) {
                id = end(shape_.system, states_, id);
            } else {
                id = arc(id, rng, step, out);
            }
            history.push_back(step);
        }
        out.complete = true;
        return true;
    }

private:
    // Draws an outcome of one distribution in the current configuration, and seats it.
    std::int32_t take(std::size_t f, const ContextList& list, Stream& rng) {
        Franchise& franchise = *franchises_[f];
        const ContextOf context{elements_, list};
        const int length = static_cast<int>(list.size());
        Path path;
        const int depth = franchise.descend(context, length, path.data());
        outcomes_.resize(static_cast<std::size_t>(franchise.base().dishes()));
        franchise.distribution(path.data(), depth, outcomes_.data());
        const auto outcome = static_cast<std::int32_t>(bistro::draw(outcomes_, rng));
        std::vector<std::uint32_t> known;
        franchise.add(franchise.resolve(context, length, outcome, known), rng);
        return outcome;
    }

    // Returns false if the drawn action is impossible here.
    bool draw_action(const Choices& possible, Stream& rng, HistoryStep& step) {
        const ActionCode code = shape_.code();
        const bool is_arc = possible.left_arc || possible.right_arc;
        if (possible.count() == 1 && !(is_arc && code.arc_labels > 1)) {
            step.action = possible.shift      ? Action::shift
                          : possible.end      ? Action::end
                          : possible.left_arc ? Action::left_arc
                                              : Action::right_arc;
            return true;
        }
        const std::int32_t outcome = take(0, shape_.contexts.actions, rng);
        if (outcome == code.shift()) return step.action = Action::shift, possible.shift;
        if (outcome == code.end()) return step.action = Action::end, possible.end;
        const bool is_right = outcome >= code.arc(Action::right_arc, 0);
        step.action = is_right ? Action::right_arc : Action::left_arc;
        step.label = static_cast<std::int16_t>(outcome - code.arc(step.action, 0));
        return is_right ? possible.right_arc : possible.left_arc;
    }

    std::uint32_t generate(std::uint32_t id, Stream& rng, HistoryStep& step, Generated& out) {
        step.tag = static_cast<std::int16_t>(take(2, shape_.contexts.tags, rng));
        set_next_tag(shape_.system.symbols, step.tag, elements_);
        const std::int32_t word = shape_.lexicalised ? take(3, shape_.contexts.words, rng) : 0;
        out.words.push_back(word), out.tags.push_back(step.tag), out.heads.push_back(-1), out.labels.push_back(-1);
        return shift(shape_.system, states_, id, step.tag, word);
    }

    std::uint32_t arc(std::uint32_t id, Stream& rng, HistoryStep& step, Generated& out) {
        if (shape_.labelled && shape_.code().arc_labels == 1) {
            elements_[element("action")] = step.action == Action::right_arc;
            step.label = static_cast<std::int16_t>(take(1, shape_.contexts.labels, rng));
        }
        id = step.action == Action::left_arc ? left_arc(states_, id, step.label, false) : right_arc(states_, id, step.label, false);
        const State& made = states_[id];
        out.heads[made.dependent - 1] = known_position(shape_.system, made);
        if (shape_.labelled) out.labels[made.dependent - 1] = step.label;
        return id;
    }

    const EventShape& shape_;
    Franchises franchises_;
    States states_;
    Elements elements_{};
    std::vector<double> outcomes_;
};

}  // namespace bistro
