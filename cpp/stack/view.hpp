// A sentence in a stacked decision: its words by their form, and a preliminary tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace bistro::stack {

// The form of a word, with one number each for: the word as written, in lower case, its last 3, 2 and 4 letters, its first
// 3 letters, its shape, and whether it is punctuation (1) or not (0).
enum Form { kWritten, kLower, kSuffix3, kSuffix2, kSuffix4, kPrefix3, kShape, kIsPunctuation, kForms };

// Places 1 to n are words, 0 is the root and n + 1 the end.
class View {
public:
    View(std::span<const std::int32_t> forms, std::span<const std::int32_t> tags, std::span<const std::int32_t> heads,
         std::span<const std::int32_t> labels)
        : forms_(forms), n_(static_cast<int>(tags.size())), tag_(n_ + 2, kEnd), label_(n_ + 2, kEnd), head_(n_ + 2, -1),
          first_(n_ + 3, 0), left_(n_ + 2, 0), right_(n_ + 2, 0) {
        tag_[0] = kRoot, label_[0] = kNone;
        for (int i = 1; i <= n_; ++i) tag_[i] = tags[i - 1], label_[i] = labels[i - 1], head_[i] = heads[i - 1];
        collect_children();
    }

    int size() const { return n_; }
    int clamp(int place) const { return std::clamp(place, 0, n_ + 1); }
    std::int64_t form(int place, Form what) const {
        place = clamp(place);
        if (place == 0 || place == n_ + 1) return place == 0 ? 1 : 2;
        return forms_[static_cast<std::size_t>(place - 1) * kForms + what];
    }
    std::int64_t tag(int place) const { return tag_[clamp(place)]; }
    std::int64_t label(int place) const { return label_[clamp(place)]; }
    int head(int place) const { return head_[place]; }
    std::int64_t tag_of_head(int place) const { return head_[place] < 0 ? kNone : tag_[head_[place]]; }
    int left_children(int place) const { return left_[place]; }
    int right_children(int place) const { return right_[place]; }

    // The tag of the outermost child on a side.
    std::int64_t leftmost(int place) const { return left_[place] ? tag_[children_[first_[place]]] : kNone; }
    std::int64_t rightmost(int place) const { return right_[place] ? tag_[children_[first_[place + 1] - 1]] : kNone; }

    // The outermost child on a side, or 0 if there is none.
    int first_left(int place) const { return left_[place] ? children_[first_[place]] : 0; }
    int last_right(int place) const { return right_[place] ? children_[first_[place + 1] - 1] : 0; }

    // The nearest other children of a head on the same side as a word: between the head and the word, and beyond the word;
    // 0 for none.
    std::pair<int, int> siblings(int word, int head) const {
        int inner = 0, outer = 0;
        for (int c = first_[head]; c < first_[head + 1]; ++c) {
            const int child = children_[c];
            if (child == word || (child < head) != (word < head)) continue;
            const bool is_inner = (child < word) == (head < word);
            int& nearest = is_inner ? inner : outer;
            if (nearest == 0 || std::abs(child - word) < std::abs(nearest - word)) nearest = child;
        }
        return {inner, outer};
    }

    // The relation of a candidate head to the head in the tree: the same word (0), its head (1), its child (2), its
    // sibling (3), or none of these (4).
    int relation(int candidate, int head) const {
        if (candidate == head) return 0;
        if (head > 0 && head_[head] == candidate) return 1;
        if (candidate > 0 && head_[candidate] == head) return 2;
        return candidate > 0 && head > 0 && head_[candidate] == head_[head] ? 3 : 4;
    }

    // The set of the tags between two places, and the set of the labels of a head's other children, as bits (modulo 62).
    std::int64_t tags_between(int a, int b) const {
        std::int64_t found = 0;
        for (int i = std::min(a, b) + 1; i < std::max(a, b); ++i) found |= bit(tag_[i]);
        return found;
    }
    std::int64_t labels_of_children(int head, int without) const {
        std::int64_t found = 0;
        for (int c = first_[head]; c < first_[head + 1]; ++c)
            if (children_[c] != without) found |= bit(label_[children_[c]]);
        return found;
    }

    // The number of children of a head with a given label, without the word itself, at most 2.
    int with_label(int head, std::int64_t label, int without) const {
        int found = 0;
        for (int c = first_[head]; c < first_[head + 1]; ++c) found += label_[children_[c]] == label && children_[c] != without;
        return std::min(found, 2);
    }

    // The number of words between two places with a given tag, at most 2, and of punctuation marks, at most 3.
    int with_tag_between(int a, int b, std::int64_t tag) const {
        int found = 0;
        for (int i = std::min(a, b) + 1; i < std::max(a, b) && found < 2; ++i) found += tag_[i] == tag;
        return found;
    }
    int punctuation_between(int a, int b) const {
        int found = 0;
        for (int i = std::min(a, b) + 1; i < std::max(a, b) && found < 3; ++i) found += form(i, kIsPunctuation) == 1;
        return found;
    }

private:
    static constexpr std::int32_t kRoot = -1, kEnd = -2, kNone = -3;
    static std::int64_t bit(std::int32_t number) { return std::int64_t{1} << (static_cast<std::uint32_t>(number) % 62); }

    void collect_children() {
        for (int i = 1; i <= n_; ++i) {
            ++first_[head_[i] + 1];
            ++(i < head_[i] ? left_ : right_)[head_[i]];
        }
        for (int i = 0; i < n_ + 2; ++i) first_[i + 1] += first_[i];
        children_.resize(n_);
        std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
        for (int i = 1; i <= n_; ++i) children_[next[head_[i]]++] = i;
    }

    std::span<const std::int32_t> forms_;
    int n_;
    std::vector<std::int32_t> tag_, label_, head_, first_, left_, right_, children_;
};

}  // namespace bistro::stack
