// A weighted grammar of binary, unary and lexical rules, indexed for charts.
//
// Rules are numbered in the given order. Rule r rewrites left[r] into first[r] second[r]. If second[r] = -1, there is one
// child, and if first[r] = -1 - word, that child is a word.
//
// Cycles of unary rules would give a sentence infinitely many trees. So unary rules are added one by one, the most probable
// first, and a rule that would close a cycle is left out (`left_out`). Then no symbol occurs twice over one span, and
// symbols have an order in which each comes after all symbols that it can be rewritten into (`bottom_up`).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bistro {

using Integers = std::span<const std::int32_t>;

// Item numbers by group. The items of group g are at(g).
class RuleGroups {
public:
    RuleGroups() = default;
    // `group_of(i)` of each item, in the order of the items.
    template <class GroupOf>
    RuleGroups(const std::vector<std::int32_t>& items, int groups, const GroupOf& group_of)
        : begin_(groups + 1, 0), items_(items.size()) {
        for (const std::int32_t item : items) ++begin_[group_of(item) + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        std::vector<std::int32_t> next(begin_.begin(), begin_.end() - 1);
        for (const std::int32_t item : items) items_[next[group_of(item)]++] = item;
    }
    Integers at(int group) const { return Integers(items_).subspan(begin_[group], begin_[group + 1] - begin_[group]); }

private:
    std::vector<std::int32_t> begin_, items_;
};

// The weights of the rules in one semiring, by number, and again in the order in which a chart reads the binary rules.
struct RuleWeights {
    std::vector<double> by_rule, by_pair;
};

class Grammar {
public:
    // Two children that some binary rules share. These rules are adjacent, `begin` to `end`, in paired_left and
    // RuleWeights::by_pair.
    struct Pair {
        std::int32_t second, begin, end;
    };

    Grammar(int symbols, int words, int root, Integers left, Integers first, Integers second, std::span<const double> log_prob)
        : symbols_(symbols), words_(words), root_(root), left_(left.begin(), left.end()), first_(first.begin(), first.end()),
          second_(second.begin(), second.end()) {
        check(log_prob);
        break_cycles(log_prob);
        index();
        log_prob_ = weights({log_prob.begin(), log_prob.end()});
        std::vector<double> prob(log_prob.size());
        std::transform(log_prob.begin(), log_prob.end(), prob.begin(), [](double x) { return std::exp(x); });
        prob_ = weights(std::move(prob));
    }

    int symbols() const { return symbols_; }
    int words() const { return words_; }
    int rules() const { return static_cast<int>(left_.size()); }
    int root() const { return root_; }
    std::int32_t left(int rule) const { return left_[rule]; }
    std::int32_t first(int rule) const { return first_[rule]; }
    std::int32_t second(int rule) const { return second_[rule]; }
    bool lexical(int rule) const { return first_[rule] < 0; }
    int children(int rule) const { return lexical(rule) ? 0 : second_[rule] < 0 ? 1 : 2; }

    const RuleWeights& log_prob() const { return log_prob_; }
    const RuleWeights& prob() const { return prob_; }
    RuleWeights weights(std::vector<double> by_rule) const {
        RuleWeights out{std::move(by_rule), {}};
        out.by_pair.reserve(paired_.size());
        for (const std::int32_t rule : paired_) out.by_pair.push_back(out.by_rule[rule]);
        return out;
    }

    Integers binary_of(int symbol) const { return binary_.at(symbol); }
    Integers unary_of(int symbol) const { return unary_.at(symbol); }
    // Empty for a word that the grammar does not know.
    Integers rules_of_word(int word) const { return word < 0 || word >= words_ ? Integers{} : lexical_.at(word); }
    std::span<const Pair> pairs_from(int first) const {
        return std::span(pairs_).subspan(pairs_begin_[first], pairs_begin_[first + 1] - pairs_begin_[first]);
    }
    const std::int32_t* paired_left() const { return paired_left_.data(); }
    Integers bottom_up() const { return bottom_up_; }
    Integers left_out() const { return left_out_; }

private:
    void check(std::span<const double> log_prob) const {
        if (left_.size() != first_.size() || left_.size() != second_.size() || left_.size() != log_prob.size())
            throw std::invalid_argument("the columns of the rules differ in length");
        if (root_ < 0 || root_ >= symbols_) throw std::invalid_argument("the root is not one of the symbols");
        for (int r = 0; r < rules(); ++r) {
            const bool known = first_[r] < 0 ? -1 - first_[r] < words_ && second_[r] == -1
                                             : first_[r] < symbols_ && second_[r] >= -1 && second_[r] < symbols_;
            if (left_[r] < 0 || left_[r] >= symbols_ || !known)
                throw std::invalid_argument("rule " + std::to_string(r) + " has a symbol or word out of range");
            if (!(log_prob[r] <= 0)) throw std::invalid_argument("rule " + std::to_string(r) + " has a log-probability above 0");
        }
    }

    std::vector<std::int32_t> rules_with(int wanted_children) const {
        std::vector<std::int32_t> found;
        for (int r = 0; r < rules(); ++r)
            if (children(r) == wanted_children) found.push_back(r);
        return found;
    }

    // `below` has for each symbol the symbols that the unary rules added so far can rewrite it into.
    void break_cycles(std::span<const double> log_prob) {
        std::vector<std::int32_t> candidates = rules_with(1), kept;
        std::stable_sort(candidates.begin(), candidates.end(), [&](int a, int b) { return log_prob[a] > log_prob[b]; });
        std::vector<std::vector<std::int32_t>> below(symbols_);
        for (const std::int32_t rule : candidates) {
            const bool closes = reaches(below, first_[rule], left_[rule]);
            (closes ? left_out_ : kept).push_back(rule);
            if (!closes) below[left_[rule]].push_back(first_[rule]);
        }
        std::sort(kept.begin(), kept.end());
        std::sort(left_out_.begin(), left_out_.end());
        unary_ = RuleGroups(kept, symbols_, [&](int rule) { return left_[rule]; });
        order(below);
    }

    bool reaches(const std::vector<std::vector<std::int32_t>>& below, int from, int to) const {
        std::vector<std::int32_t> waiting{from};
        std::vector<bool> seen(symbols_, false);
        while (!waiting.empty()) {
            const int symbol = waiting.back();
            waiting.pop_back();
            if (symbol == to) return true;
            if (seen[symbol]) continue;
            seen[symbol] = true;
            waiting.insert(waiting.end(), below[symbol].begin(), below[symbol].end());
        }
        return false;
    }

    void order(const std::vector<std::vector<std::int32_t>>& below) {
        std::vector<std::int32_t> missing(symbols_, 0);
        std::vector<std::vector<std::int32_t>> above(symbols_);
        for (int symbol = 0; symbol < symbols_; ++symbol)
            for (const std::int32_t child : below[symbol]) {
                ++missing[symbol];
                above[child].push_back(symbol);
            }
        for (int symbol = 0; symbol < symbols_; ++symbol)
            if (missing[symbol] == 0) bottom_up_.push_back(symbol);
        for (std::size_t done = 0; done < bottom_up_.size(); ++done)
            for (const std::int32_t symbol : above[bottom_up_[done]])
                if (--missing[symbol] == 0) bottom_up_.push_back(symbol);
    }

    void index() {
        lexical_ = RuleGroups(rules_with(0), words_, [&](int rule) { return -1 - first_[rule]; });
        paired_ = rules_with(2);
        binary_ = RuleGroups(paired_, symbols_, [&](int rule) { return left_[rule]; });
        auto children_of = [&](int rule) { return std::pair(first_[rule], second_[rule]); };
        std::stable_sort(paired_.begin(), paired_.end(), [&](int a, int b) { return children_of(a) < children_of(b); });
        pairs_begin_.assign(symbols_ + 1, 0);
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(paired_.size()); ++i) {
            paired_left_.push_back(left_[paired_[i]]);
            if (i == 0 || children_of(paired_[i]) != children_of(paired_[i - 1])) {
                pairs_.push_back({second_[paired_[i]], i, i});
                ++pairs_begin_[first_[paired_[i]] + 1];
            }
            pairs_.back().end = i + 1;
        }
        std::partial_sum(pairs_begin_.begin(), pairs_begin_.end(), pairs_begin_.begin());
    }

    int symbols_, words_, root_;
    std::vector<std::int32_t> left_, first_, second_;
    RuleWeights log_prob_, prob_;
    RuleGroups lexical_, unary_, binary_;             // indexed by word; by left side; by left side
    std::vector<std::int32_t> paired_, paired_left_;  // binary rules, sorted by their children: the rule; its left side
    std::vector<Pair> pairs_;                         // sorted by first child
    std::vector<std::int32_t> pairs_begin_, bottom_up_, left_out_;
};

}  // namespace bistro
