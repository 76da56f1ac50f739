// Parsing one sentence with Eisner's model, with all results that can be requested.
//
// All trees over the candidates are summed exactly. If labels come after the arc, they are summed out, and chosen for each
// arc afterwards. If they are generated, they are part of the nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parse/eisner.hpp"
#include "parse/forest.hpp"
#include "parse/parser.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct ChartRequest : OutputRequest {
    int candidates;          // maximum number of tags (or tags with labels) per word
    double least_candidate;  // lowest probability, relative to the word's most probable candidate
};

class EisnerParse {
public:
    EisnerParse(const EisnerModel& model, LabelRows& labels, const Sentence& sentence, const ChartRequest& request)
        : model_(model), labels_(labels), sentence_(sentence), request_(request), nodes_(candidates()) {
        EisnerWeights(model, labels, nodes_, sentence).weigh(weights_);
    }

    // Returns false if no tree agrees with the evidence.
    bool run(std::uint64_t index, SentenceResult& result) {
        const BestTrees trees(weights_);
        if (trees.none()) return false;
        const ChartTree best = trees.best();
        if (request_.arc_marginals) {
            arcs_ = SumOfTrees(weights_, best, request_.temperature).probabilities();
            collect(result);
            return true;
        }
        result.log_total = SumOfTrees(weights_, best, 1.0).log_total();
        if (request_.marginals || request_.minimum_risk || request_.samples > 0) {
            const SumOfTrees sum(weights_, best, request_.temperature);
            if (request_.marginals || request_.minimum_risk) arcs_ = sum.probabilities();
            if (request_.marginals) result.marginals = marginals();
            list_best(trees, best, result);
            Stream rng(request_.seed, request_.purpose, index);
            for (int i = 0; i < request_.samples; ++i) {
                const ChartTree tree = sum.sample(rng);
                result.parses.push_back(read(tree, result.log_total, &rng));
            }
        } else {
            list_best(trees, best, result);
        }
        return true;
    }

private:
    std::vector<DependencyNode> candidates() const {
        std::vector<DependencyNode> nodes{{}};
        const bool with_labels = model_.shape.labels_first();
        bool tags_known = !with_labels;
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) tags_known = tags_known && sentence_.given_tag(at) >= 0;
        if (tags_known) {
            for (std::int32_t at = 1; at <= sentence_.size(); ++at)
                nodes.push_back({at, sentence_.given_tag(at), -1, sentence_.words[at - 1]});
            return nodes;
        }
        const auto likely = model_.tagger.posteriors(sentence_);
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            int number = 0;
            const double least = likely[at - 1][0].second * request_.least_candidate;
            for (const auto& [state, p] : likely[at - 1]) {
                if (number > 0 && (number == request_.candidates || p < least)) break;
                const std::int32_t tag = sentence_.given_tag(at), label = sentence_.given_label(at);
                DependencyNode node{at, tag >= 0 ? tag : model_.tagger.tag_of[state], -1, sentence_.words[at - 1]};
                if (with_labels) node.label = label >= 0 ? label : model_.tagger.label_of[state];
                const auto same = [&](const DependencyNode& other) {
                    return other.position == at && other.tag == node.tag && other.label == node.label;
                };
                if (std::none_of(nodes.end() - number, nodes.end(), same)) nodes.push_back(node), ++number;
            }
        }
        return nodes;
    }

    void list_best(const BestTrees& trees, const ChartTree& best, SentenceResult& result) const {
        if (request_.minimum_risk) {
            result.parses.push_back(read(least_risk(), result.log_total, nullptr));
        } else if (request_.best == 1) {
            result.parses.push_back(read(best, result.log_total, nullptr));
        } else {
            KBest ranked = trees.ranked();
            for (int rank = 0; rank < request_.best; ++rank) {
                const auto found = ranked.tree(rank);
                if (!found) return;
                result.parses.push_back(read(found->tree, result.log_total, nullptr));
            }
        }
    }

    double arc(int head, int child) const { return arcs_[weights_.pair_at(head, child)]; }

    // Calls visit(head, child, probability) for the arcs of one word with a probability above 0.
    template <class Visit>
    void each_arc(std::int32_t at, const Visit& visit) const {
        for (int child = weights_.first[at]; child < weights_.first[at + 1]; ++child) {
            pause();
            for (int head = 0; head < weights_.nodes(); ++head)
                if (const double p = arc(head, child); p > 0) visit(head, child, p);
        }
    }

    void collect(SentenceResult& result) const {
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            ArcSums sums(weights_.words + 1);
            Weighted& tags = result.marginals.tags.emplace_back();
            each_arc(at, [&](int head, int child, double p) {
                sums.add(weights_.position[head], p);
                add_mass(tags, nodes_[child].tag, p);
            });
            if (model_.shape.labelled)
                each_arc(at, [&](int head, int child, double p) {
                    if (p < kLeastMass) return;
                    if (auto* labels = sums.labels(weights_.position[head], model_.shape.symbols.labels))
                        add_labels(head, child, p, *labels);
                });
            result.arcs.push_back(sums.list());
        }
    }

    Marginals marginals() const {
        const auto n = static_cast<std::size_t>(sentence_.size());
        Marginals out{std::vector<Weighted>(n), std::vector<Weighted>(n), std::vector<Weighted>(n)};
        std::vector<double> labels(model_.shape.symbols.labels);
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            std::fill(labels.begin(), labels.end(), 0.0);
            each_arc(at, [&](int head, int child, double p) {
                add_mass(out.heads[at - 1], weights_.position[head], p);
                add_mass(out.tags[at - 1], nodes_[child].tag, p);
                if (model_.shape.labelled) add_labels(head, child, p, labels);
            });
            // Every label has some probability, and a list of all labels would not be informative.
            if (model_.shape.labelled)
                for (std::size_t l = 0; l < labels.size(); ++l)
                    if (labels[l] > 1e-6) out.labels[at - 1].emplace_back(static_cast<std::int32_t>(l), labels[l]);
        }
        return out;
    }

    // Adds the label probabilities of an arc, times its mass. Given labels and the labels of nodes are certain.
    void add_labels(int head, int child, double mass, std::vector<double>& sums) const {
        const std::int32_t given =
            model_.shape.labels_first() ? nodes_[child].label : sentence_.given_label(nodes_[child].position);
        if (given >= 0) {
            sums[given] += mass;
            return;
        }
        const auto row = labels_.of(nodes_[head], nodes_[child]);
        for (std::size_t l = 0; l < sums.size(); ++l) sums[l] += mass * row[l];
    }

    // The minimum-risk tree over heads. Each word has its most probable tag and, among the nodes of that tag, the most
    // probable node under the head.
    ChartTree least_risk() const {
        std::vector<Weighted> scores(sentence_.words.size());
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            const std::int32_t given = sentence_.given_head(at);
            each_arc(at, [&](int head, int, double p) { add_mass(scores[at - 1], weights_.position[head], p); });
            // A given head outweighs any number of other arcs.
            if (given >= 0) scores[at - 1] = {{given, static_cast<double>(sentence_.size())}};
        }
        const auto heads = least_risk_heads(scores, model_.shape.single_root);
        std::vector<std::int32_t> tags(heads.size()), chosen(heads.size() + 1, 0);
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            Weighted masses;
            each_arc(at, [&](int, int child, double p) { add_mass(masses, nodes_[child].tag, p); });
            tags[at - 1] = likeliest(masses);
        }
        for (std::int32_t at = 1; at <= sentence_.size(); ++at) {
            Weighted masses;
            each_arc(at, [&](int head, int child, double p) {
                // A tiny weight for the other heads, which matters only if this head has no arc at all.
                if (nodes_[child].tag == tags[at - 1])
                    add_mass(masses, child, weights_.position[head] == heads[at - 1] ? p : p * 1e-9);
            });
            chosen[at] = likeliest(masses);
        }
        return with_siblings(heads, chosen);
    }

    static std::int32_t likeliest(const Weighted& masses) {
        return std::max_element(
                   masses.begin(), masses.end(),
                   [](const auto& a, const auto& b) { return a.second != b.second ? a.second < b.second : a.first > b.first; })
            ->first;
    }

    // Builds a tree from the position of each word's head and the node at each position.
    ChartTree with_siblings(const std::vector<std::int32_t>& heads, const std::vector<std::int32_t>& nodes) const {
        const int n = static_cast<int>(heads.size());
        ChartTree tree(n);
        std::vector<std::int32_t> last_right(n + 1, 0), last_left(n + 1, 0);
        for (int at = 1; at <= n; ++at) {
            tree.node[at - 1] = nodes[at];
            tree.head[at - 1] = nodes[heads[at - 1]];
            if (heads[at - 1] > at) continue;
            tree.sibling[at - 1] = last_right[heads[at - 1]];
            last_right[heads[at - 1]] = weights_.kind[nodes[at]];
        }
        for (int at = n; at >= 1; --at) {
            if (heads[at - 1] < at) continue;
            tree.sibling[at - 1] = last_left[heads[at - 1]];
            last_left[heads[at - 1]] = weights_.kind[nodes[at]];
        }
        return tree;
    }

    // Heads, labels and tags of a tree. Labels that come after the arc are drawn if `rng` is given; otherwise, they are the
    // most probable ones.
    Parse read(const ChartTree& tree, double log_total, Stream* rng) const {
        Parse parse;
        for (const double x : weights_of(weights_, tree)) parse.log_prob += x;
        parse.posterior = std::exp(parse.log_prob - log_total);
        for (std::size_t i = 0; i < tree.node.size(); ++i) {
            parse.heads.push_back(weights_.position[tree.head[i]]);
            parse.tags.push_back(nodes_[tree.node[i]].tag);
            parse.labels.push_back(label(tree.head[i], tree.node[i], rng, parse.log_prob));
        }
        return parse;
    }

    std::int32_t label(int head, int child, Stream* rng, double& log_prob) const {
        if (!model_.shape.labelled || model_.shape.labels_first()) return nodes_[child].label;
        if (const std::int32_t given = sentence_.given_label(nodes_[child].position); given >= 0) return given;
        const auto row = labels_.of(nodes_[head], nodes_[child]);
        auto chosen = std::max_element(row.begin(), row.end());
        if (rng) {
            double x = rng->uniform();
            for (chosen = row.begin(); chosen + 1 != row.end() && (x -= *chosen) >= 0;) ++chosen;
        }
        log_prob += std::log(*chosen);
        return static_cast<std::int32_t>(chosen - row.begin());
    }

    const EisnerModel& model_;
    LabelRows& labels_;
    const Sentence& sentence_;
    const ChartRequest& request_;
    std::vector<DependencyNode> nodes_;
    ArcWeights weights_;
    std::vector<double> arcs_;  // by [head][child]
};

inline SentenceResult parse_sentence(const EisnerModel& model, LabelRows& labels, Sentence sentence, const ChartRequest& request,
                                     std::uint64_t index) {
    SentenceResult result;
    if (EisnerParse(model, labels, sentence, request).run(index, result)) return result;
    sentence.heads = {};
    result.relaxed = true;
    if (!EisnerParse(model, labels, sentence, request).run(index, result)) throw std::logic_error("a sentence without a tree");
    return result;
}

}  // namespace bistro
