// Keeping some of many weighted alternatives, at random and without bias, and what that adds to the error of a sum.
//
// An alternative with share s of the whole is kept with probability p(s) = min(1, s^flatness / limit), and then counts 1 / p times
// as much: the expectation of every sum over the future is what it was. Those that are kept for certain stay exact; the others
// are drawn systematically, so that their number is fixed (optimal resampling, Fearnhead & Clifford 2003).
//
// They are drawn in a random order. A sorted order would vary less, but by an amount that nothing tells; in a random order the
// variance is that of a sample of fixed size: pairs of those drawn differ as much as their sum varies. What each contributes in
// the end is not known yet, so each carries its part of the error along, as random numbers of the right variance: opposite ones
// for the two of a pair. They add up as the contributions do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/rng.hpp"

namespace bistro {

inline constexpr std::size_t kChannels = 16;
using Noise = std::array<float, kChannels>;  // independent copies of a relative error

inline void add_noise(Noise& noise, const Noise& other) {
    for (std::size_t c = 0; c < kChannels; ++c) noise[c] += other[c];
}

// Copies of an error of this size, each with a random sign.
inline Noise random_signs(double size, Stream& rng) {
    Noise noise;
    std::uint64_t bits = rng.next();
    for (std::size_t c = 0; c < kChannels; ++c, bits >>= 1) noise[c] = static_cast<float>(bits & 1 ? size : -size);
    return noise;
}

struct ThinningOptions {
    double flatness;  // 1: shares alone decide; 1/2: where every alternative has a future of its own
    double limit;     // what s^flatness must reach to be kept for certain
    double most;      // alternatives kept at most
};

class Thinning {
public:
    struct Kept {
        std::uint32_t index;
        double factor = 1;  // 1 / probability of being kept
        bool is_drawn = false;
        Noise noise{};      // where it is drawn
    };

    // Which of the alternatives with these weights are kept; `whole` is what shares are shares of.
    const std::vector<Kept>& thin(std::span<const double> weights, double whole, const ThinningOptions& options, Stream& rng) {
        kept_.clear();
        light_.clear();
        keys_.resize(weights.size());
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double share = weights[i] / whole;
            keys_[i] = options.flatness == 0.5 ? std::sqrt(share) : options.flatness == 1 ? share : std::pow(share, options.flatness);
        }
        const double limit = limit_for(options);
        double expected = 0;
        for (std::uint32_t i = 0; i < keys_.size(); ++i) {
            if (!(keys_[i] > 0)) continue;
            if (keys_[i] >= limit) kept_.push_back({i});
            else light_.push_back(i), expected += keys_[i] / limit;
        }
        // A whole number of them is drawn, unless it is less than one.
        const double scale = expected > 1 ? whole_scale(expected, limit) : 1 / limit;
        if (!light_.empty()) draw(scale, rng);
        return kept_;
    }

private:
    // The limit with which `most` are kept, or the option where that keeps fewer.
    double limit_for(const ThinningOptions& options) const {
        double sum = 0, limit = INFINITY;
        for (const double key : keys_) sum += key;
        for (double next = sum / options.most; next < limit * (1 - 1e-12);) {
            limit = next;
            double light = 0, heavy = 0;
            for (const double key : keys_) key >= limit ? heavy += 1 : light += key;
            if (heavy < options.most) next = light / (options.most - heavy);
        }
        return std::max(limit, options.limit);
    }

    // Raises the probabilities of all that are not certain until they sum to a whole number.
    double whole_scale(double expected, double limit) {
        double wanted = std::ceil(expected - 1e-9), sum = expected * limit;
        for (;;) {
            const double scale = wanted / sum;
            const auto certain = std::partition(light_.begin(), light_.end(), [&](std::uint32_t i) { return keys_[i] * scale < 1; });
            if (certain == light_.end()) return scale;
            for (auto i = certain; i != light_.end(); ++i) {
                kept_.push_back({*i});
                wanted -= 1, sum -= keys_[*i];
            }
            light_.erase(certain, light_.end());
            if (wanted < 0.5) return 1 / limit;
        }
    }

    void draw(double scale, Stream& rng) {
        for (std::size_t i = light_.size(); i > 1; --i) std::swap(light_[i - 1], light_[rng.below(i)]);
        const std::size_t first = kept_.size();
        double upto = rng.uniform();
        for (const std::uint32_t i : light_) {
            const double p = std::min(1.0, keys_[i] * scale);
            if ((upto += p) < 1) continue;
            upto -= 1;
            kept_.push_back({i, 1 / p, true, {}});
        }
        for (std::size_t i = first; i < kept_.size(); ++i) set_noise(first, i, rng);
    }

    // The second of a pair has the opposite of the first; the last three of an odd number sum to nothing.
    void set_noise(std::size_t first, std::size_t i, Stream& rng) {
        const double size = std::sqrt(std::max(0.0, 1 - 1 / kept_[i].factor));
        const std::size_t nth = i - first;
        if (nth % 2 == 1) {
            for (std::size_t c = 0; c < kChannels; ++c) kept_[i].noise[c] = static_cast<float>(kept_[i - 1].noise[c] > 0 ? -size : size);
            return;
        }
        kept_[i].noise = random_signs(size, rng);
        if (nth == 0 || i + 1 < kept_.size()) return;
        // The variance of n draws is n / (n - 1) times their squared deviations: less for three than for two.
        const auto shrunk = static_cast<float>(std::sqrt(0.75));
        for (std::size_t c = 0; c < kChannels; ++c) {
            const float half = 0.5F * kept_[i].noise[c];
            kept_[i].noise[c] = 2 * half;
            for (const std::size_t other : {i - 1, i - 2}) kept_[other].noise[c] = shrunk * kept_[other].noise[c] - half;
        }
    }

    std::vector<double> keys_;
    std::vector<std::uint32_t> light_;
    std::vector<Kept> kept_;
};

}  // namespace bistro
