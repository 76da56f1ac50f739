// Features as data: a template is a list of elements, and an element is an attribute of a word in a role.
//
// The roles of a candidate are the word itself, its head, their neighbours, and related words in a preliminary tree. The
// attributes of a word are columns of numbers: its form, its classes, its tag, its label. The last role, `kFacts`, has
// facts about the candidate as a whole: distance, side, counts of the words between.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "stack/features.hpp"

namespace bistro::stack {

enum Role {
    kWord,
    kHead,
    kBefore,
    kAfter,
    kBefore2,
    kAfter2,
    kBeforeHead,
    kAfterHead,
    kGrandparent,
    kLeftChild,
    kRightChild,
    kLeftOfHead,
    kRightOfHead,
    kInner,
    kOuter,
    kTreeHead,
    kFacts,
    kRoles
};

enum Fact {
    kWhat,
    kWith,
    kFirstOf,
    kDistance,
    kSide,
    kLikeWord,
    kLikeHead,
    kPunctuation,
    kSame,
    kLefts,
    kRights,
    kOwnLefts,
    kOwnRights,
    kIsArc,
    kIsReverse,
    kTagsBetween,
    kRelation,
    kLabelsOfHead,
    kIsFirst,
    kNumFacts
};

constexpr std::size_t kVoteNames = 10'000;

struct Element {
    std::uint8_t role, column;
};

// Concatenated templates. A feature is the number of its template with the values of its elements.
class Templates {
public:
    Templates(std::span<const std::int32_t> begin, std::span<const std::int32_t> elements, int columns) {
        if (begin.empty() || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
            elements.size() != 2 * static_cast<std::size_t>(begin.back()))
            throw std::invalid_argument("the templates are damaged");
        for (std::size_t i = 0; i < elements.size(); i += 2) {
            const int most = elements[i] == kFacts ? static_cast<int>(kNumFacts) : columns;
            if (elements[i] < 0 || elements[i] >= kRoles || elements[i + 1] < 0 || elements[i + 1] >= most)
                throw std::invalid_argument("a template has an unknown element");
            elements_.push_back({static_cast<std::uint8_t>(elements[i]), static_cast<std::uint8_t>(elements[i + 1])});
        }
        begin_.assign(begin.begin(), begin.end());
    }

    std::size_t size() const { return begin_.size() - 1; }
    std::span<const Element> operator[](std::size_t i) const {
        return {elements_.data() + begin_[i], elements_.data() + begin_[i + 1]};
    }

private:
    std::vector<std::int32_t> begin_;
    std::vector<Element> elements_;
};

// A sentence for templates, with one row of attributes per place. The last attributes are tag and label.
class Table {
public:
    Table(const View& view, std::span<const std::int32_t> words, int columns, bool is_wanted)
        : view_(view), width_(columns + 2), none_(view.size() + 2) {
        if (!is_wanted) return;
        const int n = view.size();
        values_.assign(static_cast<std::size_t>(n + 3) * static_cast<std::size_t>(width_), kOutside);
        for (int place = 0; place < n + 3; ++place) {
            std::int32_t* row = values_.data() + static_cast<std::ptrdiff_t>(place) * width_;
            if (place < 1 || place > n)
                std::fill(row, row + width_, place == 0 ? kRoot : place == none_ ? kNobody : kOutside);
            else
                std::copy_n(words.data() + static_cast<std::ptrdiff_t>(place - 1) * columns, columns, row);
            if (place >= 1 && place <= n)
                row[columns] = static_cast<std::int32_t>(view.tag(place)),
                row[columns + 1] = static_cast<std::int32_t>(view.label(place));
        }
    }

    const View& view() const { return view_; }
    int none() const { return none_; }
    int clamp(int place) const { return view_.clamp(place); }
    const std::int32_t* row(int place) const { return values_.data() + static_cast<std::ptrdiff_t>(place) * width_; }

private:
    static constexpr std::int32_t kRoot = -1, kOutside = -2, kNobody = -3;
    const View& view_;
    int width_, none_;
    std::vector<std::int32_t> values_;
};

// The roles of a candidate, and the facts about it.
class Cast {
public:
    // `head` is the candidate head, the head of a candidate label, or, for a candidate tag, the head in the tree.
    Cast(const Table& table, const Candidate& c, int head, std::int64_t label) {
        const View& v = table.view();
        const int i = c.word, none = table.none();
        auto at = [&](Role role, int place) { rows_[role] = table.row(place); };
        auto near = [&](Role role, int place, int by) { at(role, place < 1 ? none : table.clamp(place + by)); };
        at(kWord, i), near(kBefore, i, -1), near(kAfter, i, 1), near(kBefore2, i, -2), near(kAfter2, i, 2);
        at(kHead, head), near(kBeforeHead, head, -1), near(kAfterHead, head, 1),
            at(kGrandparent, v.head(head) < 0 ? none : v.head(head));
        at(kLeftChild, or_none(v.first_left(i), none)), at(kRightChild, or_none(v.last_right(i), none));
        at(kLeftOfHead, or_none(v.first_left(head), none)), at(kRightOfHead, or_none(v.last_right(head), none));
        const auto [inner, outer] = v.siblings(i, head);
        at(kInner, or_none(inner, none)), at(kOuter, or_none(outer, none)), at(kTreeHead, v.head(i));
        const Way way(i, head);
        facts_[kWhat] = c.what, facts_[kWith] = c.with, facts_[kFirstOf] = c.first_of, facts_[kDistance] = way.distance,
        facts_[kSide] = way.side;
        facts_[kLikeWord] = v.with_tag_between(i, head, v.tag(i)), facts_[kLikeHead] = v.with_tag_between(i, head, v.tag(head));
        facts_[kPunctuation] = v.punctuation_between(i, head), facts_[kSame] = v.with_label(head, label, i);
        facts_[kLefts] = std::min(v.left_children(head), 3), facts_[kRights] = std::min(v.right_children(head), 3);
        facts_[kOwnLefts] = std::min(v.left_children(i), 3), facts_[kOwnRights] = std::min(v.right_children(i), 3);
        facts_[kIsArc] = v.head(i) == head, facts_[kIsReverse] = v.head(head) == i;
        facts_[kTagsBetween] = v.tags_between(i, head), facts_[kRelation] = v.relation(head, v.head(i));
        facts_[kLabelsOfHead] = v.labels_of_children(head, i), facts_[kIsFirst] = i == 1;
    }

    std::int64_t value(Element e) const { return e.role == kFacts ? facts_[e.column] : rows_[e.role][e.column]; }

private:
    static int or_none(int place, int none) { return place > 0 ? place : none; }
    std::array<const std::int32_t*, kRoles> rows_{};
    std::array<std::int64_t, kNumFacts> facts_{};
};

// The features of a candidate: one per template, and for each voter one per template in `of_votes`, whose value is the
// voter's log-probability as scaled by `strength`. Features that are dropped out are skipped.
inline void template_features(const Cast& cast, const Candidate& c, const Templates& templates, const Templates& of_votes,
                              const Dropout& dropout, Collector& out) {
    std::size_t feature = 0;
    for (std::size_t t = 0; t < templates.size(); ++t)
        if (!dropout.leaves_out(feature++)) out.add_all(static_cast<std::int64_t>(t), dropout.scale(), cast, templates[t]);
    for (std::size_t m = 0; m < c.votes.size(); ++m) {
        const double x = strength(c.votes[m]) * dropout.scale();
        const std::size_t first = kVoteNames + of_votes.size() * m;
        for (std::size_t t = 0; t < of_votes.size(); ++t)
            if (!dropout.leaves_out(feature++)) out.vote_all(static_cast<std::int64_t>(first + t), x, cast, of_votes[t]);
    }
}

}  // namespace bistro::stack
