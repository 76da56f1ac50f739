// All trees of a sentence, weighted by a grammar: items and the ways to derive them, which are found on demand.
//
// The chart of inside sums is filled once. An item gets a number when a search reaches it. When it is opened, its ways are
// listed with running sums of their shares, so that each draw takes only a binary search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/rng.hpp"
#include "infinite/chart.hpp"
#include "infinite/rule_tree.hpp"

namespace bistro {

class RuleForest {
public:
    struct Way {
        std::int32_t rule, split;  // split is -1 if the rule has one child
        double share;              // share of the total weight of the item's trees
    };
    struct Children {
        std::uint32_t first = kNone, second = kNone;
    };

    // Keeps references to the grammar and the lattice. If there is no tree, other functions must not be called.
    bool fill(const Grammar& grammar, const Lattice& lattice) {
        grammar_ = &grammar;
        items_.clear();
        index_ = {};
        ways_.clear();
        running_.clear();
        log_total_ = -kInfinity;
        if (!RuleChart<SumProduct>::fits(grammar, lattice)) return false;
        const double total = sums_.fill(grammar, grammar.prob(), lattice, NoBonus{}, lifts(lattice));
        in_logs_ = !(total > 0 && sums_.lowest_peak() > kLowest && sums_.highest_peak() < 1 / kLowest);
        log_total_ = in_logs_ ? log_sums_.fill(grammar, grammar.log_prob(), lattice) : log_value(sums_, sums_.goal());
        return log_total_ > -kInfinity;
    }

    const Grammar& grammar() const { return *grammar_; }
    double log_total() const { return log_total_; }
    std::uint32_t root() { return number(in_logs_ ? log_sums_.goal() : sums_.goal()); }
    const SpanItem& item(std::uint32_t number) const { return items_[number].item; }
    std::size_t num_items() const { return items_.size(); }
    double log_inside(std::uint32_t number) const { return items_[number].log_inside; }

    std::uint32_t number(const SpanItem& item) {
        const std::uint32_t found = index_.find(Record{item}.key(), items_);
        if (found != kNone) return found;
        items_.push_back({item, in_logs_ ? log_value(log_sums_, item) : log_value(sums_, item)});
        index_.insert_last(items_);
        return static_cast<std::uint32_t>(items_.size() - 1);
    }

    // Returns kNone for an item that no search has reached.
    std::uint32_t find(const SpanItem& item) const { return index_.find(Record{item}.key(), items_); }

    // The ways to derive an item: lexical rules first, then binary and unary rules. They are valid until the next item is
    // opened.
    std::span<const Way> ways(std::uint32_t number) {
        const Record& record = opened(number);
        return {&ways_[record.begin], record.end - record.begin};
    }
    Way way(std::uint32_t number, std::uint32_t which) const { return ways_[items_[number].begin + which]; }

    Children children(std::uint32_t number, Way way) {
        if (grammar_->lexical(way.rule)) return {};
        const SpanItem item = items_[number].item;
        if (way.split < 0) return {this->number({grammar_->first(way.rule), item.start, item.end}), kNone};
        const std::uint32_t first = this->number({grammar_->first(way.rule), item.start, way.split});
        return {first, this->number({grammar_->second(way.rule), way.split, item.end})};
    }

    // Draws a way with its probability among all trees of the item.
    std::uint32_t draw(std::uint32_t number, Stream& rng) {
        const Record& record = opened(number);
        if (record.end - record.begin == 1) return 0;
        const auto begin = running_.begin() + record.begin, end = running_.begin() + record.end;
        const auto drawn = std::upper_bound(begin, end, rng.uniform() * *(end - 1));
        return static_cast<std::uint32_t>(std::min(drawn, end - 1) - begin);
    }

private:
    struct Record {
        SpanItem item;
        double log_inside = 0;
        std::uint32_t begin = 0, end = 0;  // range of its ways; empty if it is not opened

        std::uint64_t key() const {
            return (static_cast<std::uint64_t>(item.symbol) << 32) | (static_cast<std::uint64_t>(item.start) << 16) | item.end;
        }
    };

    // Scales words by their minimum cost, and by a constant for the rules above them.
    std::vector<std::int32_t> lifts(const Lattice& lattice) const {
        std::vector<double> most(lattice.length(), 0.0);
        for (const WordEdge& edge : lattice.edges())
            for (const std::int32_t rule : grammar_->rules_of_word(edge.word))
                most[edge.start] = std::max(most[edge.start], grammar_->prob().by_rule[rule]);
        std::vector<std::int32_t> before{0};
        for (const double p : most) before.push_back(before.back() + kLiftForRules + (p > 0 ? -std::ilogb(p) : 0));
        return before;
    }

    static double log_value(const RuleChart<SumProduct>& chart, const SpanItem& item) {
        constexpr double kLogOfTwo = 0.693147180559945309;
        return std::log(chart.value(item)) - kLogOfTwo * chart.lift(item.start, item.end);
    }
    static double log_value(const RuleChart<LogSum>& chart, const SpanItem& item) { return chart.value(item); }

    const Record& opened(std::uint32_t number) {
        Record& record = items_[number];
        if (record.begin == record.end) in_logs_ ? open(record, log_sums_) : open(record, sums_);
        return record;
    }

    template <class Semiring>
    void open(Record& record, const RuleChart<Semiring>& chart) {
        const double inverse = Semiring::inverse(chart.value(record.item));
        record.begin = static_cast<std::uint32_t>(ways_.size());
        double sum = 0;
        chart.each_way(record.item, [&](double weight, int rule, int split) {
            const double share = Semiring::probability(Semiring::times(weight, inverse));
            if (!(share > 0)) return;
            ways_.push_back({rule, split, share});
            running_.push_back(sum += share);
        });
        record.end = static_cast<std::uint32_t>(ways_.size());
    }

    static constexpr double kLowest = 0x1p-480;  // two such numbers may be multiplied
    static constexpr int kLiftForRules = 4;

    const Grammar* grammar_ = nullptr;
    RuleChart<SumProduct> sums_;
    RuleChart<LogSum> log_sums_;  // if the sentence is too long or too improbable for plain numbers
    bool in_logs_ = false;
    double log_total_ = -kInfinity;
    std::vector<Record> items_;
    PairIndex index_;
    std::vector<Way> ways_;
    std::vector<double> running_;  // running sums of the shares of the ways of an item
};

// One tree drawn from the grammar's trees of the sentence; its log_prob is that of tree and words.
inline void draw_tree(RuleForest& forest, Stream& rng, RuleTree& tree) {
    tree = {{}, 0.0};
    std::vector<std::uint32_t> waiting{forest.root()};
    while (!waiting.empty()) {
        const std::uint32_t item = waiting.back();
        waiting.pop_back();
        const std::uint32_t which = forest.draw(item, rng);
        const RuleForest::Way way = forest.way(item, which);
        tree.rules.push_back(way.rule);
        tree.log_prob += forest.grammar().log_prob().by_rule[way.rule];
        const RuleForest::Children below = forest.children(item, way);
        if (below.second != kNone) waiting.push_back(below.second);
        if (below.first != kNone) waiting.push_back(below.first);
    }
}

}  // namespace bistro
