// One chart over all projective trees, in time cubic in the length (Eisner 1996), for several semirings.
//
// Each word has one or several candidates, such as tags. The candidates of all words are the nodes. Node 0 is the root, at
// position 0. A head takes its children outward on each side, and each child depends on the kind of the previous child. A
// stop ends each side. The weight of an arc is the weight of the kinds of child and sibling with this head (a step), times
// the weight of head and child (a pair). With head a at position i, child b at position j > i (the other side is
// symmetric), c the children or siblings between, k positions:
//
//     complete_right(a, i) = stop(a, none)         complete_right(a, j) = Σ_c right(a, c) complete_right(c, j) stop(a, c)
//     right(a, b)          = complete_left(i + 1, b) arc(a, none, b)  +  Σ_c right(a, c) between(c, b) arc(a, c, b)
//     between(a, b)        = Σ_k complete_right(a, k) complete_left(k + 1, b)
//
// complete_right(a, j): all right children of a, down to position j. right(a, b): a's right children up to b, which already
// has its left children but not yet its right children. between(a, b): the words between two siblings. The total is
// complete_right(root, n). Each sum runs over contiguous memory; for this reason, some tables are stored twice, indexed by
// either end.
//
// If all steps except those of the root are `one`, siblings need not be distinguished below the root, which saves a sum:
//
//     right(a, b)          = between(a, b) pair(a, b)                                                       for a not the root
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parse/semirings.hpp"
#include "stop/pause.hpp"

namespace bistro {

enum Side : int { kLeft = 0, kRight = 1 };

// The weights of arcs and stops: probabilities for SumProduct, logarithms or scores for the other semirings.
struct ArcWeights {
    int words = 0, kinds = 1;
    std::vector<std::int32_t> position;  // by node; node 0 is the root
    std::vector<std::int32_t> first;     // by position: its first node; the last value is the number of nodes
    std::vector<std::int32_t> kind;      // by node: its kind for steps, above 0
    std::vector<double> pair;            // [head][child]
    std::vector<double> step;            // [head][side][kind of the child, 0: stop][kind of the sibling before, 0: none]

    int nodes() const { return static_cast<int>(position.size()); }
    std::size_t pair_at(int head, int child) const { return static_cast<std::size_t>(head) * position.size() + child; }
    std::size_t step_at(int head, Side side, int child_kind) const {
        return (static_cast<std::size_t>(head * 2 + side) * kinds + child_kind) * kinds;
    }
    Side side_of(int head, int child) const { return position[child] > position[head] ? kRight : kLeft; }
    double pair_of(int head, int child) const { return pair[pair_at(head, child)]; }
    // The weights of the step to a child, indexed by the kind of the previous sibling.
    const double* steps(int head, int child) const { return &step[step_at(head, side_of(head, child), kind[child])]; }
    double stop_of(int head, Side side, int last_kind) const { return step[step_at(head, side, 0) + last_kind]; }

    // Sets the positions of the nodes, in ascending order with at least one node per position, and gives every weight the
    // same value.
    void reset(const std::vector<std::int32_t>& node_positions, int num_kinds, double value) {
        position = node_positions;
        words = position.empty() ? 0 : position.back();
        kinds = num_kinds;
        first.assign(words + 2, 0);
        for (const std::int32_t p : position) ++first[p + 1];
        for (int p = 0; p <= words; ++p) first[p + 1] += first[p];
        kind.assign(position.size(), 0);
        pair.assign(position.size() * position.size(), value);
        step.assign(position.size() * 2 * kinds * kinds, value);
    }
};

// A part of a tree. In complete parts, one of the ends is a position and the other end is the head's node.
struct Item {
    enum Type : std::uint8_t { complete_right, complete_left, right, left, between, none } type = none;
    std::int32_t from = 0, to = 0;
};

template <class Semiring, bool kSiblings = true>
class Chart {
public:
    // The sum over all trees. The weights must not change while the chart is in use. Without siblings, all steps except the
    // root's are assumed to be `one`.
    double fill(const ArcWeights& weights) {
        w_ = &weights;
        nodes_ = weights.nodes();
        ends_ = weights.words + 1;
        if (weights.words < 1) throw std::invalid_argument("a sentence has no words");
        const std::size_t by_position = static_cast<std::size_t>(nodes_) * ends_,
                          by_node = static_cast<std::size_t>(nodes_) * nodes_;
        for (Table* table : {&right_whole_, &right_whole_by_end_, &left_whole_, &left_whole_by_start_})
            table->assign(by_position, Semiring::zero);
        for (Table* table : {&right_, &right_stopped_, &left_, &left_stopped_, &between_, &between_by_end_})
            table->assign(by_node, Semiring::zero);
        for (int a = 0; a < nodes_; ++a) start(a);
        for (int width = 1; width < ends_; ++width)
            for (int i = 0; i + width < ends_; ++i) {
                pause();
                fill_span(i, i + width);
            }
        return value(goal());
    }

    const ArcWeights& weights() const { return *w_; }
    Item goal() const { return {Item::complete_right, 0, w_->words}; }

    double value(const Item& item) const {
        switch (item.type) {
            case Item::complete_right: return right_whole_[whole_at(item.from, item.to)];
            case Item::complete_left: return left_whole_[whole_at(item.to, item.from)];
            case Item::right: return right_[at(item.from, item.to)];
            case Item::left: return left_[at(item.to, item.from)];
            case Item::between: return between_[at(item.from, item.to)];
            default: return Semiring::one;
        }
    }

    // A number for each item, below num_items().
    std::size_t index(const Item& item) const {
        const std::size_t wholes = static_cast<std::size_t>(nodes_) * ends_, pairs = static_cast<std::size_t>(nodes_) * nodes_;
        switch (item.type) {
            case Item::complete_right: return whole_at(item.from, item.to);
            case Item::complete_left: return wholes + whole_at(item.to, item.from);
            case Item::right: return 2 * wholes + at(item.from, item.to);
            case Item::left: return 2 * wholes + at(item.to, item.from);  // a reversed pair: never a right item
            default: return 2 * wholes + pairs + at(item.from, item.to);
        }
    }
    std::size_t num_items() const { return 2 * static_cast<std::size_t>(nodes_) * (ends_ + nodes_); }

    // Calls visit(weight, part, other part) for each way to derive an item. An item without ways is a side without
    // children.
    template <class Visit>
    void each_way(const Item& item, const Visit& visit) const {
        // Plain variables, since Clang before 16 does not allow lambdas to capture structured bindings.
        const int from = item.from, to = item.to;
        switch (item.type) {
            case Item::complete_right:
                for (int c = w_->first[w_->position[from] + 1]; c < w_->first[to + 1]; ++c)
                    visit(w_->stop_of(from, kRight, w_->kind[c]), Item{Item::right, from, c}, Item{Item::complete_right, c, to});
                return;
            case Item::complete_left:
                for (int c = w_->first[from]; c < w_->first[w_->position[to]]; ++c)
                    visit(w_->stop_of(to, kLeft, w_->kind[c]), Item{Item::left, c, to}, Item{Item::complete_left, from, c});
                return;
            case Item::right:
                if (!sees_siblings(from)) return visit(w_->pair_of(from, to), Item{Item::between, from, to}, Item{});
                visit(arc(from, to, 0), Item{Item::complete_left, w_->position[from] + 1, to}, Item{});
                each_between(from, to, [&](int c) {
                    visit(arc(from, to, w_->kind[c]), Item{Item::right, from, c}, Item{Item::between, c, to});
                });
                return;
            case Item::left:
                if (!sees_siblings(to)) return visit(w_->pair_of(to, from), Item{Item::between, from, to}, Item{});
                visit(arc(to, from, 0), Item{Item::complete_right, from, w_->position[to] - 1}, Item{});
                each_between(from, to, [&](int c) {
                    visit(arc(to, from, w_->kind[c]), Item{Item::left, c, to}, Item{Item::between, from, c});
                });
                return;
            case Item::between:
                for (int k = w_->position[from]; k < w_->position[to]; ++k)
                    visit(Semiring::one, Item{Item::complete_right, from, k}, Item{Item::complete_left, k + 1, to});
                return;
            default: return;
        }
    }

    // Calls visit(item) for every item that has a value, after all wider items that it may be a part of.
    template <class Visit>
    void each_item_from_the_top(const Visit& visit) const {
        auto present = [&](const Item& item) {
            if (value(item) != Semiring::zero) visit(item);
        };
        for (int width = ends_ - 1; width >= 1; --width)
            for (int i = 0; i + width < ends_; ++i) {
                const int j = i + width;
                for (int a = w_->first[i]; a < w_->first[i + 1]; ++a) present({Item::complete_right, a, j});
                for (int b = w_->first[j]; b < w_->first[j + 1]; ++b) present({Item::complete_left, i, b});
                each_pair(i, j, [&](int a, int b) {
                    for (const auto type : {Item::right, Item::left, Item::between}) present({type, a, b});
                });
            }
    }

private:
    using Table = std::vector<double>;

    std::size_t at(int a, int b) const { return static_cast<std::size_t>(a) * nodes_ + b; }
    std::size_t whole_at(int node, int end) const { return static_cast<std::size_t>(node) * ends_ + end; }
    std::size_t end_at(int end, int node) const { return static_cast<std::size_t>(end) * nodes_ + node; }

    static bool sees_siblings(int head) { return kSiblings || head == 0; }

    double arc(int head, int child, int sibling_kind) const {
        return Semiring::times(w_->pair_of(head, child), w_->steps(head, child)[sibling_kind]);
    }

    template <class Visit>
    void each_between(int from, int to, const Visit& visit) const {
        for (int c = w_->first[w_->position[from] + 1]; c < w_->first[w_->position[to]]; ++c) visit(c);
    }
    template <class Visit>
    void each_pair(int i, int j, const Visit& visit) const {
        for (int a = w_->first[i]; a < w_->first[i + 1]; ++a)
            for (int b = w_->first[j]; b < w_->first[j + 1]; ++b) visit(a, b);
    }

    void start(int a) {
        const int i = w_->position[a];
        right_whole_[whole_at(a, i)] = right_whole_by_end_[end_at(i, a)] = w_->stop_of(a, kRight, 0);
        left_whole_[whole_at(a, i)] = left_whole_by_start_[end_at(i, a)] = w_->stop_of(a, kLeft, 0);
    }

    void fill_span(int i, int j) {
        each_pair(i, j, [&](int a, int b) {
            if (i == 0) return fill_right(a, b, i);  // the root is left of all words and has no siblings
            between_[at(a, b)] = between_by_end_[at(b, a)] =
                Semiring::sum2(&right_whole_[whole_at(a, i)], &left_whole_[whole_at(b, i + 1)], j - i);
            fill_right(a, b, i);
            fill_left(a, b, j);
        });
        const int inner = w_->first[i + 1], last = w_->first[j + 1];
        for (int a = w_->first[i]; a < w_->first[i + 1]; ++a)
            right_whole_[whole_at(a, j)] = right_whole_by_end_[end_at(j, a)] =
                Semiring::sum2(&right_stopped_[at(a, inner)], &right_whole_by_end_[end_at(j, inner)], last - inner);
        if (i == 0) return;
        const int outer = w_->first[i], before = w_->first[j];
        for (int b = w_->first[j]; b < w_->first[j + 1]; ++b)
            left_whole_[whole_at(b, i)] = left_whole_by_start_[end_at(i, b)] =
                Semiring::sum2(&left_stopped_[at(b, outer)], &left_whole_by_start_[end_at(i, outer)], before - outer);
    }

    void fill_right(int a, int b, int i) {
        if (!sees_siblings(a)) {
            right_[at(a, b)] = right_stopped_[at(a, b)] = Semiring::times(between_[at(a, b)], w_->pair_of(a, b));
            return;
        }
        const double* step = w_->steps(a, b);
        const int inner = w_->first[i + 1], count = w_->first[w_->position[b]] - inner;
        double sum = Semiring::times(left_whole_[whole_at(b, i + 1)], step[0]);
        if (count > 0)
            sum = Semiring::plus(
                sum, Semiring::sum3(&right_[at(a, inner)], &between_by_end_[at(b, inner)], step, &w_->kind[inner], count));
        sum = Semiring::times(sum, w_->pair_of(a, b));
        right_[at(a, b)] = sum;
        right_stopped_[at(a, b)] = Semiring::times(sum, w_->stop_of(a, kRight, w_->kind[b]));
    }

    void fill_left(int a, int b, int j) {
        if (!sees_siblings(b)) {
            left_[at(b, a)] = left_stopped_[at(b, a)] = Semiring::times(between_[at(a, b)], w_->pair_of(b, a));
            return;
        }
        const double* step = w_->steps(b, a);
        const int inner = w_->first[w_->position[a] + 1], count = w_->first[j] - inner;
        double sum = Semiring::times(right_whole_[whole_at(a, j - 1)], step[0]);
        if (count > 0)
            sum = Semiring::plus(sum, Semiring::sum3(&left_[at(b, inner)], &between_[at(a, inner)], step, &w_->kind[inner], count));
        sum = Semiring::times(sum, w_->pair_of(b, a));
        left_[at(b, a)] = sum;
        left_stopped_[at(b, a)] = Semiring::times(sum, w_->stop_of(b, kLeft, w_->kind[a]));
    }

    const ArcWeights* w_ = nullptr;
    int nodes_ = 0, ends_ = 0;
    Table right_whole_, left_whole_;                  // [head's node][other end]
    Table right_whole_by_end_, left_whole_by_start_;  // [other end][head's node]
    Table right_, right_stopped_;                     // [head][child], the child on the right
    Table left_, left_stopped_;                       // [head][child], the child on the left
    Table between_, between_by_end_;                  // [left sibling][right sibling], and the other way round
};

}  // namespace bistro
