// A fast estimate of the probability of the next word: p(tag | first elements of its context) p(word | tag), summed over
// all tags.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/distributions.hpp"
#include "parse/packed_context.hpp"

namespace bistro {

class WordGuide {
public:
    struct Guess {
        double all = 0, others = 0;  // sums over all tags, and over tags that are not in seen()
    };

    explicit WordGuide(const TransitionModel<Frozen>& model)
        : model_(model), first_{model.tags.franchise, first(model.tags.contexts)}, beginning_(first_.contexts),
          is_whole_(beginning_.length() == static_cast<int>(first_.contexts.size())), of_tags_(first_, model.system.symbols.tags),
          tags_(static_cast<std::size_t>(model.system.symbols.tags)), width_((tags_ + kLanes - 1) / kLanes * kLanes),
          guesses_(kGuesses), keys_(kRows), rows_((kRows + 1) * width_), of_word_(width_), of_others_(width_) {}
    WordGuide(const WordGuide&) = delete;  // of_tags_ refers to first_

    // Sets the word whose probability is estimated. With `apart`, the tags that it had in training are distinguished from
    // other tags.
    void take(const Sentence& sentence, std::int32_t position, bool apart) {
        ++taken_;
        const std::int32_t tags = model_.system.symbols.tags;
        const double* spelling = sentence.spelling(position, tags);
        const auto word = static_cast<std::uint32_t>(sentence.words[static_cast<std::size_t>(position) - 1]);
        const Frozen& words = *model_.words.franchise;
        const int length = leading_tag_elements(model_.words.contexts);
        Path path;
        for (std::int32_t tag = 0; tag < tags; ++tag) {
            auto front = [&](int k) { return k + 1 < length ? model_.system.symbols.kind(tag) : tag; };
            const int depth = words.descend(front, length, path.data());
            of_word_[static_cast<std::size_t>(tag)] =
                words.probability_on_path(path.data(), depth, word) * (spelling ? spelling[tag] : 1.0);
        }
        seen_ = apart ? model_.tags_seen(static_cast<std::int32_t>(word)) : std::span<const std::int32_t>();
        of_others_ = of_word_;
        for (const std::int32_t tag : seen_) of_others_[static_cast<std::size_t>(tag)] = 0;
    }

    // The tags that the word had in training if they are distinguished from other tags; otherwise, an empty list.
    std::span<const std::int32_t> seen() const { return seen_; }

    Guess guess(const Elements& elements) {
        std::uint64_t key;
        if (!is_whole_ || !beginning_.pack(elements, key)) return look_up(fill(elements, kRows));
        Known& known = guesses_[mix(key) & (kGuesses - 1)];
        if (known.key == key && known.taken == taken_) return known.guess;
        const std::size_t row = mix(key) & (kRows - 1);
        const bool is_kept = keys_[row] == key;
        keys_[row] = key;
        return (known = {key, taken_, look_up(is_kept ? &rows_[row * width_] : fill(elements, row))}).guess;
    }

private:
    // The estimate for the current word after one beginning of a context.
    struct Known {
        std::uint64_t key = 0, taken = 0;
        Guess guess;
    };
    static constexpr std::ptrdiff_t kContexts = 4;
    static constexpr std::size_t kGuesses = 256, kRows = 8192, kLanes = 4;

    // Writes p(tag | beginning of the context) to a row. Single precision is enough for an estimate.
    const float* fill(const Elements& elements, std::size_t row) {
        const double* of_tags = of_tags_.nested_of(elements);
        for (std::size_t tag = 0; tag < tags_; ++tag) rows_[row * width_ + tag] = static_cast<float>(of_tags[tag]);
        return &rows_[row * width_];
    }

    Guess look_up(const float* of_tags) const {
        Guess guess;
        std::array<double, kLanes> sums{};  // independent of each other, so they overlap
        for (std::size_t tag = 0; tag < width_; tag += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += of_tags[tag + lane] * of_others_[tag + lane];
        guess.all = guess.others = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for (const std::int32_t tag : seen_) guess.all += of_tags[tag] * of_word_[static_cast<std::size_t>(tag)];
        return guess;
    }

    static ContextList first(const ContextList& contexts) {
        return {contexts.begin(), contexts.begin() + std::min(kContexts, static_cast<std::ptrdiff_t>(contexts.size()))};
    }

    const TransitionModel<Frozen>& model_;
    Predictor<Frozen> first_;
    PackedContext beginning_;
    bool is_whole_;
    Distributions<Frozen> of_tags_;
    std::size_t tags_, width_;  // number of tags, and the same rounded up to a multiple of kLanes
    std::vector<Known> guesses_;
    std::vector<std::uint64_t> keys_;          // by row: its packed beginning
    std::vector<float> rows_;                  // p(tag | beginning): cached rows, and one for beginnings that are not cached
    std::uint64_t taken_ = 0;                  // number of calls of `take`
    std::span<const std::int32_t> seen_;       // tags that the word had in training
    std::vector<double> of_word_, of_others_;  // p(word | tag) of all tags; the same with 0 for seen tags
};

}  // namespace bistro
