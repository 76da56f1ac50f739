// How a search allocates its effort: particles that follow the uncertainty, or a beam of fixed width.
//
// A policy divides a derivation's budget between its continuations, limits the reduces within a word, and selects among the
// derivations that have generated the same words. The search itself does not depend on budgets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/rng.hpp"

namespace bistro {

struct Derivation {
    std::uint32_t state;
    double log_weight;  // natural logarithm of its joint probability with the words so far
    std::int64_t particles;
    double log_importance = 0;   // for policies that draw: logarithm of the importance weight
    std::int32_t retained = -1;  // steps of the retained history that it has followed, -1 if it has left the history
    double last_word = 1;        // p(word | tag, context) of the word generated last
    std::int32_t unseen = 0;     // predicted tags that their words never had in training
};

inline bool better(const Derivation& a, const Derivation& b) {
    // Equal weights are ordered by state so that the result never depends on the sorting algorithm.
    return a.log_weight != b.log_weight ? a.log_weight > b.log_weight : a.state < b.state;
}

inline void keep_best(std::vector<Derivation>& derivations, std::size_t width) {
    if (derivations.size() <= width) return;
    std::partial_sort(derivations.begin(), derivations.begin() + static_cast<std::ptrdiff_t>(width), derivations.end(), better);
    derivations.resize(width);
}

// Rounds to the nearest integer, and up. Both functions are for numbers of particles, which are never negative. (The
// functions of the standard library are calls unless the compiler may assume a newer processor.)
inline std::int64_t rounded(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    return whole + (x - static_cast<double>(whole) >= 0.5);
}
inline std::int64_t rounded_up(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    return whole + (x > static_cast<double>(whole));
}

// Algorithm 1 of Buys & Blunsom (2015): `budget` particles are divided, never drawn. After each word, they are
// redistributed: in the paper, by weight times the number of particles of a derivation, which counts its probability again
// with every word and soon leaves few derivations alive; with `by_weight`, by weight alone.
struct ParticlePolicy {
    static constexpr bool draws = false;
    std::int64_t budget;
    bool by_weight = false;

    std::int64_t initial() const { return budget; }

    // Rounded shares of `particles`. The largest share absorbs the rounding error.
    void share(std::int64_t particles, std::span<const double> probabilities, int, std::span<std::int64_t> out) const {
        double total = 0;
        for (const double p : probabilities) total += p;
        std::int64_t given = 0;
        std::size_t largest = 0;
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            out[i] = total > 0 ? rounded(static_cast<double>(particles) * probabilities[i] / total) : 0;
            given += out[i];
            if (probabilities[i] > probabilities[largest]) largest = i;
        }
        if (total > 0) out[largest] = std::max<std::int64_t>(0, out[largest] + particles - given);
    }

    void limit(std::vector<Derivation>&) const {}

    void select(std::vector<Derivation>& derivations) const {
        double highest = -INFINITY;
        for (Derivation& d : derivations) {
            highest = std::max(highest, d.log_weight);
            if (by_weight) d.particles = 1;
        }
        double total = 0;
        for (const Derivation& d : derivations) total += static_cast<double>(d.particles) * std::exp(d.log_weight - highest);
        if (derivations.empty()) return;
        Derivation best = *std::min_element(derivations.begin(), derivations.end(), better);
        for (Derivation& d : derivations)
            d.particles = static_cast<std::int64_t>(static_cast<double>(budget) * static_cast<double>(d.particles) *
                                                    std::exp(d.log_weight - highest) / total);
        std::erase_if(derivations, [](const Derivation& d) { return d.particles == 0; });
        // With very few particles, all shares may be below one.
        if (derivations.empty()) {
            best.particles = budget;
            derivations.push_back(best);
        }
    }
};

// The beam of §5.2 of the same paper: the best `width` derivations after each word, and after each round of reduces.
struct BeamPolicy {
    static constexpr bool draws = false;
    std::size_t width;

    std::int64_t initial() const { return 1; }
    void share(std::int64_t, std::span<const double> probabilities, int, std::span<std::int64_t> out) const {
        for (std::size_t i = 0; i < probabilities.size(); ++i) out[i] = probabilities[i] > 0;
    }
    void limit(std::vector<Derivation>& derivations) const { keep_best(derivations, width); }
    void select(std::vector<Derivation>& derivations) const { keep_best(derivations, width); }
};

// Draws one of the alternatives with a probability proportional to its weight.
inline std::size_t draw(std::span<const double> weights, Stream& rng) {
    double total = 0;
    for (const double w : weights) total += w;
    double x = rng.uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] > 0)) continue;
        last = i;
        if ((x -= weights[i]) < 0) break;
    }
    return last;
}

// Every particle draws its own continuation. `kept` is the continuation that a retained particle takes, or -1.
struct IndependentDraws {
    static void share(std::int64_t particles, std::span<const double> weights, int kept, std::span<std::int64_t> out, Stream& rng) {
        std::fill(out.begin(), out.end(), 0);
        if (std::none_of(weights.begin(), weights.end(), [](double w) { return w > 0; })) return;
        for (std::int64_t i = kept >= 0 ? 1 : 0; i < particles; ++i) ++out[draw(weights, rng)];
        if (kept >= 0) ++out[static_cast<std::size_t>(kept)];
    }
};

// Draws with as little randomness as possible: the number of particles of a continuation is its expected number, and one
// random number decides for all continuations how the fractions are rounded (systematic resampling, Kitagawa 1996). All
// means are correct, so the estimate is unbiased, as with independent draws, and varies far less. This policy cannot retain
// a history.
struct SystematicDraws {
    static void share(std::int64_t particles, std::span<const double> weights, int, std::span<std::int64_t> out, Stream& rng) {
        double total = 0;
        for (const double w : weights) total += w;
        if (!(total > 0)) return std::fill(out.begin(), out.end(), 0);
        std::fill(out.begin(), out.end(), 0);
        const double offset = rng.uniform();
        double sum = 0;
        std::int64_t given = 0;
        std::size_t last = 0;
        for (std::size_t i = 0; i < weights.size() && given < particles; ++i) {
            if (!(weights[i] > 0)) continue;
            last = i;
            sum += weights[i];
            const double upto = static_cast<double>(particles) * (sum / total) - offset;
            if (!(upto > static_cast<double>(given))) continue;
            out[i] = std::min<std::int64_t>(rounded_up(upto), particles) - given;
            given += out[i];
        }
        out[last] += particles - given;
    }
};

// The weights of particles: their number times their importance, scaled so that the highest importance is 1.
inline std::vector<double> importance_weights(const std::vector<Derivation>& derivations, double& highest) {
    highest = -INFINITY;
    for (const Derivation& d : derivations) highest = std::max(highest, d.log_importance);
    std::vector<double> weights;
    for (const Derivation& d : derivations)
        weights.push_back(static_cast<double>(d.particles) * std::exp(d.log_importance - highest));
    return weights;
}

// Sequential Monte Carlo: particles draw their continuations, and after each word all are resampled by their importance.
// With a retained history (conditional SMC, Andrieu et al. 2010), one particle follows that history and is never lost, so
// that drawing a new history is a step of particle Gibbs.
template <class Draws>
struct MonteCarloPolicy {
    static constexpr bool draws = true;
    std::int64_t budget;
    Stream* rng;
    // Particles are resampled only if their effective sample size is below this share of their number.
    double resample_below = 1;
    double log_evidence = 0;  // the estimate of log p(words so far), up to the weights not yet resampled

    std::int64_t initial() const { return budget; }

    void share(std::int64_t particles, std::span<const double> probabilities, int kept, std::span<std::int64_t> out) {
        Draws::share(particles, probabilities, kept, out, *rng);
    }

    void limit(std::vector<Derivation>&) const {}

    void select(std::vector<Derivation>& derivations) {
        if (derivations.empty()) return;
        double highest, total = 0, squares = 0;
        const std::vector<double> weights = importance_weights(derivations, highest);
        int kept = -1;
        for (std::size_t i = 0; i < derivations.size(); ++i) {
            total += weights[i];
            squares += weights[i] * weights[i] / static_cast<double>(derivations[i].particles);
            if (derivations[i].retained >= 0) kept = static_cast<int>(i);
        }
        if (resample_below < 1 && total * total > resample_below * static_cast<double>(budget) * squares) return;
        log_evidence += highest + std::log(total / static_cast<double>(budget));
        std::vector<std::int64_t> particles(derivations.size());
        share(budget, weights, kept, particles);
        for (std::size_t i = 0; i < derivations.size(); ++i) {
            derivations[i].particles = particles[i];
            derivations[i].log_importance = 0;
        }
        std::erase_if(derivations, [](const Derivation& d) { return d.particles == 0; });
    }
};

using DrawingPolicy = MonteCarloPolicy<IndependentDraws>;
using SystematicPolicy = MonteCarloPolicy<SystematicDraws>;

}  // namespace bistro
