// The agenda of the search: partial derivations that wait to be extended, the most probable first, and the threshold for
// keeping a derivation.
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

// A partial derivation and its next action (kStart: none yet). Arcs without a label and shifts without a word wait like all other
// items. Their labels and words are computed only when they are taken.
struct Item {
    double log_prob;
    std::int32_t node, action, label;
    std::uint32_t level;  // actions since the last shift
};

class Agenda {
public:
    // `margin` as in BeamOptions.
    explicit Agenda(double margin) : margin_(margin) {}

    // Starts a new word, after which `limit` derivations are kept. No derivation is more probable than `highest`.
    void begin(std::size_t limit, double highest) {
        limit_ = limit;
        items_.clear();
        waiting_.clear(highest);
        unlikely_.clear();
        best_.clear();
        best_word_ = -std::numeric_limits<double>::infinity();
    }

    // The log-probability that a derivation must exceed to be kept.
    double threshold() const { return best_.size() < limit_ ? -std::numeric_limits<double>::infinity() : best_.front(); }

    void push(double log_prob, std::int32_t node, std::int32_t action, std::int32_t label, std::uint32_t level) {
        if (!(log_prob > threshold())) return;
        items_.push_back({log_prob, node, action, label, level});
        wait({log_prob, items_.size() - 1});
    }

    // Can a derivation that has not yet reached its next word still be kept?
    bool can_win(double log_prob) const { return log_prob > threshold() - most_for_word(); }

    // Removes the best items that can still win and moves at most `most` of them to `taken`; `taken` is empty if the search is
    // over. `most_after(item)` estimates the highest log-probability that the item can have at its next word. If this is not
    // above the threshold, the item is dropped.
    template <class MostAfter>
    void take(std::size_t most, std::vector<Item>& taken, const MostAfter& most_after) {
        taken.clear();
        while (taken.size() < most && !waiting_.empty() && can_win(waiting_.front().log_prob)) {
            const Item& item = items_[waiting_.front().item];
            if (most_after(item) > threshold()) taken.push_back(item);
            waiting_.pop();
        }
    }

    // Notes the log-probability of a derivation that has reached the next word.
    void note_score(double log_prob) {
        best_.push_back(log_prob);
        std::push_heap(best_.begin(), best_.end(), std::greater<>());
        if (best_.size() <= limit_) return;
        std::pop_heap(best_.begin(), best_.end(), std::greater<>());
        best_.pop_back();
    }

    // Notes the log-probability of the next word in one derivation.
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

    // Upper estimate of the log-probability of the next word: the highest one so far plus the margin, but at most 0.
    double most_for_word() const { return std::isfinite(best_word_) ? std::min(0.0, best_word_ + margin_) : 0.0; }

    double margin_;
    std::size_t limit_ = 1;
    std::vector<Item> items_;  // in order of insertion
    Waiting waiting_;
    std::vector<Waiting::Entry> unlikely_;  // can only win if `best_word_` increases
    std::vector<Waiting::Entry> again_;
    std::vector<double> best_;  // min-heap of the highest log-probabilities
    double best_word_ = 0;
};

}  // namespace bistro::isbn
