// Eisner's model: the distributions for the next child of a head, and the training events of a tree.
//
// Children are generated outward, separately on each side, until a stop. A child is generated as tag and then word, and
// gets a label afterwards. If labels are generated, the label comes first, and a node's dependents and siblings can depend
// on it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/arc_standard.hpp"

namespace bistro {

inline constexpr std::array<std::string_view, 9> kDependencyNames{
    "direction", "parent.tag", "parent.label", "parent.word", "sibling.tag", "sibling.label", "label", "tag", "word"};
consteval int dependency_element(std::string_view name) { return number_of(kDependencyNames, name); }
inline std::vector<std::string> dependency_elements() { return {kDependencyNames.begin(), kDependencyNames.end()}; }

using DependencyElements = std::array<std::int32_t, kDependencyNames.size()>;

struct DependencyContext {
    const DependencyElements& elements;
    const ContextList& list;
    std::int32_t operator()(int k) const { return elements[list[k]]; }
};

struct DependencyShape {
    Symbols symbols;
    bool single_root = true, labelled = true, generated_labels = false;
    ContextList labels, tags, words;

    // The stop is an additional outcome of the first distribution of a child.
    bool labels_first() const { return labelled && generated_labels; }
    std::int32_t tag_outcomes() const { return symbols.tags + !labels_first(); }
    std::int32_t label_outcomes() const { return symbols.labels + labels_first(); }
};

// A word with one of its tags and, if labels are generated, one of its labels (-1: none).
struct DependencyNode {
    std::int32_t position = 0, tag = 0, label = -1, word = 0;
};

inline void see_parent(const DependencyShape& shape, const DependencyNode& parent, bool right, DependencyElements& out) {
    const bool is_root = parent.position == 0;
    out[dependency_element("direction")] = right;
    out[dependency_element("parent.tag")] = is_root ? shape.symbols.root_tag() : parent.tag;
    out[dependency_element("parent.word")] = is_root ? shape.symbols.root_word() : parent.word;
    out[dependency_element("parent.label")] = parent.label < 0 ? shape.symbols.no_label() : parent.label;
}
inline void see_sibling(const DependencyShape& shape, std::int32_t tag, std::int32_t label, DependencyElements& out) {
    out[dependency_element("sibling.tag")] = tag < 0 ? shape.symbols.no_tag() : tag;
    out[dependency_element("sibling.label")] = label < 0 ? shape.symbols.no_label() : label;
}
inline void see_child(const DependencyNode& child, DependencyElements& out) {
    out[dependency_element("tag")] = child.tag;
    out[dependency_element("label")] = child.label;
    out[dependency_element("word")] = child.word;
}

// Contexts (row by row) and outcomes of one distribution.
struct DependencyEventList {
    std::vector<std::int32_t> contexts, outcomes;

    void add(const DependencyElements& elements, const ContextList& list, std::int32_t outcome) {
        for (const std::uint8_t element : list) contexts.push_back(elements[element]);
        outcomes.push_back(outcome);
    }
};

class DependencyRecorder {
public:
    explicit DependencyRecorder(const DependencyShape& shape) : shape_(shape) {}
    DependencyEventList labels, tags, words;

    // Records all events of a tree whose tags, heads and labels are known.
    void follow(const Sentence& s) {
        for (std::int32_t head = 0; head <= s.size(); ++head) {
            if (head > 0) side(s, head, -1);
            side(s, head, +1);
        }
    }

private:
    DependencyNode node(const Sentence& s, std::int32_t position) const {
        if (position == 0) return {};
        return {position, s.given_tag(position), shape_.labelled ? s.given_label(position) : -1, s.words[position - 1]};
    }

    void side(const Sentence& s, std::int32_t head, std::int32_t outward) {
        see_parent(shape_, node(s, head), outward > 0, elements_);
        std::int32_t tag = -1, label = -1;
        for (std::int32_t at = head + outward; at > 0 && at <= s.size(); at += outward) {
            if (s.given_head(at) != head) continue;
            const DependencyNode child = node(s, at);
            see_sibling(shape_, tag, label, elements_);
            see_child(child, elements_);
            if (shape_.labelled) labels.add(elements_, shape_.labels, child.label);
            tags.add(elements_, shape_.tags, child.tag);
            words.add(elements_, shape_.words, child.word);
            tag = child.tag, label = child.label;
        }
        if (head == 0 && shape_.single_root) return;  // after the only child, the stop is certain
        see_sibling(shape_, tag, label, elements_);
        if (shape_.labels_first())
            labels.add(elements_, shape_.labels, shape_.symbols.labels);
        else
            tags.add(elements_, shape_.tags, shape_.symbols.tags);
    }

    const DependencyShape& shape_;
    DependencyElements elements_{};
};

}  // namespace bistro
