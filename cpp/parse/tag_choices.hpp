// Which tags the next word may have, and how probable each is together with the word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "hpyp/fan.hpp"
#include "parse/distributions.hpp"

namespace bistro {

template <class Franchise>
class TagChoices {
public:
    explicit TagChoices(const TransitionModel<Franchise>& model) : model_(model), of_tags_(model.tags, model.system.symbols.tags) {
        const ContextList& contexts = model.words.contexts;
        if constexpr (std::is_same_v<Franchise, Frozen>) {
            const bool tag_first = !contexts.empty() && contexts[0] == element("b.tag") &&
                                   std::count(contexts.begin(), contexts.end(), element("b.tag")) == 1;
            if (model.lexicalised && tag_first)
                fan_.emplace(*model.words.franchise, model.system.symbols.tags);
        }
    }

    // Every tag the next word may have, with its probability, in the order of the tags; `spelling` is p(spelling | tag) where the
    // word needs it.
    void find(Elements& elements, std::int32_t word, std::int32_t given, const double* spelling, std::vector<TagChoice>& out) {
        out.clear();
        find_spelled_alike(elements, word, given, out);
        if (!spelling || !model_.lexicalised) return;
        for (TagChoice& choice : out) {
            choice.probability *= spelling[choice.tag];
            choice.word *= spelling[choice.tag];
        }
    }

private:
    void find_spelled_alike(Elements& elements, std::int32_t word, std::int32_t given, std::vector<TagChoice>& out) {
        const auto& begin = model_.tag_begin;
        if (given < 0 && (begin.empty() || begin[word] == begin[word + 1])) return find_all(elements, word, out);
        Path path;
        const int depth = model_.tags.descend(elements, path);
        auto consider = [&](std::int32_t tag) {
            add(tag, model_.tags.franchise->probability_on_path(path.data(), depth, static_cast<std::uint32_t>(tag)),
                of_word(elements, word, tag), out);
        };
        if (given >= 0) return consider(given);
        for (std::int32_t i = begin[word]; i < begin[word + 1]; ++i) consider(model_.tag_list[i]);
    }

    void find_all(Elements& elements, std::int32_t word, std::vector<TagChoice>& out) {
        const std::int32_t tags = model_.system.symbols.tags;
        of_words_.resize(tags);
        const double* of_tags = of_tags_.of(elements);
        if (fan_)
            fan_->probabilities(static_cast<std::uint32_t>(word), ContextOf{elements, model_.words.contexts},
                                static_cast<int>(model_.words.contexts.size()), of_words_.data());
        else
            for (std::int32_t tag = 0; tag < tags; ++tag) of_words_[tag] = of_word(elements, word, tag);
        for (std::int32_t tag = 0; tag < tags; ++tag) add(tag, of_tags[tag], of_words_[tag], out);
    }

    double of_word(Elements& elements, std::int32_t word, std::int32_t tag) const {
        elements[element("b.tag")] = tag;
        return model_.lexicalised ? model_.words.probability(elements, word) : 1.0;
    }

    static void add(std::int32_t tag, double of_tag, double of_word, std::vector<TagChoice>& out) {
        out.push_back({tag, of_tag * of_word, of_word});
    }

    const TransitionModel<Franchise>& model_;
    std::optional<Fan> fan_;  // where contexts of words begin with the tag
    Distributions<Franchise> of_tags_;
    std::vector<double> of_words_;
};

}  // namespace bistro
