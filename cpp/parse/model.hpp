// The generative transition model: the distributions of the next action, label, tag and word, given a configuration.
//
// It works with any form of a franchise, frozen or trainable. In both, the restaurants of a context are found once, and the
// probabilities of all outcomes follow from them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "parse/arc_standard.hpp"
#include "parse/contexts.hpp"
#include "parse/pace.hpp"

namespace bistro {

using Path = std::array<std::uint32_t, kLongestContext + 1>;

// A distribution and the elements it is conditioned on.
template <class Franchise>
struct Predictor {
    const Franchise* franchise = nullptr;
    ContextList contexts;

    int descend(const Elements& elements, Path& path) const {
        return franchise->descend(ContextOf{elements, contexts}, static_cast<int>(contexts.size()), path.data());
    }
    double probability(const Elements& elements, std::int32_t outcome) const {
        Path path;
        const int depth = descend(elements, path);
        return franchise->probability_on_path(path.data(), depth, static_cast<std::uint32_t>(outcome));
    }
};

// Outcomes of the action distribution. With joint labels, each pair of arc and label is one outcome. Otherwise (and without
// labels), each arc is one outcome, and the label is predicted in a second step.
struct ActionCode {
    std::int32_t arc_labels = 1;

    std::int32_t shift() const { return 0; }
    std::int32_t end() const { return 1; }
    std::int32_t arc(Action action, std::int32_t label) const {
        return 2 + (action == Action::right_arc ? arc_labels : 0) + (arc_labels == 1 ? 0 : label);
    }
    std::int32_t outcomes() const { return 2 + 2 * arc_labels; }
};

struct ActionProbabilities {
    double shift = 0, left_arc = 0, right_arc = 0, end = 0;
};

struct TagChoice {
    std::int32_t tag;
    double probability;   // p(tag) p(word | tag)
    double word = 1.0;    // p(word | tag) alone
    bool unseen = false;  // the word never had the tag in training
};

template <class Franchise>
struct TransitionModel {
    System system;
    Predictor<Franchise> actions, labels, tags, words;
    bool labelled = true, joint_labels = false, lexicalised = true, labels_in_contexts = false;
    // Tags that each word had in training: those of word w are tag_list[tag_begin[w]] to tag_list[tag_begin[w + 1] - 1]. If
    // a word has no listed tags, or there are no lists, all tags are allowed.
    std::span<const std::int32_t> tag_begin, tag_list;
    Pace pace;

    std::span<const std::int32_t> tags_seen(std::int32_t word) const {
        if (tag_begin.empty()) return {};
        const std::int32_t first = tag_begin[word], last = tag_begin[word + 1];
        return tag_list.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    }
    // Whether a word of the training data never had the tag in training.
    bool is_unseen(std::int32_t word, std::int32_t tag) const {
        const auto seen = tags_seen(word);
        return !seen.empty() && std::find(seen.begin(), seen.end(), tag) == seen.end();
    }

    ActionCode code() const { return {joint_labels && labelled ? system.symbols.labels : 1}; }

    // The probabilities of the possible actions, normalised. The probability of an arc is the sum over its labels.
    // `of_outcomes()` returns the probability of every outcome, and is called only if several actions are possible.
    // `shift_factor` is the factor of the pace.
    template <class OfOutcomes>
    ActionProbabilities action_probabilities(const Choices& possible, double shift_factor, const OfOutcomes& of_outcomes) const {
        if (possible.count() == 1)
            return {double(possible.shift), double(possible.left_arc), double(possible.right_arc), double(possible.end)};
        const ActionCode c = code();
        const double* outcomes = of_outcomes();
        auto arc_mass = [&](Action action) {
            double sum = 0;
            for (std::int32_t l = 0; l < c.arc_labels; ++l) sum += outcomes[c.arc(action, l)];
            return sum;
        };
        ActionProbabilities p;
        if (possible.shift) p.shift = shift_factor * outcomes[c.shift()];
        if (possible.end) p.end = outcomes[c.end()];
        if (possible.left_arc) p.left_arc = arc_mass(Action::left_arc);
        if (possible.right_arc) p.right_arc = arc_mass(Action::right_arc);
        const double total = p.shift + p.end + p.left_arc + p.right_arc;
        p.shift /= total, p.end /= total, p.left_arc /= total, p.right_arc /= total;
        return p;
    }

    // p(label | arc) for all labels. `elements` describe the configuration before the arc. The values are normalised again,
    // because single-precision distributions do not sum exactly to 1, and an arc that represents all of its labels has the
    // factor 1.
    void label_probabilities(Action action, Elements& elements, std::vector<double>& out) const {
        const auto n = static_cast<std::size_t>(system.symbols.labels);
        out.resize(n);
        Path path;
        if (joint_labels) {
            std::vector<double> all(code().outcomes());
            actions.franchise->distribution(path.data(), actions.descend(elements, path), all.data());
            for (std::size_t l = 0; l < n; ++l) out[l] = all[code().arc(action, static_cast<std::int32_t>(l))];
        } else {
            elements[element("action")] = action == Action::right_arc;
            labels.franchise->distribution(path.data(), labels.descend(elements, path), out.data());
        }
        const double sum = std::accumulate(out.begin(), out.end(), 0.0);
        for (double& p : out) p /= sum;
    }

    // p(label | arc) for one label, without computing the others if the distribution already sums to 1.
    double label_probability(Action action, Elements& elements, std::int32_t label, std::vector<double>& scratch) const {
        if (Franchise::single_precision || joint_labels) {
            label_probabilities(action, elements, scratch);
            return scratch[static_cast<std::size_t>(label)];
        }
        elements[element("action")] = action == Action::right_arc;
        return labels.probability(elements, label);
    }
};

}  // namespace bistro
