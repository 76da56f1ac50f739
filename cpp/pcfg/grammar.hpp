// A context-free grammar of binary and unary rules with probabilities, prepared for charts of sums or of maxima.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pcfg/closure.hpp"
#include "pcfg/sparse.hpp"
#include "pcfg/terms.hpp"

namespace bistro::pcfg {

struct UnaryRule {
    std::int32_t parent, child;
    double prob;
};

struct Rules {
    std::int32_t symbols, start;
    std::vector<BinaryRule> binary;
    std::vector<UnaryRule> unary;

    const Rules& checked() const {
        auto known = [&](std::int32_t symbol) { return symbol >= 0 && symbol < symbols; };
        bool good = known(start);
        for (const BinaryRule& r : binary)
            good = good && known(r.parent) && known(r.left) && known(r.right) && r.prob >= 0 && r.prob <= 1;
        for (const UnaryRule& r : unary) good = good && known(r.parent) && known(r.child) && r.prob >= 0 && r.prob <= 1;
        if (!good) throw std::invalid_argument("a rule has a symbol out of range, or a probability outside 0 to 1");
        return *this;
    }
};

// Up to this number of words, a left child counts as short, and its few splits are processed one by one.
inline constexpr std::int32_t kShort = 8;

// The maximum number of words that each symbol derives, or kShort + 1 for more than kShort.
inline std::vector<std::int32_t> longest_spans(const Rules& rules) {
    std::vector<std::int32_t> longest(rules.symbols, 1);
    auto raise = [&](std::int32_t symbol, std::int32_t length) {
        const bool higher = std::min(length, kShort + 1) > longest[symbol];
        if (higher) longest[symbol] = std::min(length, kShort + 1);
        return higher;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const BinaryRule& r : rules.binary) changed |= raise(r.parent, longest[r.left] + longest[r.right]);
        for (const UnaryRule& r : rules.unary) changed |= raise(r.parent, longest[r.child]);
    }
    return longest;
}

template <class Semiring>
class Grammar {
public:
    // Rules with a short left child and the same parent and right child.
    struct ShortGroup {
        std::int32_t parent, right;
    };

    explicit Grammar(const Rules& rules) : Grammar(rules, longest_spans(rules.checked())) {}

    const std::int32_t symbols, start;
    const Closure<Semiring> unary;         // over unary rules
    const Closure<Semiring> first_child;   // from a symbol to the first child of any of its rules
    const Terms terms;                     // rules with a long left child
    std::vector<ShortGroup> short_groups;  // rules with a short left child
    Sparse short_left;                     // by left child: weights of groups

private:
    Grammar(const Rules& rules, const std::vector<std::int32_t>& longest)
        : symbols(rules.symbols), start(rules.start), unary(symbols, unary_steps(rules)), first_child(symbols, first_steps(rules)),
          terms(symbols, long_left(rules, longest)) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;
        std::vector<Entry> weights;
        for (const BinaryRule& r : rules.binary) {
            if (longest[r.left] > kShort) continue;
            const auto [at, is_new] = known.try_emplace({r.parent, r.right}, static_cast<std::int32_t>(short_groups.size()));
            if (is_new) short_groups.push_back({r.parent, r.right});
            weights.push_back({r.left, at->second, r.prob});
        }
        short_left = Sparse(symbols, weights);
    }

    static std::vector<Entry> unary_steps(const Rules& rules) {
        std::vector<Entry> steps;
        for (const UnaryRule& r : rules.unary) steps.push_back({r.parent, r.child, r.prob});
        return steps;
    }
    static std::vector<Entry> first_steps(const Rules& rules) {
        std::vector<Entry> steps = unary_steps(rules);
        for (const BinaryRule& r : rules.binary) steps.push_back({r.parent, r.left, r.prob});
        return steps;
    }
    static std::vector<BinaryRule> long_left(const Rules& rules, const std::vector<std::int32_t>& longest) {
        std::vector<BinaryRule> found;
        for (const BinaryRule& r : rules.binary)
            if (longest[r.left] > kShort) found.push_back(r);
        return found;
    }
};

}  // namespace bistro::pcfg
