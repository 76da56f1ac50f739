// The tree with the highest expected number of correct heads: Eisner's chart over the marginals of heads.
#pragma once

#include <cstdint>
#include <vector>

#include "parse/posterior.hpp"

namespace bistro {

class MinimumRisk {
public:
    // Heads of the best projective tree for scores[d - 1] = (head, score) of word d; what is not listed scores 0.
    std::vector<std::int32_t> heads(const std::vector<Weighted>& scores, bool single_root) {
        n_ = static_cast<int>(scores.size());
        const std::size_t cells = static_cast<std::size_t>(n_ + 1) * (n_ + 1);
        arc_.assign(cells, 0.0);
        for (int d = 1; d <= n_; ++d)
            for (const auto& [head, p] : scores[d - 1]) arc_[at(head, d)] = p;
        left_.assign(cells, {}), right_.assign(cells, {}), left_arc_.assign(cells, {}), right_arc_.assign(cells, {});
        for (int width = 1; width < n_; ++width)
            for (int i = 1; i + width <= n_; ++i) fill(i, i + width);
        result_.assign(n_, 0);
        attach_roots(single_root);
        return result_;
    }

private:
    // The best score of a span and where it was split. right = headed by its left end; left = by its right end.
    struct Cell {
        double score = 0;
        int split = 0;
    };
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * (n_ + 1) + j; }

    void fill(int i, int j) {
        Cell inner{-1, i};
        for (int k = i; k < j; ++k) {
            const double score = right_[at(i, k)].score + left_[at(k + 1, j)].score;
            if (score > inner.score) inner = {score, k};
        }
        right_arc_[at(i, j)] = {inner.score + arc_[at(i, j)], inner.split};
        left_arc_[at(i, j)] = {inner.score + arc_[at(j, i)], inner.split};
        Cell right{-1, j}, left{-1, i};
        for (int k = i + 1; k <= j; ++k) {
            const double score = right_arc_[at(i, k)].score + right_[at(k, j)].score;
            if (score > right.score) right = {score, k};
        }
        for (int k = i; k < j; ++k) {
            const double score = left_[at(i, k)].score + left_arc_[at(k, j)].score;
            if (score > left.score) left = {score, k};
        }
        right_[at(i, j)] = right;
        left_[at(i, j)] = left;
    }

    // The root's children: one, or any number side by side.
    void attach_roots(bool single_root) {
        auto whole = [&](int first, int root, int last) {
            return arc_[at(0, root)] + left_[at(first, root)].score + right_[at(root, last)].score;
        };
        if (single_root) {
            int best = 1;
            for (int r = 2; r <= n_; ++r)
                if (whole(1, r, n_) > whole(1, best, n_)) best = r;
            return take(1, best, n_);
        }
        std::vector<double> score(n_ + 1, -1);
        std::vector<std::pair<int, int>> back(n_ + 1);
        score[0] = 0;
        for (int last = 1; last <= n_; ++last)
            for (int first = 1; first <= last; ++first)
                for (int r = first; r <= last; ++r)
                    if (const double s = score[first - 1] + whole(first, r, last); s > score[last]) {
                        score[last] = s;
                        back[last] = {first, r};
                    }
        for (int last = n_; last > 0; last = back[last].first - 1) take(back[last].first, back[last].second, last);
    }

    void take(int first, int root, int last) {
        result_[root - 1] = 0;
        // An explicit stack: a chain of a thousand words must not recurse a thousand deep.
        struct Span {
            int i, j;
            bool right;
        };
        std::vector<Span> spans{{first, root, false}, {root, last, true}};
        while (!spans.empty()) {
            const Span s = spans.back();
            spans.pop_back();
            if (s.i == s.j) continue;
            const int k = (s.right ? right_ : left_)[at(s.i, s.j)].split;
            const int from = s.right ? s.i : k, to = s.right ? k : s.j;
            result_[s.right ? to - 1 : from - 1] = s.right ? from : to;
            const int inner = (s.right ? right_arc_ : left_arc_)[at(from, to)].split;
            spans.push_back({from, inner, true});
            spans.push_back({inner + 1, to, false});
            spans.push_back(s.right ? Span{k, s.j, true} : Span{s.i, k, false});
        }
    }

    int n_ = 0;
    std::vector<double> arc_;
    std::vector<Cell> left_, right_, left_arc_, right_arc_;
    std::vector<std::int32_t> result_;
};

}  // namespace bistro
