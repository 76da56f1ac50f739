// The checksum of model files: XXH64 (Yann Collet) of blocks of 1 MiB, and of the digests of the blocks.
//
// Every step of a lane is a bijection of the eight bytes that it reads, so a change within eight bytes always changes the
// digest of its lane. Blocks do not depend on each other, so several threads read and digest them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bistro {

inline constexpr std::size_t kChecksumBlock = 1 << 20;

namespace detail {

inline constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                               kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;

template <class Word>
Word little_endian(const unsigned char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        Word turned = 0;
        for (std::size_t i = 0; i < sizeof word; ++i) turned = turned << 8 | (word >> 8 * i & 0xff);
        return turned;
    }
    return word;
}

inline std::uint64_t taken_in(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * kPrime2, 31) * kPrime1; }

}  // namespace detail

inline std::uint64_t xxh64(std::span<const unsigned char> bytes) {
    using namespace detail;
    const unsigned char* at = bytes.data();
    const unsigned char* const end = at + bytes.size();
    std::uint64_t h = kPrime5;
    if (bytes.size() >= 32) {
        std::uint64_t a = kPrime1 + kPrime2, b = kPrime2, c = 0, d = 0 - kPrime1;
        for (; end - at >= 32; at += 32) {
            a = taken_in(a, little_endian<std::uint64_t>(at));
            b = taken_in(b, little_endian<std::uint64_t>(at + 8));
            c = taken_in(c, little_endian<std::uint64_t>(at + 16));
            d = taken_in(d, little_endian<std::uint64_t>(at + 24));
        }
        h = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
        for (const std::uint64_t lane : {a, b, c, d}) h = (h ^ taken_in(0, lane)) * kPrime1 + kPrime4;
    }
    h += bytes.size();
    for (; end - at >= 8; at += 8) h = std::rotl(h ^ taken_in(0, little_endian<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
    if (end - at >= 4) {
        h = std::rotl(h ^ little_endian<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
        at += 4;
    }
    for (; at < end; ++at) h = std::rotl(h ^ *at * kPrime5, 11) * kPrime1;
    h = (h ^ h >> 33) * kPrime2;
    h = (h ^ h >> 29) * kPrime3;
    return h ^ h >> 32;
}

inline std::uint64_t of_digests(std::span<const std::uint64_t> digests) {
    std::vector<unsigned char> bytes;
    for (const std::uint64_t digest : digests)
        for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<unsigned char>(digest >> 8 * i));
    return xxh64(bytes);
}

// Computes the checksum of data that arrives in pieces.
class Checksum {
public:
    void add(std::span<const unsigned char> bytes) {
        while (!bytes.empty()) {
            // Whole blocks are digested in place.
            if (waiting_.empty() && bytes.size() >= kChecksumBlock) {
                digests_.push_back(xxh64(bytes.first(kChecksumBlock)));
                bytes = bytes.subspan(kChecksumBlock);
                continue;
            }
            const std::size_t n = std::min(bytes.size(), kChecksumBlock - waiting_.size());
            waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
            bytes = bytes.subspan(n);
            if (waiting_.size() == kChecksumBlock) digests_.push_back(xxh64(waiting_)), waiting_.clear();
        }
    }

    std::uint64_t value() const {
        std::vector<std::uint64_t> digests = digests_;
        if (!waiting_.empty()) digests.push_back(xxh64(waiting_));
        return of_digests(digests);
    }

private:
    std::vector<std::uint64_t> digests_;
    std::vector<unsigned char> waiting_;
};

}  // namespace bistro
