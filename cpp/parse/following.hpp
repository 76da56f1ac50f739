// The partial trees that a search keeps alive while it reads a sentence, word by word.
//
// Derivations with the same tags and arcs (and labels, if later contexts use them) are one analysis. They also have the
// same stack, since all words without a head are on it. An analysis may come from several analyses of the previous word, if
// left arcs were made at different times. Its parent is the one that contributes the most probability.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "parse/language.hpp"
#include "parse/posterior.hpp"

namespace bistro {

struct LiveAnalysis {
    std::int64_t id, parent;  // numbered by step, then by rank; the parent is -1 at the first word
    Parse tree;               // heads and labels are -1 where there are none yet
};

// The analyses that are alive after a word, or at the end.
struct ReadingStep {
    std::int64_t alive = 0;
    double entropy = 0;  // over all analyses alive, in nats
    std::vector<LiveAnalysis> shown;
};

template <class Franchise>
class Follower {
public:
    // The `most` most probable analyses of each step are shown.
    Follower(const TransitionModel<Franchise>& model, const States& states, const Sentence& sentence, std::size_t most)
        : model_(model), states_(states), sentence_(sentence), most_(most) {}

    void watch(std::vector<Derivation> derivations) {
        std::sort(derivations.begin(), derivations.end(), better);
        const Posterior<Franchise> posterior(model_, states_, derivations, sentence_);
        const auto ranked = posterior.ranked();
        ReadingStep step;
        step.alive = static_cast<std::int64_t>(ranked.size());
        std::unordered_map<std::uint32_t, std::int64_t> id_of;
        for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
            const auto& group = *ranked[rank];
            const std::int64_t id = next_id_++;
            for (const Derivation& d : group.derivations) id_of[d.state] = id;
            if (group.posterior > 0) step.entropy -= group.posterior * std::log(group.posterior);
            if (rank < most_) step.shown.push_back({id, parent_of(group.derivations), posterior.tree_of(group)});
        }
        id_of_.swap(id_of);
        steps_.push_back(std::move(step));
    }

    const std::vector<ReadingStep>& steps() const { return steps_; }

private:
    std::int64_t parent_of(const std::vector<Derivation>& derivations) const {
        if (id_of_.empty()) return -1;
        std::vector<std::pair<std::int64_t, double>> parents;
        for (const Derivation& d : derivations) {
            const std::int64_t id = id_of_.at(after_previous_word(d.state));
            const double mass = std::exp(d.log_weight - derivations[0].log_weight);
            const auto known = std::find_if(parents.begin(), parents.end(), [&](const auto& p) { return p.first == id; });
            if (known != parents.end())
                known->second += mass;
            else
                parents.emplace_back(id, mass);
        }
        return std::max_element(parents.begin(), parents.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }

    // The configuration of a derivation after it generated the previous word, or the last word at the end.
    std::uint32_t after_previous_word(std::uint32_t id) const {
        do id = states_[id].previous;
        while (states_[id].action != Action::shift);
        return id;
    }

    const TransitionModel<Franchise>& model_;
    const States& states_;
    const Sentence& sentence_;
    std::size_t most_;
    std::int64_t next_id_ = 0;
    std::unordered_map<std::uint32_t, std::int64_t> id_of_;  // ids of the analyses of the previous step, by state
    std::vector<ReadingStep> steps_;
};

}  // namespace bistro
