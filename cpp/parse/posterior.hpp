// Computes trees and the probability of every head, label and tag from weighted derivations.
//
// Derivations share their histories. The mass of a State is the sum over all complete derivations that pass through it,
// computed backwards from the ends. An arc or a tag belongs to one State, so its probability is that State's mass.
//
// Trees are ranked by their probabilities. In marginals and samples, the weight of a derivation is its probability to the
// power of 1 / temperature, because a model that multiplies many steps as if they were independent is overconfident. A tag
// that its word never had in training may reduce the weight of a derivation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parse/distributions.hpp"
#include "parse/labelled_arcs.hpp"
#include "parse/minimum_risk.hpp"
#include "parse/model.hpp"
#include "parse/policies.hpp"

namespace bistro {

struct Parse {
    std::vector<std::int32_t> heads, labels, tags;  // by word; labels -1 where the model has none
    double log_prob = 0;                            // of tree, tags, labels and words together
    double posterior = 0;                           // among the trees found
};

struct Marginals {
    std::vector<Weighted> heads, labels, tags;  // by word
};

inline void add_mass(Weighted& items, std::int32_t what, double mass) {
    for (auto& [key, sum] : items)
        if (key == what) {
            sum += mass;
            return;
        }
    items.emplace_back(what, mass);
}

inline double log_sum(const std::vector<Derivation>& derivations) {
    double highest = -INFINITY, sum = 0;
    for (const Derivation& d : derivations) highest = std::max(highest, d.log_weight);
    for (const Derivation& d : derivations) sum += std::exp(d.log_weight - highest);
    return highest + std::log(sum);
}

template <class Franchise>
class Posterior {
public:
    // `known_labels`, if given, caches label distributions from one sentence to the next.
    Posterior(const TransitionModel<Franchise>& model, const States& states, const std::vector<Derivation>& finals,
              const Sentence& sentence, double temperature = 1, double unseen_tags = 1,
              Distributions<Franchise>* known_labels = nullptr)
        : model_(model), states_(states), finals_(finals), sentence_(sentence), known_labels_(known_labels),
          log_total_(log_sum(finals)), label_row_(model.labelled ? states.size() : 0, kNone) {
        for (const Derivation& d : finals_) {  // the best derivation first
            const auto [found, is_new] = group_of_.try_emplace(states_[d.state].tree, groups_.size());
            if (is_new) groups_.emplace_back();
            groups_[found->second].derivations.push_back(d);
            groups_[found->second].posterior += std::exp(d.log_weight - log_total_);
            shares_.push_back((d.log_weight - finals_[0].log_weight) / temperature);
        }
        // If the weight is 0, the search has not tried such tags.
        if (unseen_tags > 0 && unseen_tags < 1) weigh_unseen_tags(std::log(unseen_tags));
        for (double& share : shares_) share = std::exp(share);
        const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
        for (double& share : shares_) share /= total;
    }

    double log_total() const { return log_total_; }

    // The derivations of one tree.
    struct Group {
        std::vector<Derivation> derivations;
        double posterior = 0;
    };

    // All trees, with the most probable tree first, or with the tree of the most probable derivation first.
    std::vector<const Group*> ranked(bool by_derivation = false) const {
        std::vector<const Group*> order;
        for (const Group& g : groups_) order.push_back(&g);
        if (by_derivation) return order;  // groups are in the order of their best derivations
        std::stable_sort(order.begin(), order.end(), [](const Group* a, const Group* b) { return a->posterior > b->posterior; });
        return order;
    }

    // A tree with the most probable label of each arc.
    Parse tree_of(const Group& group) const {
        Parse parse = read_back(group.derivations[0].state, group);
        choose_labels(group, parse);
        parse.log_prob = log_prob(group, parse);
        return parse;
    }

    // The most probable trees. The derivations of the same tree are summed.
    std::vector<Parse> best(std::size_t most, bool by_derivation = false) const {
        std::vector<Parse> parses;
        for (const Group* g : ranked(by_derivation)) {
            if (parses.size() == most) break;
            parses.push_back(tree_of(*g));
        }
        return parses;
    }

    // Draws a tree from the posterior over the derivations found.
    Parse sample(Stream& rng) const {
        double x = rng.uniform();
        std::size_t i = 0;
        for (; i + 1 < finals_.size(); ++i)
            if ((x -= shares_[i]) < 0) break;
        const std::uint32_t end = finals_[i].state;
        const Group& group = groups_[group_of_.at(states_[end].tree)];
        Parse parse = read_back(end, group);
        if (model_.labelled)
            each_arc(end, [&](std::uint32_t id) { parse.labels[states_[id].dependent - 1] = draw(labels_at(id), rng); });
        parse.log_prob = log_prob(group, parse);
        return parse;
    }

    Marginals marginals(bool with_labels = true) const {
        const std::size_t n = sentence_.words.size(), num_labels = static_cast<std::size_t>(model_.system.symbols.labels);
        Marginals out{std::vector<Weighted>(n), std::vector<Weighted>(n), std::vector<Weighted>(n)};
        const std::vector<double> mass = masses();
        for (std::size_t id = states_.size(); id-- > 1;) {
            const State& s = states_[id];
            if (mass[id] == 0) continue;
            if (s.action == Action::shift) add_mass(out.tags[s.position - 1], s.tag, mass[id]);
            if (is_arc(s)) add_mass(out.heads[s.dependent - 1], known_position(model_.system, s), mass[id]);
        }
        if (!model_.labelled || !with_labels) return out;
        const std::vector<double> label_mass = label_masses(mass, [](const State&) { return true; });
        // Every label has some probability, and a list of all labels would not be informative.
        for (std::size_t i = 0; i < label_mass.size(); ++i)
            if (label_mass[i] > 1e-6)
                out.labels[i / num_labels].emplace_back(static_cast<std::int32_t>(i % num_labels), label_mass[i]);
        return out;
    }

    std::vector<Weighted> tags() const {
        std::vector<Weighted> out(sentence_.words.size());
        const std::vector<double> mass = masses();
        for (std::size_t id = states_.size(); id-- > 1;)
            if (mass[id] > 0 && states_[id].action == Action::shift)
                add_mass(out[states_[id].position - 1], states_[id].tag, mass[id]);
        return out;
    }

    LabelledArcs arcs() const {
        const auto num_labels = static_cast<std::size_t>(model_.system.symbols.labels);
        const std::vector<double> mass = masses();
        std::vector<ArcSums> words(sentence_.words.size());
        auto head_of = [&](const State& s) { return known_position(model_.system, s); };
        for (std::size_t id = states_.size(); id-- > 1;)
            if (const State& s = states_[id]; mass[id] > 0 && is_arc(s)) words[s.dependent - 1].add(head_of(s), mass[id]);
        for (std::size_t id = states_.size(); model_.labelled && id-- > 1;) {
            const State& s = states_[id];
            if (mass[id] < kLeastMass || !is_arc(s)) continue;
            auto* const sums = words[s.dependent - 1].labels(head_of(s), num_labels);
            if (!sums) continue;
            const std::size_t row = labels_at(static_cast<std::uint32_t>(id));
            for (std::size_t l = 0; l < num_labels; ++l) (*sums)[l] += label_rows_[row + l] * mass[id];
        }
        LabelledArcs out;
        for (const ArcSums& word : words) out.push_back(word.list());
        return out;
    }

    // The most probable label of every word given its head. A minimum-risk tree may contain an arc that no derivation has;
    // it gets the word's most probable label.
    std::vector<std::int32_t> labels_for(const std::vector<std::int32_t>& heads) const {
        const std::vector<double> mass = masses();
        std::vector<std::int32_t> labels(heads.size(), -1);
        likeliest_labels(mass, labels, [&](const State& s) { return heads[s.dependent - 1] == known_position(model_.system, s); });
        if (std::ranges::find(labels, -1) != labels.end()) {
            const std::vector<std::int32_t> found = labels;
            likeliest_labels(mass, labels, [&](const State& s) { return found[s.dependent - 1] < 0; });
        }
        return labels;
    }

private:
    // Adds a logarithm to a derivation's share for every tag that its word never had in training.
    void weigh_unseen_tags(double log_factor) {
        for (std::size_t i = 0; i < finals_.size(); ++i) shares_[i] += log_factor * finals_[i].unseen;
        const double highest = *std::max_element(shares_.begin(), shares_.end());
        for (double& share : shares_) share -= highest;
    }

    // The mass of each State: the sum over the complete derivations that pass through it. A State has a higher index than
    // its predecessor.
    std::vector<double> masses() const {
        std::vector<double> mass(states_.size(), 0.0);
        for (std::size_t i = 0; i < finals_.size(); ++i) mass[finals_[i].state] += shares_[i];
        for (std::size_t id = states_.size(); id-- > 1;)
            if (mass[id] > 0) mass[states_[id].previous] += mass[id];
        return mass;
    }

    // Fills in missing labels with the most probable labels over the selected arcs.
    template <class Counts>
    void likeliest_labels(const std::vector<double>& mass, std::vector<std::int32_t>& labels, const Counts& counts) const {
        const auto num_labels = static_cast<std::ptrdiff_t>(model_.system.symbols.labels);
        const std::vector<double> sums = label_masses(mass, counts);
        for (std::size_t word = 0; word < labels.size(); ++word) {
            const auto row = sums.begin() + static_cast<std::ptrdiff_t>(word) * num_labels;
            const auto best = std::max_element(row, row + num_labels);
            if (labels[word] < 0 && *best > 0) labels[word] = static_cast<std::int32_t>(best - row);
        }
    }

    // The mass of each label of each word, over the selected arcs.
    template <class Counts>
    std::vector<double> label_masses(const std::vector<double>& mass, const Counts& counts) const {
        const auto num_labels = static_cast<std::size_t>(model_.system.symbols.labels);
        std::vector<double> sums(sentence_.words.size() * num_labels, 0.0);
        for (std::size_t id = states_.size(); id-- > 1;) {
            const State& s = states_[id];
            if (mass[id] == 0 || !is_arc(s) || !counts(s)) continue;
            const std::size_t row = labels_at(static_cast<std::uint32_t>(id));
            for (std::size_t l = 0; l < num_labels; ++l)
                sums[(s.dependent - 1) * num_labels + l] += label_rows_[row + l] * mass[id];
        }
        return sums;
    }

    static bool is_arc(const State& s) { return s.action == Action::left_arc || s.action == Action::right_arc; }

    template <class Work>
    void each_arc(std::uint32_t id, const Work& work) const {
        for (; id != kNone; id = states_[id].previous)
            if (is_arc(states_[id])) work(id);
    }

    // The position in label_rows_ of the labels of an arc: p(label | the configuration in which the arc was made), or 1 if
    // the label is given or part of the state.
    std::size_t labels_at(std::uint32_t id) const {
        const auto num_labels = static_cast<std::size_t>(model_.system.symbols.labels);
        std::uint32_t& row = label_row_[id];
        if (row != kNone) return row * num_labels;
        row = static_cast<std::uint32_t>(label_rows_.size() / num_labels);
        const State& s = states_[id];
        const std::int32_t given = sentence_.given_label(s.dependent);
        if (model_.labels_in_contexts || given >= 0) {
            labels_.assign(num_labels, 0.0);
            labels_[given >= 0 ? given : s.label] = 1.0;
        } else {
            observe(states_, s.previous, model_.system.symbols, sentence_.words, elements_);
            find_labels(s.action);
        }
        label_rows_.insert(label_rows_.end(), labels_.begin(), labels_.end());
        return row * num_labels;
    }

    // The same values as label_probabilities of the model, from cached distributions where possible.
    void find_labels(Action action) const {
        if (!known_labels_ || model_.joint_labels) return model_.label_probabilities(action, elements_, labels_);
        elements_[element("action")] = action == Action::right_arc;
        const double* const known = known_labels_->of(elements_);
        labels_.assign(known, known + model_.system.symbols.labels);
        const double sum = std::accumulate(labels_.begin(), labels_.end(), 0.0);
        for (double& p : labels_) p /= sum;
    }

    // Heads and tags of a derivation.
    Parse read_back(std::uint32_t id, const Group& group) const {
        const std::size_t n = sentence_.words.size();
        Parse parse{std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1), 0.0,
                    group.posterior};
        for (; id != kNone; id = states_[id].previous) {
            const State& s = states_[id];
            if (s.action == Action::shift) parse.tags[s.position - 1] = s.tag;
            if (is_arc(s)) parse.heads[s.dependent - 1] = known_position(model_.system, s);
        }
        return parse;
    }

    // The most probable label of every arc of a tree, over all of its derivations. Words without a head have no label.
    void choose_labels(const Group& group, Parse& parse) const {
        if (!model_.labelled) return;
        const auto num_labels = static_cast<std::size_t>(model_.system.symbols.labels);
        std::vector<double> mass(parse.labels.size() * num_labels, 0.0);
        for (const Derivation& d : group.derivations) {
            const double weight = std::exp(d.log_weight - group.derivations[0].log_weight);
            each_arc(d.state, [&](std::uint32_t id) {
                const std::size_t row = labels_at(id), word = static_cast<std::size_t>(states_[id].dependent - 1);
                for (std::size_t l = 0; l < num_labels; ++l) mass[word * num_labels + l] += weight * label_rows_[row + l];
            });
        }
        for (std::size_t word = 0; word < parse.labels.size(); ++word) {
            if (parse.heads[word] < 0) continue;
            const auto begin = mass.begin() + static_cast<std::ptrdiff_t>(word * num_labels);
            parse.labels[word] =
                static_cast<std::int32_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(num_labels)) - begin);
        }
    }

    // Logarithm of the joint probability of tree, tags, labels and words. The contexts of labels differ between
    // derivations, so each derivation is evaluated.
    double log_prob(const Group& group, const Parse& parse) const {
        std::vector<Derivation> labelled = group.derivations;
        if (model_.labelled)
            for (Derivation& d : labelled)
                each_arc(d.state, [&](std::uint32_t id) {
                    d.log_weight += std::log(label_rows_[labels_at(id) + parse.labels[states_[id].dependent - 1]]);
                });
        return log_sum(labelled);
    }

    std::int32_t draw(std::size_t row, Stream& rng) const {
        const std::int32_t last = model_.system.symbols.labels - 1;
        double x = rng.uniform();
        for (std::int32_t l = 0; l < last; ++l)
            if ((x -= label_rows_[row + static_cast<std::size_t>(l)]) < 0) return l;
        return last;
    }

    const TransitionModel<Franchise>& model_;
    const States& states_;
    const std::vector<Derivation>& finals_;
    const Sentence& sentence_;
    Distributions<Franchise>* known_labels_;
    double log_total_;
    std::vector<double> shares_;  // of the derivations, at the temperature
    std::vector<Group> groups_;
    std::unordered_map<std::uint64_t, std::size_t> group_of_;  // by the hash of the tree
    // Label distributions are computed when first needed, once per State.
    mutable std::vector<std::uint32_t> label_row_;
    mutable std::vector<double> label_rows_;
    mutable Elements elements_{};
    mutable std::vector<double> labels_;
};

}  // namespace bistro
