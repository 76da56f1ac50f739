// A cache of the model's predictions for configurations that look the same.
//
// Derivations that generate the same word differ mostly in their past, and the elements of their contexts are often
// identical. The cache therefore computes each distinct query once per word. The key consists of the values of all elements
// in the contexts of actions, tags and words, without the next tag.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "parse/model.hpp"

namespace bistro {

class PredictionMemory {
public:
    struct Answer {
        std::array<std::int32_t, kElements + 1> key{};  // the elements in use, then the possible actions
        ActionProbabilities actions;
        bool has_tags = false;
        std::vector<TagChoice> tags;
    };

    template <class Franchise>
    explicit PredictionMemory(const TransitionModel<Franchise>& model) : slots_(64, kNone) {
        std::array<bool, kElements> used{};
        for (const ContextList* list : {&model.actions.contexts, &model.tags.contexts, &model.words.contexts})
            for (const std::uint8_t e : *list) used[e] = !is_of_next_tag(e);
        for (int e = 0; e < kElements; ++e)
            if (used[e]) used_.push_back(static_cast<std::uint8_t>(e));
    }

    // Clears the cache, since the answers differ for the next word.
    void clear() {
        size_ = 0;
        std::fill(slots_.begin(), slots_.end(), kNone);
    }

    // The answer for the current elements. `is_new` is set if the query is new.
    Answer& find(const Elements& elements, const Choices& possible, bool& is_new) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        std::array<std::int32_t, kElements + 1> key;
        std::size_t n = 0;
        for (const std::uint8_t e : used_) key[n++] = elements[e];
        key[n++] = possible.shift + 2 * possible.left_arc + 4 * possible.right_arc + 8 * possible.end;
        std::size_t slot = hash(key, n) & (slots_.size() - 1);
        for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
            Answer& known = answers_[slots_[slot]];
            if (std::equal(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(n), known.key.begin())) {
                is_new = false;
                return known;
            }
        }
        slots_[slot] = static_cast<std::uint32_t>(size_);
        if (answers_.size() == size_) answers_.emplace_back();
        Answer& answer = answers_[size_++];
        answer.key = key;
        answer.has_tags = false;
        is_new = true;
        return answer;
    }

private:
    static std::uint64_t hash(const std::array<std::int32_t, kElements + 1>& key, std::size_t n) {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < n; ++i) h = (h ^ static_cast<std::uint32_t>(key[i])) * 0x9E3779B97F4A7C15ULL;
        return mix(h);
    }

    void grow() {
        slots_.assign(slots_.size() * 2, kNone);
        for (std::size_t i = 0; i < size_; ++i) {
            std::size_t slot = hash(answers_[i].key, used_.size() + 1) & (slots_.size() - 1);
            while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(i);
        }
    }

    std::vector<std::uint8_t> used_;
    std::vector<std::uint32_t> slots_;
    std::vector<Answer> answers_;  // the first size_ are in use; the others keep their memory
    std::size_t size_ = 0;
};

}  // namespace bistro
