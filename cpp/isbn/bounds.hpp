// Upper bounds on the probability of the next word in one state, computed from its probability in another state.
//
// The log-probability of an outcome, b + W mu - log sum exp(b' + W' mu), is a concave function of the means mu, so it lies below
// each of its tangents. After the probabilities of all outcomes have been computed in one state, a product of two vectors bounds
// the probability of the word in any other state. The bound is tight, since all states before the same word are similar.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "isbn/questions.hpp"

namespace bistro::isbn {

template <class Real>
class WordBounds {
public:
    // Starts a new word with this number of clusters.
    void clear(std::size_t clusters) {
        if (tangents_.size() < clusters) tangents_.resize(clusters);
        for (std::size_t i = 0; i < clusters; ++i) tangents_[i].stage = kAbsent;
    }

    bool knows(std::size_t cluster) const { return tangents_[cluster].stage != kAbsent; }

    // Can a bound save time if `states` states wait for the word? A tangent costs as much as computing the word in one state.
    bool is_worth_it(std::size_t cluster, std::size_t states) const {
        return knows(cluster) && (tangents_[cluster].is_made || states > 1);
    }

    // The word has been computed in a stage: `p` times `factor` are the probabilities of all outcomes.
    void learn(std::size_t cluster, const Outcome& word, const Stages<Real>& stages, std::int32_t stage, const Real* p,
               Real factor) {
        const double log_word = log_of(p[word.outcome] * factor);
        if (log_word < kLowest) return;
        Tangent& t = tangents_[cluster];
        t.stage = stage, t.log_word = log_word, t.is_made = false;
        t.slopes.resize(stages.network().width());
        t.p.assign(p, p + stages.network().columns(word.group));
        for (Real& x : t.p) x *= factor;
    }

    // Upper bound on the log-probability of the outcome of the word in a stage.
    double highest(std::size_t cluster, const Outcome& word, const Stages<Real>& stages, std::int32_t stage) {
        Tangent& t = tangents_[cluster];
        const std::size_t h = stages.network().shape().hidden();
        if (!t.is_made) {
            stages.network().slopes(word.group, word.outcome, t.p.data(), t.slopes.data());
            t.start = t.log_word - static_cast<double>(dot_product(t.slopes.data(), stages.mu(t.stage), h));
            t.is_made = true;
        }
        return t.start + static_cast<double>(dot_product(t.slopes.data(), stages.mu(stage), h)) + kRounding;
    }

private:
    static constexpr double kRounding = 1e-3;  // larger than the rounding errors of sums in single precision
    static constexpr double kLowest = -60;     // lower log-probabilities are imprecise

    struct Tangent {
        std::int32_t stage = kAbsent;  // where it touches the function
        bool is_made = false;          // only when it is needed
        double log_word = 0, start = 0;
        Aligned<Real> p, slopes;
    };
    std::vector<Tangent> tangents_;  // by cluster
};

// What a search by single steps would know when it reaches a derivation: the derivations that are at least as probable before the
// next word, with the log-probabilities of their next words and their log-probabilities after the word.
class Earlier {
public:
    // Starts a new word, after which `limit` derivations are kept.
    void clear(std::size_t limit) {
        limit_ = limit;
        scores_.clear();
        words_.clear();
    }

    std::size_t size() const { return scores_.size(); }
    void shrink(std::size_t size) { scores_.resize(size); }
    void add(double log_prob, double score) { scores_.push_back({log_prob, score}); }

    // Must be called after derivations were added.
    void rank() {
        threshold_ = -std::numeric_limits<double>::infinity();
        if (scores_.size() < limit_) return;
        ranked_.clear();
        for (const Score& s : scores_) ranked_.push_back(s.score);
        const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(limit_) - 1;
        std::nth_element(ranked_.begin(), last, ranked_.end(), std::greater<>());
        threshold_ = *last;
    }

    // Do at least `limit` earlier derivations have the same or a higher score?
    bool beat(double log_prob, double score) const {
        if (score > threshold_) return false;
        std::size_t better = 0;
        for (const Score& s : scores_) better += (s.log_prob >= log_prob) & (s.score >= score);
        return better >= limit_;
    }

    // The highest log-probability of the next word in earlier derivations.
    double best_word(double log_prob) const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Word& w : words_) {
            if (w.log_prob < log_prob) break;
            best = w.log_word;
        }
        return best;
    }

    void note_word(double log_prob, double log_word) {
        if (!(log_word > best_word(log_prob))) return;
        auto place = words_.begin();
        while (place != words_.end() && place->log_prob > log_prob) ++place;
        auto end = place;
        while (end != words_.end() && !(end->log_word > log_word)) ++end;
        words_.insert(words_.erase(place, end), {log_prob, log_word});
    }

private:
    struct Score {
        double log_prob, score;
    };
    struct Word {
        double log_prob, log_word;
    };
    std::size_t limit_ = 1;
    double threshold_ = 0;
    std::vector<Score> scores_;
    std::vector<double> ranked_;
    std::vector<Word> words_;  // by decreasing log_prob and increasing log_word
};

}  // namespace bistro::isbn
