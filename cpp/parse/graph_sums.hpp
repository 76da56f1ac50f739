// Probabilities of prefixes by sums over a graph of stacks, which is thinned at random where it grows too large.
//
// Between two words, every stack may take any arcs. The sum over all shifts and all tags of the next word is the
// probability of the prefix. Only the choice of the nodes that are kept is random; without thinning, the sums are exact.
// Nodes are thinned before they shift, by an estimate of the probability of the next word, and again after the word and its
// tag are generated.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "parse/graph_arcs.hpp"
#include "parse/language.hpp"
#include "parse/tag_choices.hpp"
#include "parse/word_guide.hpp"

namespace bistro {

struct GraphFigures {
    PrefixFigures figures;
    Noise noise;  // relative error of the prefix, in copies
};

// How much of the graph is kept, for a maximum number of nodes per word; 0 keeps all nodes. Easy words need fewer nodes:
// nodes with a certain share of the total (0.0006 for 100 nodes, never more than a quarter) are always kept, and nodes with
// less are kept at random.
struct GraphSize {
    explicit GraphSize(double nodes)
        : most(nodes > 0 ? nodes : std::numeric_limits<double>::infinity()), share(6 / (most * most + 20)),
          shifting{1, share, most}, words{0.5, std::sqrt(share), most}, least_arc(0.3 * share), resolution(0.5 * share) {}

    double most, share;
    ThinningOptions shifting, words;
    double least_arc;   // arcs with less mass may be dropped
    double resolution;  // relative error of a sum if something was dropped without a trace
};

class GraphSums : private GraphArcs {
public:
    GraphSums(const TransitionModel<Frozen>& model, const SearchOptions& options, const GraphSize& size)
        : GraphArcs(model, size.least_arc), options_(options), size_(size), guide_(model), tag_choices_(model, options.unseen_tags),
          tags_(static_cast<std::size_t>(model.system.symbols.tags)) {}

    // One row per word, and one for the end of the sentence.
    std::vector<GraphFigures> run(const Sentence& sentence, Stream& rng) {
        std::vector<GraphFigures> rows;
        begin(sentence, rng);
        for (std::int32_t i = 1; i <= sentence.size(); ++i) rows.push_back(next_word(i)), blur(rows.back());
        rows.push_back(end_sentence());
        blur(rows.back());
        return rows;
    }

    // The continuations of the first words of a sentence. `open` is called for every node that is about to generate another
    // word, with its elements and its share of the first words. Returns the share that ends here, and the log-probability
    // of the first words.
    template <class Open>
    std::pair<double, double> go_on_from(const Sentence& first, const Stream& rng, const Open& open) {
        Stream stream = rng;                     // also for the end of the sentence
        for (const bool ends : {false, true}) {  // the same draws twice, because arcs consume their input
            stream = rng;
            begin(first, stream);
            for (std::int32_t i = 1; i <= first.size(); ++i) next_word(i);
            if (ends) break;
            make_arcs(first.size(), true);
            for (const Shifting& s : shifting_) {
                observe(graph_.nodes[s.node].look, elements_);
                open(elements_, graph_.nodes[s.node].mass * s.probability);
            }
        }
        if (first.size() > 0) end_sentence();
        return {final_, log_prefix_};
    }

private:
    void blur(GraphFigures& row) {
        if (has_dropped_) add_noise(row.noise, random_signs(size_.resolution, *rng_));
    }

    GraphFigures next_word(std::int32_t position) {
        make_arcs(position - 1, true);
        thin_shifting(position);
        find_tags(position);
        const GraphFigures row = figures();
        if (total_ > 0) push_words(position);
        return row;
    }

    void thin_shifting(std::int32_t position) {
        guide_.take(*sentence_, position);
        masses_.clear();
        double whole = 0;
        for (const Shifting& s : shifting_) {
            observe(graph_.nodes[s.node].look, elements_);
            masses_.push_back(graph_.nodes[s.node].mass * s.probability * guide_.guess(elements_));
            whole += masses_.back();
        }
        kept_.clear();
        const auto variance = [&](std::uint32_t i) {
            return mean_square(graph_.nodes[shifting_[i].node].tally.noise, {}, common_);
        };
        for (const Thinning::Kept& k : thinning_.thin(masses_, whole, size_.shifting, *rng_, variance)) {
            kept_.push_back(shifting_[k.index]);
            kept_.back().counts = k.factor;
            kept_.back().noise = k.noise;
        }
        has_dropped_ = has_dropped_ || thinning_.has_dropped();
        shifting_.swap(kept_);
    }

    // The tags of the word for every node, and the groups of nodes that look the same to the item that is shifted onto
    // them.
    void find_tags(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        const double* spelling = sentence_->spelling(position, model_.system.symbols.tags);
        groups_.clear();
        if (choices_.size() < shifting_.size()) choices_.resize(shifting_.size());
        observed_.resize(shifting_.size());
        for (std::size_t i = 0; i < shifting_.size(); ++i) observe(graph_.nodes[shifting_[i].node].look, observed_[i]);
        tag_choices_.prepare(observed_);
        for (std::uint32_t i = 0; i < shifting_.size(); ++i) {
            Shifting& s = shifting_[i];
            const StackLook& look = graph_.nodes[s.node].look;
            tag_choices_.find_prepared(i, observed_[i], word, spelling, choices_[i]);
            keep_most_probable(choices_[i], static_cast<std::size_t>(options_.tags));
            s.tags = i;
            StackLook seen = StackView::from_above(items_, look);
            seen.last_tag = look.last_tag;
            const auto known = std::find(groups_.begin(), groups_.end(), seen);
            s.group = static_cast<std::uint32_t>(known - groups_.begin());
            if (known == groups_.end()) groups_.push_back(seen);
        }
    }

    // The sum over all shifts and all tags, and masses by tag and group.
    GraphFigures figures() {
        group_masses_.assign(groups_.size() * tags_, 0.0);
        Tally sum;
        double lexical = 0;
        total_ = 0;
        for (const Shifting& s : shifting_) {
            const StackNode& node = graph_.nodes[s.node];
            const double mass = node.mass * s.probability * s.counts;
            double of_word = 0, of_logs = 0;
            for (const TagChoice& choice : choices_[s.tags]) {
                of_word += choice.probability;
                group_masses_[static_cast<std::size_t>(choice.tag) * groups_.size() + s.group] += mass * choice.probability;
            }
            for (const TagChoice& choice : choices_[s.tags]) {
                if (!(choice.probability > of_word * kNegligible)) continue;
                of_logs += choice.probability * std::log(choice.probability);
                lexical -= mass * choice.probability * std::log(choice.word);
            }
            total_ += mass * of_word;
            sum.add_times(mass * of_word, node.tally);
            sum.add_noise_times(mass * of_word, s.noise);
            sum.log_joint += mass * (of_logs + of_word * std::log(s.probability));
        }
        if (!(total_ > 0)) return {{-INFINITY, 0, 0}, {}};
        sum.scale(1 / total_);
        log_prefix_ += std::log(total_);
        common_ = sum.noise;
        return {{log_prefix_, lexical / total_, sum.log_joint}, sum.noise};
    }

    // New nodes for the word, thinned.
    void push_words(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        by_group_.assign(groups_.size(), {});
        const auto variance = [&](std::uint32_t i) {
            return variance_of(i % groups_.size(), static_cast<std::int32_t>(i / groups_.size()));
        };
        for (const Thinning::Kept& k : thinning_.thin(group_masses_, total_, size_.words, *rng_, variance))
            by_group_[k.index % groups_.size()].push_back(k);
        has_dropped_ = has_dropped_ || thinning_.has_dropped();
        for (const Shifting& s : shifting_)
            for (const Thinning::Kept& k : by_group_[s.group]) {
                const auto tag = static_cast<std::int32_t>(k.index / groups_.size());
                const double probability = probability_of(choices_[s.tags], tag);
                if (!(probability > 0)) continue;
                Tally tally;
                tally.log_joint = std::log(s.probability * probability);
                add_noise(tally.noise, s.noise);
                add_noise(tally.noise, k.noise);
                const std::int32_t last_tag = graph_.nodes[s.node].look.last_tag;
                add({items_.without_children(tag, word, position), tag, last_tag, position}, s.node,
                    s.probability * s.counts * probability * k.factor / total_, tally);
            }
    }

    // The variance of the relative error of a tag on a group, without the error of the prefix.
    double variance_of(std::size_t group, std::int32_t tag) const {
        Tally sum;
        double whole = 0;
        for (const Shifting& s : shifting_) {
            if (s.group != group) continue;
            const StackNode& node = graph_.nodes[s.node];
            const double mass = node.mass * s.probability * s.counts * probability_of(choices_[s.tags], tag);
            whole += mass;
            sum.add_noise_times(mass, node.tally.noise);
            sum.add_noise_times(mass, s.noise);
        }
        sum.scale(1 / whole);
        return mean_square(sum.noise, {}, common_);
    }

    double probability_of(const std::vector<TagChoice>& choices, std::int32_t tag) const {
        if (choices.size() == tags_) return choices[static_cast<std::size_t>(tag)].probability;
        const auto found = std::find_if(choices.begin(), choices.end(), [&](const TagChoice& c) { return c.tag == tag; });
        return found == choices.end() ? 0.0 : found->probability;
    }

    // With the root last, the root is pushed onto the stack like a word, and takes the items there.
    GraphFigures end_sentence() {
        make_arcs(sentence_->size(), false);
        const Symbols& s = model_.system.symbols;
        const std::int32_t position = sentence_->size() + 1;
        for (const Shifting& e : ending_) {
            const StackLook look = graph_.nodes[e.node].look;
            Tally tally;
            tally.log_joint = std::log(e.probability);
            add({items_.without_children(s.root_tag(), s.root_word(), position), look.last_tag, look.last_tag_but_one, position},
                e.node, e.probability, tally);
        }
        if (!ending_.empty()) make_arcs(position, false);
        if (!(final_ > 0)) return {{-INFINITY, 0, 0}, {}};
        final_tally_.scale(1 / final_);
        return {{log_prefix_ + std::log(final_), 0, final_tally_.log_joint}, final_tally_.noise};
    }

    static constexpr double kNegligible = 1e-7;  // a share of a word's probability that its means may do without

    SearchOptions options_;
    GraphSize size_;
    Thinning thinning_;
    WordGuide guide_;
    TagChoices<Frozen> tag_choices_;
    std::size_t tags_;
    std::vector<Shifting> kept_;
    std::vector<std::vector<TagChoice>> choices_;  // of every node about to shift
    std::vector<StackLook> groups_;
    std::vector<std::vector<Thinning::Kept>> by_group_;
    std::vector<double> masses_, group_masses_;
    double total_ = 0;
};

}  // namespace bistro
