// The model's view of a stack: the possible actions, and the elements of the contexts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "parse/stack_graph.hpp"

namespace bistro {

class StackView {
public:
    explicit StackView(const TransitionModel<Frozen>& model) : model_(model) {
        for (const ContextList* list :
             {&model.actions.contexts, &model.tags.contexts, &model.words.contexts, &model.labels.contexts})
            for (const std::uint8_t e : *list) {
                reads_last_ = reads_last_ || e == element("p1.tag") || e == element("p2.tag");
                reads_last_but_one_ = reads_last_but_one_ || e == element("p2.tag");
            }
    }

    // The look of a stack with this item on top of another stack. The last tags are included only if a context uses them.
    StackLook on_top(const StackItems& items, const StackLook& under, std::uint32_t item, std::int32_t last_tag,
                     std::int32_t last_tag_but_one, std::int32_t begin) const {
        StackLook look = from_above(items, under);
        look.items[0] = item;
        look.last_tag = static_cast<std::int16_t>(reads_last_ ? last_tag : -1);
        look.last_tag_but_one = static_cast<std::int16_t>(reads_last_but_one_ ? last_tag_but_one : -1);
        look.begin = begin;
        return look;
    }

    // The look of a stack below a new item.
    static StackLook from_above(const StackItems& items, const StackLook& under) {
        StackLook look;
        for (std::size_t depth = 1; depth < kStackItems; ++depth) look.items[depth] = items.seen_at(under.items[depth - 1], depth);
        return look;
    }

    Choices choices(const StackItems& items, const StackLook& look, std::int32_t words) const {
        const System& system = model_.system;
        const std::int32_t root = system.symbols.root_tag();
        auto tag = [&](std::size_t depth) { return items.facts(look.items[depth])[fact("tag")]; };
        const bool empty = look.items[0] == StackItems::kMissing, several = look.items[1] != StackItems::kMissing;
        if (system.root_first) return {true, several && tag(1) != root, several, !system.single_root && !several && words > 0};
        if (!empty && tag(0) == root) return {false, several, false, false};
        return {true, several, several, !empty && (!several || !system.single_root)};
    }

    void observe(const StackItems& items, const StackLook& look, const Sentence& sentence, std::int32_t words,
                 Elements& out) const {
        const Symbols& symbols = model_.system.symbols;
        for (std::size_t depth = 0; depth < kStackItems; ++depth) {
            const ItemFacts& facts = items.facts(look.items[depth]);
            std::copy(facts.begin(), facts.begin() + kFacts, out.begin() + static_cast<std::ptrdiff_t>(depth * kFacts));
        }
        auto word = [&](std::int32_t position) {
            return position > 0 ? sentence.words[static_cast<std::size_t>(position) - 1] : symbols.no_word();
        };
        out[element("p1.tag")] = look.last_tag >= 0 ? look.last_tag : symbols.no_tag();
        out[element("p2.tag")] = look.last_tag_but_one >= 0 ? look.last_tag_but_one : symbols.no_tag();
        const std::int32_t shifted = std::min(words, sentence.size());  // if the root comes last, it is not a word
        out[element("p1.word")] = word(shifted);
        out[element("p2.word")] = word(shifted - 1);
        const bool several = look.items[1] != StackItems::kMissing;
        out[element("distance")] =
            several ? distance_class(items.facts(look.items[0])[kFacts] - items.facts(look.items[1])[kFacts]) : 6;
        observe_kinds(symbols, out);
    }

private:
    const TransitionModel<Frozen>& model_;
    bool reads_last_ = false, reads_last_but_one_ = false;
};

}  // namespace bistro
