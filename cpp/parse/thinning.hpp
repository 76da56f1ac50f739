// Keeping some of many weighted alternatives, at random and without bias, and what that adds to the error of a sum.
//
// An alternative with share s of the whole is kept with probability p(s) = min(1, s^flatness / limit), and then counts 1 / p times
// as much: the expectation of every sum over the future is what it was. Those that are kept for certain stay exact; the others
// are drawn systematically, so that their number is fixed (optimal resampling, Fearnhead & Clifford 2003). They are visited in a
// random order, which makes their variance that of a sample of fixed size and high entropy: sum (1 - p) (y / p - mean)^2 over
// those kept, y being what each contributes in the end (Hajek 1964). What they contribute is not known yet; so each carries its
// part of the error along as a few random numbers of the right variance, which add up like the contributions themselves.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/rng.hpp"

namespace bistro {

inline constexpr std::size_t kChannels = 16;
using Noise = std::array<float, kChannels>;  // independent copies of a relative error

struct ThinningOptions {
    double flatness = 0.5;  // 1: shares alone decide who is kept
    double limit = 0.01;    // shares above limit^(1 / flatness) are always kept
    double most = 100;      // alternatives kept at most
};

class Thinning {
public:
    struct Kept {
        std::uint32_t index;
        double factor;  // 1 / probability of being kept
        bool is_drawn;
        Noise noise;    // where it is drawn
    };

    ThinningOptions options;

    // Which of the alternatives with these weights are kept, in the order of their numbers; `whole` is what shares are shares of.
    const std::vector<Kept>& thin(std::span<const double> weights, double whole, Stream& rng) {
        kept_.clear();
        light_.clear();
        keys_.resize(weights.size());
        for (std::size_t i = 0; i < weights.size(); ++i) keys_[i] = flattened(weights[i] / whole);
        const double limit = limit_for(keys_);
        double expected = 0;
        for (std::uint32_t i = 0; i < keys_.size(); ++i) {
            if (!(keys_[i] > 0)) continue;
            if (keys_[i] >= limit) kept_.push_back({i, 1.0, false, {}});
            else light_.push_back(i), expected += keys_[i] / limit;
        }
        if (light_.empty()) return kept_;
        double scale = 1 / limit;
        // A whole number of them is drawn, unless it is less than one.
        if (expected > 1) scale = make_whole(expected, limit);
        if (!light_.empty()) draw(scale, rng);
        return kept_;
    }

private:
    double flattened(double share) const {
        if (options.flatness == 0.5) return std::sqrt(share);
        if (options.flatness == 0.75) return std::sqrt(share * std::sqrt(share));
        return options.flatness == 1 ? share : std::pow(share, options.flatness);
    }

    // The limit with which `most` are kept, or the option where that keeps fewer.
    double limit_for(const std::vector<double>& keys) const {
        double sum = 0, limit = INFINITY;
        for (const double key : keys) sum += key;
        for (double next = sum / options.most; next < limit * (1 - 1e-12);) {
            limit = next;
            double light = 0, heavy = 0;
            for (const double key : keys) key >= limit ? heavy += 1 : light += key;
            if (heavy < options.most) next = light / (options.most - heavy);
        }
        return std::max(limit, options.limit);
    }

    // Raises the probabilities of all that are not certain until they sum to a whole number.
    double make_whole(double expected, double limit) {
        double wanted = std::ceil(expected - 1e-9), sum = expected * limit;
        for (;;) {
            const double scale = wanted / sum;
            const auto certain = std::stable_partition(light_.begin(), light_.end(), [&](std::uint32_t i) { return keys_[i] * scale < 1; });
            if (certain == light_.end()) return scale;
            for (auto i = certain; i != light_.end(); ++i) {
                kept_.push_back({*i, 1.0, false, {}});
                wanted -= 1, sum -= keys_[*i];
            }
            light_.erase(certain, light_.end());
            if (light_.empty() || wanted < 0.5) return light_.empty() ? 0 : 1 / limit;
        }
    }

    void draw(double scale, Stream& rng) {
        const std::size_t first = kept_.size(), size = light_.size(), span = std::bit_ceil(size);
        const std::uint64_t bits = rng.next();
        const std::size_t step = static_cast<std::size_t>(bits) | 1, start = static_cast<std::size_t>(bits >> 32);
        double upto = rng.uniform();
        for (std::size_t n = 0; n < span; ++n) {
            const std::size_t at = (start + n * step) & (span - 1);
            if (at >= size) continue;
            const double p = keys_[light_[at]] * scale;
            if ((upto += p) < 1) continue;
            upto -= 1;
            kept_.push_back({light_[at], 1 / p, true, {}});
        }
        add_noise(first, rng);
    }

    void add_noise(std::size_t first, Stream& rng) {
        Noise sum{};
        double squares = 0;
        const auto drawn = kept_.size() - first;
        for (std::size_t i = first; i < kept_.size(); ++i) {
            const auto square = std::max(0.0, 1 - 1 / kept_[i].factor);
            const auto a = static_cast<float>(std::sqrt(square));
            std::uint64_t bits = rng.next();
            for (std::size_t c = 0; c < kChannels; ++c, bits >>= 1) {
                kept_[i].noise[c] = bits & 1 ? a : -a;
                sum[c] += kept_[i].noise[c];
            }
            squares += square;
        }
        if (drawn < 2 || !(squares > 0)) return;
        const auto factor = static_cast<float>(std::sqrt(static_cast<double>(drawn) / static_cast<double>(drawn - 1)));
        for (std::size_t i = first; i < kept_.size(); ++i) {
            const auto share = static_cast<float>(std::max(0.0, 1 - 1 / kept_[i].factor) / squares);
            for (std::size_t c = 0; c < kChannels; ++c) kept_[i].noise[c] = factor * (kept_[i].noise[c] - share * sum[c]);
        }
    }

    std::vector<double> keys_;
    std::vector<std::uint32_t> light_;
    std::vector<Kept> kept_;
};

}  // namespace bistro
