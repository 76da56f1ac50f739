// Draws trees from a model of rules in contexts by the Metropolis-Hastings algorithm, with proposals from the grammar.
//
// A tree T' drawn from the grammar's trees of the sentence replaces the tree T with the probability
//
//     min(1, P(T') Q(T) / (P(T) Q(T')))        P: the model; Q: the grammar
//
// Whole trees of long sentences are rarely accepted. So each may be followed by some smaller proposals: a node of T, chosen
// uniformly, gets a new subtree from the grammar. The reverse move draws the same node among those of T', hence
//
//     min(1, P(T') Q(T) |T| / (P(T) Q(T') |T'|))        |T|: the number of nodes of T
//
// which leaves the same distribution invariant. A node is identified by its symbol and span, which occur at most once in a
// tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "infinite/context_forest.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct ChainOptions {
    int samples, burn_in;  // the first `burn_in` of the samples are not counted
    int subtrees;          // proposals of subtrees after each whole tree
};

template <RuleModel Model>
class TreeChain {
public:
    using Steps = std::vector<std::uint32_t>;

    TreeChain(ContextForest<Model>& nodes, Stream& rng) : nodes_(&nodes), rng_(&rng) {
        nodes_->draw(nodes_->root(), *rng_, tree_);
        log_ratio_ = sum_of_ratios(tree_.begin(), tree_.end());
    }

    // `visit(steps, changed)` is called after each sample that counts. `changed` is whether the tree may differ from the
    // previous one.
    template <class Visit>
    void run(const ChainOptions& options, const Visit& visit) {
        bool changed = true;
        for (int sample = 0; sample < options.samples; ++sample) {
            pause();
            changed |= propose_tree();
            for (int i = 0; i < options.subtrees; ++i) changed |= propose_subtree();
            if (sample < options.burn_in) continue;
            visit(tree_, changed);
            changed = false;
        }
    }

    std::int64_t proposed() const { return proposed_; }
    std::int64_t accepted() const { return accepted_; }
    std::int64_t subtrees_proposed() const { return subtrees_proposed_; }
    std::int64_t subtrees_accepted() const { return subtrees_accepted_; }

private:
    bool propose_tree() {
        ++proposed_;
        other_.clear();
        nodes_->draw(nodes_->root(), *rng_, other_);
        const double log_ratio = sum_of_ratios(other_.begin(), other_.end());
        if (!accept(log_ratio - log_ratio_)) return false;
        ++accepted_;
        std::swap(tree_, other_);
        log_ratio_ = log_ratio;
        return true;
    }

    bool propose_subtree() {
        const auto begin = tree_.begin() + static_cast<std::ptrdiff_t>(rng_->below(tree_.size()));
        if (has_one_tree(*begin)) return false;
        ++subtrees_proposed_;
        const auto end = end_of_subtree(begin);
        other_.clear();
        nodes_->draw(nodes_->step(*begin).node, *rng_, other_);
        const double change = sum_of_ratios(other_.begin(), other_.end()) - sum_of_ratios(begin, end);
        const double size = static_cast<double>(tree_.size()),
                     other = size - static_cast<double>(end - begin) + static_cast<double>(other_.size());
        if (!accept(change + std::log(size / other))) return false;
        ++subtrees_accepted_;
        const auto place = tree_.erase(begin, end);
        tree_.insert(place, other_.begin(), other_.end());
        log_ratio_ += change;
        return true;
    }

    // Whether the node can only be rewritten into its word.
    bool has_one_tree(std::uint32_t step) {
        const std::uint32_t item = nodes_->node(nodes_->step(step).node).item;
        return nodes_->step(step).first == kNone && nodes_->forest().ways(item).size() == 1;
    }

    bool accept(double log_ratio) { return log_ratio >= 0 || rng_->uniform() < std::exp(log_ratio); }

    double sum_of_ratios(Steps::const_iterator from, Steps::const_iterator to) const {
        double sum = 0;
        for (; from != to; ++from) sum += nodes_->step(*from).log_ratio;
        return sum;
    }

    Steps::iterator end_of_subtree(Steps::iterator at) const {
        for (int open = 1; open > 0; ++at) {
            const auto& step = nodes_->step(*at);
            open += (step.first != kNone) + (step.second != kNone) - 1;
        }
        return at;
    }

    ContextForest<Model>* nodes_;
    Stream* rng_;
    Steps tree_, other_;
    double log_ratio_ = 0;
    std::int64_t proposed_ = 0, accepted_ = 0, subtrees_proposed_ = 0, subtrees_accepted_ = 0;
};

}  // namespace bistro
