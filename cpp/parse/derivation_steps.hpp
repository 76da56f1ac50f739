// The steps of one derivation, each with the elements of the configuration before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parse/model.hpp"

namespace bistro {

struct DerivationStep {
    Action action;
    std::int32_t word;        // the word that is shifted, or the dependent of the arc; 0 at the end
    std::int32_t label, tag;  // label of an arc, tag of a shift; -1 otherwise
    Choices possible;         // possible actions, independent of the sentence
    Elements elements;        // without the elements that the step itself sets
};

template <class Franchise>
std::vector<DerivationStep> steps_of(const TransitionModel<Franchise>& model, const States& states, std::uint32_t last,
                                     const Sentence& sentence) {
    std::vector<DerivationStep> steps;
    for (std::uint32_t id = last; states[id].action != Action::start; id = states[id].previous) {
        const State& made = states[id];
        const bool is_arc = made.action == Action::left_arc || made.action == Action::right_arc;
        DerivationStep step{made.action, 0, -1, -1, choices(model.system, states, made.previous), {}};
        if (is_arc) step.word = made.dependent;
        if (is_arc && model.labelled) step.label = made.label;
        if (made.action == Action::shift) step.word = made.position, step.tag = made.tag;
        observe(states, made.previous, model.system.symbols, sentence.words, step.elements);
        steps.push_back(step);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace bistro
