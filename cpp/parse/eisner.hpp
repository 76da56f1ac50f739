// Eisner's model over frozen distributions: the weights of all arcs of a sentence, and the labels of an arc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parse/chart.hpp"
#include "parse/dependency.hpp"
#include "parse/shared_lookups.hpp"
#include "parse/tagger.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct EisnerModel {
    DependencyShape shape;
    const Frozen *labels = nullptr, *tags = nullptr, *words = nullptr;
    Tagger tagger;

};

// p(label | arc) for all labels, if labels come after the arc. Arcs whose contexts lead to the same restaurant have the same
// label distribution, in one sentence and in the next. It is computed once and kept until there are too many rows.
class LabelRows {
public:
    explicit LabelRows(const EisnerModel& model) : model_(&model), path_(model.shape.labels.size() + 1) {}

    // Valid until the next call.
    std::span<const double> of(const DependencyNode& head, const DependencyNode& child) {
        const DependencyShape& shape = model_->shape;
        DependencyElements elements{};
        see_parent(shape, head, child.position > head.position, elements);
        see_child(child, elements);
        const int length = static_cast<int>(shape.labels.size());
        const int depth = model_->labels->descend(DependencyContext{elements, shape.labels}, length, path_.data());
        const auto labels = static_cast<std::size_t>(shape.symbols.labels);
        const std::uint32_t known = index_.find(path_[depth], rows_);
        if (known != kNone) return {values_.data() + known * labels, labels};
        if (rows_.size() == kMost) rows_.clear(), values_.clear(), index_ = {};
        rows_.push_back({path_[depth]});
        index_.insert_last(rows_);
        values_.resize(rows_.size() * labels);
        const std::span<double> row(values_.data() + values_.size() - labels, labels);
        model_->labels->distribution(path_.data(), depth, row.data());
        double sum = 0;
        for (const double p : row) sum += p;
        for (double& p : row) p /= sum;
        return row;
    }

private:
    static constexpr std::size_t kMost = 1 << 14;

    struct Row {
        std::uint32_t restaurant;
        std::uint64_t key() const { return restaurant; }
    };

    const EisnerModel* model_;
    std::vector<std::uint32_t> path_;
    std::vector<Row> rows_;
    PairIndex index_;
    std::vector<double> values_;
};

// The weights of one sentence. Kinds are the pairs of tag and label that its nodes have.
class EisnerWeights {
public:
    EisnerWeights(const EisnerModel& model, LabelRows& labels, const std::vector<DependencyNode>& nodes, const Sentence& sentence)
        : model_(model), labels_(labels), shape_(model.shape), nodes_(nodes), sentence_(sentence), kinds_(kinds_of(nodes)),
          firsts_(first_distribution(), first_outcomes()), tags_(*model.tags, tags_of_kinds()),
          words_(*model.words, words_of_nodes()) {}

    void weigh(ArcWeights& out) {
        std::vector<std::int32_t> positions;
        for (const DependencyNode& node : nodes_) positions.push_back(node.position);
        out.reset(positions, static_cast<int>(kinds_.size()), -kInfinity);
        for (std::size_t i = 1; i < nodes_.size(); ++i) out.kind[i] = kind_of(nodes_[i]);
        for (int head = 0; head < out.nodes(); ++head)
            for (const Side side : {kLeft, kRight}) {
                if (head == 0 && side == kLeft) continue;
                see_parent(shape_, nodes_[head], side == kRight, elements_);
                weigh_steps(head, side, out);
                weigh_pairs(head, side, out);
            }
        limit_root(out);
    }

private:
    using Kind = std::pair<std::int32_t, std::int32_t>;  // tag and label

    static std::vector<Kind> kinds_of(const std::vector<DependencyNode>& nodes) {
        std::vector<Kind> kinds;
        for (std::size_t i = 1; i < nodes.size(); ++i) kinds.emplace_back(nodes[i].tag, nodes[i].label);
        std::sort(kinds.begin(), kinds.end());
        kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
        kinds.insert(kinds.begin(), {-1, -1});  // none
        return kinds;
    }
    int kind_of(const DependencyNode& node) const {
        return static_cast<int>(std::lower_bound(kinds_.begin() + 1, kinds_.end(), Kind{node.tag, node.label}) - kinds_.begin());
    }

    // The first outcome of a child is its label or its tag. The stop is one of the outcomes.
    const Frozen& first_distribution() const { return shape_.labels_first() ? *model_.labels : *model_.tags; }
    std::vector<std::uint32_t> first_outcomes() const {
        std::vector<std::uint32_t> outcomes{
            static_cast<std::uint32_t>(shape_.labels_first() ? shape_.symbols.labels : shape_.symbols.tags)};
        for (std::size_t k = 1; k < kinds_.size(); ++k)
            outcomes.push_back(static_cast<std::uint32_t>(shape_.labels_first() ? kinds_[k].second : kinds_[k].first));
        return outcomes;
    }
    std::vector<std::uint32_t> tags_of_kinds() const {
        std::vector<std::uint32_t> outcomes;
        for (const Kind& kind : kinds_) outcomes.push_back(static_cast<std::uint32_t>(kind.first));
        return outcomes;
    }
    std::vector<std::uint32_t> words_of_nodes() const {
        std::vector<std::uint32_t> outcomes;
        for (const std::int32_t word : sentence_.words) outcomes.push_back(static_cast<std::uint32_t>(word));
        return outcomes;
    }

    template <class Rows>
    std::uint32_t row(Rows& rows, const ContextList& list) const {
        return rows.row(DependencyContext{elements_, list}, static_cast<int>(list.size()));
    }

    void weigh_steps(int head, Side side, ArcWeights& out) {
        const auto& first_list = shape_.labels_first() ? shape_.labels : shape_.tags;
        for (int sibling = 0; sibling < out.kinds; ++sibling) {
            pause();
            see_sibling(shape_, kinds_[sibling].first, kinds_[sibling].second, elements_);
            const std::uint32_t first = row(firsts_, first_list);
            const double* const weights = firsts_.log_probabilities(first);
            for (int child = 0; child < out.kinds; ++child) {
                double weight = weights[child];
                if (shape_.labels_first() && child > 0) {
                    elements_[dependency_element("label")] = kinds_[child].second;
                    weight += tags_.log_probability(row(tags_, shape_.tags), child);
                }
                out.step[out.step_at(head, side, child) + sibling] = weight;
            }
        }
    }

    void weigh_pairs(int head, Side side, ArcWeights& out) {
        const int begin = side == kRight ? out.first[out.position[head] + 1] : 1;
        const int end = side == kRight ? out.nodes() : out.first[out.position[head]];
        word_rows_.assign(kinds_.size(), kNone);
        for (int child = begin; child < end; ++child) {
            const std::int32_t given = sentence_.given_head(out.position[child]);
            if (given >= 0 && given != out.position[head]) continue;
            std::uint32_t& known = word_rows_[out.kind[child]];
            if (known == kNone) {
                see_child(nodes_[child], elements_);
                known = row(words_, shape_.words);
            }
            out.pair[out.pair_at(head, child)] =
                words_.log_probability(known, static_cast<std::size_t>(out.position[child] - 1)) + given_label(head, child);
        }
    }

    // The logarithm of the probability of a given label, if labels come after the arc; otherwise 0.
    double given_label(int head, int child) {
        if (!shape_.labelled || shape_.generated_labels) return 0;
        const std::int32_t label = sentence_.given_label(nodes_[child].position);
        if (label < 0) return 0;
        return std::log(labels_.of(nodes_[head], nodes_[child])[static_cast<std::size_t>(label)]);
    }

    // A sentence has at least one word, so the probability of a stop before the first child is redistributed. If only one
    // root is allowed, a second child is impossible and the stop after the first child is certain.
    void limit_root(ArcWeights& out) const {
        double& no_word = out.step[out.step_at(0, kRight, 0)];
        const double rest = std::log1p(-std::exp(no_word));
        no_word = -kInfinity;
        for (int child = 1; child < out.kinds; ++child) {
            double* steps = &out.step[out.step_at(0, kRight, child)];
            steps[0] -= rest;
            if (!shape_.single_root) continue;
            out.step[out.step_at(0, kRight, 0) + child] = 0;
            std::fill(steps + 1, steps + out.kinds, -kInfinity);
        }
    }

    const EisnerModel& model_;
    LabelRows& labels_;
    const DependencyShape& shape_;
    const std::vector<DependencyNode>& nodes_;
    const Sentence& sentence_;
    std::vector<Kind> kinds_;
    SharedLookups firsts_, tags_, words_;
    DependencyElements elements_{};
    std::vector<std::uint32_t> word_rows_;
};

}  // namespace bistro
