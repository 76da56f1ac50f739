// What the search may do next, the most probable first, and what it takes to be kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "isbn/configuration.hpp"
#include "isbn/waiting.hpp"

namespace bistro::isbn {

// A partial derivation with the action that it goes on with, or none yet. An arc without a label and a shift without a word wait like
// all others: only if their turn comes it is worked out how they go on.
struct Item {
    double log_prob;
    std::int32_t node, action, label;
    std::uint32_t level;  // actions since the last shift
};

class Agenda {
public:
    // `margin` as in BeamOptions.
    explicit Agenda(double margin) : margin_(margin) {}

    // A new word, after which `limit` derivations are kept; none of them is more probable than `highest`.
    void begin(std::size_t limit, double highest) {
        limit_ = limit;
        items_.clear();
        waiting_.clear(highest);
        unlikely_.clear();
        best_.clear();
        best_word_ = -std::numeric_limits<double>::infinity();
    }

    // What a derivation must exceed to be kept.
    double threshold() const { return best_.size() < limit_ ? -std::numeric_limits<double>::infinity() : best_.front(); }

    void push(double log_prob, std::int32_t node, std::int32_t action, std::int32_t label, std::uint32_t level) {
        if (!(log_prob > threshold())) return;
        items_.push_back({log_prob, node, action, label, level});
        wait({log_prob, items_.size() - 1});
    }

    // Can a derivation before its next word still come among the kept ones?
    bool can_win(double log_prob) const { return log_prob > threshold() - most_for_word(); }

    // Takes the best items that can still win, at most so many; none if the search is over. `most_after(item)` is what the item is
    // expected to have become at most by its next word.
    template <class MostAfter>
    void take(std::size_t most, std::vector<Item>& taken, const MostAfter& most_after) {
        taken.clear();
        while (taken.size() < most && !waiting_.empty() && can_win(waiting_.front().log_prob)) {
            const Item& item = items_[waiting_.front().item];
            if (most_after(item) > threshold()) taken.push_back(item);
            waiting_.pop();
        }
    }

    // A derivation with this log-probability has come to the next word.
    void note_score(double log_prob) {
        best_.push_back(log_prob);
        std::push_heap(best_.begin(), best_.end(), std::greater<>());
        if (best_.size() <= limit_) return;
        std::pop_heap(best_.begin(), best_.end(), std::greater<>());
        best_.pop_back();
    }

    // The next word has this log-probability in one of them.
    void note_word(double log_prob) {
        if (!(log_prob > best_word_)) return;
        best_word_ = log_prob;
        again_.swap(unlikely_);
        for (const Waiting::Entry& w : again_) wait(w);
        again_.clear();
    }

private:
    void wait(const Waiting::Entry& waiting) {
        if (!can_win(waiting.log_prob)) return unlikely_.push_back(waiting);
        waiting_.push(waiting);
    }

    // The log-probability that the next word is expected to have at most: a little more than the highest so far.
    double most_for_word() const { return std::isfinite(best_word_) ? std::min(0.0, best_word_ + margin_) : 0.0; }

    double margin_;
    std::size_t limit_ = 1;
    std::vector<Item> items_;  // in the order of coming
    Waiting waiting_;
    std::vector<Waiting::Entry> unlikely_;  // could only win if the next word turned out more probable than it has so far
    std::vector<Waiting::Entry> again_;
    std::vector<double> best_;  // a heap, the lowest first
    double best_word_ = 0;
};

}  // namespace bistro::isbn
