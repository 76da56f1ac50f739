// From weighted derivations to trees and to the probability of every head, label and tag.
//
// Derivations share their histories: the mass of a State is the sum over all complete derivations that pass through it, added
// up from the ends backwards. An arc or a tag was made by one State, so its probability is that State's mass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "parse/model.hpp"
#include "parse/policies.hpp"

namespace bistro {

struct Parse {
    std::vector<std::int32_t> heads, labels, tags;  // by word; labels -1 where the model has none
    double log_prob = 0;                            // of tree, tags, labels and words together
    double posterior = 0;                           // among the trees found
};

using Weighted = std::vector<std::pair<std::int32_t, double>>;  // (what, probability)

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
    Posterior(const TransitionModel<Franchise>& model, const States& states, const std::vector<Derivation>& finals,
              const Sentence& sentence)
        : model_(model), states_(states), finals_(finals), sentence_(sentence), log_total_(log_sum(finals)) {}

    double log_total() const { return log_total_; }

    // The most probable trees, derivations of the same tree added up.
    std::vector<Parse> best(std::size_t most) const {
        struct Group {
            std::uint64_t tree;
            std::uint32_t state;
            double sum;
        };
        std::vector<Group> groups;
        for (const Derivation& d : finals_) {  // the best derivation first
            const std::uint64_t tree = states_[d.state].tree;
            const double mass = std::exp(d.log_weight - log_total_);
            auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.tree == tree; });
            if (same == groups.end())
                groups.push_back({tree, d.state, mass});
            else
                same->sum += mass;
        }
        std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.sum > b.sum; });
        if (groups.size() > most) groups.resize(most);
        std::vector<Parse> parses;
        for (const Group& g : groups) parses.push_back(read_back(g.state, g.sum));
        return parses;
    }

    // Trees drawn from the posterior over the derivations found.
    Parse sample(Stream& rng) const {
        double x = rng.uniform();
        std::size_t i = 0;
        for (; i + 1 < finals_.size(); ++i)
            if ((x -= std::exp(finals_[i].log_weight - log_total_)) < 0) break;
        return read_back(finals_[i].state, std::exp(finals_[i].log_weight - log_total_), &rng);
    }

    Marginals marginals() const {
        const std::size_t n = sentence_.words.size();
        Marginals out{std::vector<Weighted>(n), std::vector<Weighted>(n), std::vector<Weighted>(n)};
        std::vector<double> mass(states_.size(), 0.0);
        for (const Derivation& d : finals_) mass[d.state] += std::exp(d.log_weight - log_total_);
        for (std::size_t id = states_.size(); id-- > 1;) {  // a State is made after the one it comes from
            const State& s = states_[id];
            if (mass[id] == 0) continue;
            mass[s.previous] += mass[id];
            if (s.action == Action::shift) add_mass(out.tags[s.position - 1], s.tag, mass[id]);
            if (!is_arc(s)) continue;
            add_mass(out.heads[s.dependent - 1], known_position(model_.system, s), mass[id]);
            if (!model_.labelled) continue;
            local_labels(s);
            for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l)
                if (labels_[l] * mass[id] > 1e-6) add_mass(out.labels[s.dependent - 1], l, labels_[l] * mass[id]);
        }
        return out;
    }

private:
    static bool is_arc(const State& s) { return s.action == Action::left_arc || s.action == Action::right_arc; }

    // p(label | the configuration in which the arc was made), or certainty where the label is given or part of the state.
    void local_labels(const State& s) const {
        const std::int32_t given = sentence_.given_label(s.dependent);
        if (model_.labels_in_contexts || given >= 0) {
            labels_.assign(model_.system.symbols.labels, 0.0);
            labels_[given >= 0 ? given : s.label] = 1.0;
            return;
        }
        observe(states_, s.previous, model_.system.symbols, sentence_.words, elements_);
        model_.label_probabilities(s.action, elements_, labels_);
    }

    Parse read_back(std::uint32_t id, double posterior, Stream* rng = nullptr) const {
        const std::size_t n = sentence_.words.size();
        Parse parse{std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1),
                    log_total_ + std::log(posterior), posterior};
        for (; id != kNone; id = states_[id].previous) {
            const State& s = states_[id];
            if (s.action == Action::shift) parse.tags[s.position - 1] = s.tag;
            if (!is_arc(s)) continue;
            parse.heads[s.dependent - 1] = known_position(model_.system, s);
            if (!model_.labelled) continue;
            local_labels(s);
            const std::size_t label = rng ? draw(*rng) : std::max_element(labels_.begin(), labels_.end()) - labels_.begin();
            parse.labels[s.dependent - 1] = static_cast<std::int32_t>(label);
            parse.log_prob += std::log(labels_[label]);
        }
        return parse;
    }

    std::size_t draw(Stream& rng) const {
        double x = rng.uniform();
        for (std::size_t l = 0; l + 1 < labels_.size(); ++l)
            if ((x -= labels_[l]) < 0) return l;
        return labels_.size() - 1;
    }

    const TransitionModel<Franchise>& model_;
    const States& states_;
    const std::vector<Derivation>& finals_;
    const Sentence& sentence_;
    double log_total_;
    mutable Elements elements_{};
    mutable std::vector<double> labels_;
};

}  // namespace bistro
