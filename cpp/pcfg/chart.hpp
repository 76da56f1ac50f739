// The chart of one sentence: inside values of all spans, and the probability of every beginning of the sentence.
//
// inside(i, k, A) is the probability that A derives words i to k, summed over derivations or of the best of them:
//
//     inside(i, k, A) = Σ_{A → B C} p Σ_j inside(i, j, B) inside(j, k, C) + Σ_{A → B} p inside(i, k, B) + p(A → word i) if k = i + 1
//
// expected(j, C) is the probability of words 0 to j together with a C that begins at j. A C begins there as the right child of a symbol
// that began at some i, whose left child spans i to j; or as the first child of another symbol that begins at j:
//
//     expected(j, C) = Σ_i Σ_{A → B C} expected(i, A) p inside(i, j, B) + Σ_{A → C …} p expected(j, A),     expected(0, start) += 1
//
// and Σ_A expected(j, A) p(A → word j) is the probability of all sentences that begin with words 0 to j (Jelinek and Lafferty 1991;
// Stolcke 1995). This costs one sum per span, where inside values cost one per split.
//
// The chart grows from left to right, one column (an end k) at a time, and in a column from right to left. A symbol is put over a span
// only if it is expected at the start of the span. Each word is multiplied by a power of two that brings the probability of the beginning
// up to it to between 1 and 2, so that no sentence is too long for floating point, and nothing is rounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "pcfg/grammar.hpp"
#include "pcfg/products.hpp"

namespace bistro::pcfg {

// The symbols that emit each word, with their probabilities: those of word i are entries begin[i] to begin[i + 1].
struct Words {
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> symbols;
    std::span<const double> probs;

    std::int32_t count() const { return static_cast<std::int32_t>(begin.size()) - 1; }
    template <class Use>
    void each(std::int32_t word, const Use& use) const {
        for (std::int64_t e = begin[word]; e < begin[word + 1]; ++e) use(symbols[e], probs[e]);
    }
};

// What remains of a chart.
struct Filled {
    double log_prob = -std::numeric_limits<double>::infinity();
    std::vector<double> prefix_log_probs;  // of the first word, the first two, …
    std::vector<double> scales;            // what the probabilities of each word were multiplied by
    // If asked for: symbols and values over each span; those of a span are entries begin[c] to begin[c + 1], c = cell(start, end).
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> symbols;
    std::vector<double> values;

    // Columns from left to right, each from its shortest span on.
    static std::int64_t cell(std::int64_t start, std::int64_t end) { return end * (end - 1) / 2 + (end - 1 - start); }
};

template <class Semiring>
class Chart {
public:
    Chart(const Grammar<Semiring>& grammar, const Words& words, bool keep)
        : grammar_(grammar), terms_(grammar.terms), words_(words), keep_(keep), length_(words.count()), starts_(length_),
          values_(static_cast<std::size_t>(length_) * grammar.symbols), rights_(static_cast<std::size_t>(length_) * terms_.size),
          filled_(length_, false), products_(terms_.size), group_values_(grammar.short_groups.size(), 0.0) {}

    // `after_column` is called once per word.
    template <class AfterColumn>
    Filled fill(const AfterColumn& after_column) {
        result_.prefix_log_probs.assign(length_, -std::numeric_limits<double>::infinity());
        result_.scales.assign(length_, 1.0);
        next_.assign(grammar_.symbols, 0.0);
        next_[grammar_.start] = 1;
        for (std::int32_t end = 1; end <= length_; ++end) {
            expect(starts_[end - 1]);
            if (!scale(end - 1)) return std::move(result_);
            for (std::int32_t start = end - 1; start >= 0; --start) {
                fill_span(start, end);
                if (keep_) result_.begin.push_back(static_cast<std::int64_t>(result_.symbols.size()));
            }
            after_column();
        }
        if (filled_[0]) result_.log_prob = logarithm(values_[grammar_.start]);
        return std::move(result_);
    }

private:
    // A group of rules whose left child has been found: it waits for its right child from `split` on.
    struct Waiting {
        std::int32_t parent, right;
        double value;
    };
    struct WaitingAt {
        std::int32_t split;
        std::size_t end;  // in `waiting`
    };
    // What begins at one position.
    struct Start {
        std::vector<double> expected;      // by symbol
        std::vector<double> of_terms;      // by term: what its parents are expected with
        std::vector<Waiting> waiting;      // by split
        std::vector<WaitingAt> waiting_at;
        std::vector<std::int32_t> splits;  // ends of spans with left sides of terms
        std::vector<double> lefts;         // these left sides, by split and slot
    };

    // Less probable symbols, compared with the words so far, count as impossible: the inverse would be too large a number.
    static constexpr double kLeast = 1e-200;

    double logarithm(double scaled) const {
        return scaled > 0 ? std::log(scaled) - static_cast<double>(exponent_) * std::numbers::ln2 : -std::numeric_limits<double>::infinity();
    }
    double* values(std::int32_t start) { return values_.data() + static_cast<std::size_t>(start) * grammar_.symbols; }
    double* rights(std::int32_t start) { return rights_.data() + static_cast<std::size_t>(start) * terms_.size; }

    // Completes what begins after the columns so far.
    void expect(Start& here) {
        for (std::int32_t symbol = 0; symbol < grammar_.symbols && !ahead_.empty(); ++symbol)
            for (const auto& [term, weight] : terms_.right.at(symbol)) next_[symbol] = Semiring::plus(next_[symbol], weight * ahead_[term]);
        grammar_.first_child.down(next_.data());
        for (double& value : next_)
            if (value < kLeast) value = 0;
        here.expected = next_;
        here.of_terms.assign(terms_.size, 0.0);
        for (std::int32_t term = 0; term < terms_.size; ++term)
            for (const auto& [parent, weight] : terms_.parents.at(term))
                here.of_terms[term] = Semiring::plus(here.of_terms[term], weight * next_[parent]);
        std::fill(next_.begin(), next_.end(), 0.0);
        ahead_.assign(terms_.size, 0.0);
    }

    // Finds the probability of the words up to this one, and brings it near 1; tells whether it is above 0.
    bool scale(std::int32_t word) {
        double prefix = 0;
        words_.each(word, [&](std::int32_t symbol, double prob) { prefix = Semiring::plus(prefix, starts_[word].expected[symbol] * prob); });
        if (!(prefix > 0)) return false;
        const int exponent = -std::ilogb(prefix);
        exponent_ += exponent;
        result_.scales[word] = std::ldexp(1.0, exponent);
        result_.prefix_log_probs[word] = logarithm(std::ldexp(prefix, exponent));
        return true;
    }

    void fill_span(std::int32_t start, std::int32_t end) {
        const Start& here = starts_[start];
        double* out = values(start);
        std::fill(out, out + grammar_.symbols, 0.0);
        if (end == start + 1)
            words_.each(start, [&](std::int32_t symbol, double prob) {
                out[symbol] = Semiring::plus(out[symbol], prob * result_.scales[start]);
            });
        else
            combine(here, out);
        filled_[start] = mask(here, out);
        if (!filled_[start]) return;
        grammar_.unary.up(out);
        mask(here, out);
        spread(start, end, out);
        if (keep_) store(out);
    }

    // Sets what is not expected to 0; tells whether anything is left.
    bool mask(const Start& here, double* out) const {
        bool any = false;
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol) {
            if (here.expected[symbol] == 0) out[symbol] = 0;
            any |= out[symbol] != 0;
        }
        return any;
    }

    // Binary rules over a span, from the spans before and after each split.
    void combine(const Start& here, double* out) {
        std::size_t w = 0;
        for (const auto& [split, last] : here.waiting_at) {
            const double* after = values(split);
            if (!filled_[split]) w = last;
            for (; w < last; ++w) {
                const auto& [parent, right, value] = here.waiting[w];
                out[parent] = Semiring::plus(out[parent], value * after[right]);
            }
        }
        splits_.clear();
        for (std::size_t s = 0; s < here.splits.size(); ++s)
            if (filled_[here.splits[s]]) splits_.push_back({here.lefts.data() + s * terms_.slots(), rights(here.splits[s])});
        if (splits_.empty()) return;
        std::fill(products_.begin(), products_.end(), 0.0);
        add_products<Semiring>(products_.data(), terms_, splits_);
        for (std::int32_t term = 0; term < terms_.size; ++term)
            if (products_[term] != 0)
                for (const auto& [parent, weight] : terms_.parents.at(term))
                    out[parent] = Semiring::plus(out[parent], weight * products_[term]);
    }

    // Prepares what later spans need of this one: as their right part, and as their left part.
    void spread(std::int32_t start, std::int32_t end, const double* out) {
        double* right = rights(start);
        std::fill(right, right + terms_.size, 0.0);
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
            if (out[symbol] != 0)
                for (const auto& [term, weight] : terms_.right.at(symbol)) right[term] = Semiring::plus(right[term], weight * out[symbol]);
        if (end == length_) return;
        spread_left(starts_[start], end, out);
        if (end - start <= kShort) spread_short(starts_[start], end, out);
    }

    void spread_left(Start& here, std::int32_t end, const double* out) {
        const std::size_t before = here.lefts.size();
        here.lefts.resize(before + terms_.slots(), 0.0);
        double* left = here.lefts.data() + before;
        bool any = false;
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
            if (out[symbol] != 0)
                for (const auto& [slot, weight] : terms_.left.at(symbol)) {
                    left[slot] = Semiring::plus(left[slot], weight * out[symbol]);
                    any = true;
                }
        if (!any) {
            here.lefts.resize(before);
            return;
        }
        here.splits.push_back(end);
        const Split whole{left, here.of_terms.data()};
        splits_.assign(1, whole);
        add_products<Semiring>(ahead_.data(), terms_, splits_);
    }

    void spread_short(Start& here, std::int32_t end, const double* out) {
        groups_.clear();
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
            if (out[symbol] != 0)
                for (const auto& [group, weight] : grammar_.short_left.at(symbol)) {
                    if (group_values_[group] == 0) groups_.push_back(group);
                    group_values_[group] = Semiring::plus(group_values_[group], weight * out[symbol]);
                }
        for (const std::int32_t group : groups_) {
            const auto [parent, right] = grammar_.short_groups[group];
            const double value = std::exchange(group_values_[group], 0.0);
            if (value == 0 || here.expected[parent] == 0) continue;
            here.waiting.push_back({parent, right, value});
            next_[right] = Semiring::plus(next_[right], here.expected[parent] * value);
        }
        here.waiting_at.push_back({end, here.waiting.size()});
    }

    void store(const double* out) {
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
            if (out[symbol] != 0) {
                result_.symbols.push_back(symbol);
                result_.values.push_back(out[symbol]);
            }
    }

    const Grammar<Semiring>& grammar_;
    const Terms& terms_;
    Words words_;
    bool keep_;
    std::int32_t length_;
    std::int64_t exponent_ = 0;
    Filled result_;
    std::vector<Start> starts_;
    std::vector<double> values_, rights_;  // of the current column, by start: by symbol, by term
    std::vector<bool> filled_;             // likewise: whether there is anything
    std::vector<double> next_, ahead_;     // what is expected after the current column: by symbol, by term
    std::vector<double> products_, group_values_;
    std::vector<std::int32_t> groups_;
    std::vector<Split> splits_;
};

}  // namespace bistro::pcfg
