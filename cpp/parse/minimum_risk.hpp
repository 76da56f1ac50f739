// The tree with the highest expected number of correct heads: Eisner's chart over the marginals of heads.
//
// With right(i, j) the best score of words i to j under head i, left(i, j) under head j, and arcs that add their own score,
//
//     inner(i, j)      = max_k right(i, k) + left(k + 1, j)
//     right_arc(i, j)  = inner(i, j) + p(i is the head of j)      right(i, j) = max_k right_arc(i, k) + right(k, j)
//     left_arc(i, j)   = inner(i, j) + p(j is the head of i)      left(i, j)  = max_k left(i, k) + left_arc(k, j)
//
// The time is cubic, so each maximum runs along two rows of memory: some tables are kept by row and by column. Where the
// maximum was is looked up again on the way back, for the few spans of the best tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "parse/posterior.hpp"

namespace bistro {

// The highest a[k] + b[k]. Eight maxima side by side are work for vector units.
inline double highest_sum(const double* a, const double* b, int n) {
    std::array<double, 8> most;
    most.fill(-1.0);
    int k = 0;
    for (; k + 8 <= n; k += 8)
        for (int lane = 0; lane < 8; ++lane) {
            const double sum = a[k + lane] + b[k + lane];
            most[lane] = sum > most[lane] ? sum : most[lane];
        }
    for (; k < n; ++k) most[0] = std::max(most[0], a[k] + b[k]);
    return *std::max_element(most.begin(), most.end());
}

inline int place_of_highest_sum(const double* a, const double* b, int n) {
    int best = 0;
    for (int k = 1; k < n; ++k)
        if (a[k] + b[k] > a[best] + b[best]) best = k;
    return best;
}

class MinimumRisk {
public:
    // Heads of the best projective tree for scores[d - 1] = (head, score) of word d; what is not listed scores 0.
    std::vector<std::int32_t> heads(const std::vector<Weighted>& scores, bool single_root) {
        n_ = static_cast<int>(scores.size());
        const std::size_t cells = static_cast<std::size_t>(n_ + 1) * (n_ + 1);
        for (auto* table : {&arc_, &right_, &right_by_end_, &left_, &left_by_end_, &right_arc_, &left_arc_by_end_})
            table->assign(cells, 0.0);
        for (int d = 1; d <= n_; ++d)
            for (const auto& [head, p] : scores[d - 1]) arc_[at(head, d)] = p;
        for (int width = 1; width < n_; ++width)
            for (int i = 1; i + width <= n_; ++i) fill(i, i + width);
        result_.assign(n_, 0);
        attach_roots(single_root);
        return result_;
    }

private:
    using Table = std::vector<double>;
    struct Span {
        int i, j;
        bool right;  // headed by its left end, or by its right end
    };

    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * (n_ + 1) + j; }

    void fill(int i, int j) {
        const int width = j - i;
        const double inner = highest_sum(&right_[at(i, i)], &left_by_end_[at(j, i + 1)], width);
        right_arc_[at(i, j)] = inner + arc_[at(i, j)];
        left_arc_by_end_[at(j, i)] = inner + arc_[at(j, i)];
        right_[at(i, j)] = right_by_end_[at(j, i)] =
            highest_sum(&right_arc_[at(i, i + 1)], &right_by_end_[at(j, i + 1)], width);
        left_[at(i, j)] = left_by_end_[at(j, i)] = highest_sum(&left_[at(i, i)], &left_arc_by_end_[at(j, i)], width);
    }

    // The root's children: one, or any number side by side.
    void attach_roots(bool single_root) {
        auto below = [&](int first, int root) { return left_[at(first, root)] + arc_[at(0, root)]; };
        if (single_root) {
            int best = 1;
            for (int r = 2; r <= n_; ++r)
                if (below(1, r) + right_[at(r, n_)] > below(1, best) + right_[at(best, n_)]) best = r;
            return take(1, best, n_);
        }
        // All words up to `last`, and all up to a root's child that has its left part but not yet its right one.
        Table whole(n_ + 1, 0.0), half(n_ + 1, -1.0);
        std::vector<int> first_of(n_ + 1), root_of(n_ + 1);
        for (int last = 1; last <= n_; ++last) {
            for (int first = 1; first <= last; ++first)
                if (const double s = whole[first - 1] + below(first, last); s > half[last]) half[last] = s, first_of[last] = first;
            whole[last] = -1;
            for (int r = 1; r <= last; ++r)
                if (const double s = half[r] + right_[at(r, last)]; s > whole[last]) whole[last] = s, root_of[last] = r;
        }
        for (int last = n_; last > 0;) {
            const int root = root_of[last], first = first_of[root];
            take(first, root, last);
            last = first - 1;
        }
    }

    void take(int first, int root, int last) {
        result_[root - 1] = 0;
        // An explicit stack: a chain of a thousand words must not recurse a thousand deep.
        std::vector<Span> spans{{first, root, false}, {root, last, true}};
        while (!spans.empty()) {
            const Span s = spans.back();
            spans.pop_back();
            if (s.i < s.j) split(s, spans);
        }
    }

    // Finds the outermost arc of a span, and leaves the three spans around it.
    void split(const Span& s, std::vector<Span>& spans) {
        const int width = s.j - s.i;
        int from = s.i, to = s.j;
        if (s.right)
            to = s.i + 1 + place_of_highest_sum(&right_arc_[at(s.i, s.i + 1)], &right_by_end_[at(s.j, s.i + 1)], width);
        else
            from = s.i + place_of_highest_sum(&left_[at(s.i, s.i)], &left_arc_by_end_[at(s.j, s.i)], width);
        result_[s.right ? to - 1 : from - 1] = s.right ? from : to;
        const int inner = from + place_of_highest_sum(&right_[at(from, from)], &left_by_end_[at(to, from + 1)], to - from);
        spans.push_back({from, inner, true});
        spans.push_back({inner + 1, to, false});
        spans.push_back(s.right ? Span{to, s.j, true} : Span{s.i, from, false});
    }

    int n_ = 0;
    Table arc_;                                                        // [head][dependent]
    Table right_, left_, right_arc_;                                   // [i][j]
    Table right_by_end_, left_by_end_, left_arc_by_end_;               // [j][i]
    std::vector<std::int32_t> result_;
};

}  // namespace bistro
