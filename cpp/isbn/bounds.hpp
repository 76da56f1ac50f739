// Upper bounds on the probability of the next word in a state, by what is known of it in another.
//
// The logarithm of the probability of an outcome, b + W mu - log sum exp(b' + W' mu), is concave in the means mu: it lies below each of
// its tangents. So where all outcomes were worked out for one state, a product of two vectors bounds the probability for any other; the
// states before the same word are much alike, and the bound is close.
#pragma once

#include <cmath>
#include <cstdint>
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

    // The word has been worked out for a stage: `p` has the probabilities of all outcomes, but for a factor.
    void learn(std::size_t cluster, const Outcome& word, const Stages<Real>& stages, std::int32_t stage, const Real* p, Real factor) {
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

}  // namespace bistro::isbn
