// The tags of the next word for entries that were selected in advance: each entry is a stack with one tag, or with all
// remaining tags.
//
// Most of a word's probability comes from the few tags that it had in training. Each of these tags has its own entry per
// stack, so only selected pairs of stack and tag are looked up. All other tags of a stack share one entry, which the caller
// selects if its estimated mass is large enough, or at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/context_paths.hpp"
#include "parse/search.hpp"
#include "parse/tag_choices.hpp"

namespace bistro {

inline constexpr std::int32_t kOtherTags = -1;

class NextTags {
public:
    struct Entry {
        std::uint32_t stack;
        std::int32_t tag;  // or kOtherTags: all tags except those in `apart`
    };

    NextTags(const TransitionModel<Frozen>& model, const SearchOptions& options)
        : model_(model), most_tags_(static_cast<std::size_t>(options.tags)), tag_choices_(model, options.unseen_tags),
          is_apart_possible_(model.lexicalised && options.unseen_tags == 1 && options.tags >= model.system.symbols.tags) {}

    // Whether tags can have separate entries: only if words are generated and all tags are tried with their full
    // probability.
    bool is_apart_possible() const { return is_apart_possible_; }

    // Finds the tags of every entry, with their probabilities. The tags in `apart` have separate entries.
    void find(std::span<Elements> stacks, std::span<const Entry> entries, std::span<const std::int32_t> apart, std::int32_t word,
              const double* spelling) {
        tag_choices_.prepare(stacks);
        prepare_words(stacks, entries, static_cast<std::uint32_t>(word));
        if (choices_.size() < entries.size()) choices_.resize(entries.size());
        std::size_t asked = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const Entry entry = entries[i];
            if (entry.tag == kOtherTags) {
                tag_choices_.find_prepared(entry.stack, stacks[entry.stack], word, spelling, choices_[i]);
                std::erase_if(choices_[i], [&](const TagChoice& c) { return std::ranges::find(apart, c.tag) != apart.end(); });
                keep_most_probable(choices_[i], most_tags_);
                continue;
            }
            const double of_word = model_.words.franchise->probability_on_path(paths_.path(asked), paths_.depth(asked),
                                                                               static_cast<std::uint32_t>(word)) *
                                   (spelling ? spelling[entry.tag] : 1.0);
            choices_[i].assign(1, {entry.tag, tag_choices_.of_prepared(entry.stack, entry.tag) * of_word, of_word});
            ++asked;
        }
    }

    const std::vector<TagChoice>& of(std::size_t entry) const { return choices_[entry]; }

private:
    void prepare_words(std::span<const Elements> stacks, std::span<const Entry> entries, std::uint32_t word) {
        asked_.clear();
        for (const Entry& entry : entries) {
            if (entry.tag == kOtherTags) continue;
            asked_.push_back(stacks[entry.stack]);
            set_next_tag(model_.system.symbols, entry.tag, asked_.back());
        }
        paths_.find(model_.words, asked_);
        const Frozen& words = *model_.words.franchise;
        for (std::size_t i = 0; i < asked_.size(); ++i)
            for (int k = paths_.depth(i); k >= 0; --k) words.prefetch_offsets(paths_.path(i)[k]);
        for (std::size_t i = 0; i < asked_.size(); ++i)
            for (int k = paths_.depth(i); k >= 0; --k) words.prefetch_entry(paths_.path(i)[k], word);
    }

    const TransitionModel<Frozen>& model_;
    std::size_t most_tags_;
    TagChoices<Frozen> tag_choices_;
    bool is_apart_possible_;
    std::vector<Elements> asked_;
    ContextPaths paths_;
    std::vector<std::vector<TagChoice>> choices_;  // by entry
};

}  // namespace bistro
