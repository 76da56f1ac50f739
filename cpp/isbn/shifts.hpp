// Shifts several derivations to the same next word: its tag, its bundle of features, its form.
//
// Derivations that are extended together include some that a search by single steps would drop, because one of the others has
// raised the threshold. The results are therefore processed once more in the order of single steps. The final result is then the
// same, with two exceptions. A derivation may be dropped because the threshold was raised too early, although its next word would
// have been more probable than the margin allows. The prospects of a step (prospects.hpp) also depend on which derivations have
// already reached the next word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/agenda.hpp"
#include "isbn/bounds.hpp"
#include "isbn/search.hpp"

namespace bistro::isbn {

// A derivation that is about to shift, with the stage and the mask of its tag decision.
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
    std::int32_t stage;  // the stage that decides on the word
};

template <class Real>
class Shifts {
public:
    Shifts(const Shape& shape, const SeenClusters& seen, const BeamOptions& options)
        : shape_(shape), seen_(seen), options_(options) {}

    // Starts a new word of all derivations. `given` is its cluster; kAbsent: the best clusters are used. `limit`: see Agenda.
    void begin(std::int32_t word, std::int32_t given, std::size_t limit) {
        word_ = word;
        events_.clear();
        found_.clear();
        clusters_.clear();
        tags_.clear();
        add_clusters(given);
        bounds_.clear(clusters_.size());
        earlier_.clear(limit);
    }

    // Shifts some derivations; `watch` receives the results.
    template <class Watch>
    void run(std::span<const Shifting> shifting, Stages<Real>& stages, Agenda& agenda, const Watch& watch) {
        decide_tags(shifting, stages);
        decide_bundles(stages);
        wanted_.clear();
        for (std::size_t i = 0; i < shifting.size(); ++i) choose(shifting[i], i, stages, agenda.threshold());
        if (options_.at_once == 1)
            decide_words(stages, [](const Wanted&) { return true; });
        else
            decide_words_that_can_win(shifting, stages);
        std::size_t k = 0;
        for (std::size_t i = 0; i < shifting.size(); ++i) {
            Event event{shifting[i].log_prob, found_.size(), 0};
            for (; k < wanted_.size() && wanted_[k].from == i; ++k)
                if (wanted_[k].is_decided) find(shifting[i], wanted_[k]);
            event.end = found_.size();
            events_.push_back(event);
            note(event, agenda, noted_);
            for (const Shifted& s : noted_) watch(s);
            noted_.clear();
        }
    }

    // Adds the results that single steps would have found to `shifted`.
    void replay(Agenda& agenda, std::vector<Shifted>& shifted) {
        sort_stably(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.log_prob > b.log_prob; });
        for (const Event& event : events_) {
            if (!agenda.can_win(event.log_prob)) return;
            note(event, agenda, shifted);
        }
    }

private:
    struct Cluster {
        std::int32_t cluster;
        double log_share;
        std::size_t tag;  // index in tags_
        Outcome outcome;  // of the word
    };
    struct OfTag {
        double log_prob;
        std::int32_t stage;   // after the decision for the tag
        std::size_t bundles;  // number of the question about bundles
    };
    struct Candidate {
        double rank;
        std::size_t cluster;  // index in clusters_
        double log_cluster;
        std::int32_t stage;
    };
    struct Wanted {
        std::size_t from;
        Candidate candidate;
        bool is_decided = false;
        double log_word = 0;
    };

    // A derivation before its shift, and the range of its results in found_, one per cluster.
    struct Event {
        double log_prob;
        std::size_t begin, end;
    };
    struct Found {
        Shifted shifted;
        double log_cluster;
    };

    bool has_bundles(std::int32_t tag) const { return shape_.outcomes(kFirstBundles + tag) > 1; }

    void add_cluster(std::int32_t cluster, double log_share) {
        const std::int32_t tag = shape_.symbols().tag_of[static_cast<std::size_t>(cluster)];
        const auto found = std::find(tags_.begin(), tags_.end(), tag);
        clusters_.push_back({cluster, log_share, static_cast<std::size_t>(found - tags_.begin()), shape_.of_word(cluster, word_)});
        if (found == tags_.end()) tags_.push_back(tag);
    }

    void add_clusters(std::int32_t given) {
        if (given >= 0) return add_cluster(given, 0.0);
        const auto first = seen_.begin[static_cast<std::size_t>(word_)], end = seen_.begin[static_cast<std::size_t>(word_) + 1];
        if (first == end)
            for (std::int32_t cluster = 0; cluster < shape_.symbols().clusters(); ++cluster) add_cluster(cluster, 0.0);
        for (auto i = first; i < end; ++i)
            add_cluster(seen_.list[static_cast<std::size_t>(i)], seen_.log_share[static_cast<std::size_t>(i)]);
    }

    void decide_tags(std::span<const Shifting> shifting, Stages<Real>& stages) {
        questions_.clear();
        for (const Shifting& s : shifting) questions_.ask(stages, s.stage, kTagGroup, s.mask);
        questions_.answer(stages);
        of_tags_.clear();
        for (std::size_t i = 0; i < shifting.size(); ++i)
            for (const std::int32_t tag : tags_)
                of_tags_.push_back(
                    {log_of(questions_.of(i, tag + 1)), stages.after(shifting[i].stage, kTagGroup, shifting[i].mask, tag + 1), 0});
    }

    void decide_bundles(const Stages<Real>& stages) {
        questions_.clear();
        for (std::size_t k = 0; k < of_tags_.size(); ++k)
            if (const std::int32_t tag = tags_[k % tags_.size()]; has_bundles(tag))
                of_tags_[k].bundles = questions_.ask(stages, of_tags_[k].stage, kFirstBundles + tag);
        questions_.answer(stages);
    }

    // Chooses the clusters that are most probable by the network and by the relative frequency of the word in the cluster. Twice
    // as many are chosen as will be kept, since the network has not yet computed the probability of the word.
    void choose(const Shifting& shifting, std::size_t from, Stages<Real>& stages, double threshold) {
        candidates_.clear();
        for (std::size_t i = 0; i < clusters_.size(); ++i) {
            const OfTag& tag = of_tags_[from * tags_.size() + clusters_[i].tag];
            double log_prob = tag.log_prob;
            if (has_bundles(tags_[clusters_[i].tag]))
                log_prob += log_of(questions_.of(tag.bundles, shape_.of_bundle(clusters_[i].cluster).outcome));
            candidates_.push_back({log_prob + clusters_[i].log_share, i, log_prob, tag.stage});
        }
        best_first(candidates_, 0, 2 * options_.clusters, [](const Candidate& c) { return c.rank; });
        for (Candidate& candidate : candidates_) {
            const Cluster& c = clusters_[candidate.cluster];
            if (shifting.log_prob + candidate.log_cluster <= threshold) continue;
            const Outcome bundle = shape_.of_bundle(c.cluster);
            candidate.stage = stages.after(candidate.stage, bundle.group, kAll, bundle.outcome);
            wanted_.push_back({from, candidate});
        }
    }

    bool is_certain(const Cluster& c) const { return shape_.outcomes(c.outcome.group) == 1; }

    // Computes the words that are chosen and not decided yet.
    template <class Choose>
    void decide_words(const Stages<Real>& stages, const Choose& is_chosen) {
        words_.clear();
        asked_.clear();
        for (Wanted& w : wanted_) {
            if (w.is_decided || !is_chosen(w)) continue;
            const Cluster& c = clusters_[w.candidate.cluster];
            w.is_decided = true;
            w.log_word = c.outcome.log_share;
            if (is_certain(c)) continue;
            words_.ask(stages, w.candidate.stage, c.outcome.group);
            asked_.push_back(&w);
        }
        words_.answer(stages);
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            const std::size_t cluster = asked_[i]->candidate.cluster;
            const Outcome& word = clusters_[cluster].outcome;
            asked_[i]->log_word += log_of(words_.of(i, word.outcome));
            if (!bounds_.knows(cluster))
                bounds_.learn(cluster, word, stages, asked_[i]->candidate.stage, words_.unscaled(i), words_.factor(i));
        }
    }

    // First decides the most probable cluster of each derivation, and each cluster at least once. Then decides the clusters
    // that could still be kept, or whose word could be more probable than in any earlier derivation, since such a word would
    // widen the margin.
    void decide_words_that_can_win(std::span<const Shifting> shifting, const Stages<Real>& stages) {
        auto can_win = [&](const Wanted& w) {
            const Cluster& c = clusters_[w.candidate.cluster];
            if (is_certain(c) || !bounds_.is_worth_it(w.candidate.cluster, waiting_[w.candidate.cluster])) return true;
            const double log_prob = shifting[w.from].log_prob;
            const double most = w.candidate.log_cluster + c.outcome.log_share +
                                bounds_.highest(w.candidate.cluster, c.outcome, stages, w.candidate.stage);
            return most > earlier_.best_word(log_prob) || !earlier_.beat(log_prob, log_prob + most);
        };
        count_waiting();
        is_tried_.assign(clusters_.size(), 0);
        std::size_t last = shifting.size();
        const std::size_t before = earlier_.size();
        decide_words(stages, [&](const Wanted& w) {
            const bool is_new = !bounds_.knows(w.candidate.cluster) && !is_tried_[w.candidate.cluster];
            if (w.from == last && !is_new) return false;
            last = w.from;
            is_tried_[w.candidate.cluster] = 1;
            return can_win(w);
        });
        tell_earlier(shifting, before);
        count_waiting();
        decide_words(stages, can_win);
        tell_earlier(shifting, before);
    }

    // Adds the results of these derivations to earlier_: at most as many clusters per derivation as will be kept.
    void tell_earlier(std::span<const Shifting> shifting, std::size_t before) {
        earlier_.shrink(before);
        for (std::size_t k = 0; k < wanted_.size();) {
            const std::size_t from = wanted_[k].from;
            scores_.clear();
            for (; k < wanted_.size() && wanted_[k].from == from; ++k)
                if (wanted_[k].is_decided)
                    scores_.push_back(shifting[from].log_prob + wanted_[k].candidate.log_cluster + wanted_[k].log_word);
            best_first(scores_, 0, options_.clusters, [](double score) { return score; });
            for (const double score : scores_) earlier_.add(shifting[from].log_prob, score);
        }
        earlier_.rank();
        for (const Wanted& w : wanted_) {
            const double log_prob = shifting[w.from].log_prob;
            if (w.is_decided && !earlier_.beat(log_prob, log_prob + w.candidate.log_cluster))
                earlier_.note_word(log_prob, w.candidate.log_cluster + w.log_word);
        }
    }

    void count_waiting() {
        waiting_.assign(clusters_.size(), 0);
        for (const Wanted& w : wanted_) waiting_[w.candidate.cluster] += !w.is_decided;
    }

    void find(const Shifting& shifting, const Wanted& wanted) {
        const Candidate& candidate = wanted.candidate;
        const double log_prob = shifting.log_prob + candidate.log_cluster + wanted.log_word;
        found_.push_back({{log_prob, shifting.node, clusters_[candidate.cluster].cluster, wanted.log_word, candidate.stage},
                          candidate.log_cluster});
    }

    // Adds the best clusters of one derivation, and notifies the agenda.
    void note(const Event& event, Agenda& agenda, std::vector<Shifted>& shifted) const {
        const std::size_t first = shifted.size();
        for (std::size_t k = event.begin; k < event.end; ++k) {
            if (event.log_prob + found_[k].log_cluster <= agenda.threshold()) continue;
            agenda.note_word(found_[k].log_cluster + found_[k].shifted.log_word);
            shifted.push_back(found_[k].shifted);
        }
        best_first(shifted, first, options_.clusters, [](const Shifted& x) { return x.log_prob; });
        for (std::size_t j = first; j < shifted.size(); ++j) agenda.note_score(shifted[j].log_prob);
    }

    // Sorts the items from `first` on, and keeps the `most` best ones.
    template <class Ranked, class Rank>
    static void best_first(std::vector<Ranked>& list, std::size_t first, std::size_t most, const Rank& rank) {
        sort_stably(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(),
                    [&](const Ranked& a, const Ranked& b) { return rank(a) > rank(b); });
        if (list.size() > first + most) list.resize(first + most);
    }

    const Shape& shape_;
    const SeenClusters& seen_;
    BeamOptions options_;
    std::int32_t word_ = 0;
    std::vector<Cluster> clusters_;
    std::vector<std::int32_t> tags_;
    std::vector<OfTag> of_tags_;  // by derivation and tag
    std::vector<Candidate> candidates_;
    std::vector<Wanted> wanted_;  // by derivation
    std::vector<Wanted*> asked_;
    std::vector<std::uint8_t> is_tried_;  // by cluster
    std::vector<std::size_t> waiting_;    // by cluster: how many items of wanted_ are not decided
    std::vector<double> scores_;
    WordBounds<Real> bounds_;
    Earlier earlier_;
    std::vector<Event> events_;
    std::vector<Found> found_;
    std::vector<Shifted> noted_;
    Questions<Real, false> questions_, words_;
};

}  // namespace bistro::isbn
