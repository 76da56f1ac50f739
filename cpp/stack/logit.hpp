// A conditional logit: p(candidate) is proportional to e^(sum of the weights of its features), among the candidates of a word.
//
// The weights are learned by stochastic gradient descent, word by word, with steps scaled by past gradients (AdaGrad).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/features.hpp"

namespace bistro::stack {

template <class Weights>
double score(const Weights& weights, const Features& features) {
    double sum = 0;
    for (const Feature& f : features) sum += static_cast<double>(weights[f.place]) * f.value;
    return sum;
}

// Turns scores into probabilities.
inline void normalise(std::vector<double>& scores) {
    double highest = scores.front(), sum = 0;
    for (const double s : scores) highest = std::max(highest, s);
    for (double& s : scores) sum += s = std::exp(s - highest);
    for (double& s : scores) s /= sum;
}

class Learner {
public:
    Learner(int bits, double rate, double share = 0, std::uint64_t seed = 0)
        : rate_(rate), weights(std::size_t{1} << bits, 0.0F), dropout(share, seed), squares_(weights.size(), kFirst) {}

    // One training step with the candidate `gold`. Returns the loss before the step.
    double learn(const std::vector<Features>& candidates, std::size_t size, std::size_t gold) {
        p_.resize(size);
        for (std::size_t c = 0; c < size; ++c) p_[c] = score(weights, candidates[c]);
        normalise(p_);
        for (std::size_t c = 0; c < size; ++c) {
            const double error = p_[c] - (c == gold ? 1.0 : 0.0);
            if (std::abs(error) < kLeastError) continue;
            for (const Feature& f : candidates[c]) {
                const double gradient = error * f.value;
                float& squares = squares_[f.place];
                squares = static_cast<float>(squares + gradient * gradient);
                weights[f.place] =
                    static_cast<float>(weights[f.place] - rate_ * gradient / std::sqrt(static_cast<double>(squares)));
            }
        }
        return -std::log(std::max(p_[gold], 1e-12));
    }

private:
    static constexpr float kFirst = 0.01F;
    static constexpr double kLeastError = 1e-3;
    double rate_;

public:
    std::vector<float> weights;
    Dropout dropout;

private:
    std::vector<float> squares_;
    std::vector<double> p_;
};

}  // namespace bistro::stack
