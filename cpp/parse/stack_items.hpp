// Stack items, reduced to the facts that the contexts of a model use.
//
// Two configurations have the same future if the model cannot distinguish them: if every fact that any context uses is the
// same. An item moves down when others are shifted onto it and up again when they are removed, so the relevant facts depend
// on its depth: for the top item, all facts that a context uses at any depth; for the item below, all facts that are used
// from the second item on, and so on. An item has one number for the top of the stack and one for each depth below it.
// Items with the same relevant facts at a depth have the same number there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "parse/model.hpp"

namespace bistro {

// The facts of a stack item in the order of `kFactNames`, and its position.
using ItemFacts = std::array<std::int32_t, kFacts + 1>;

consteval int fact(std::string_view name) { return number_of(kFactNames, name); }

class StackItems {
public:
    static constexpr std::uint32_t kMissing = 0;  // the number of a missing item, below the bottom of the stack
    static constexpr std::int32_t kUnread = -1;

    template <class Franchise>
    explicit StackItems(const TransitionModel<Franchise>& model) : symbols_(model.system.symbols) {
        for (auto& depth : read_) depth.fill(false);
        bool distance = false;
        std::vector<const ContextList*> lists{&model.actions.contexts, &model.tags.contexts, &model.words.contexts};
        if (model.labelled && model.labels_in_contexts) lists.push_back(&model.labels.contexts);
        for (const ContextList* list : lists)
            for (const std::uint8_t e : *list) {
                if (const int f = shown_fact(e); f < kStackItems * kFacts)
                    read_[static_cast<std::size_t>(f / kFacts)][static_cast<std::size_t>(f % kFacts)] = true;
                distance = distance || e == element("distance");
            }
        // The distance is that between the two top items. The possible actions depend on the tags of the two top items.
        for (std::size_t depth = 0; depth < 2; ++depth) read_[depth][kFacts] = distance, read_[depth][fact("tag")] = true;
        for (std::size_t depth = kStackItems - 1; depth-- > 0;)
            for (std::size_t f = 0; f < read_[depth].size(); ++f) read_[depth][f] = read_[depth][f] || read_[depth + 1][f];
        clear();
    }

    void clear() {
        items_.clear();
        std::fill(slots_.begin(), slots_.end(), kNone);
        std::fill(joined_.begin(), joined_.end(), Joined{});
        const std::int32_t t = symbols_.no_tag(), w = symbols_.no_word(), l = symbols_.no_label();
        items_.push_back({{t, w, t, l, w, t, l, w, kMostChildren + 1, kMostChildren + 1, 0}, {}});
    }

    const ItemFacts& facts(std::uint32_t item) const { return items_[item].facts; }

    // The number of the item when it is `depth` places below the top.
    std::uint32_t seen_at(std::uint32_t item, std::size_t depth) const { return items_[item].seen_at[depth - 1]; }

    std::uint32_t without_children(std::int32_t tag, std::int32_t word, std::int32_t position) {
        const std::int32_t t = symbols_.no_tag(), w = symbols_.no_word(), l = symbols_.no_label();
        return number({tag, word, t, l, w, t, l, w, 0, 0, position});
    }

    // The item `head` after `child` has become its outermost child on one side. Results are cached, since the same pairs of
    // items recur.
    std::uint32_t with_child(std::uint32_t head, std::uint32_t child, Action arc, std::int32_t label) {
        const std::uint64_t pair = pair_key(head, child);
        const std::uint32_t how = static_cast<std::uint32_t>(label) * 2 + (arc == Action::left_arc);
        Joined& joined = joined_[mix(pair + how) & (kJoined - 1)];
        if (joined.pair != pair || joined.how != how || joined.item == kNone) joined = {pair, how, join(head, child, arc, label)};
        return joined.item;
    }

private:
    struct Item {
        ItemFacts facts;
        std::array<std::uint32_t, kStackItems - 1> seen_at{};
    };
    struct Joined {
        std::uint64_t pair = 0;
        std::uint32_t how = 0, item = kNone;
    };
    static constexpr std::size_t kJoined = 1024;

    std::uint32_t join(std::uint32_t head, std::uint32_t child, Action arc, std::int32_t label) {
        ItemFacts facts = items_[head].facts;
        const bool left = arc == Action::left_arc;
        const auto first = static_cast<std::size_t>(left ? fact("lc1.tag") : fact("rc1.tag"));
        facts[first] = items_[child].facts[fact("tag")];
        facts[first + 1] = label;
        facts[first + 2] = items_[child].facts[fact("word")];
        std::int32_t& count = facts[static_cast<std::size_t>(left ? fact("lval") : fact("rval"))];
        count = std::min(count + 1, kMostChildren);
        return number(facts);
    }

    std::uint32_t number(const ItemFacts& facts) {
        const std::uint32_t item = find(masked(facts, 0));
        if (items_[item].seen_at[0] != kNone) return item;
        for (std::size_t depth = 1; depth < kStackItems; ++depth) {
            const std::uint32_t below = find(masked(items_[item].facts, depth));
            items_[item].seen_at[depth - 1] = below;
            // An item reduced to the facts for some depth is an item itself, which has fewer facts further down.
            for (std::size_t more = depth; more < kStackItems; ++more)
                if (items_[below].seen_at[more - 1] == kNone)
                    items_[below].seen_at[more - 1] = find(masked(items_[item].facts, more));
        }
        return item;
    }

    ItemFacts masked(ItemFacts facts, std::size_t depth) const {
        for (std::size_t f = 0; f < facts.size(); ++f)
            if (!read_[depth][f]) facts[f] = kUnread;
        return facts;
    }

    // The item with exactly these facts, added if there is none.
    std::uint32_t find(const ItemFacts& facts) {
        if ((items_.size() + 1) * 2 > slots_.size()) grow();
        std::size_t slot = hash(facts) & (slots_.size() - 1);
        for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
            if (items_[slots_[slot]].facts == facts) return slots_[slot];
        slots_[slot] = static_cast<std::uint32_t>(items_.size());
        Item item{facts, {}};
        item.seen_at.fill(kNone);
        items_.push_back(item);
        return slots_[slot];
    }

    static std::uint64_t hash(const ItemFacts& facts) {
        std::uint64_t h = 0;
        for (const std::int32_t f : facts) h = (h ^ static_cast<std::uint32_t>(f)) * 0x9E3779B97F4A7C15ULL;
        return mix(h);
    }

    void grow() {
        slots_.assign(slots_.size() * 2, kNone);
        for (std::uint32_t i = 1; i < items_.size(); ++i) {
            std::size_t slot = hash(items_[i].facts) & (slots_.size() - 1);
            while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = i;
        }
    }

    Symbols symbols_;
    std::array<std::array<bool, kFacts + 1>, kStackItems> read_{};  // by depth: which facts are read there or further down
    std::vector<Item> items_;
    std::vector<Joined> joined_ = std::vector<Joined>(kJoined);
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256, kNone);
};

}  // namespace bistro
