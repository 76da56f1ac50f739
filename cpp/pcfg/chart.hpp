// The chart of one sentence: inside values of all spans, and the probability of every beginning of the sentence.
//
// inside(i, k, A) is the probability that A derives words i to k, as the sum or the maximum over derivations:
//
//     inside(i, k, A) = Σ_{A → B C} p Σ_j inside(i, j, B) inside(j, k, C) + Σ_{A → B} p inside(i, k, B)
//                          + p(A → word i) if k = i + 1
//
// expected(j, C) is the probability of words 0 to j together with a C that begins at j. There are two ways for a C to begin
// at j: as the right child of a symbol that began at some i and whose left child spans i to j, or as the first child of
// another symbol that begins at j:
//
//     expected(j, C) = Σ_i Σ_{A → B C} expected(i, A) p inside(i, j, B) + Σ_{A → C …} p expected(j, A)
//     expected(0, start) += 1
//
// and Σ_A expected(j, A) p(A → word j) is the probability of all sentences that begin with words 0 to j (Jelinek and
// Lafferty 1991; Stolcke 1995). This takes one sum per span, whereas inside values take one per split.
//
// The chart grows from left to right, one column (an end k) at a time, and within a column from right to left. A symbol is
// added over a span only if it is expected at the start of the span. Each word is multiplied by a power of two, so that the
// scaled probability of the beginning of the sentence stays between 1 and 2. Therefore, no sentence is too long for
// floating point, and the scaling does not round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "pcfg/grammar.hpp"
#include "pcfg/products.hpp"
#include "pcfg/sentence.hpp"
#include "stop/pause.hpp"

namespace bistro::pcfg {

template <class Semiring>
class Chart {
public:
    // `keep` stores the values of all spans in the result, `ahead` the symbols that are expected after the last word.
    Chart(const Grammar<Semiring>& grammar, const Words& words, bool keep, bool ahead = false)
        : grammar_(grammar), terms_(grammar.terms), words_(words), keep_(keep), ahead_asked_(ahead), length_(words.count()),
          starts_(length_), values_(static_cast<std::size_t>(length_) * grammar.symbols),
          rights_(static_cast<std::size_t>(length_) * terms_.size), filled_(length_, false), ahead_(terms_.size, 0.0),
          products_(terms_.size), group_values_(grammar.short_groups.size(), 0.0) {}

    Result fill() {
        result_.prefix_log_probs.assign(length_, -std::numeric_limits<double>::infinity());
        result_.scales.assign(length_, 1.0);
        next_.assign(grammar_.symbols, 0.0);
        next_[grammar_.start] = 1;
        for (std::int32_t end = 1; end <= length_; ++end) {
            expect(starts_[end - 1]);
            if (!scale(end - 1)) return std::move(result_);
            for (std::int32_t start = end - 1; start >= 0; --start) {
                pause();
                fill_span(start, end);
                if (keep_) result_.begin.push_back(static_cast<std::int64_t>(result_.symbols.size()));
            }
        }
        if (length_ > 0 && filled_[0]) result_.log_prob = logarithm(values_[grammar_.start]);
        if (ahead_asked_) look_ahead();
        return std::move(result_);
    }

private:
    // A group of rules whose left child has been found, and whose right child must begin at a split.
    struct Waiting {
        std::int32_t parent, right;
        double value;
    };
    struct WaitingAt {
        std::int32_t split;
        std::size_t end;  // index in `waiting` after the last group of this split
    };
    // The left sides of terms over the words up to a split, one per slot.
    struct Left {
        std::int32_t split;
        std::vector<double> sides;
    };
    // The symbols that begin at one position.
    struct Start {
        std::vector<double> expected;  // by symbol
        std::vector<double> of_terms;  // by term: the expected values of its parents
        bool everything = false;       // any symbol may begin here
        std::vector<Waiting> waiting;  // by split
        std::vector<WaitingAt> waiting_at;
        std::vector<Left> lefts;  // by split
    };

    // Symbols that are less probable than this, relative to the words so far, count as impossible, since their inverse
    // would be too large.
    static constexpr double kLeast = 1e-200;

    double logarithm(double scaled) const {
        return scaled > 0 ? std::log(scaled) - static_cast<double>(exponent_) * std::numbers::ln2
                          : -std::numeric_limits<double>::infinity();
    }
    double* values(std::int32_t start) { return values_.data() + static_cast<std::size_t>(start) * grammar_.symbols; }
    double* rights(std::int32_t start) { return rights_.data() + static_cast<std::size_t>(start) * terms_.size; }

    // Completes the expected values of the symbols that begin after the current columns.
    void expect(Start& here) {
        for (std::int32_t term = 0; term < terms_.size; ++term)
            if (ahead_[term] != 0) terms_.right.template scatter<Semiring>(term, ahead_[term], next_.data());
        grammar_.first_child.down(next_.data());
        for (double& value : next_)
            if (value < kLeast) value = 0;
        here.expected = next_;
        here.everything = std::find(next_.begin(), next_.end(), 0.0) == next_.end();
        here.of_terms.resize(terms_.size);
        for (std::int32_t term = 0; term < terms_.size; ++term)
            here.of_terms[term] = terms_.parents.template gather<Semiring>(term, next_.data());
        std::fill(next_.begin(), next_.end(), 0.0);
        std::fill(ahead_.begin(), ahead_.end(), 0.0);
    }

    // The symbols that are expected after the last word, given the words so far.
    void look_ahead() {
        Start after;
        expect(after);
        const double before =
            length_ > 0 ? std::exp(result_.prefix_log_probs.back() + static_cast<double>(exponent_) * std::numbers::ln2) : 1.0;
        result_.expected = std::move(after.expected);
        for (double& value : result_.expected) value /= before;
    }

    // Computes the probability of the words up to this one, and scales it to about 1. Returns whether it is above 0.
    bool scale(std::int32_t word) {
        double prefix = 0;
        words_.each(word, [&](std::int32_t symbol, double prob) {
            prefix = Semiring::plus(prefix, starts_[word].expected[symbol] * prob);
        });
        if (!(prefix >= std::numeric_limits<double>::min())) return false;
        const int exponent = -std::ilogb(prefix);
        exponent_ += exponent;
        result_.scales[word] = std::ldexp(1.0, exponent);
        result_.prefix_log_probs[word] = logarithm(std::ldexp(prefix, exponent));
        return true;
    }

    void fill_span(std::int32_t start, std::int32_t end) {
        Start& here = starts_[start];
        double* out = values(start);
        std::fill(out, out + grammar_.symbols, 0.0);
        filled_[start] = end == start + 1 ? emit(start, out) : combine(here, out);
        if (!filled_[start]) return;
        grammar_.unary.up(out);
        if (!here.everything)
            for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
                out[symbol] = here.expected[symbol] != 0 ? out[symbol] : 0;
        double* right = rights(start);
        for (std::int32_t term = 0; term < terms_.size; ++term) right[term] = terms_.right.template gather<Semiring>(term, out);
        if (end < length_ || ahead_asked_) {
            keep_left(here, end, out);
            if (end - start <= kShort) keep_short(here, end, out);
        }
        if (keep_) store(out);
    }

    bool emit(std::int32_t word, double* out) const {
        words_.each(word, [&](std::int32_t symbol, double prob) {
            if (starts_[word].expected[symbol] != 0) out[symbol] = Semiring::plus(out[symbol], prob * result_.scales[word]);
        });
        return true;
    }

    // Applies binary rules over a span, from the spans before and after each split. Returns whether there are any values.
    bool combine(const Start& here, double* out) {
        bool any = false;
        std::size_t w = 0;
        for (const auto& [split, last] : here.waiting_at) {
            const double* after = values(split);
            if (!filled_[split]) w = last;
            for (; w < last; ++w) {
                const auto& [parent, right, value] = here.waiting[w];
                const double product = value * after[right];
                out[parent] = Semiring::plus(out[parent], product);
                any |= product != 0;
            }
        }
        splits_.clear();
        for (const auto& [split, sides] : here.lefts)
            if (filled_[split]) splits_.push_back({sides.data(), rights(split)});
        if (splits_.empty()) return any;
        std::fill(products_.begin(), products_.end(), 0.0);
        add_products<Semiring>(products_.data(), terms_, splits_);
        for (std::int32_t term = 0; term < terms_.size; ++term)
            if (products_[term] != 0 && here.of_terms[term] != 0) {
                terms_.parents.template scatter<Semiring>(term, products_[term], out);
                any = true;
            }
        return any;
    }

    // Stores the values that longer spans need if this span is their left part: for terms, and for rules with short left
    // children.
    void keep_left(Start& here, std::int32_t end, const double* out) {
        std::vector<double> sides(terms_.slots());
        bool any = false;
        for (std::int32_t slot = 0; slot < terms_.slots(); ++slot) {
            sides[slot] = terms_.left.template gather<Semiring>(slot, out);
            any |= sides[slot] != 0;
        }
        if (!any) return;
        splits_.assign(1, {sides.data(), here.of_terms.data()});
        add_products<Semiring>(ahead_.data(), terms_, splits_);
        here.lefts.push_back({end, std::move(sides)});
    }

    void keep_short(Start& here, std::int32_t end, const double* out) {
        groups_.clear();
        for (std::int32_t symbol = 0; symbol < grammar_.symbols; ++symbol)
            if (out[symbol] != 0)
                grammar_.short_left.each(symbol, [&](std::int32_t group, double weight) {
                    if (group_values_[group] == 0) groups_.push_back(group);
                    group_values_[group] = Semiring::plus(group_values_[group], weight * out[symbol]);
                });
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
    bool keep_, ahead_asked_;
    std::int32_t length_;
    std::int64_t exponent_ = 0;
    Result result_;
    std::vector<Start> starts_;
    std::vector<double> values_, rights_;  // of the current column: by start and symbol, by start and term
    std::vector<bool> filled_;             // by start: whether the span of the current column has any values
    std::vector<double> next_, ahead_;     // expected values after the current column: by symbol, by term
    std::vector<double> products_, group_values_;
    std::vector<std::int32_t> groups_;
    std::vector<Split> splits_;
};

}  // namespace bistro::pcfg
