// The possible tags of the next word, and the joint probability of each tag and the word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "hpyp/fan.hpp"
#include "parse/distributions.hpp"

namespace bistro {

inline void keep_most_probable(std::vector<TagChoice>& items, std::size_t most) {
    if (items.size() <= most) return;
    std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(),
                      [](const TagChoice& a, const TagChoice& b) {
                          return a.probability != b.probability ? a.probability > b.probability : a.tag < b.tag;
                      });
    items.resize(most);
}

template <class Franchise>
class TagChoices {
public:
    // The probability of a tag that its word never had in training is multiplied by `unseen_tags`; with 0, such tags are
    // not tried. If the model does not generate words, words and tags are related only by the tags that words had in
    // training, and no other tags are tried.
    TagChoices(const TransitionModel<Franchise>& model, double unseen_tags)
        : model_(model), unseen_tags_(model.lexicalised ? unseen_tags : 0), of_tags_(model.tags, model.system.symbols.tags) {
        const ContextList& contexts = model.words.contexts;
        if constexpr (std::is_same_v<Franchise, Frozen>) {
            const Symbols& symbols = model.system.symbols;
            const int first = leading_tag_elements(contexts);
            if (model.lexicalised && first > 0)
                fan_.emplace(*model.words.franchise, symbols.tags, first == 2 ? symbols.kinds : std::vector<std::int32_t>());
        }
    }

    // Every possible tag of the next word with its probability, in the order of the tags. `spelling` is p(spelling | tag),
    // if the word needs it.
    void find(Elements& elements, std::int32_t word, std::int32_t given, const double* spelling, std::vector<TagChoice>& out) {
        number_ = kNone;
        find_tags(elements, word, given, spelling, out);
    }

    // The same without a given tag, for many queries that are known in advance: looking them up together is faster.
    void prepare(std::span<const Elements> questions) { of_tags_.prepare(questions); }
    void find_prepared(std::uint32_t number, Elements& elements, std::int32_t word, const double* spelling,
                       std::vector<TagChoice>& out) {
        number_ = number;
        find_tags(elements, word, -1, spelling, out);
    }
    double of_prepared(std::size_t number, std::int32_t tag) { return of_tags_.of_prepared(number)[tag]; }

private:
    void find_tags(Elements& elements, std::int32_t word, std::int32_t given, const double* spelling, std::vector<TagChoice>& out) {
        out.clear();
        find_spelled_alike(elements, word, given, out);
        if (given < 0 && 0 < unseen_tags_ && unseen_tags_ < 1) weigh_unseen(word, out);
        if (!spelling || !model_.lexicalised) return;
        for (TagChoice& choice : out) {
            choice.probability *= spelling[choice.tag];
            choice.word *= spelling[choice.tag];
        }
    }

    void find_spelled_alike(Elements& elements, std::int32_t word, std::int32_t given, std::vector<TagChoice>& out) {
        std::span<const std::int32_t> seen;
        if (given < 0 && (unseen_tags_ == 0 || is_closed(word))) seen = model_.tags_seen(word);
        if (given < 0 && seen.empty()) return find_all(elements, word, out);
        Path path;
        const int depth = model_.tags.descend(elements, path);
        auto consider = [&](std::int32_t tag) {
            add(tag, model_.tags.franchise->probability_on_path(path.data(), depth, static_cast<std::uint32_t>(tag)),
                of_word(elements, word, tag), out);
        };
        if (given >= 0) return consider(given);
        for (const std::int32_t tag : seen) consider(tag);
    }

    void find_all(Elements& elements, std::int32_t word, std::vector<TagChoice>& out) {
        const std::int32_t tags = model_.system.symbols.tags;
        of_words_.resize(tags);
        const double* of_tags = number_ == kNone ? of_tags_.of(elements) : of_tags_.of_prepared(number_);
        if (fan_)
            fan_->probabilities(static_cast<std::uint32_t>(word), ContextOf{elements, model_.words.contexts},
                                static_cast<int>(model_.words.contexts.size()), of_words_.data());
        else
            for (std::int32_t tag = 0; tag < tags; ++tag) of_words_[tag] = of_word(elements, word, tag);
        for (std::int32_t tag = 0; tag < tags; ++tag) add(tag, of_tags[tag], of_words_[tag], out);
    }

    // Whether the highest p(word | tag) of the tags that the word never had in training, times their factor, is less than a
    // ten-thousandth of the highest p(word | tag) of its own tags. A tenth to a fifth of the words of a text satisfy this,
    // and are as fast as if no other tags were tried. The rest of the context can only make a word less probable under a
    // tag that it never had. With factor 1, all tags are tried.
    bool is_closed(std::int32_t word) {
        if (unseen_tags_ == 1 || !fan_ || model_.tags_seen(word).empty()) return false;
        if (closed_.empty()) closed_.assign(static_cast<std::size_t>(model_.system.symbols.words), kOpen);
        std::uint8_t& known = closed_[static_cast<std::size_t>(word)];
        if (known & kKnown) return known & kClosed;
        const std::int32_t tags = model_.system.symbols.tags;
        of_words_.resize(static_cast<std::size_t>(tags));
        fan_->probabilities(static_cast<std::uint32_t>(word), [](int) { return 0; }, 1, of_words_.data());
        double seen = 0, unseen = 0;
        for (std::int32_t tag = 0; tag < tags; ++tag) {
            double& highest = model_.is_unseen(word, tag) ? unseen : seen;
            highest = std::max(highest, of_words_[static_cast<std::size_t>(tag)]);
        }
        known = kKnown | (unseen * unseen_tags_ < kLeastShare * seen ? kClosed : kOpen);
        return known & kClosed;
    }

    void weigh_unseen(std::int32_t word, std::vector<TagChoice>& out) const {
        for (TagChoice& choice : out)
            if (model_.is_unseen(word, choice.tag)) {
                choice.unseen = true;
                choice.probability *= unseen_tags_;
            }
    }

    double of_word(Elements& elements, std::int32_t word, std::int32_t tag) const {
        set_next_tag(model_.system.symbols, tag, elements);
        return model_.lexicalised ? model_.words.probability(elements, word) : 1.0;
    }

    static void add(std::int32_t tag, double of_tag, double of_word, std::vector<TagChoice>& out) {
        out.push_back({tag, of_tag * of_word, of_word});
    }

    const TransitionModel<Franchise>& model_;
    double unseen_tags_;
    static constexpr double kLeastShare = 1e-4;
    static constexpr std::uint8_t kOpen = 0, kClosed = 1, kKnown = 2;
    std::vector<std::uint8_t> closed_;  // by word, computed when first needed
    std::optional<Fan> fan_;            // if contexts of words begin with the tag, or with its kind and the tag
    Distributions<Franchise> of_tags_;
    std::vector<double> of_words_;
    std::uint32_t number_ = kNone;  // index of the query in the last call of `prepare`, or kNone
};

}  // namespace bistro
