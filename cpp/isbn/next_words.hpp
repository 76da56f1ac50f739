// The distribution after the first words of a sentence: the probabilities of every next word, of its clusters, and of the end.
//
// The derivations that the search keeps are extended until they are about to generate another word. Then the probabilities of all
// tags, bundles of features and words are added up over the derivations. As in the search (shifts.hpp), a word has only the
// clusters with which it was seen; a word that was not seen with any cluster can have all of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/beam.hpp"
#include "parse/language.hpp"
#include "stop/pause.hpp"

namespace bistro::isbn {

class NextWords {
public:
    NextWords(const Shape& shape, const SeenClusters& seen) : shape_(&shape), seen_(&seen) {
        for (std::int32_t c = 0; c < shape.symbols().clusters(); ++c) mass_.emplace_back(shape.outcomes(shape.word_group(c)), 0.0);
    }

    double log_prefix = 0;  // of the first words
    double end = 0;         // p(end | first words)

    template <class Real>
    void go_on(Beam<Real>& beam, const Sentence& first) {
        beam.run_open(
            first,
            [&](const auto& shifted) {
                std::vector<double> logs;
                for (const auto& s : shifted) logs.push_back(s.log_prob);
                log_prefix = bistro::detail::log_add_up(logs);
            },
            [&](double log_prob, std::int32_t stage, std::uint8_t mask, Stages<Real>& stages) {
                add(std::exp(log_prob - log_prefix), stage, mask, stages);
            });
    }

    double word(std::int32_t word) const {
        double sum = 0;
        each_cluster(word, [&](std::int32_t, double p) { sum += p; });
        return sum;
    }

    // Adds p(cluster, word) to `out`, by cluster.
    void clusters_of(std::int32_t word, double* out) const {
        each_cluster(word, [&](std::int32_t cluster, double p) { out[cluster] += p; });
    }

private:
    // Tags of a derivation with a smaller share of the probability of the first words are skipped.
    static constexpr double kLeast = 1e-9;

    template <class Real>
    void add(double weight, std::int32_t stage, std::uint8_t mask, Stages<Real>& stages) {
        std::vector<Real> tags, bundles, words;
        stages.decide(stage, kTagGroup, mask, tags);
        end += weight * static_cast<double>(tags[kEnd]);
        for (std::int32_t tag = 0; tag < shape_->symbols().tags; ++tag) {
            pause();
            const double of_tag = weight * static_cast<double>(tags[static_cast<std::size_t>(tag) + 1]);
            if (!(of_tag > kLeast)) continue;
            const std::int32_t group = kFirstBundles + tag, after_tag = stages.after(stage, kTagGroup, mask, tag + 1);
            bundles.assign(1, 1);
            if (shape_->outcomes(group) > 1) stages.decide(after_tag, group, kAll, bundles);
            for (std::int32_t outcome = 0; outcome < shape_->bundles_of_tag(tag); ++outcome) {
                const double of_bundle = of_tag * static_cast<double>(bundles[static_cast<std::size_t>(outcome)]);
                const std::int32_t cluster = shape_->clusters_of_tag(tag, outcome);
                auto& mass = mass_[static_cast<std::size_t>(cluster)];
                words.assign(1, 1);
                if (mass.size() > 1)
                    stages.decide(stages.after(after_tag, group, kAll, outcome), shape_->word_group(cluster), kAll, words);
                for (std::size_t k = 0; k < mass.size(); ++k) mass[k] += of_bundle * static_cast<double>(words[k]);
            }
        }
    }

    template <class Use>
    void each_cluster(std::int32_t word, const Use& use) const {
        auto one = [&](std::int32_t cluster) {
            const Outcome outcome = shape_->of_word(cluster, word);
            const auto& mass = mass_[static_cast<std::size_t>(cluster)];
            if (static_cast<std::size_t>(outcome.outcome) < mass.size())
                use(cluster, mass[static_cast<std::size_t>(outcome.outcome)] * std::exp(outcome.log_share));
        };
        const auto begin = seen_->begin[static_cast<std::size_t>(word)], last = seen_->begin[static_cast<std::size_t>(word) + 1];
        for (auto i = begin; i < last; ++i) one(seen_->list[static_cast<std::size_t>(i)]);
        if (begin == last)
            for (std::int32_t cluster = 0; cluster < shape_->symbols().clusters(); ++cluster) one(cluster);
    }

    const Shape* shape_;
    const SeenClusters* seen_;
    std::vector<std::vector<double>> mass_;  // by cluster, by outcome among its words
};

}  // namespace bistro::isbn
