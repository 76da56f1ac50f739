// Trees of a filled chart: the best tree, samples, and the probability of every arc.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hpyp/rng.hpp"
#include "parse/chart.hpp"

namespace bistro {

// A tree, by word (from 0): the word's node, the node of its head, and the kind of the previous sibling (0: none).
struct ChartTree {
    std::vector<std::int32_t> node, head, sibling;

    explicit ChartTree(int words) : node(words, 0), head(words, 0), sibling(words, 0) {}

    // Records the arc of an item, given the first part of the item.
    void note(const ArcWeights& w, const Item& item, const Item& part) {
        if (item.type != Item::right && item.type != Item::left) return;
        const bool is_right = item.type == Item::right;
        const int child = is_right ? item.to : item.from, word = w.position[child] - 1;
        node[word] = child;
        head[word] = is_right ? item.from : item.to;
        sibling[word] = part.type == item.type ? w.kind[is_right ? part.to : part.from] : 0;
    }
};

// Reads one tree from the top down. choose(item) returns the two parts of an item.
template <class Chart, class Choose>
ChartTree read_tree(const Chart& chart, const Choose& choose) {
    ChartTree tree(chart.weights().words);
    // An explicit stack, since a chain of a thousand words must not cause a thousand nested calls.
    std::vector<Item> open{chart.goal()};
    while (!open.empty()) {
        const Item item = open.back();
        open.pop_back();
        const auto [part, other] = choose(item);
        tree.note(chart.weights(), item, part);
        for (const Item& next : {part, other})
            if (next.type != Item::none) open.push_back(next);
    }
    return tree;
}

template <bool kSiblings>
ChartTree best_tree(const Chart<MaxPlus, kSiblings>& chart) {
    return read_tree(chart, [&](const Item& item) {
        std::pair<Item, Item> best;
        double most = -kInfinity;
        chart.each_way(item, [&](double weight, const Item& part, const Item& other) {
            const double score = weight + chart.value(part) + chart.value(other);
            if (score > most) most = score, best = {part, other};
        });
        return best;
    });
}

// Draws a tree with a probability proportional to its weight.
template <class Semiring>
ChartTree sample_tree(const Chart<Semiring>& chart, Stream& rng) {
    return read_tree(chart, [&](const Item& item) {
        std::pair<Item, Item> chosen;
        const double over = Semiring::inverse(chart.value(item));
        double left = rng.uniform();
        bool found = false;
        chart.each_way(item, [&](double weight, const Item& part, const Item& other) {
            if (found) return;
            const double share = Semiring::times(weight, over);
            const double mass =
                Semiring::probability(Semiring::times(share, Semiring::times(chart.value(part), chart.value(other))));
            if (mass == 0) return;
            chosen = {part, other};  // the last one with mass, if rounding leaves a remainder
            found = (left -= mass) < 0;
        });
        return chosen;
    });
}

// The probability of every arc, by [head][child]: inside times outside, divided by the total.
template <class Semiring>
std::vector<double> arc_probabilities(const Chart<Semiring>& chart) {
    const ArcWeights& w = chart.weights();
    std::vector<double> probability(w.pair.size(), 0.0), outside(chart.num_items(), Semiring::zero);
    auto add = [&](const Item& item, double mass) {
        double& sum = outside[chart.index(item)];
        sum = Semiring::plus(sum, mass);
    };
    add(chart.goal(), Semiring::inverse(chart.value(chart.goal())));
    chart.each_item_from_the_top([&](const Item& item) {
        const double above = outside[chart.index(item)];
        if (above == Semiring::zero) return;
        if (item.type == Item::right || item.type == Item::left) {
            const bool is_right = item.type == Item::right;
            const int head = is_right ? item.from : item.to, child = is_right ? item.to : item.from;
            probability[w.pair_at(head, child)] = Semiring::probability(Semiring::times(above, chart.value(item)));
        }
        chart.each_way(item, [&](double weight, const Item& part, const Item& other) {
            const double share = Semiring::times(above, weight);
            add(part, Semiring::times(share, chart.value(other)));
            if (other.type != Item::none) add(other, Semiring::times(share, chart.value(part)));
        });
    });
    return probability;
}

}  // namespace bistro
