// Probabilities of prefixes by sums over a graph of stacks, which is thinned at random if it grows too large.
//
// Between two words, every stack may make any arcs. The sum over all shifts and all tags of the next word is the
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
#include "parse/word_guide.hpp"

namespace bistro {

struct GraphFigures {
    PrefixFigures figures;
    Noise noise;  // independent copies of the relative error of the prefix
};

// Determines how much of the graph is kept, given the maximum number of nodes per word (0: no limit). Easy words need fewer
// nodes: up to this maximum, alternatives with a certain share of the total (0.0017 for 100 nodes, never more than 0.17)
// are always kept, and alternatives with a smaller share are kept at random. A stack before the word is continued with
// several tags, so fewer stacks are kept before the word.
struct GraphSize {
    explicit GraphSize(double nodes)
        : most(nodes > 0 ? nodes : std::numeric_limits<double>::infinity()), share(17 / (most * most + 100)),
          shifting{1, share, std::min(most, std::max(20.0, 0.33 * most))}, words{0.5, std::sqrt(share), most},
          least_arc(0.4 * share), least_others(0.9 * share), resolution(0.25 * share) {}

    double most, share;
    ThinningOptions shifting, words;
    double least_arc;     // arcs with less mass may be dropped
    double least_others;  // likewise for tags that a word never had in training
    double resolution;    // relative error for drops that leave no trace in the noise
};

class GraphSums : private GraphArcs {
public:
    GraphSums(const TransitionModel<Frozen>& model, const SearchOptions& options, const GraphSize& size)
        : GraphArcs(model, size.least_arc), size_(size), guide_(model), next_tags_(model, options),
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

    // Continues the first words of a sentence. `open` is called for every node that is about to generate another word, with
    // the elements of the node and its share of the probability of the first words. Returns the share that ends here, and
    // the log-probability of the first words.
    template <class Open>
    std::pair<double, double> go_on_from(const Sentence& first, const Stream& rng, const Open& open) {
        Stream stream = rng;                     // declared here because end_sentence also uses it
        for (const bool ends : {false, true}) {  // the same draws twice, since the graph can be continued only once
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

    // Keeps some of the stacks that are about to shift, by an estimate of the probability of the next word.
    void thin_shifting(std::int32_t position) {
        guide_.take(*sentence_, position, next_tags_.is_apart_possible());
        masses_.clear();
        others_.clear();
        double whole = 0;
        for (const Shifting& s : shifting_) {
            observe(graph_.nodes[s.node].look, elements_);
            const WordGuide::Guess guess = guide_.guess(elements_);
            const double mass = graph_.nodes[s.node].mass * s.probability;
            masses_.push_back(mass * guess.all);
            others_.push_back(mass * guess.others);
            whole += masses_.back();
        }
        kept_.clear();
        const auto variance = [&](std::uint32_t i) {
            return mean_square(graph_.nodes[shifting_[i].node].tally.noise, {}, common_);
        };
        least_ = size_.least_others * whole;
        for (const Thinning::Kept& k : thinning_.thin(masses_, whole, size_.shifting, *rng_, variance)) keep(k);
        has_dropped_ = has_dropped_ || thinning_.has_dropped();
        number_stacks();
        shifting_.swap(kept_);
    }

    // Continues a kept stack with every tag that the word had in training. All other tags together are kept if they have
    // enough mass, or at random.
    void keep(const Thinning::Kept& k) {
        Shifting s = shifting_[k.index];
        s.counts = k.factor;
        s.noise = k.noise;
        s.next.stack = k.index;
        for (const std::int32_t tag : guide_.seen()) {
            s.next.tag = tag;
            kept_.push_back(s);
        }
        s.next.tag = kOtherTags;
        const double p = guide_.seen().empty() ? 1.0 : chance(others_[k.index] * k.factor);
        if (p == 0) return;
        if (p < 1) {
            Tally tally;
            tally.noise = s.noise;
            count_drawn(p, s.counts, tally, graph_.nodes[s.node].tally);
            s.noise = tally.noise;
        }
        kept_.push_back(s);
    }

    // Numbers the kept stacks, observes their elements, and groups the stacks that look the same below a new item.
    void number_stacks() {
        numbers_.assign(shifting_.size(), kNone);
        observed_.clear();
        group_of_.clear();
        groups_.clear();
        for (Shifting& s : kept_) {
            std::uint32_t& number = numbers_[s.next.stack];
            if (number == kNone) {
                number = static_cast<std::uint32_t>(observed_.size());
                const StackLook& look = graph_.nodes[s.node].look;
                observe(look, observed_.emplace_back());
                StackLook seen = StackView::from_above(items_, look);
                seen.last_tag = look.last_tag;
                const auto known = std::find(groups_.begin(), groups_.end(), seen);
                group_of_.push_back(static_cast<std::uint32_t>(known - groups_.begin()));
                if (known == groups_.end()) groups_.push_back(seen);
            }
            s.next.stack = number;
            s.group = group_of_[number];
        }
    }

    void find_tags(std::int32_t position) {
        entries_.clear();
        for (const Shifting& s : shifting_) entries_.push_back(s.next);
        next_tags_.find(observed_, entries_, guide_.seen(), sentence_->words[static_cast<std::size_t>(position) - 1],
                        sentence_->spelling(position, model_.system.symbols.tags));
    }

    // Computes the sum over all shifts and all tags, and the masses by tag and group.
    GraphFigures figures() {
        group_masses_.assign(groups_.size() * tags_, 0.0);
        Tally sum;
        double lexical = 0;
        total_ = 0;
        for (std::size_t i = 0; i < shifting_.size(); ++i) {
            const Shifting& s = shifting_[i];
            const StackNode& node = graph_.nodes[s.node];
            const double mass = node.mass * s.probability * s.counts;
            double of_word = 0, of_logs = 0;
            for (const TagChoice& choice : next_tags_.of(i)) {
                of_word += choice.probability;
                group_masses_[static_cast<std::size_t>(choice.tag) * groups_.size() + s.group] += mass * choice.probability;
            }
            for (const TagChoice& choice : next_tags_.of(i)) {
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

    // Adds the nodes for the word, after thinning.
    void push_words(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        list_groups();
        const auto variance = [&](std::uint32_t i) {
            return variance_of(i % groups_.size(), static_cast<std::int32_t>(i / groups_.size()));
        };
        const std::vector<Thinning::Kept>& kept = thinning_.thin(group_masses_, total_, size_.words, *rng_, variance);
        has_dropped_ = has_dropped_ || thinning_.has_dropped();
        kept_at_.assign(group_masses_.size(), kNone);
        for (std::uint32_t at = 0; at < kept.size(); ++at) kept_at_[kept[at].index] = at;
        word_items_.assign(tags_, kNone);
        for (std::size_t i = 0; i < shifting_.size(); ++i) {
            const Shifting& s = shifting_[i];
            for (const TagChoice& choice : next_tags_.of(i)) {
                const std::uint32_t at = kept_at_[static_cast<std::size_t>(choice.tag) * groups_.size() + s.group];
                if (at == kNone || !(choice.probability > 0)) continue;
                Tally tally;
                tally.log_joint = std::log(s.probability * choice.probability);
                add_noise(tally.noise, s.noise);
                add_noise(tally.noise, kept[at].noise);
                std::uint32_t& item = word_items_[static_cast<std::size_t>(choice.tag)];
                if (item == kNone) item = items_.without_children(choice.tag, word, position);
                const std::int32_t last_tag = graph_.nodes[s.node].look.last_tag;
                add({item, choice.tag, last_tag, position}, s.node,
                    s.probability * s.counts * choice.probability * kept[at].factor / total_, tally);
            }
        }
    }

    // Links the elements of shifting_ group by group, in their order.
    void list_groups() {
        first_in_.assign(groups_.size(), kNone);
        next_in_.resize(shifting_.size());
        for (std::size_t i = shifting_.size(); i-- > 0;) {
            next_in_[i] = first_in_[shifting_[i].group];
            first_in_[shifting_[i].group] = static_cast<std::uint32_t>(i);
        }
    }

    // The variance of the relative error of one tag on one group of stacks, without the error of the prefix.
    double variance_of(std::size_t group, std::int32_t tag) const {
        Tally sum;
        double whole = 0;
        for (std::uint32_t i = first_in_[group]; i != kNone; i = next_in_[i]) {
            const Shifting& s = shifting_[i];
            if (s.next.tag != tag && s.next.tag != kOtherTags) continue;
            const StackNode& node = graph_.nodes[s.node];
            const double mass = node.mass * s.probability * s.counts * probability_of(next_tags_.of(i), tag);
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

    // With the root last, the root is pushed onto the stack like a word, and the stack items become its children.
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

    static constexpr double kNegligible = 1e-7;  // means ignore tags with a smaller share of a word's probability

    GraphSize size_;
    Thinning thinning_;
    WordGuide guide_;
    NextTags next_tags_;
    std::size_t tags_;
    std::vector<Shifting> kept_;
    std::vector<NextTags::Entry> entries_;  // by index in shifting_
    std::vector<std::uint32_t> numbers_;    // by stack about to shift: its index among the kept stacks
    std::vector<std::uint32_t> group_of_;   // by index of a kept stack: its group
    std::vector<StackLook> groups_;
    std::vector<double> masses_, others_;  // estimates by stack about to shift: all tags, and tags unseen with the word
    std::vector<double> group_masses_;
    std::vector<std::uint32_t> first_in_;    // by group: the first index in shifting_
    std::vector<std::uint32_t> next_in_;     // by index in shifting_: the next one in the group
    std::vector<std::uint32_t> kept_at_;     // by tag and group: the index of the kept alternative
    std::vector<std::uint32_t> word_items_;  // by tag: the item of the word with this tag
    double total_ = 0;
};

}  // namespace bistro
