// Keeps some of many weighted alternatives, at random and without bias, and tracks the error that this adds to a sum.
//
// An alternative with share s of the total is kept with probability p(s) = min(1, s^flatness / limit), and its weight is
// then divided by p, so the expectation of every later sum is unchanged. Alternatives that are kept for certain remain
// exact; the others are drawn systematically, so that their number is fixed (optimal resampling, Fearnhead & Clifford
// 2003).
//
// They are drawn in a random order. In a sorted order, the variance would be lower but unknown. In a random order, it is
// that of a sample of fixed size: the differences within pairs of draws estimate the variance of their sum. The final
// contribution of each alternative is not known yet, so each carries its part of the error as random numbers of the right
// variance, with opposite signs within a pair. These numbers are added in the same way as the contributions.
//
// A draw also increases the existing error of an alternative: its weight is divided by p with probability p, so squares
// grow by 1 / p. If the existing error has relative variance v, the new error has variance (1 - p) (1 - v), not 1 - p, so
// that the total is that of two successive draws. If there is anything to draw from, at least two alternatives are drawn,
// since an alternative that is dropped without a trace would not be included in the error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
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

// The mean square of the sum of two errors, without the error that is common to all.
inline double mean_square(const Noise& one, const Noise& other, const Noise& common) {
    float sum = 0;
    for (std::size_t c = 0; c < kChannels; ++c) {
        const float x = one[c] + other[c] - common[c];
        sum += x * x;
    }
    return static_cast<double>(sum) / kChannels;
}

struct ThinningOptions {
    double flatness;  // 1: shares alone decide; 1/2: for alternatives with different futures
    double limit;     // value of s^flatness from which an alternative is kept for certain
    double most;      // maximum number of alternatives that are kept
};

class Thinning {
public:
    struct Kept {
        std::uint32_t index;
        double factor = 1;  // 1 / probability of being kept
        Noise noise{};  // of alternatives that are not kept for certain
    };

    // The alternatives that are kept, given their weights. `whole` is the total of the shares, and `variance(index)` is the
    // variance of the existing relative error of an alternative.
    template <class Variance>
    const std::vector<Kept>& thin(std::span<const double> weights, double whole, const ThinningOptions& options, Stream& rng,
                                  const Variance& variance) {
        kept_.clear();
        light_.clear();
        keys_.clear();
        for (std::uint32_t i = 0; i < weights.size(); ++i) {
            if (!(weights[i] > 0)) continue;
            const double share = weights[i] / whole, flatness = options.flatness;
            keys_.push_back({i, flatness == 0.5 ? std::sqrt(share) : flatness == 1 ? share : std::pow(share, flatness)});
        }
        const double limit = limit_for(options);
        double sum = 0;
        for (const Key& key : keys_) {
            if (key.value >= limit)
                kept_.push_back({key.index});
            else
                light_.push_back(key), sum += key.value;
        }
        if (!light_.empty()) draw(scale_for(sum, limit), rng, variance);
        return kept_;
    }

    // Whether the last thinning dropped any alternatives.
    bool has_dropped() const { return kept_.size() < keys_.size(); }

private:
    struct Key {
        std::uint32_t index;
        double value;
    };
    static constexpr double kLeastDrawn = 2;

    // The limit with which `most` alternatives are kept, or the limit of the options if that keeps fewer.
    double limit_for(const ThinningOptions& options) const {
        auto heavy_and_light = [&](double limit) {
            double heavy = 0, light = 0;
            for (const Key& key : keys_) key.value >= limit ? heavy += 1 : light += key.value;
            return std::pair(heavy, light);
        };
        if (options.limit > 0) {
            const auto [heavy, light] = heavy_and_light(options.limit);
            if (heavy + light / options.limit <= options.most) return options.limit;
        }
        double limit = INFINITY, sum = 0;
        for (const Key& key : keys_) sum += key.value;
        for (double next = sum / options.most; next < limit * (1 - 1e-12);) {
            limit = next;
            const auto [heavy, light] = heavy_and_light(limit);
            if (heavy < options.most) next = light / (options.most - heavy);
        }
        return std::max(limit, options.limit);
    }

    // The factor that turns keys into probabilities, so that a whole number of alternatives, at least two, is drawn.
    // Alternatives whose probability reaches 1 are kept for certain.
    double scale_for(double sum, double limit) {
        double wanted = std::max(std::min(kLeastDrawn, static_cast<double>(light_.size())), std::ceil(sum / limit - 1e-9));
        for (;;) {
            const double scale = wanted / sum;
            const std::size_t before = kept_.size();
            std::erase_if(light_, [&](const Key& key) {
                if (key.value * scale < 1) return false;
                kept_.push_back({key.index});
                wanted -= 1, sum -= key.value;
                return true;
            });
            if (kept_.size() == before) return scale;
            if (wanted < 0.5) return 1 / limit;
        }
    }

    // Shuffles the alternatives. A fast generator of low quality is sufficient: in any order, each alternative is drawn
    // with its probability.
    void shuffle(std::uint64_t state) {
        for (std::size_t i = light_.size(); i > 1; --i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            std::swap(light_[i - 1], light_[((state >> 32) * i) >> 32]);
        }
    }

    template <class Variance>
    void draw(double scale, Stream& rng, const Variance& variance) {
        shuffle(rng.next());
        const std::size_t first = kept_.size();
        double upto = rng.uniform();
        for (const Key& key : light_) {
            const double p = std::min(1.0, key.value * scale);
            if ((upto += p) < 1) continue;
            upto -= 1;
            kept_.push_back({key.index, 1 / p, {}});
        }
        for (std::size_t i = first; i < kept_.size(); ++i) set_noise(first, i, rng);
        for (std::size_t i = first; i < kept_.size(); ++i) {
            const auto factor = static_cast<float>(std::sqrt(std::max(0.0, 1 - variance(kept_[i].index))));
            for (float& x : kept_[i].noise) x *= factor;
        }
    }

    // The second of a pair has the opposite sign of the first. With an odd number, the last three sum to 0.
    void set_noise(std::size_t first, std::size_t i, Stream& rng) {
        const double size = std::sqrt(std::max(0.0, 1 - 1 / kept_[i].factor));
        const std::size_t nth = i - first;
        if (nth % 2 == 1) {
            for (std::size_t c = 0; c < kChannels; ++c)
                kept_[i].noise[c] = static_cast<float>(kept_[i - 1].noise[c] > 0 ? -size : size);
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

    std::vector<Key> keys_, light_;  // share^flatness of each alternative
    std::vector<Kept> kept_;
};

}  // namespace bistro
