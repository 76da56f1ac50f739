// Binary rules as a sum of few products, so that a chart needs as few multiplications as possible for each of its n³/6
// splits.
//
// With I(i, j, B) the value of symbol B over words i to j, a split at j gives A
//
//     Σ_{A → B C} p(A → B C) I(i, j, B) I(j, k, C)
//
// Rules with the same A and C need only one product: their left sides are added first, once per span instead of once per
// split. The same holds for rules with the same A and B, or the same B and C. Every rule is assigned to one such group, the
// largest groups first. A group is a term: the weights of symbols on its left, on its right, and of the symbols that it
// contributes to.
//
// Left children that derive only a few words have few splits, and need no term (`short_left` in pcfg/grammar.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "pcfg/sparse.hpp"

namespace bistro::pcfg {

struct BinaryRule {
    std::int32_t parent, left, right;
    double prob;
};

struct Weighted {
    std::int32_t symbol;
    double weight;
};

struct Term {
    std::vector<Weighted> left, right, parent;
};

// Assigns every rule to a group that shares two of its three symbols.
class Grouping {
public:
    explicit Grouping(const std::vector<BinaryRule>& rules)
        : rules_(rules), groups_of_(rules.size()), covered_(rules.size(), false) {
        // Among groups of the same size, the first one is chosen. The first groups have a single left symbol, which several
        // terms can share.
        for (const Shared shared : {kParentLeft, kLeftRight, kParentRight}) collect(shared);
    }

    std::vector<Term> terms() {
        using Size = std::pair<std::int32_t, std::int32_t>;
        std::priority_queue<Size> queue;
        for (std::int32_t g = 0; g < static_cast<std::int32_t>(groups_.size()); ++g) queue.emplace(open_[g], -g);
        std::vector<Term> out;
        while (!queue.empty()) {
            const auto [said, minus_g] = queue.top();
            const std::int32_t g = -minus_g;
            queue.pop();
            if (open_[g] == 0) continue;
            if (open_[g] == said)
                out.push_back(take(g));
            else
                queue.emplace(open_[g], -g);
        }
        return out;
    }

private:
    enum Shared { kParentLeft, kLeftRight, kParentRight };
    struct Group {
        Shared shared;
        std::vector<std::int32_t> rules;
    };

    void collect(Shared shared) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;
        for (std::int32_t r = 0; r < static_cast<std::int32_t>(rules_.size()); ++r) {
            const BinaryRule& rule = rules_[r];
            const auto key = shared == kParentLeft  ? std::pair(rule.parent, rule.left)
                             : shared == kLeftRight ? std::pair(rule.left, rule.right)
                                                    : std::pair(rule.parent, rule.right);
            const auto [at, is_new] = known.try_emplace(key, static_cast<std::int32_t>(groups_.size()));
            if (is_new) {
                groups_.push_back({shared, {}});
                open_.push_back(0);
            }
            groups_[at->second].rules.push_back(r);
            ++open_[at->second];
            groups_of_[r][shared] = at->second;
        }
    }

    Term take(std::int32_t g) {
        const Group& group = groups_[g];
        Term term;
        const BinaryRule& any = rules_[group.rules.front()];
        if (group.shared != kParentRight) term.left.push_back({any.left, 1});
        if (group.shared != kParentLeft) term.right.push_back({any.right, 1});
        if (group.shared != kLeftRight) term.parent.push_back({any.parent, 1});
        for (const std::int32_t r : group.rules) {
            if (covered_[r]) continue;
            covered_[r] = true;
            for (const std::int32_t other : groups_of_[r]) --open_[other];
            const BinaryRule& rule = rules_[r];
            if (group.shared == kParentRight) term.left.push_back({rule.left, rule.prob});
            if (group.shared == kParentLeft) term.right.push_back({rule.right, rule.prob});
            if (group.shared == kLeftRight) term.parent.push_back({rule.parent, rule.prob});
        }
        return term;
    }

    const std::vector<BinaryRule>& rules_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> open_;  // by group: number of rules that are not in a term yet
    std::vector<std::array<std::int32_t, 3>> groups_of_;
    std::vector<bool> covered_;
};

// Terms numbered for a chart. A chart stores the left sides of all spans in slots: first one slot for each single term, in
// the order of the terms, and then one slot for each symbol that is the left side of at least kFewest terms. Such terms are
// adjacent and form a run.
class Terms {
public:
    struct Run {
        std::int32_t begin, end;  // indices of terms
    };

    Terms(std::int32_t symbols, const std::vector<BinaryRule>& rules) {
        std::vector<Term> terms = Grouping(rules).terms();
        std::vector<std::int32_t> uses(symbols, 0);
        for (const Term& term : terms)
            if (is_symbol(term)) ++uses[term.left.front().symbol];
        auto place = [&](const Term& term) {
            const bool shared = is_symbol(term) && uses[term.left.front().symbol] >= kFewest;
            return shared ? 1 + term.left.front().symbol : 0;
        };
        std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return place(a) < place(b); });
        number(terms, place);
    }

    std::int32_t slots() const { return singles + static_cast<std::int32_t>(runs.size()); }

    std::int32_t size = 0, singles = 0;
    std::vector<Run> runs;        // by slot, from slot `singles` on
    Sparse left, right, parents;  // weights of symbols: by slot, by term, by term

private:
    static constexpr std::int32_t kFewest = 4;  // a run of fewer terms costs more than it saves
    static bool is_symbol(const Term& term) { return term.left.size() == 1 && term.left.front().weight == 1; }

    template <class Place>
    void number(const std::vector<Term>& terms, const Place& place) {
        std::vector<Entry> lefts, rights, of_parents;
        std::int32_t last = 0;
        for (const Term& term : terms) {
            const std::int32_t here = place(term);
            if (here == 0)
                ++singles;
            else if (here != last)
                runs.push_back({size, size});
            if (here == 0 || here != last)
                for (const Weighted& w : term.left) lefts.push_back({slots() - 1, w.symbol, w.weight});
            for (const Weighted& w : term.right) rights.push_back({size, w.symbol, w.weight});
            for (const Weighted& w : term.parent) of_parents.push_back({size, w.symbol, w.weight});
            ++size;
            if (here != 0) runs.back().end = size;
            last = here;
        }
        left = Sparse(slots(), lefts);
        right = Sparse(size, rights);
        parents = Sparse(size, of_parents);
    }
};

}  // namespace bistro::pcfg
