// The shift of several derivations to the same next word: its tag, its bundle of features, its form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/agenda.hpp"
#include "isbn/questions.hpp"
#include "isbn/search.hpp"

namespace bistro::isbn {

// A derivation that is about to shift, with the stage and the mask of its decision for a tag.
struct Shifting {
    double log_prob;
    std::int32_t node, stage;
    std::uint8_t mask;
};

// A derivation that has generated one more word.
struct Shifted {
    double log_prob;
    std::int32_t node, cluster;
    double log_word;     // of the word given its cluster
    std::int32_t stage;  // that decided on the word
};

template <class Real>
class Shifts {
public:
    Shifts(const Shape& shape, const SeenClusters& seen, const BeamOptions& options) : shape_(shape), seen_(seen), options_(options) {}

    // All derivations shift the same word, to the cluster that is given or to their best ones (kAbsent).
    void run(std::span<const Shifting> shifting, std::int32_t word, std::int32_t given, Stages<Real>& stages, Agenda& agenda,
             std::vector<Shifted>& shifted) {
        find_clusters(word, given);
        decide_tags(shifting, stages);
        decide_bundles(stages);
        wanted_.clear();
        words_.clear();
        for (std::size_t i = 0; i < shifting.size(); ++i) choose(shifting[i], i, word, stages, agenda.threshold());
        words_.answer(stages);
        std::size_t k = 0;
        for (std::size_t i = 0; i < shifting.size(); ++i) {
            const std::size_t first = shifted.size();
            for (; k < wanted_.size() && wanted_[k].from == i; ++k) take(shifting[i], wanted_[k], agenda, shifted);
            keep_best(shifted, first);
            for (std::size_t j = first; j < shifted.size(); ++j) agenda.note_score(shifted[j].log_prob);
        }
    }

private:
    struct Cluster {
        std::int32_t cluster;
        double log_share;
        std::size_t tag;  // among the tags that are looked at
    };
    struct OfTag {
        double log_prob;
        std::int32_t stage;  // after the decision for the tag
        std::size_t bundles; // number of the question
    };
    struct Candidate {
        double rank;
        std::int32_t cluster;
        double log_cluster;
        std::int32_t stage;
    };
    struct Wanted {
        std::size_t from;
        Candidate candidate;
        Outcome outcome;
        std::size_t question;
    };

    bool has_bundles(std::int32_t tag) const { return shape_.outcomes(kFirstBundles + tag) > 1; }

    // The clusters that a word may have, and their tags.
    void find_clusters(std::int32_t word, std::int32_t given) {
        clusters_.clear();
        tags_.clear();
        if (given >= 0) return add_cluster(given, 0.0);
        const auto begin = seen_.begin[static_cast<std::size_t>(word)], end = seen_.begin[static_cast<std::size_t>(word) + 1];
        if (begin == end)
            for (std::int32_t cluster = 0; cluster < shape_.symbols().clusters(); ++cluster) add_cluster(cluster, 0.0);
        for (auto i = begin; i < end; ++i) add_cluster(seen_.list[static_cast<std::size_t>(i)], seen_.log_share[static_cast<std::size_t>(i)]);
    }

    void add_cluster(std::int32_t cluster, double log_share) {
        const std::int32_t tag = shape_.symbols().tag_of[static_cast<std::size_t>(cluster)];
        const auto found = std::find(tags_.begin(), tags_.end(), tag);
        clusters_.push_back({cluster, log_share, static_cast<std::size_t>(found - tags_.begin())});
        if (found == tags_.end()) tags_.push_back(tag);
    }

    void decide_tags(std::span<const Shifting> shifting, Stages<Real>& stages) {
        questions_.clear();
        for (const Shifting& s : shifting) questions_.ask(stages, s.stage, kTagGroup, s.mask);
        questions_.answer(stages);
        of_tags_.clear();
        for (std::size_t i = 0; i < shifting.size(); ++i)
            for (const std::int32_t tag : tags_)
                of_tags_.push_back({log_of(questions_[i][tag + 1]), stages.after(shifting[i].stage, kTagGroup, shifting[i].mask, tag + 1), 0});
    }

    void decide_bundles(const Stages<Real>& stages) {
        questions_.clear();
        for (std::size_t k = 0; k < of_tags_.size(); ++k)
            if (const std::int32_t tag = tags_[k % tags_.size()]; has_bundles(tag))
                of_tags_[k].bundles = questions_.ask(stages, of_tags_[k].stage, kFirstBundles + tag);
        questions_.answer(stages);
    }

    // The clusters that are likeliest by the network and by how often the word was seen with them; twice as many as will be kept,
    // since the network has not said yet what it thinks of the word.
    void choose(const Shifting& shifting, std::size_t from, std::int32_t word, Stages<Real>& stages, double threshold) {
        candidates_.clear();
        for (const Cluster& c : clusters_) {
            const OfTag& tag = of_tags_[from * tags_.size() + c.tag];
            double log_prob = tag.log_prob;
            if (has_bundles(tags_[c.tag])) log_prob += log_of(questions_[tag.bundles][shape_.of_bundle(c.cluster).outcome]);
            candidates_.push_back({log_prob + c.log_share, c.cluster, log_prob, tag.stage});
        }
        std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
        if (candidates_.size() > 2 * options_.clusters) candidates_.resize(2 * options_.clusters);
        for (Candidate& candidate : candidates_) {
            if (shifting.log_prob + candidate.log_cluster <= threshold) continue;
            const Outcome bundle = shape_.of_bundle(candidate.cluster), outcome = shape_.of_word(candidate.cluster, word);
            candidate.stage = stages.after(candidate.stage, bundle.group, kAll, bundle.outcome);
            const bool is_certain = shape_.outcomes(outcome.group) == 1;
            wanted_.push_back({from, candidate, outcome, is_certain ? 0 : words_.ask(stages, candidate.stage, outcome.group)});
        }
    }

    void take(const Shifting& shifting, const Wanted& wanted, Agenda& agenda, std::vector<Shifted>& shifted) {
        double log_word = wanted.outcome.log_share;
        if (shape_.outcomes(wanted.outcome.group) > 1) log_word += log_of(words_[wanted.question][wanted.outcome.outcome]);
        const Candidate& c = wanted.candidate;
        agenda.note_word(c.log_cluster + log_word);
        shifted.push_back({shifting.log_prob + c.log_cluster + log_word, shifting.node, c.cluster, log_word, c.stage});
    }

    // Of the clusters that one derivation has got.
    void keep_best(std::vector<Shifted>& shifted, std::size_t first) const {
        std::stable_sort(shifted.begin() + static_cast<std::ptrdiff_t>(first), shifted.end(),
                         [](const Shifted& a, const Shifted& b) { return a.log_prob > b.log_prob; });
        if (shifted.size() > first + options_.clusters) shifted.resize(first + options_.clusters);
    }

    const Shape& shape_;
    const SeenClusters& seen_;
    BeamOptions options_;
    std::vector<Cluster> clusters_;
    std::vector<std::int32_t> tags_;
    std::vector<OfTag> of_tags_;  // by derivation and tag
    std::vector<Candidate> candidates_;
    std::vector<Wanted> wanted_;  // by derivation
    Questions<Real> questions_, words_;
};

}  // namespace bistro::isbn
