// All trees of a sentence under a grammar, summed bottom-up (Cocke, Younger, Kasami) in one of several semirings.
//
//     value(A, i, j) = bonus(A, i, j) (Σ_lexical weight + Σ_{A → B C} weight Σ_k value(B, i, k) value(C, k, j)
//                                      + Σ_{A → B} weight value(B, i, j))
//
// The inner sum is computed once for each pair of children, which several rules may share, along two rows of memory, since
// values are stored by start and by end. It covers only splits at which both children exist: from the first to the last end
// of B after i and start of C before j.
//
// Sums of products of a hundred probabilities underflow. So each position may scale the words over it by some bits: then
// every value over a span is too high by the same power of two, independent of the derivation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "infinite/grammar.hpp"
#include "infinite/lattice.hpp"
#include "parse/semirings.hpp"
#include "stop/pause.hpp"

namespace bistro {

// A symbol over a span.
struct SpanItem {
    std::int32_t symbol, start, end;
};

struct NoBonus {
    template <class Semiring>
    static constexpr double of(const SpanItem&) {
        return Semiring::one;
    }
};

template <class Semiring>
class RuleChart {
public:
    // Whether the sentence is short enough for a chart.
    static bool fits(const Grammar& grammar, const Lattice& lattice) {
        const std::size_t positions = lattice.length() + 1;
        return grammar.symbols() * positions * positions <= kMostValues;
    }

    // The sentence must fit. Grammar, weights and lattice must outlive all queries of the chart. Returns the value of the
    // root over all words. `lifted_before` has for each position the total number of bits by which the words before it are
    // scaled; if it is empty, no word is scaled.
    template <class Bonus = NoBonus>
    double fill(const Grammar& grammar, const RuleWeights& weights, const Lattice& lattice, const Bonus& bonus = {},
                std::vector<std::int32_t> lifted_before = {}) {
        grammar_ = &grammar;
        weights_ = &weights;
        lattice_ = &lattice;
        positions_ = lattice.length() + 1;
        lifted_before_ = std::move(lifted_before);
        clear();
        for (int width = 1; width < positions_; ++width)
            for (int start = 0; start + width < positions_; ++start) {
                pause();
                fill_cell(start, start + width, bonus);
            }
        return positions_ > 1 ? value(goal()) : Semiring::zero;
    }

    SpanItem goal() const { return {grammar_->root(), 0, positions_ - 1}; }
    double value(const SpanItem& item) const { return by_start_[row(item.symbol, item.start) + item.end]; }
    const Grammar& grammar() const { return *grammar_; }
    const Lattice& lattice() const { return *lattice_; }

    int lift(int start, int end) const { return lifted_before_.empty() ? 0 : lifted_before_[end] - lifted_before_[start]; }

    // The minimum and maximum over non-empty cells of their highest value.
    double lowest_peak() const { return lowest_peak_; }
    double highest_peak() const { return highest_peak_; }

    // Calls visit(weight, rule, split) for each way to derive an item that has a value. split is -1 for a rule with one
    // child.
    template <class Visit>
    void each_way(const SpanItem& item, const Visit& visit) const {
        const auto [symbol, start, end] = item;
        each_lexical(start, end, [&](int rule, double weight) {
            if (grammar_->left(rule) == symbol) visit(weight, rule, -1);
        });
        for (const std::int32_t rule : grammar_->binary_of(symbol)) {
            const Meeting meet = meeting(grammar_->first(rule), start, grammar_->second(rule), end);
            for (int split = meet.low; split <= meet.high; ++split) {
                const double pair = Semiring::times(meet.first[split], meet.second[split]);
                if (pair != Semiring::zero) visit(Semiring::times(weights_->by_rule[rule], pair), rule, split);
            }
        }
        for (const std::int32_t rule : grammar_->unary_of(symbol)) {
            const double below = value({grammar_->first(rule), start, end});
            if (below != Semiring::zero) visit(Semiring::times(weights_->by_rule[rule], below), rule, -1);
        }
    }

private:
    struct Ends {
        std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
        void add(std::int32_t position) {
            low = std::min(low, position);
            high = std::max(high, position);
        }
    };
    // The positions at which a first child from `start` may end and a second child up to `end` may begin, and the values of
    // both by position.
    struct Meeting {
        int low, high;
        const double *first, *second;
    };

    std::size_t row(int symbol, int position) const {
        return (static_cast<std::size_t>(symbol) * positions_ + position) * positions_;
    }
    std::size_t at(int symbol, int position) const { return static_cast<std::size_t>(symbol) * positions_ + position; }

    Meeting meeting(int first, int start, int second, int end) const {
        const Ends& ends = ends_[at(first, start)];
        const Ends& starts = starts_[at(second, end)];
        return {std::max({ends.low, starts.low, start + 1}), std::min({ends.high, starts.high, end - 1}),
                &by_start_[row(first, start)], &by_end_[row(second, end)]};
    }

    void clear() {
        const std::size_t symbols = grammar_->symbols(), size = symbols * positions_ * positions_;
        for (auto* table : {&by_start_, &by_end_}) table->assign(size, Semiring::zero);
        for (auto* ends : {&ends_, &starts_}) ends->assign(symbols * positions_, Ends{});
        cell_.assign(symbols, Semiring::zero);
        lowest_peak_ = kInfinity;
        highest_peak_ = -kInfinity;
    }

    template <class Visit>
    void each_lexical(int start, int end, const Visit& visit) const {
        lattice_->each_word(start, end, [&](int word) {
            for (const std::int32_t rule : grammar_->rules_of_word(word)) {
                const double weight = weights_->by_rule[rule];
                visit(rule, lifted_before_.empty() ? weight : std::ldexp(weight, lift(start, end)));
            }
        });
    }

    template <class Bonus>
    void fill_cell(int start, int end, const Bonus& bonus) {
        std::fill(cell_.begin(), cell_.end(), Semiring::zero);
        each_lexical(start, end, [&](int rule, double weight) { add(grammar_->left(rule), weight); });
        if (end - start > 1)
            for (int first = 0; first < grammar_->symbols(); ++first)
                if (ends_[at(first, start)].low < end) add_pairs(first, start, end);
        double peak = Semiring::zero;
        for (const std::int32_t symbol : grammar_->bottom_up()) {
            for (const std::int32_t rule : grammar_->unary_of(symbol))
                add(symbol, Semiring::times(weights_->by_rule[rule], cell_[grammar_->first(rule)]));
            if (cell_[symbol] == Semiring::zero) continue;
            cell_[symbol] = Semiring::times(cell_[symbol], bonus.template of<Semiring>({symbol, start, end}));
            peak = std::max(peak, cell_[symbol]);
            store(symbol, start, end);
        }
        if (peak == Semiring::zero) return;
        lowest_peak_ = std::min(lowest_peak_, peak);
        highest_peak_ = std::max(highest_peak_, peak);
    }

    void add(int symbol, double weight) { cell_[symbol] = Semiring::plus(cell_[symbol], weight); }

    void add_pairs(int first, int start, int end) {
        const std::int32_t* left = grammar_->paired_left();
        for (const Grammar::Pair& pair : grammar_->pairs_from(first)) {
            const Meeting meet = meeting(first, start, pair.second, end);
            if (meet.low > meet.high) continue;
            const double sum = Semiring::sum2(meet.first + meet.low, meet.second + meet.low, meet.high - meet.low + 1);
            if (sum == Semiring::zero) continue;
            for (int r = pair.begin; r < pair.end; ++r) add(left[r], Semiring::times(weights_->by_pair[r], sum));
        }
    }

    void store(int symbol, int start, int end) {
        by_start_[row(symbol, start) + end] = by_end_[row(symbol, end) + start] = cell_[symbol];
        ends_[at(symbol, start)].add(end);
        starts_[at(symbol, end)].add(start);
    }

    static constexpr std::size_t kMostValues = std::size_t{1} << 26;  // half a gigabyte for each of the two tables

    const Grammar* grammar_ = nullptr;
    const RuleWeights* weights_ = nullptr;
    const Lattice* lattice_ = nullptr;
    int positions_ = 0;
    std::vector<std::int32_t> lifted_before_;
    std::vector<double> by_start_, by_end_;  // [symbol][start][end], [symbol][end][start]
    std::vector<Ends> ends_, starts_;        // [symbol][start], [symbol][end]
    std::vector<double> cell_;               // the cell that is being filled, by symbol
    double lowest_peak_ = 0, highest_peak_ = 0;
};

}  // namespace bistro
