// Derivations: the rules of a tree in pre-order, walked with the ancestors of every node.
//
// Rules are rows of one table: left -> first second. In a unary rule, second is -1. In a lexical rule, first is -1 - word.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace bistro {

struct RuleColumns {
    std::span<const std::int32_t> left, first, second;

    std::int32_t size() const { return static_cast<std::int32_t>(left.size()); }
    bool lexical(std::int32_t rule) const { return first[rule] < 0; }

    void check() const {
        if (left.size() != first.size() || left.size() != second.size())
            throw std::invalid_argument("the columns of the rules differ in length");
        for (const std::int32_t symbol : left)
            if (symbol < 0) throw std::invalid_argument("the left side of a rule must be a symbol");
    }
};

// A symbol that is still to be rewritten, and its parent node.
struct OpenSymbol {
    std::int32_t symbol, parent;
};

// Calls visit(node, parent, rule) for every node, parents first; the first node has parent -1.
template <class Visit>
void walk_derivation(const RuleColumns& rules, std::span<const std::int32_t> derivation, std::vector<OpenSymbol>& open,
                     const Visit& visit) {
    open.clear();
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(derivation.size()); ++node) {
        const std::int32_t rule = derivation[node];
        if (rule < 0 || rule >= rules.size()) throw std::invalid_argument("a derivation names a rule that does not exist");
        std::int32_t parent = -1;
        if (node > 0) {
            if (open.empty()) throw std::invalid_argument("a derivation continues after its tree is complete");
            if (open.back().symbol != rules.left[rule])
                throw std::invalid_argument("a derivation rewrites a symbol with a rule for another symbol");
            parent = open.back().parent;
            open.pop_back();
        }
        visit(node, parent, rule);
        if (rules.lexical(rule)) continue;
        if (rules.second[rule] >= 0) open.push_back({rules.second[rule], node});
        open.push_back({rules.first[rule], node});
    }
    if (!open.empty()) throw std::invalid_argument("a derivation ends before its tree is complete");
}

// Many derivations in one array. The derivation of tree i is rules[offsets[i]] to rules[offsets[i + 1]].
struct DerivationList {
    std::span<const std::int32_t> rules;
    std::span<const std::int64_t> offsets;

    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t i) const {
        return rules.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }

    void check() const {
        bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(rules.size());
        for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] <= offsets[i + 1];
        if (!good) throw std::invalid_argument("the offsets of a list must increase from 0 to its length");
    }
};

// The context of each node as a span, nearest element first. A path grows towards the front of one buffer, so that an
// element is always followed by the context of its parent.
class ContextWalk {
public:
    ContextWalk(const RuleColumns& rules, bool by_rules) : rules_(rules), by_rules_(by_rules) {}

    // Calls visit(context, rule) for every node.
    template <class Visit>
    void operator()(std::span<const std::int32_t> derivation, const Visit& visit) {
        buffer_.resize(derivation.size() + 1);
        depth_.resize(derivation.size());
        const std::size_t end = buffer_.size();
        walk_derivation(rules_, derivation, open_, [&](std::int32_t node, std::int32_t parent, std::int32_t rule) {
            const std::size_t depth = parent < 0 ? 1 : depth_[parent] + 1;
            depth_[node] = depth;
            std::int32_t* own = &buffer_[end - depth];
            *own = rules_.left[rule];
            visit(std::span<const std::int32_t>(own, depth), rule);
            if (by_rules_) *own = rule;
        });
    }

private:
    RuleColumns rules_;
    bool by_rules_;
    std::vector<OpenSymbol> open_;
    std::vector<std::int32_t> buffer_;
    std::vector<std::size_t> depth_;
};

}  // namespace bistro
