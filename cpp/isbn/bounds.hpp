// Upper bounds on the probability of the next word in a state, by what is known of it in another.
//
// The logarithm of the probability of an outcome, b + W mu - log sum exp(b' + W' mu), is concave in the means mu: it lies below each of
// its tangents. So where all outcomes were worked out for one state, a product of two vectors bounds the probability for any other; the
// states before the same word are much alike, and the bound is close.
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
    // A new word, with so many clusters.
    void clear(std::size_t clusters) {
        if (tangents_.size() < clusters) tangents_.resize(clusters);
        for (std::size_t i = 0; i < clusters; ++i) tangents_[i].stage = kAbsent;
    }

    bool knows(std::size_t cluster) const { return tangents_[cluster].stage != kAbsent; }

    // A tangent costs as much as working the word out in one state.
    bool is_worth_it(std::size_t cluster, std::size_t states) const {
        return knows(cluster) && (tangents_[cluster].is_made || states > 1);
    }

    // The word has been worked out for a stage: `p` has the probabilities of all outcomes, but for a factor.
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

    // What log p(word | cluster) does not exceed in a stage.
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
    static constexpr double kRounding = 1e-3;  // more than sums of single precision are wrong by
    static constexpr double kLowest = -60;     // a probability below has lost its digits

    struct Tangent {
        std::int32_t stage = kAbsent;  // where it touches
        bool is_made = false;          // as soon as it is asked for
        double log_word = 0, start = 0;
        Aligned<Real> p, slopes;
    };
    std::vector<Tangent> tangents_;  // by cluster
};

// What single steps would know when they come to a derivation: the derivations that are at least as probable before the next word, with
// their words and what they have become.
class Earlier {
public:
    // A new word, after which `limit` derivations are kept.
    void clear(std::size_t limit) {
        limit_ = limit;
        scores_.clear();
        words_.clear();
    }

    std::size_t size() const { return scores_.size(); }
    void shrink(std::size_t size) { scores_.resize(size); }
    void add(double log_prob, double score) { scores_.push_back({log_prob, score}); }

    // After some were added.
    void rank() {
        threshold_ = -std::numeric_limits<double>::infinity();
        if (scores_.size() < limit_) return;
        ranked_.clear();
        for (const Score& s : scores_) ranked_.push_back(s.score);
        const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(limit_) - 1;
        std::nth_element(ranked_.begin(), last, ranked_.end(), std::greater<>());
        threshold_ = *last;
    }

    // Would a derivation with this score be none of those kept so far?
    bool beat(double log_prob, double score) const {
        if (score > threshold_) return false;
        std::size_t better = 0;
        for (const Score& s : scores_) better += (s.log_prob >= log_prob) & (s.score >= score);
        return better >= limit_;
    }

    // The highest log-probability of the next word.
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
    std::vector<Word> words_;  // in less and less probable derivations, more and more probable
};

}  // namespace bistro::isbn
