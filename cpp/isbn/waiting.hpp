// A priority queue of partial derivations, the most probable first.
//
// Entries are divided into buckets by log-probability, and a bucket becomes a heap when its entries are needed. Most entries of a
// search are never taken, so this is faster than one heap, which keeps all entries in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace bistro::isbn {

class Waiting {
public:
    struct Entry {
        double log_prob;
        std::size_t item;

        // Equally probable items are taken in order of insertion.
        bool operator<(const Entry& b) const { return log_prob != b.log_prob ? log_prob < b.log_prob : item > b.item; }
    };

    // Removes all entries. Later entries are expected, but not required, to be at most as probable as `highest`.
    void clear(double highest) {
        for (auto& bucket : buckets_) bucket.clear();
        is_heap_.fill(false);
        highest_ = highest;
        size_ = first_ = 0;
    }

    bool empty() const { return size_ == 0; }

    void push(const Entry& entry) {
        const std::size_t bucket = bucket_of(entry.log_prob);
        if (size_ == 0 || bucket < first_) first_ = bucket;
        buckets_[bucket].push_back(entry);
        if (is_heap_[bucket]) std::push_heap(buckets_[bucket].begin(), buckets_[bucket].end());
        ++size_;
    }

    // The most probable entry. The queue must not be empty.
    const Entry& front() {
        while (buckets_[first_].empty()) ++first_;
        auto& bucket = buckets_[first_];
        if (!is_heap_[first_]) std::make_heap(bucket.begin(), bucket.end());
        is_heap_[first_] = true;
        return bucket.front();
    }

    // Removes the entry that `front` returned.
    void pop() {
        auto& bucket = buckets_[first_];
        std::pop_heap(bucket.begin(), bucket.end());
        bucket.pop_back();
        --size_;
    }

private:
    static constexpr std::size_t kBuckets = 64;
    static constexpr double kPerUnit = 4;  // buckets per unit of log-probability; the last bucket has all lower values

    std::size_t bucket_of(double log_prob) const {
        const double below = (highest_ - log_prob) * kPerUnit;
        if (!(below < kBuckets - 1)) return kBuckets - 1;
        return below > 0 ? static_cast<std::size_t>(below) : 0;
    }

    std::array<std::vector<Entry>, kBuckets> buckets_;
    std::array<bool, kBuckets> is_heap_{};  // by bucket
    std::size_t size_ = 0, first_ = 0;      // buckets before first_ are empty
    double highest_ = 0;
};

}  // namespace bistro::isbn
