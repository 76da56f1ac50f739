// The search over derivations of one sentence, word by word, under any policy.
//
// A pass extends every derivation of i words to derivations of i + 1 words. In rounds, each derivation may shift (into the
// next set) or reduce (into the next round). After the last word, one more pass completes the trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "parse/memory.hpp"
#include "parse/model.hpp"
#include "parse/oracle.hpp"
#include "parse/policies.hpp"
#include "parse/tag_choices.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct SearchOptions {
    int tags = 3;              // maximum number of tags tried for a word
    int labels = 1;            // maximum number of labels tried for an arc, if later contexts use labels
    bool both_reduces = true;  // or only the more probable one, as in Algorithm 1 of the paper
    double unseen_tags = 0;    // factor of tags that a known word never had in training; 0: they are not tried
};

template <class Franchise, class Policy>
class Search {
public:
    using Open = std::function<void(const Derivation&, const Elements&)>;

    Search(const TransitionModel<Franchise>& model, Policy policy, SearchOptions options)
        : model_(model), policy_(policy), options_(options), memory_(model), of_actions_(model.actions, model.code().outcomes()),
          tag_choices_(model, options.unseen_tags) {}

    // Complete derivations, best first. The result is empty if the policy kept no derivation that agrees with the evidence.
    // A policy that draws may have a history, which one of its particles follows.
    const std::vector<Derivation>& run(const Sentence& sentence, const History* history = nullptr) {
        return run(sentence, history, [](const std::vector<Derivation>&) {});
    }

    // The same. `watch` is called with all derivations that have generated a word, before any of them is dropped.
    template <class Watch>
    const std::vector<Derivation>& run(const Sentence& sentence, const History* history, const Watch& watch) {
        history_ = history;
        states_.clear();
        finals_.clear();
        beam_.assign(1, {start(model_.system, states_), 0.0, policy_.initial(), 0.0, history ? 0 : -1});
        for (std::int32_t i = 0; i <= sentence.size() && !beam_.empty(); ++i) {
            pass(sentence);
            if (i < sentence.size()) watch(beam_);
            policy_.select(beam_);
        }
        // The weight of a complete derivation is its probability under the model, without the factors of unseen tags.
        if (options_.unseen_tags > 0 && options_.unseen_tags < 1)
            for (Derivation& d : finals_) d.log_weight -= d.unseen * std::log(options_.unseen_tags);
        std::sort(finals_.begin(), finals_.end(), better);
        return finals_;
    }

    // Derivations of the first words of a sentence with any continuation. `watch` is called as in `run`, and then `open`
    // with every derivation that is about to generate another word, with the elements before its tag is chosen. Returns the
    // derivations that end here instead. `longer` is the sentence with an arbitrary word appended.
    template <class Watch>
    const std::vector<Derivation>& run_open(const Sentence& sentence, const Sentence& longer, const Watch& watch, Open open) {
        history_ = nullptr;
        states_.clear();
        finals_.clear();
        beam_.assign(1, {start(model_.system, states_), 0.0, policy_.initial(), 0.0, -1});
        for (std::int32_t i = 0; i < sentence.size() && !beam_.empty(); ++i) {
            pass(sentence);
            watch(beam_);
            policy_.select(beam_);
        }
        const std::vector<Derivation> after_words = beam_;
        open_ = std::move(open);
        pass(longer);
        open_ = nullptr;
        beam_ = after_words;
        if (sentence.size() > 0) pass(sentence);
        return finals_;
    }

    // Resets the state of the policy. Cached distributions are kept for the next sentence.
    void restart(Policy policy) { policy_ = policy; }

    const States& states() const { return states_; }
    const Policy& policy() const { return policy_; }

private:
    void pass(const Sentence& sentence) {
        frontier_.swap(beam_);
        beam_.clear();
        memory_.clear();
        while (!frontier_.empty()) {
            pause();
            reduced_.clear();
            for (const Derivation& d : frontier_) expand(sentence, d);
            policy_.limit(reduced_);
            frontier_.swap(reduced_);
        }
    }

    void expand(const Sentence& sentence, const Derivation& d) {
        const Choices possible = choices(model_.system, states_, d.state);
        const Choices allowed = agreeing(model_.system, states_, d.state, sentence);
        if (allowed.count() == 0) return;
        observe(states_, d.state, model_.system.symbols, sentence.words, elements_);
        bool is_new;
        answer_ = &memory_.find(elements_, possible, is_new);
        // All derivations of a pass have generated the same words, so cached values have the same factor.
        const double factor = model_.pace.factor(states_[d.state].shifted);
        if (is_new) answer_->actions = model_.action_probabilities(possible, factor, [&] { return of_actions_.of(elements_); });
        const ActionProbabilities p = answer_->actions;
        std::array<double, 4> shares{allowed.shift ? p.shift : 0.0, allowed.left_arc ? p.left_arc : 0.0,
                                     allowed.right_arc ? p.right_arc : 0.0, allowed.end ? p.end : 0.0};
        std::array<std::int64_t, 4> particles{};
        const int kept = d.retained >= 0 ? static_cast<int>((*history_)[d.retained].action) : -1;
        policy_.share(d.particles, options_.both_reduces ? shares : with_one_reduce(shares), kept, particles);
        std::array<Derivation, 4> parts;
        for (int i = 0; i < 4; ++i) parts[i] = part_of(d, shares, i, particles[i], kept);
        if (particles[0] > 0) shift_word(sentence, parts[0]);
        if (particles[1] > 0) make_arc(sentence, Action::left_arc, parts[1]);
        if (particles[2] > 0) make_arc(sentence, Action::right_arc, parts[2]);
        if (particles[3] > 0) {
            parts[3].state = end(model_.system, states_, d.state);
            arrive(stepped(parts[3]));
        }
    }

    // Particles that do not shift take the more probable reduce, independent of its own share: in Algorithm 1, reduce gets
    // the particles that shift leaves. If labels are part of derivations, arcs are compared by their probability with their
    // best label.
    std::array<double, 4> with_one_reduce(std::array<double, 4> shares) {
        double left = shares[1], right = shares[2];
        if (left > 0 && right > 0 && model_.labelled && model_.labels_in_contexts) {
            left *= of_best_label(Action::left_arc);
            right *= of_best_label(Action::right_arc);
        }
        const int best = left < right ? 2 : 1;
        shares[best] += shares[3 - best];
        shares[3 - best] = 0;
        return shares;
    }

    double of_best_label(Action action) {
        model_.label_probabilities(action, elements_, label_probabilities_);
        return *std::max_element(label_probabilities_.begin(), label_probabilities_.end());
    }

    // The part of a derivation that takes alternative i. A policy that draws uses the normalised probabilities of the
    // alternatives that the evidence allows, so their sum becomes a factor of the importance weight.
    Derivation part_of(const Derivation& d, std::span<const double> probabilities, int i, std::int64_t particles, int kept) const {
        Derivation part = d;
        part.particles = particles;
        part.retained = i == kept ? d.retained : -1;
        if (particles == 0) return part;
        part.log_weight += std::log(probabilities[i]);
        if constexpr (Policy::draws) {
            double total = 0;
            for (const double p : probabilities) total += p;
            part.log_importance += std::log(total);
        }
        return part;
    }

    void shift_word(const Sentence& sentence, const Derivation& d) {
        if (open_) return open_(d, elements_);
        const std::int32_t position = states_[d.state].shifted + 1;
        const std::int32_t word = sentence.words[position - 1];
        if (!answer_->has_tags) {
            tag_choices_.find(elements_, word, sentence.given_tag(position),
                              sentence.spelling(position, model_.system.symbols.tags), answer_->tags);
            keep_most_probable(answer_->tags, static_cast<std::size_t>(options_.tags));
            answer_->has_tags = true;
        }
        const std::int32_t kept = d.retained >= 0 ? (*history_)[d.retained].tag : -1;
        split(d, answer_->tags, kept, [&](const TagChoice& choice, Derivation part) {
            part.state = shift(model_.system, states_, d.state, choice.tag, word);
            part.last_word = choice.word;
            part.unseen += choice.unseen;
            beam_.push_back(stepped(part));
        });
    }

    // If no later context uses labels, the arc represents all of its labels together, and its label is chosen separately.
    void make_arc(const Sentence& sentence, Action action, const Derivation& d) {
        const State& top = states_[d.state];
        const State& dependent = action == Action::left_arc ? states_[top.below] : top;
        const std::int32_t position = dependent.position;
        const bool given_head = sentence.given_head(position) >= 0;
        const std::int32_t given = sentence.given_label(position);
        auto arrive_with = [&](std::int32_t label, Derivation part) {
            const auto l = static_cast<std::int16_t>(label);
            part.state =
                action == Action::left_arc ? left_arc(states_, d.state, l, given_head) : right_arc(states_, d.state, l, given_head);
            arrive(stepped(part));
        };
        if (!model_.labelled || (given < 0 && !model_.labels_in_contexts)) return arrive_with(0, d);
        labels_.clear();
        if (given >= 0) {
            labels_.push_back({given, model_.label_probability(action, elements_, given, label_probabilities_)});
        } else {
            model_.label_probabilities(action, elements_, label_probabilities_);
            for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l) labels_.push_back({l, label_probabilities_[l]});
        }
        keep_most_probable(labels_, static_cast<std::size_t>(options_.labels));
        split(d, labels_, d.retained >= 0 ? (*history_)[d.retained].label : -1,
              [&](const TagChoice& choice, const Derivation& part) { arrive_with(choice.tag, part); });
    }

    static Derivation stepped(Derivation d) {
        if (d.retained >= 0) ++d.retained;
        return d;
    }

    // Divides a derivation between alternatives by their probabilities. `kept` is the alternative of the retained history.
    template <class Continue>
    void split(const Derivation& d, const std::vector<TagChoice>& items, std::int32_t kept, const Continue& go_on) {
        part_probabilities_.clear();
        int kept_index = -1;
        for (std::size_t i = 0; i < items.size(); ++i) {
            part_probabilities_.push_back(items[i].probability);
            if (d.retained >= 0 && items[i].tag == kept) kept_index = static_cast<int>(i);
        }
        part_particles_.assign(items.size(), 0);
        policy_.share(d.particles, part_probabilities_, kept_index, part_particles_);
        for (std::size_t i = 0; i < items.size(); ++i)
            if (part_particles_[i] > 0 && items[i].probability > 0)
                go_on(items[i], part_of(d, part_probabilities_, static_cast<int>(i), part_particles_[i], kept_index));
    }

    // A derivation is complete after the last step of its tree.
    void arrive(const Derivation& d) { (is_final(model_.system, states_, d.state) ? finals_ : reduced_).push_back(d); }

    const TransitionModel<Franchise>& model_;
    Policy policy_;
    SearchOptions options_;
    const History* history_ = nullptr;
    States states_;
    std::vector<Derivation> beam_, frontier_, reduced_, finals_;
    Elements elements_{};
    std::vector<double> label_probabilities_, part_probabilities_;
    std::vector<std::int64_t> part_particles_;
    std::vector<TagChoice> labels_;
    PredictionMemory memory_;
    Distributions<Franchise> of_actions_;
    TagChoices<Franchise> tag_choices_;
    Open open_;                                   // called for derivations that are about to generate an unknown next word
    PredictionMemory::Answer* answer_ = nullptr;  // for the derivation that is being expanded
};

}  // namespace bistro
