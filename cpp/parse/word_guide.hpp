// A fast estimate of the probability of the next word, from the first elements of the context of its tag and from its tag
// alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/distributions.hpp"
#include "parse/packed_context.hpp"

namespace bistro {

class WordGuide {
public:
    explicit WordGuide(const TransitionModel<Frozen>& model)
        : model_(model), first_{model.tags.franchise, first(model.tags.contexts)}, of_tags_(first_, model.system.symbols.tags),
          beginning_(first_.contexts), is_whole_(beginning_.length() == static_cast<int>(first_.contexts.size())),
          guesses_(kGuesses), of_word_(static_cast<std::size_t>(model.system.symbols.tags)) {}
    WordGuide(const WordGuide&) = delete;  // its cache refers to the object itself

    void take(const Sentence& sentence, std::int32_t position) {
        ++taken_;
        const std::int32_t tags = model_.system.symbols.tags;
        const double* spelling = sentence.spelling(position, tags);
        const auto word = static_cast<std::uint32_t>(sentence.words[static_cast<std::size_t>(position) - 1]);
        const Frozen& words = *model_.words.franchise;
        const int length = !model_.words.contexts.empty() && model_.words.contexts[0] == element("b.tag");
        Path path;
        for (std::int32_t tag = 0; tag < tags; ++tag) {
            const int depth = words.descend([&](int) { return tag; }, length, path.data());
            of_word_[static_cast<std::size_t>(tag)] =
                words.probability_on_path(path.data(), depth, word) * (spelling ? spelling[tag] : 1.0);
        }
    }

    double guess(const Elements& elements) {
        std::uint64_t key;
        if (!is_whole_ || !beginning_.pack(elements, key)) return look_up(elements);
        Guess& known = guesses_[mix(key) & (kGuesses - 1)];
        if (known.key != key || known.taken != taken_) known = {key, taken_, look_up(elements)};
        return known.value;
    }

private:
    // The estimate for the current word, cached for contexts with the same beginning.
    struct Guess {
        std::uint64_t key = 0, taken = 0;
        double value = 0;
    };
    static constexpr std::ptrdiff_t kContexts = 4;
    static constexpr std::size_t kGuesses = 256;

    double look_up(const Elements& elements) {
        const double* of_tags = of_tags_.of(elements);
        double sum = 0;
        for (std::size_t tag = 0; tag < of_word_.size(); ++tag) sum += of_tags[tag] * of_word_[tag];
        return sum;
    }

    static ContextList first(const ContextList& contexts) {
        return {contexts.begin(), contexts.begin() + std::min(kContexts, static_cast<std::ptrdiff_t>(contexts.size()))};
    }

    const TransitionModel<Frozen>& model_;
    Predictor<Frozen> first_;
    Distributions<Frozen> of_tags_;
    PackedContext beginning_;
    bool is_whole_;
    std::vector<Guess> guesses_;
    std::uint64_t taken_ = 0;      // words so far
    std::vector<double> of_word_;  // p(word | tag)
};

}  // namespace bistro
