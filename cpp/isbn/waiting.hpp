// A queue of what waits for its turn, the most probable first.
//
// Entries lie in buckets by their log-probability, and a bucket is sorted when its turn comes. Most entries of a search never have
// theirs, so this is faster than a heap, which keeps all of them in order.
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

        // Equals are taken in the order of coming.
        bool operator<(const Entry& b) const { return log_prob != b.log_prob ? log_prob < b.log_prob : item > b.item; }
    };

    // No entry after this is expected to be more probable than `highest`, although it may be.
    void clear(double highest) {
        for (auto& bucket : buckets_) bucket.clear();
        highest_ = highest;
        size_ = first_ = 0;
        is_sorted_ = false;
    }

    bool empty() const { return size_ == 0; }

    void push(const Entry& entry) {
        const std::size_t bucket = bucket_of(entry.log_prob);
        if (size_ == 0 || bucket <= first_) first_ = bucket, is_sorted_ = false;
        buckets_[bucket].push_back(entry);
        ++size_;
    }

    // The most probable entry; there must be one.
    const Entry& front() {
        if (!is_sorted_) {
            while (buckets_[first_].empty()) ++first_;
            std::sort(buckets_[first_].begin(), buckets_[first_].end());
            is_sorted_ = true;
        }
        return buckets_[first_].back();
    }

    // Removes the entry in front, which must have been looked at.
    void pop() {
        buckets_[first_].pop_back();
        --size_;
        if (buckets_[first_].empty()) is_sorted_ = false;
    }

private:
    static constexpr std::size_t kBuckets = 64;
    static constexpr double kPerUnit = 4;  // buckets for a difference of 1; the last one has all that is further below

    std::size_t bucket_of(double log_prob) const {
        const double below = (highest_ - log_prob) * kPerUnit;
        if (!(below < kBuckets - 1)) return kBuckets - 1;
        return below > 0 ? static_cast<std::size_t>(below) : 0;
    }

    std::array<std::vector<Entry>, kBuckets> buckets_;
    std::size_t size_ = 0, first_ = 0;  // no bucket before has entries
    bool is_sorted_ = false;            // the first bucket
    double highest_ = 0;
};

}  // namespace bistro::isbn
