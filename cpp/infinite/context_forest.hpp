// The trees of a sentence under a model of rules in contexts: every item occurs once for each of its possible contexts.
//
// A node is an item with the history of its ancestors, nearest first: their symbols, or their rules. A step is a node and a
// way to make it. Both are created when a search reaches them and then kept, so that the model is queried only once for
// each.
//
// In a model that was learned from whole trees, the known part of a context exceeds the known part of its parent's context
// by at most its own symbol. If the model does not know some elements of a node's context, it does not know them below that
// node either. There, the history drops these elements, and nodes that differ only in them are merged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "infinite/forest.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

struct HistoryKind {
    bool of_rules;    // true: histories of rules; false: histories of symbols
    bool forgetting;  // the model was learned from whole trees
};

// Sequences of numbers, each stored once as an element and the remaining sequence. 0 is the empty sequence.
class Histories {
public:
    void clear() {
        records_.assign(1, {kNone, kNone});
        index_ = {};
        index_.insert_last(records_);
    }

    std::uint32_t put_before(std::int32_t element, std::uint32_t rest) {
        const Record record{static_cast<std::uint32_t>(element), rest};
        const std::uint32_t found = index_.find(record.key(), records_);
        if (found != kNone) return found;
        records_.push_back(record);
        index_.insert_last(records_);
        return static_cast<std::uint32_t>(records_.size() - 1);
    }

    std::uint32_t cut(std::uint32_t history, int length) {
        if (history == 0 || length <= 0) return 0;
        const Record record = records_[history];
        return put_before(static_cast<std::int32_t>(record.element), cut(record.rest, length - 1));
    }

    void append_to(std::vector<std::int32_t>& out, std::uint32_t history) const {
        for (; history != 0; history = records_[history].rest) out.push_back(static_cast<std::int32_t>(records_[history].element));
    }

private:
    struct Record {
        std::uint32_t element, rest;
        std::uint64_t key() const { return pair_key(element, rest); }
    };
    std::vector<Record> records_;
    PairIndex index_;
};

template <RuleModel Model>
class ContextForest {
public:
    struct Node {
        std::uint32_t item, history;
        Place place;
        std::uint64_t key() const { return pair_key(item, history); }
    };
    struct Step {
        std::uint32_t node, way;
        std::uint32_t first, second;  // nodes below; kNone: there is none
        std::int32_t rule;
        double log_prob;   // log-probability of the rule in its context
        double log_ratio;  // relative to the log-probability of the rule under the grammar
        std::uint64_t key() const { return pair_key(node, way); }
    };

    ContextForest(const Model& model, HistoryKind kind) : model_(&model), kind_(kind) {}

    // The forest must have a tree.
    void start(RuleForest& forest) {
        forest_ = &forest;
        histories_.clear();
        nodes_.clear();
        node_index_ = {};
        steps_.clear();
        step_index_ = {};
    }

    RuleForest& forest() { return *forest_; }
    std::uint32_t root() { return node(forest_->root(), 0); }
    const Node& node(std::uint32_t number) const { return nodes_[number]; }
    const Step& step(std::uint32_t number) const { return steps_[number]; }
    // No rule has probability 0, since a chain could not leave an impossible tree.
    double probability(std::uint32_t number, std::int32_t rule) const {
        return std::max(model_->probability(nodes_[number].place, rule), 1e-300);
    }

    std::uint32_t step(std::uint32_t number, std::uint32_t way) {
        const std::uint32_t found = step_index_.find(pair_key(number, way), steps_);
        return found != kNone ? found : make_step(number, way);
    }

    // A tree below a node, given the chosen way of each node. Its steps are appended, parents first.
    template <class Choose>
    void walk(std::uint32_t number, const Choose& choose, std::vector<std::uint32_t>& steps) {
        waiting_.assign(1, number);
        while (!waiting_.empty()) {
            const std::uint32_t from = waiting_.back();
            waiting_.pop_back();
            const std::uint32_t taken = step(from, choose(from));
            steps.push_back(taken);
            if (steps_[taken].second != kNone) waiting_.push_back(steps_[taken].second);
            if (steps_[taken].first != kNone) waiting_.push_back(steps_[taken].first);
        }
    }

    // Draws one of the grammar's trees below a node.
    void draw(std::uint32_t number, Stream& rng, std::vector<std::uint32_t>& steps) {
        walk(number, [&](std::uint32_t from) { return forest_->draw(nodes_[from].item, rng); }, steps);
    }

    RuleTree tree(const std::vector<std::uint32_t>& steps) const {
        RuleTree out{{}, 0.0};
        for (const std::uint32_t s : steps) {
            out.rules.push_back(steps_[s].rule);
            out.log_prob += steps_[s].log_prob;
        }
        return out;
    }

private:
    std::uint32_t node(std::uint32_t item, std::uint32_t history) {
        const std::uint32_t found = node_index_.find(pair_key(item, history), nodes_);
        if (found != kNone) return found;
        context_.assign(1, forest_->item(item).symbol);
        histories_.append_to(context_, history);
        nodes_.push_back({item, history, model_->locate(context_)});
        node_index_.insert_last(nodes_);
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    std::uint32_t make_step(std::uint32_t number, std::uint32_t which) {
        const Node from = nodes_[number];
        const RuleForest::Way way = forest_->way(from.item, which);
        const RuleForest::Children below = forest_->children(from.item, way);
        const double log_prob = std::log(probability(number, way.rule));
        Step made{number, which, kNone, kNone, way.rule, log_prob, log_prob - forest_->grammar().log_prob().by_rule[way.rule]};
        if (below.first != kNone) {
            const std::uint32_t rest = kind_.forgetting ? histories_.cut(from.history, from.place.depth - 1) : from.history;
            const std::uint32_t history = histories_.put_before(kind_.of_rules ? way.rule : forest_->item(from.item).symbol, rest);
            made.first = node(below.first, history);
            if (below.second != kNone) made.second = node(below.second, history);
        }
        steps_.push_back(made);
        step_index_.insert_last(steps_);
        return static_cast<std::uint32_t>(steps_.size() - 1);
    }

    const Model* model_;
    HistoryKind kind_;
    RuleForest* forest_ = nullptr;
    Histories histories_;
    std::vector<Node> nodes_;
    std::vector<Step> steps_;
    PairIndex node_index_, step_index_;
    std::vector<std::int32_t> context_;   // scratch
    std::vector<std::uint32_t> waiting_;  // scratch
};

// The log-probability of a tree under a model of rules in contexts.
template <RuleModel Model>
double log_prob_of(const Model& model, const Grammar& grammar, const std::vector<std::int32_t>& rules, bool of_rules) {
    struct Open {
        std::int32_t symbol;
        std::uint32_t history;
    };
    Histories histories;
    histories.clear();
    std::vector<std::int32_t> context;
    std::vector<Open> waiting{{grammar.root(), 0}};
    double sum = 0;
    for (const std::int32_t rule : rules) {
        const Open open = waiting.back();
        waiting.pop_back();
        context.assign(1, open.symbol);
        histories.append_to(context, open.history);
        sum += std::log(model.probability(model.locate(context), rule));
        if (grammar.lexical(rule)) continue;
        const std::uint32_t history = histories.put_before(of_rules ? rule : open.symbol, open.history);
        if (grammar.second(rule) >= 0) waiting.push_back({grammar.second(rule), history});
        waiting.push_back({grammar.first(rule), history});
    }
    return sum;
}

}  // namespace bistro
