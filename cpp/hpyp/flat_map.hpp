// An open-addressing index from a pair of 32-bit keys to the number of a record.
//
// The keys are stored in the records themselves. A slot is only a record number, so an index costs 4 bytes per slot. (In
// such loops, std::unordered_map is over three times slower and several times larger.)
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>

#include "files/disk_memory.hpp"
#include "platform.hpp"

namespace bistro {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

inline std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
    return (static_cast<std::uint64_t>(first) << 32) | second;
}

// The finaliser of SplitMix64: every input bit changes every output bit.
inline std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// A record has a `key()`, which must be unique. Records are never removed.
class PairIndex {
public:
    PairIndex() : slots_(16, kNone) {}

    template <class Records>
    std::uint32_t find(std::uint64_t key, const Records& records) const {
        for (std::size_t slot = mix(key) & mask();; slot = (slot + 1) & mask()) {
            const std::uint32_t record = slots_[slot];
            if (record == kNone || records[record].key() == key) return record;
        }
    }

    // Several look-ups at once hide the latency of memory: prefetch the slots first, then their records, then find.
    void prefetch(std::uint64_t key) const { bistro::prefetch(&slots_[mix(key) & mask()]); }
    template <class Records>
    void prefetch_record(std::uint64_t key, const Records& records) const {
        const std::uint32_t record = slots_[mix(key) & mask()];
        if (record != kNone) bistro::prefetch(&records[record]);
    }

    // Adds the last record to the index. The other records are already indexed.
    template <class Records>
    void insert_last(const Records& records) {
        if (records.size() >= kNone) throw std::length_error("more than four billion contexts or outcomes");
        if (records.size() * 10 > slots_.size() * 7) {
            slots_.assign(slots_.size() * 2, kNone);
            for (std::uint32_t old = 0; old + 1 < records.size(); ++old) place(old, records[old].key());
        }
        place(static_cast<std::uint32_t>(records.size() - 1), records.back().key());
    }

    // Indexes all records, even if some are already indexed.
    template <class Records>
    void assign(const Records& records) {
        if (records.size() >= kNone) throw std::length_error("more than four billion contexts or outcomes");
        slots_.assign(std::bit_ceil(records.size() * 10 / 7 + 16), kNone);
        for (std::uint32_t i = 0; i < records.size(); ++i) place(i, records[i].key());
    }

    std::size_t bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

private:
    std::size_t mask() const { return slots_.size() - 1; }

    void place(std::uint32_t record, std::uint64_t key) {
        std::size_t slot = mix(key) & mask();
        while (slots_[slot] != kNone) slot = (slot + 1) & mask();
        slots_[slot] = record;
    }

    LongArray<std::uint32_t> slots_;
};

// An index that is built at the first look-up. Sorted events are resolved without look-ups, and sweeps follow links; then
// the index costs neither time nor memory. Several threads may look up at the same time.
class LateIndex {
public:
    template <class Records>
    std::uint32_t find(std::uint64_t key, const Records& records) const {
        return ready(records).find(key, records);
    }

    // The index with all records in it.
    template <class Records>
    const PairIndex& ready(const Records& records) const {
        if (indexed_.load(std::memory_order_acquire) != records.size()) catch_up(records);
        return index_;
    }

    // Adds the last record to the index, unless other records are missing in the index, too.
    template <class Records>
    void insert_last(const Records& records) {
        if (indexed_.load(std::memory_order_relaxed) + 1 != records.size()) return;
        index_.insert_last(records);
        indexed_.store(records.size(), std::memory_order_release);
    }

    // Drops the index, after records were renumbered or removed.
    void forget() {
        index_ = PairIndex();
        indexed_.store(0, std::memory_order_release);
    }

    std::size_t bytes() const { return index_.bytes(); }

private:
    template <class Records>
    void catch_up(const Records& records) const {
        const std::lock_guard lock(mutex_);
        if (indexed_.load(std::memory_order_relaxed) == records.size()) return;
        index_.assign(records);
        indexed_.store(records.size(), std::memory_order_release);
    }

    mutable PairIndex index_;
    mutable std::atomic<std::size_t> indexed_ = 0;
    mutable std::mutex mutex_;
};

}  // namespace bistro
