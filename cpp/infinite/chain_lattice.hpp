// All tag sequences of a sentence in one graph, with one layer per word and one state per distinct past.
//
// Pasts with the same future share a state, so the best sequence, sums, marginals and draws are exact unless states are
// dropped. A beam keeps only the best states of a layer, and sums are over the remaining states. Scores of a layer are
// divided by the highest of them, so that long sentences do not underflow. The logarithm is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/rng.hpp"
#include "infinite/chain_grammar.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct Beam {
    std::size_t most = 0;  // states per word; 0: all
    double ratio = 0.0;    // a state is dropped if its best sequence has less than this fraction of the layer's best value
    double least = 0.0;    // tags less probable than this under the hidden Markov model are not tried
};

using CandidateRows = std::vector<std::span<const ChainGrammar::Candidate>>;  // one per word

struct TaggedChain {
    std::vector<std::int32_t> tags;
    double log_prob = 0.0;
};

using TagMarginals = std::vector<std::vector<std::pair<std::int32_t, double>>>;  // one per word

template <class Contexts>
class ChainLattice {
public:
    ChainLattice(const ChainGrammar& grammar, Contexts& contexts) : grammar_(&grammar), contexts_(&contexts) {}

    void build(const CandidateRows& words, Beam beam) {
        states_.assign(1, {contexts_->start(), grammar_->start, 1.0, 1.0, 0.0, -1, -1});
        edges_.clear();
        layers_.assign({0, 1});
        log_scale_ = 0.0;
        for (const std::span<const ChainGrammar::Candidate> candidates : words) {
            pause();
            extend(candidates);
            drop(beam);
            scale();
        }
        finish();
    }

    double log_total() const { return log_scale_ + std::log(total_); }

    TaggedChain best() const {
        TaggedChain chain{std::vector<std::int32_t>(size()), log_scale_ + std::log(states_[best_].best * states_[best_].end)};
        std::int32_t at = best_;
        for (std::size_t i = size(); i-- > 0; at = states_[at].back) chain.tags[i] = states_[at].tag;
        return chain;
    }

    // The tags of the states of each word, and their probabilities.
    TagMarginals marginals() {
        std::vector<double> later(states_.size(), 0.0);
        for (std::size_t s = layers_[size()]; s < layers_[size() + 1]; ++s) later[s] = states_[s].end;
        TagMarginals found(size());
        for (std::size_t i = size(); i-- > 0;) {
            double sum = 0.0;
            for (std::size_t s = layers_[i + 1]; s < layers_[i + 2]; ++s) {
                const double both = states_[s].forward * later[s];
                sum += both;
                add(found[i], states_[s].tag, both);
                for (std::int32_t e = states_[s].edges; e >= 0; e = edges_[e].next)
                    later[edges_[e].from] += edges_[e].probability * later[s];
            }
            for (auto& [tag, p] : found[i]) p /= sum;
            const double top = *std::max_element(later.begin() + layers_[i], later.begin() + layers_[i + 1]);
            for (std::size_t s = layers_[i]; s < layers_[i + 1]; ++s) later[s] /= top;
        }
        return found;
    }

    // A sequence drawn from the posterior, from right to left.
    void sample(Stream& rng, std::vector<std::int32_t>& tags) const {
        tags.resize(size());
        double left = rng.uniform() * total_;
        std::size_t at = layers_[size()];
        for (; at + 1 < layers_[size() + 1]; ++at)
            if ((left -= states_[at].forward * states_[at].end) < 0) break;
        for (std::size_t i = size(); i-- > 0;) {
            tags[i] = states_[at].tag;
            double share = rng.uniform() * states_[at].unscaled;
            std::int32_t e = states_[at].edges;
            for (; edges_[e].next >= 0; e = edges_[e].next)
                if ((share -= states_[edges_[e].from].forward * edges_[e].probability) < 0) break;
            at = static_cast<std::size_t>(edges_[e].from);
        }
    }

    std::size_t size() const { return layers_.size() - 2; }

    std::size_t num_states() const { return states_.size() - 1; }

private:
    struct State {
        std::int32_t context, tag;
        double best, forward;  // best and total over sequences that end here, divided by the highest `best` of the layer
        double end;            // p(end of sentence), in the last layer
        std::int32_t back, edges;
        double unscaled = 0.0;  // `forward` before the division
    };
    struct Edge {
        std::int32_t from, next;
        double probability;
    };

    void extend(std::span<const ChainGrammar::Candidate> candidates) {
        const std::size_t first = layers_[layers_.size() - 2], last = layers_.back();
        ++stamp_;
        for (std::size_t from = first; from < last; ++from)
            for (const ChainGrammar::Candidate candidate : candidates) {
                const ChainStep step = contexts_->step(states_[from].context, candidate);
                if (step.probability > 0.0) arrive(static_cast<std::int32_t>(from), step, candidate.tag);
            }
        if (states_.size() == last) throw std::invalid_argument("no sequence of tags is possible");
        layers_.push_back(states_.size());
    }

    void arrive(std::int32_t from, ChainStep step, std::int32_t tag) {
        if (static_cast<std::size_t>(step.context) >= seen_.size()) seen_.resize(2 * static_cast<std::size_t>(step.context) + 64);
        auto& [stamp, number] = seen_[step.context];
        if (stamp != stamp_) {
            stamp = stamp_;
            number = static_cast<std::int32_t>(states_.size());
            states_.push_back({step.context, tag, 0.0, 0.0, 0.0, -1, -1});
        }
        State& state = states_[number];
        const double best = states_[from].best * step.probability;
        if (best > state.best || state.back < 0) {
            state.best = best;
            state.back = from;
        }
        state.forward += states_[from].forward * step.probability;
        edges_.push_back({from, state.edges, step.probability});
        state.edges = static_cast<std::int32_t>(edges_.size() - 1);
    }

    void drop(Beam beam) {
        const auto first = states_.begin() + static_cast<std::ptrdiff_t>(layers_[layers_.size() - 2]);
        auto better = [](const State& a, const State& b) { return a.best != b.best ? a.best > b.best : a.edges < b.edges; };
        if (beam.most > 0 && static_cast<std::size_t>(states_.end() - first) > beam.most) {
            std::nth_element(first, first + static_cast<std::ptrdiff_t>(beam.most) - 1, states_.end(), better);
            states_.resize(layers_[layers_.size() - 2] + beam.most);
        }
        if (beam.ratio > 0.0) {
            const double least = std::min_element(first, states_.end(), better)->best * beam.ratio;
            states_.erase(std::remove_if(first, states_.end(), [&](const State& s) { return s.best < least; }), states_.end());
        }
        layers_.back() = states_.size();
    }

    void scale() {
        const auto first = states_.begin() + static_cast<std::ptrdiff_t>(layers_[layers_.size() - 2]);
        double top = 0.0;
        for (auto s = first; s != states_.end(); ++s) top = std::max(top, s->best);
        if (!(top > 0.0)) throw std::invalid_argument("no sequence of tags is possible");
        for (auto s = first; s != states_.end(); ++s) {
            s->unscaled = s->forward;
            s->best /= top;
            s->forward /= top;
        }
        log_scale_ += std::log(top);
    }

    void finish() {
        total_ = 0.0;
        best_ = static_cast<std::int32_t>(layers_[size()]);
        for (std::size_t s = layers_[size()]; s < layers_[size() + 1]; ++s) {
            states_[s].end = contexts_->end(states_[s].context);
            total_ += states_[s].forward * states_[s].end;
            if (states_[s].best * states_[s].end > states_[best_].best * states_[best_].end) best_ = static_cast<std::int32_t>(s);
        }
        if (!(total_ > 0.0)) throw std::invalid_argument("no sequence of tags is possible");
    }

    static void add(std::vector<std::pair<std::int32_t, double>>& row, std::int32_t tag, double p) {
        for (auto& [known, sum] : row)
            if (known == tag) {
                sum += p;
                return;
            }
        row.emplace_back(tag, p);
    }

    const ChainGrammar* grammar_;
    Contexts* contexts_;
    std::vector<State> states_;
    std::vector<Edge> edges_;
    std::vector<std::size_t> layers_;                           // where each layer begins; layer 0 is the start
    std::vector<std::pair<std::uint32_t, std::int32_t>> seen_;  // [context]: last layer in which it occurred; its state there
    std::uint32_t stamp_ = 0;
    double log_scale_ = 0.0, total_ = 0.0;
    std::int32_t best_ = 0;
};

}  // namespace bistro
