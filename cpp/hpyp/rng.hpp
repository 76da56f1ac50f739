// Counter-based random streams: Philox 4x64-10 (Salmon et al. 2011).
//
// A stream is identified by (seed, purpose, index) and has no hidden state except its position, so the same name gives the
// same numbers on every machine and for any number of threads. No std:: distribution is used anywhere: their algorithms
// differ between standard libraries.
#pragma once

#include <array>
#include <cstdint>

#include "platform.hpp"

namespace bistro {

class Stream {
public:
    Stream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) : key_{seed, purpose}, counter_{0, index, 0, 0} {}

    std::uint64_t next() {
        if (used_ == 4) refill();
        return block_[used_++];
    }

    // A double in [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // An integer in [0, n), without bias (Lemire 2019).
    std::uint64_t below(std::uint64_t n) {
        for (;;) {
            const WideProduct product = wide_product(next(), n);
            if (product.low >= n || product.low >= (0 - n) % n) return product.high;
        }
    }

private:
    void refill() {
        std::array<std::uint64_t, 4> x = counter_;
        std::array<std::uint64_t, 2> key = key_;
        for (int round = 0; round < 10; ++round) {
            const WideProduct a = wide_product(0xD2E7470EE14C6C93ULL, x[0]), b = wide_product(0xCA5A826395121157ULL, x[2]);
            x = {b.high ^ x[1] ^ key[0], b.low, a.high ^ x[3] ^ key[1], a.low};
            key[0] += 0x9E3779B97F4A7C15ULL;
            key[1] += 0xBB67AE8584CAA73BULL;
        }
        block_ = x;
        used_ = 0;
        ++counter_[0];
    }

    std::array<std::uint64_t, 2> key_;
    std::array<std::uint64_t, 4> counter_;
    std::array<std::uint64_t, 4> block_{};
    int used_ = 4;
};

}  // namespace bistro
