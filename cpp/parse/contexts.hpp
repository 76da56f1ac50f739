// The observable elements of a configuration. Elements are numbered, and every context is a list of elements.
//
// The first elements are facts about each of the top four stack items, s1.tag to s4.rval. They are followed by the other
// elements, and finally by the kinds of tags (tags without their features). Since contexts are lists of elements, they are
// data of a model. Missing elements have special values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/elements.hpp"
#include "parse/state.hpp"

namespace bistro {

inline constexpr int kStackItems = 4;
// Facts about a stack item in the order in which `observe` lists their values.
inline constexpr std::array<std::string_view, 10> kFactNames{"tag",     "word",      "lc1.tag",  "lc1.label", "lc1.word",
                                                             "rc1.tag", "rc1.label", "rc1.word", "lval",      "rval"};
inline constexpr std::array<std::string_view, 8> kOtherNames{"b.tag",   "p1.tag",   "p1.word", "p2.tag",
                                                             "p2.word", "distance", "action",  "b.kind"};
// The kinds of tags of each stack item, and the facts that contain these tags.
inline constexpr std::array<std::string_view, 3> kKindNames{"kind", "lc1.kind", "rc1.kind"};
inline constexpr std::array<int, 3> kKindFacts{number_of(kFactNames, "tag"), number_of(kFactNames, "lc1.tag"),
                                               number_of(kFactNames, "rc1.tag")};
inline constexpr int kFacts = kFactNames.size(), kKinds = kKindNames.size();
inline constexpr int kFirstKind = kStackItems * kFacts + kOtherNames.size(), kElements = kFirstKind + kStackItems * kKinds;

consteval int element(std::string_view name) { return kStackItems * kFacts + number_of(kOtherNames, name); }

inline std::vector<std::string> transition_elements() {
    std::vector<std::string> names;
    for (int item = 1; item <= kStackItems; ++item)
        for (const std::string_view fact : kFactNames)
            names.emplace_back("s").append(std::to_string(item)).append(".").append(fact);
    names.insert(names.end(), kOtherNames.begin(), kOtherNames.end());
    for (int item = 1; item <= kStackItems; ++item)
        for (const std::string_view kind : kKindNames)
            names.emplace_back("s").append(std::to_string(item)).append(".").append(kind);
    return names;
}

using Elements = std::array<std::int32_t, kElements>;

// The numbers of tags, words and labels. The values after them stand for the root and for missing elements.
struct Symbols {
    std::int32_t tags = 1, words = 1, labels = 1;
    std::vector<std::int32_t> kinds{};  // by tag: the first tag equal to it except for features; empty if no context uses kinds

    std::int32_t root_tag() const { return tags; }
    std::int32_t no_tag() const { return tags + 1; }
    std::int32_t root_word() const { return words; }
    std::int32_t no_word() const { return words + 1; }
    std::int32_t no_label() const { return labels; }
    std::int32_t kind(std::int32_t tag) const { return tag >= 0 && tag < tags && !kinds.empty() ? kinds[tag] : tag; }
};

// The fact of a stack item that an element shows, numbered over all items. The kind of a tag shows the tag. Elements that
// are not about stack items are returned unchanged.
inline int shown_fact(int e) {
    if (e < kFirstKind) return e;
    return (e - kFirstKind) / kKinds * kFacts + kKindFacts[static_cast<std::size_t>((e - kFirstKind) % kKinds)];
}

inline bool is_of_next_tag(int e) { return e == element("b.tag") || e == element("b.kind"); }

// The number of elements at the beginning of a context that depend only on the next tag: 1 for b.tag, 2 for b.kind and
// b.tag; 0 if there are none or if they are arranged in any other way.
inline int leading_tag_elements(const ContextList& contexts) {
    const auto count = std::count_if(contexts.begin(), contexts.end(), is_of_next_tag);
    if (count == 1 && contexts[0] == element("b.tag")) return 1;
    return count == 2 && contexts[0] == element("b.kind") && contexts[1] == element("b.tag") ? 2 : 0;
}

inline constexpr std::int32_t kMostChildren = 3;

inline std::int32_t distance_class(std::int32_t distance) {
    constexpr std::array<std::int32_t, 5> limits{1, 2, 3, 5, 10};
    return static_cast<std::int32_t>(std::lower_bound(limits.begin(), limits.end(), distance) - limits.begin());
}

// Sets the kinds of all tags that `out` already contains.
inline void observe_kinds(const Symbols& symbols, Elements& out) {
    if (symbols.kinds.empty()) return;
    for (int e = kFirstKind; e < kElements; ++e) out[e] = symbols.kind(out[shown_fact(e)]);
}

inline void set_next_tag(const Symbols& symbols, std::int32_t tag, Elements& out) {
    out[element("b.tag")] = tag;
    out[element("b.kind")] = symbols.kind(tag);
}

// Computes all elements of a configuration. The caller sets the next tag and the action if its contexts contain them.
inline void observe(const States& states, std::uint32_t id, const Symbols& symbols, std::span<const std::int32_t> words,
                    Elements& out) {
    const State& now = states[id];
    std::uint32_t at = now.depth > 0 ? id : kNone;  // with the root last, the stack is empty at first
    for (int item = 0; item < kStackItems; ++item) {
        std::int32_t* fact = &out[static_cast<std::size_t>(item) * kFacts];
        if (at == kNone) {
            const std::int32_t t = symbols.no_tag(), w = symbols.no_word(), l = symbols.no_label();
            const std::array<std::int32_t, kFacts> missing{t, w, t, l, w, t, l, w, kMostChildren + 1, kMostChildren + 1};
            std::copy(missing.begin(), missing.end(), fact);
            continue;
        }
        const State& s = states[at];
        const std::array<std::int32_t, kFacts> facts{s.tag,
                                                     s.word,
                                                     s.left.tag,
                                                     s.left.label,
                                                     s.left.word,
                                                     s.right.tag,
                                                     s.right.label,
                                                     s.right.word,
                                                     std::min<std::int32_t>(s.left_count, kMostChildren),
                                                     std::min<std::int32_t>(s.right_count, kMostChildren)};
        std::copy(facts.begin(), facts.end(), fact);
        at = s.below;
    }
    out[element("p1.tag")] = now.last_tag >= 0 ? now.last_tag : symbols.no_tag();
    out[element("p2.tag")] = now.last_tag_but_one >= 0 ? now.last_tag_but_one : symbols.no_tag();
    out[element("p1.word")] = now.shifted >= 1 ? words[now.shifted - 1] : symbols.no_word();
    out[element("p2.word")] = now.shifted >= 2 ? words[now.shifted - 2] : symbols.no_word();
    out[element("distance")] = now.below == kNone ? 6 : distance_class(now.position - states[now.below].position);
    observe_kinds(symbols, out);
}

// The values of one context, by index.
struct ContextOf {
    const Elements& elements;
    const ContextList& list;
    std::int32_t operator()(int k) const { return elements[list[k]]; }
};

}  // namespace bistro
