// All projective trees of one sentence with their weights: the best tree, the k best trees, the sum, samples, and arc
// probabilities.
//
// The sum uses plain numbers, which is eight times faster than logarithms. To avoid underflow and overflow, the weights of
// each word are divided by its weights in the best tree, which then has weight 1. If this is not enough for a very long
// sentence, logarithms are used.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "parse/chart_trees.hpp"
#include "parse/kbest.hpp"

namespace bistro {

// The best tree under logarithms or scores of any kind.
class BestTrees {
public:
    explicit BestTrees(const ArcWeights& log_weights) { score_ = chart_.fill(log_weights); }

    bool none() const { return score_ == -kInfinity; }
    double score() const { return score_; }
    ChartTree best() const { return best_tree(chart_); }
    KBest ranked() const { return KBest(chart_); }

private:
    Chart<MaxPlus> chart_;
    double score_;
};

// The stop weights of each node in a tree, by [node][side]: the stop after the outermost child.
inline std::vector<double> stops_of(const ArcWeights& w, const ChartTree& tree) {
    std::vector<std::int32_t> outermost(w.nodes() * 2, 0);
    auto outer = [&](int word) {
        const int head = tree.head[word];
        const Side side = w.position[head] < word + 1 ? kRight : kLeft;
        std::int32_t& kind = outermost[head * 2 + side];
        if (side == kRight || kind == 0) kind = w.kind[tree.node[word]];  // the first on the left, the last on the right
    };
    for (int word = 0; word < w.words; ++word) outer(word);
    std::vector<double> stops(w.nodes() * 2);
    for (int node = 0; node < w.nodes(); ++node)
        for (const Side side : {kLeft, kRight}) stops[node * 2 + side] = w.stop_of(node, side, outermost[node * 2 + side]);
    return stops;
}

// The logarithm of the weight of one tree, by word. The root's stop is the last value.
inline std::vector<double> weights_of(const ArcWeights& w, const ChartTree& tree) {
    const std::vector<double> stops = stops_of(w, tree);
    std::vector<double> weights;
    for (int word = 0; word < w.words; ++word) {
        const int node = tree.node[word];
        weights.push_back(w.pair_of(tree.head[word], node) + w.steps(tree.head[word], node)[tree.sibling[word]] + stops[node * 2] +
                          stops[node * 2 + 1]);
    }
    weights.push_back(stops[kRight]);
    return weights;
}

// Sums over all trees, each with its weight to the power of 1 / temperature.
class SumOfTrees {
public:
    SumOfTrees(const ArcWeights& log_weights, const ChartTree& best, double temperature) : scaled_(log_weights) {
        const std::vector<double> scale = weights_of(log_weights, best);
        double log_scale = 0;
        for (double& x : scaled_.step) x = std::exp(x / temperature);
        for (int word = 0; word < scaled_.words; ++word) log_scale += scale[word];
        for (int head = 0; head < scaled_.nodes(); ++head)
            for (int child = 1; child < scaled_.nodes(); ++child) {
                double& x = scaled_.pair[scaled_.pair_at(head, child)];
                x = std::exp((x - scale[scaled_.position[child] - 1]) / temperature);
            }
        const double total = plain_.fill(scaled_);
        if (total > 1e-100 && total < 1e100) {
            log_total_ = std::log(total) + log_scale / temperature;
            return;
        }
        in_logarithms_.emplace();
        scaled_ = log_weights;
        for (auto* weights : {&scaled_.pair, &scaled_.step})
            for (double& x : *weights) x /= temperature;
        log_total_ = in_logarithms_->fill(scaled_);
    }

    SumOfTrees(const SumOfTrees&) = delete;  // the charts refer to scaled_

    double log_total() const { return log_total_; }
    ChartTree sample(Stream& rng) const { return in_logarithms_ ? sample_tree(*in_logarithms_, rng) : sample_tree(plain_, rng); }
    std::vector<double> probabilities() const {
        return in_logarithms_ ? arc_probabilities(*in_logarithms_) : arc_probabilities(plain_);
    }

private:
    ArcWeights scaled_;
    Chart<SumProduct> plain_;
    std::optional<Chart<LogSum>> in_logarithms_;
    double log_total_ = 0;
};

}  // namespace bistro
