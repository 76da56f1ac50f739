// Parses one sentence with the latent-variable model: trees, marginals and samples from the derivations that the search kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "isbn/beam.hpp"
#include "parse/parser.hpp"

namespace bistro::isbn {

struct BeamRequest : OutputRequest {
    BeamOptions search;
};

inline double log_total(const std::vector<Final>& finals) {
    double sum = 0;
    for (const Final& f : finals) sum += std::exp(f.log_prob - finals[0].log_prob);
    return finals[0].log_prob + std::log(sum);
}

// The trees of the derivations found. The probabilities of derivations with the same tree are added up.
class Trees {
public:
    Trees(const std::vector<Final>& finals, double temperature) : log_total_(isbn::log_total(finals)) {
        std::map<std::vector<std::int32_t>, std::size_t> number;
        std::vector<double> sums;
        for (const Final& f : finals) {
            std::vector<std::int32_t> key = f.heads;
            key.insert(key.end(), f.labels.begin(), f.labels.end());
            key.insert(key.end(), f.clusters.begin(), f.clusters.end());
            const auto [found, is_new] = number.try_emplace(std::move(key), trees_.size());
            if (is_new) trees_.push_back({f.heads, f.labels, f.clusters, 0.0, 0.0}), sums.push_back(0.0);
            sums[found->second] += std::exp(f.log_prob - finals[0].log_prob);
        }
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].log_prob = finals[0].log_prob + std::log(sums[i]);
            trees_[i].posterior = std::exp(trees_[i].log_prob - log_total_);
        }
        std::stable_sort(trees_.begin(), trees_.end(), [](const Parse& a, const Parse& b) { return a.log_prob > b.log_prob; });
        for (const Parse& tree : trees_) shares_.push_back(std::exp((tree.log_prob - trees_[0].log_prob) / temperature));
        const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
        for (double& share : shares_) share /= total;
    }

    double log_total() const { return log_total_; }
    std::size_t size() const { return trees_.size(); }
    const Parse& operator[](std::size_t i) const { return trees_[i]; }
    double share(std::size_t i) const { return shares_[i]; }

    const Parse& sample(Stream& rng) const {
        double x = rng.uniform();
        std::size_t i = 0;
        while (i + 1 < trees_.size() && (x -= shares_[i]) >= 0) ++i;
        return trees_[i];
    }

    Marginals marginals() const {
        const std::size_t n = trees_[0].heads.size();
        Marginals out{std::vector<Weighted>(n), std::vector<Weighted>(n), std::vector<Weighted>(n)};
        for (std::size_t t = 0; t < trees_.size(); ++t)
            for (std::size_t i = 0; i < n; ++i) {
                add_mass(out.heads[i], trees_[t].heads[i], shares_[t]);
                add_mass(out.labels[i], trees_[t].labels[i], shares_[t]);
                add_mass(out.tags[i], trees_[t].tags[i], shares_[t]);
            }
        return out;
    }

    LabelledArcs arcs(std::size_t num_labels) const {
        LabelledArcs out;
        for (std::size_t i = 0; i < trees_[0].heads.size(); ++i) {
            ArcSums sums;
            for (std::size_t t = 0; t < trees_.size(); ++t) sums.add(trees_[t].heads[i], shares_[t]);
            for (std::size_t t = 0; num_labels > 1 && t < trees_.size(); ++t)
                if (auto* by_label = sums.labels(trees_[t].heads[i], num_labels))
                    (*by_label)[static_cast<std::size_t>(trees_[t].labels[i])] += shares_[t];
            out.push_back(sums.list());
        }
        return out;
    }

    // The minimum-risk tree. Each word gets its most probable label given its head (or its most probable label, if no tree has
    // this head), and its most probable tag.
    Parse least_risk(const Marginals& marginals, bool single_root) const {
        Parse best;
        best.heads = least_risk_heads(marginals.heads, single_root);
        for (std::size_t i = 0; i < best.heads.size(); ++i) {
            Weighted labels;
            for (std::size_t t = 0; t < trees_.size(); ++t)
                if (trees_[t].heads[i] == best.heads[i]) add_mass(labels, trees_[t].labels[i], shares_[t]);
            best.labels.push_back(likeliest(labels.empty() ? marginals.labels[i] : labels));
            best.tags.push_back(likeliest(marginals.tags[i]));
        }
        return best;
    }

    const Parse* find(const Parse& wanted) const {
        for (const Parse& tree : trees_)
            if (tree.heads == wanted.heads && tree.labels == wanted.labels && tree.tags == wanted.tags) return &tree;
        return nullptr;
    }

private:
    static std::int32_t likeliest(const Weighted& masses) {
        return std::max_element(
                   masses.begin(), masses.end(),
                   [](const auto& a, const auto& b) { return a.second != b.second ? a.second < b.second : a.first > b.first; })
            ->first;
    }

    std::vector<Parse> trees_;
    std::vector<double> shares_;  // probabilities at the temperature
    double log_total_;
};

template <class Real>
class SentenceParser {
public:
    SentenceParser(const PackedNetwork<Real>& network, const SeenClusters& seen, const BeamRequest& request)
        : symbols_(network.shape().symbols()), request_(request), beam_(network, seen, request.search),
          of_a_tree_(network, seen, {kDerivationsOfATree, 1, 1, INFINITY}) {}

    SentenceResult parse(Sentence sentence, std::uint64_t index) {
        SentenceResult result;
        if (beam_.run(sentence).empty()) {
            sentence.heads = {};
            sentence.labels = {};
            result.relaxed = true;
            if (beam_.run(sentence).empty()) throw std::logic_error("a sentence without a derivation");
        }
        const Trees trees(beam_.finals(), request_.temperature);
        result.log_total = trees.log_total();
        for (std::size_t i = 0; i < trees.size() && i < static_cast<std::size_t>(request_.best); ++i)
            result.parses.push_back(trees[i]);
        const bool by_risk = request_.minimum_risk && sentence.size() <= kLongestForRisk;
        if (request_.marginals || by_risk || request_.arc_marginals) result.marginals = trees.marginals();
        if (by_risk) take_least_risk(sentence, trees, result);
        if (request_.arc_marginals) result.arcs = trees.arcs(static_cast<std::size_t>(symbols_.labels));
        Stream rng(request_.seed, request_.purpose, index);
        for (int i = 0; i < request_.samples; ++i) result.parses.push_back(trees.sample(rng));
        if (symbols_.labels == 1)
            for (Parse& parse : result.parses) parse.labels.assign(parse.labels.size(), -1);
        return result;
    }

private:
    void take_least_risk(const Sentence& sentence, const Trees& trees, SentenceResult& result) {
        Parse chosen = trees.least_risk(result.marginals, symbols_.single_root);
        if (const Parse* same = trees.find(chosen)) {
            result.parses[0] = *same;
            return;
        }
        Sentence known;
        known.words = sentence.words, known.lemmas = sentence.lemmas, known.tags = chosen.tags, known.heads = chosen.heads,
        known.labels = chosen.labels;
        const auto& derivations = of_a_tree_.run(known);
        // If the search cannot build the tree, its log-probability is unknown, and the most probable tree is returned.
        if (derivations.empty()) return;
        chosen.log_prob = log_total(derivations);
        chosen.posterior = std::exp(chosen.log_prob - trees.log_total());
        result.parses[0] = std::move(chosen);
    }

    const Symbols& symbols_;
    BeamRequest request_;
    Beam<Real> beam_, of_a_tree_;
};

}  // namespace bistro::isbn
