// The search over derivations of one sentence, word by word, under any policy.
//
// A pass takes every derivation that has generated i words to one that has generated i + 1: in rounds, each derivation may
// shift (into the next set) or reduce (into the next round). After the last word, passes go on until the trees are complete.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "parse/model.hpp"
#include "parse/policies.hpp"

namespace bistro {

struct SearchOptions {
    int tags = 3;               // most tags tried for a word
    int labels = 1;             // most labels tried for an arc, where later contexts see labels
    bool both_reduces = true;   // or only the more probable one
};

template <class Franchise, class Policy>
class Search {
public:
    Search(const TransitionModel<Franchise>& model, Policy policy, SearchOptions options)
        : model_(model), policy_(policy), options_(options) {}

    // Complete derivations, the best first; empty if the evidence allows none that the policy kept.
    const std::vector<Derivation>& run(const Sentence& sentence) {
        states_.clear();
        finals_.clear();
        beam_.assign(1, {start(model_.system, states_), 0.0, policy_.initial()});
        for (std::int32_t i = 0; i <= sentence.size() && !beam_.empty(); ++i) pass(sentence);
        std::sort(finals_.begin(), finals_.end(), better);
        return finals_;
    }

    const States& states() const { return states_; }

private:
    void pass(const Sentence& sentence) {
        frontier_.swap(beam_);
        beam_.clear();
        while (!frontier_.empty()) {
            reduced_.clear();
            for (const Derivation& d : frontier_) expand(sentence, d);
            policy_.limit(reduced_);
            frontier_.swap(reduced_);
        }
        policy_.select(beam_);
    }

    void expand(const Sentence& sentence, const Derivation& d) {
        const Choices possible = choices(model_.system, states_, d.state);
        const Choices allowed = agreeing(model_.system, states_, d.state, sentence);
        if (allowed.count() == 0) return;
        observe(states_, d.state, model_.system.symbols, sentence.words, elements_);
        const bool joint = model_.code().arc_labels > 1;
        const ActionProbabilities p = model_.action_probabilities(possible, elements_, joint ? &outcomes_ : nullptr);
        std::array<double, 4> shares{allowed.shift ? p.shift : 0.0, allowed.left_arc ? p.left_arc : 0.0,
                                     allowed.right_arc ? p.right_arc : 0.0, allowed.end ? p.end : 0.0};
        if (!options_.both_reduces) shares[shares[1] < shares[2] ? 1 : 2] = 0.0;
        std::array<std::int64_t, 4> particles{};
        policy_.share(d.particles, shares, particles);
        if (particles[0] > 0) shift_word(sentence, {d.state, d.log_weight + std::log(shares[0]), particles[0]});
        if (particles[1] > 0) make_arc(sentence, Action::left_arc, {d.state, d.log_weight + std::log(shares[1]), particles[1]});
        if (particles[2] > 0) make_arc(sentence, Action::right_arc, {d.state, d.log_weight + std::log(shares[2]), particles[2]});
        if (particles[3] > 0)
            arrive({end(model_.system, states_, d.state), d.log_weight + std::log(shares[3]), particles[3]});
    }

    void shift_word(const Sentence& sentence, const Derivation& d) {
        const std::int32_t position = states_[d.state].shifted + 1;
        const std::int32_t word = sentence.words[position - 1];
        model_.tag_choices(elements_, word, sentence.given_tag(position), tags_);
        keep_most_probable(tags_, static_cast<std::size_t>(options_.tags));
        split(d, tags_, [&](const TagChoice& choice, const Derivation& part) {
            beam_.push_back({shift(model_.system, states_, d.state, choice.tag, word), part.log_weight, part.particles});
        });
    }

    // Where no later context sees labels, the arc stands for all its labels together, and its label is chosen by itself.
    void make_arc(const Sentence& sentence, Action action, const Derivation& d) {
        const State& top = states_[d.state];
        const State& dependent = action == Action::left_arc ? states_[top.below] : top;
        const std::int32_t position = dependent.position;
        const bool given_head = sentence.given_head(position) >= 0;
        const std::int32_t given = sentence.given_label(position);
        auto arrive_with = [&](std::int32_t label, double log_weight, std::int64_t particles) {
            const auto l = static_cast<std::int16_t>(label);
            arrive({action == Action::left_arc ? left_arc(states_, d.state, l, given_head)
                                               : right_arc(states_, d.state, l, given_head),
                    log_weight, particles});
        };
        if (!model_.labelled || (given < 0 && !model_.labels_in_contexts)) return arrive_with(0, d.log_weight, d.particles);
        model_.label_probabilities(action, elements_, label_probabilities_);
        labels_.clear();
        for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l)
            if (given < 0 || given == l) labels_.push_back({l, label_probabilities_[l]});
        keep_most_probable(labels_, static_cast<std::size_t>(options_.labels));
        split(d, labels_, [&](const TagChoice& choice, const Derivation& part) {
            arrive_with(choice.tag, part.log_weight, part.particles);
        });
    }

    static void keep_most_probable(std::vector<TagChoice>& items, std::size_t most) {
        if (items.size() <= most) return;
        std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(),
                          [](const TagChoice& a, const TagChoice& b) {
                              return a.probability != b.probability ? a.probability > b.probability : a.tag < b.tag;
                          });
        items.resize(most);
    }

    // Divides a derivation between alternatives by their probabilities.
    template <class Continue>
    void split(const Derivation& d, const std::vector<TagChoice>& items, const Continue& go_on) {
        part_probabilities_.clear();
        for (const TagChoice& item : items) part_probabilities_.push_back(item.probability);
        part_particles_.assign(items.size(), 0);
        policy_.share(d.particles, part_probabilities_, part_particles_);
        for (std::size_t i = 0; i < items.size(); ++i)
            if (part_particles_[i] > 0 && items[i].probability > 0)
                go_on(items[i], Derivation{d.state, d.log_weight + std::log(items[i].probability), part_particles_[i]});
    }

    void arrive(const Derivation& d) {
        (is_final(model_.system, states_, d.state) ? finals_ : reduced_).push_back(d);
    }

    const TransitionModel<Franchise>& model_;
    Policy policy_;
    SearchOptions options_;
    States states_;
    std::vector<Derivation> beam_, frontier_, reduced_, finals_;
    Elements elements_{};
    std::vector<double> outcomes_, label_probabilities_, part_probabilities_;
    std::vector<std::int64_t> part_particles_;
    std::vector<TagChoice> tags_, labels_;
};

}  // namespace bistro
