// Probabilities of prefixes by sums over a graph of stacks, which is thinned at random where it grows too large.
//
// Between two words every stack may take any arcs. An arc joins the two top items, so the words below the new top item begin
// further left: nodes are expanded in the order of where their top item begins, the rightmost first, and each is complete when
// its turn comes. What shifts is added up over all tags of the next word: the probability of the prefix. Nothing is drawn but
// which nodes go on; with no limit the sums are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/language.hpp"
#include "parse/memory.hpp"
#include "parse/stack_graph.hpp"
#include "parse/tag_choices.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct GraphFigures {
    PrefixFigures figures;
    Noise noise;  // relative error of the prefix, in copies
};

class GraphSums {
public:
    GraphSums(const TransitionModel<Frozen>& model, const SearchOptions& options, const ThinningOptions& thinning)
        : model_(model), options_(options), items_(model), memory_(model), of_actions_(model.actions, model.code().outcomes()),
          tag_choices_(model, options.unseen_tags), tags_(static_cast<std::size_t>(model.system.symbols.tags)) {
        thinning_.options = thinning;
        for (const ContextList* list : {&model.actions.contexts, &model.tags.contexts, &model.words.contexts})
            for (const std::uint8_t e : *list) {
                reads_last_ = reads_last_ || e == element("p1.tag") || e == element("p2.tag");
                reads_last_but_one_ = reads_last_but_one_ || e == element("p2.tag");
            }
    }

    // One row per word, and one for the end of the sentence.
    std::vector<GraphFigures> run(const Sentence& sentence, Stream& rng) {
        sentence_ = &sentence;
        rng_ = &rng;
        std::vector<GraphFigures> rows;
        begin();
        for (std::int32_t i = 0; i < sentence.size(); ++i) {
            sweep(i, true);
            rows.push_back(shift_word(i + 1));
        }
        sweep(sentence.size(), false);
        rows.push_back(end_sentence());
        return rows;
    }

    std::size_t num_nodes() const { return graph_.nodes.size(); }
    std::size_t num_links() const { return graph_.links.size(); }

private:
    // A node about to shift, and how much of it does.
    struct Shifting {
        std::uint32_t node;
        double probability;
        std::uint32_t answer = 0, group = 0;
        Thinning::Kept kept{};
    };

    void begin() {
        graph_.clear();
        items_.clear();
        log_prefix_ = 0;
        final_ = 0;
        final_tally_ = {};
        const Symbols& s = model_.system.symbols;
        graph_.nodes.push_back({{}, kNone, 1.0, {}});  // the empty stack
        buckets_.assign(static_cast<std::size_t>(sentence_->size()) + 2, {});
        if (!model_.system.root_first) return buckets_[0].push_back(0);
        add({items_.without_children(s.root_tag(), s.root_word(), 0), -1, -1, 0}, 0, 1.0, {});
    }

    struct Top {
        std::uint32_t item;
        std::int32_t last_tag, last_tag_but_one;
        std::int32_t begin;
    };

    // Adds a stack with this top item on the node below.
    void add(const Top& top, std::uint32_t below, double weight, const Tally& tally) {
        const StackLook under = graph_.nodes[below].look;
        StackLook look;
        look.items[0] = top.item;
        for (std::size_t depth = 1; depth < kStackItems; ++depth) look.items[depth] = items_.seen_at(under.items[depth - 1], depth);
        look.last_tag = static_cast<std::int16_t>(reads_last_ ? top.last_tag : -1);
        look.last_tag_but_one = static_cast<std::int16_t>(reads_last_but_one_ ? top.last_tag_but_one : -1);
        look.begin = top.begin;
        bool is_new;
        const std::uint32_t node = graph_.node(look, is_new);
        if (is_new) buckets_[static_cast<std::size_t>(top.begin)].push_back(node);
        graph_.link(node, below, weight).tally.add_times(weight, tally);
    }

    // Takes all stacks with so many words through all arcs they may make.
    void sweep(std::int32_t words, bool words_left) {
        shifting_.clear();
        memory_.clear();
        for (auto bucket = std::min<std::size_t>(static_cast<std::size_t>(words), buckets_.size() - 1) + 1; bucket-- > 0;) {
            std::vector<std::uint32_t>& ids = buckets_[bucket];
            if (ids.empty()) continue;
            pause();
            masses_.clear();
            for (const std::uint32_t id : ids) {
                if (id != 0) graph_.settle(id);
                masses_.push_back(graph_.nodes[id].mass);
            }
            ids_.swap(ids);
            ids.clear();
            expanding_ = thinning_.thin(masses_, 1.0, *rng_);
            for (const Thinning::Kept& kept : expanding_) {
                graph_.outweigh(ids_[kept.index], kept);
                expand(ids_[kept.index], words, words_left);
            }
        }
        graph_.forget_looks();
    }

    Choices possible(const StackLook& look, std::int32_t words) const {
        const System& system = model_.system;
        const std::int32_t root = system.symbols.root_tag();
        auto tag = [&](std::size_t depth) { return items_.facts(look.items[depth])[fact("tag")]; };
        const bool empty = look.items[0] == StackItems::kMissing, several = look.items[1] != StackItems::kMissing;
        Choices c;
        if (system.root_first) {
            c.shift = true;
            c.right_arc = several;
            c.left_arc = several && tag(1) != root;
            c.end = !system.single_root && !several && words > 0;
            return c;
        }
        if (!empty && tag(0) == root) {
            c.left_arc = several;
            return c;
        }
        c.shift = true;
        c.left_arc = c.right_arc = several;
        c.end = !empty && (!several || !system.single_root);
        return c;
    }

    void observe(const StackLook& look, std::int32_t words) {
        const Symbols& symbols = model_.system.symbols;
        for (std::size_t depth = 0; depth < kStackItems; ++depth) {
            const ItemFacts& facts = items_.facts(look.items[depth]);
            std::copy(facts.begin(), facts.begin() + kFacts, elements_.begin() + static_cast<std::ptrdiff_t>(depth * kFacts));
        }
        elements_[element("p1.tag")] = look.last_tag >= 0 ? look.last_tag : symbols.no_tag();
        elements_[element("p2.tag")] = look.last_tag_but_one >= 0 ? look.last_tag_but_one : symbols.no_tag();
        elements_[element("p1.word")] = words >= 1 ? sentence_->words[static_cast<std::size_t>(words) - 1] : symbols.no_word();
        elements_[element("p2.word")] = words >= 2 ? sentence_->words[static_cast<std::size_t>(words) - 2] : symbols.no_word();
        elements_[element("distance")] = look.items[1] == StackItems::kMissing
                                             ? 6
                                             : distance_class(items_.facts(look.items[0])[kFacts] - items_.facts(look.items[1])[kFacts]);
    }

    void expand(std::uint32_t id, std::int32_t words, bool words_left) {
        const StackNode node = graph_.nodes[id];
        const Choices choices = possible(node.look, words);
        observe(node.look, words);
        bool is_new;
        PredictionMemory::Answer& answer = memory_.find(elements_, choices, is_new);
        if (is_new)
            answer.actions = model_.action_probabilities(choices, model_.pace.factor(words), [&] { return of_actions_.of(elements_); });
        const ActionProbabilities p = answer.actions;
        if (choices.shift && words_left && p.shift > 0) shifting_.push_back({id, p.shift, memory_.number_of(answer)});
        if (choices.end && !words_left && p.end > 0) end(id, node, p.end);
        if (choices.left_arc && p.left_arc > 0) arc(node, Action::left_arc, p.left_arc, words_left);
        if (choices.right_arc && p.right_arc > 0) arc(node, Action::right_arc, p.right_arc, words_left);
    }

    void end(std::uint32_t id, const StackNode& node, double probability) {
        if (model_.system.root_first) {
            Tally tally = node.tally;
            tally.log_joint += std::log(probability);
            return finish(node.mass * probability, tally);
        }
        ending_.push_back({id, probability});
    }

    void finish(double mass, const Tally& tally) {
        final_ += mass;
        final_tally_.add_times(mass, tally);
    }

    // Where no later context reads labels, an arc stands for all its labels together.
    void arc(const StackNode& node, Action action, double probability, bool words_left) {
        labels_.clear();
        if (!model_.labelled || !model_.labels_in_contexts) labels_.push_back({0, 1.0});
        else {
            model_.label_probabilities(action, elements_, label_probabilities_);
            for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l)
                if (label_probabilities_[static_cast<std::size_t>(l)] > 0) labels_.push_back({l, label_probabilities_[static_cast<std::size_t>(l)]});
            if (labels_.size() > static_cast<std::size_t>(options_.labels)) {
                std::partial_sort(labels_.begin(), labels_.begin() + options_.labels, labels_.end(), [](const TagChoice& a, const TagChoice& b) {
                    return a.probability != b.probability ? a.probability > b.probability : a.tag < b.tag;
                });
                labels_.resize(static_cast<std::size_t>(options_.labels));
            }
        }
        for (const TagChoice& label : labels_) arc(node, action, label.tag, probability * label.probability, words_left);
    }

    void arc(const StackNode& node, Action action, std::int32_t label, double probability, bool words_left) {
        const bool left = action == Action::left_arc;
        const double log_probability = std::log(probability);
        const std::int32_t root = model_.system.symbols.root_tag();
        for (std::uint32_t at = node.first_link; at != kNone; at = graph_.links[at].next) {
            const std::uint32_t second = graph_.links[at].below;
            const double weight = graph_.links[at].weight * probability;
            Tally tally = graph_.links[at].tally;
            tally.log_joint += log_probability;
            const StackLook under = graph_.nodes[second].look;
            const bool onto_root = !left && items_.facts(under.items[0])[fact("tag")] == root;
            if (onto_root && model_.system.single_root) {  // this arc ends the sentence
                if (words_left) continue;
                tally.add(graph_.nodes[second].tally);
                finish(graph_.nodes[second].mass * weight, tally);
                continue;
            }
            const std::uint32_t first_item = node.look.items[0], second_item = under.items[0];
            const Top top{left ? items_.with_child(first_item, second_item, action, label) : items_.with_child(second_item, first_item, action, label),
                          node.look.last_tag, node.look.last_tag_but_one, under.begin};
            const bool of_root = left && items_.facts(first_item)[fact("tag")] == root;
            for (std::uint32_t deeper = graph_.nodes[second].first_link; deeper != kNone; deeper = graph_.links[deeper].next) {
                const StackLink& link = graph_.links[deeper];
                Tally both = tally;
                both.add(link.tally);
                const std::uint32_t third = link.below;
                if (of_root && third == 0) {
                    both.add(graph_.nodes[third].tally);
                    finish(graph_.nodes[third].mass * weight * link.weight, both);
                } else {
                    add(top, third, weight * link.weight, both);
                }
            }
        }
    }

    // --- the next word --------------------------------------------------------------------------------------------------

    GraphFigures shift_word(std::int32_t position) {
        thin_shifting();
        find_tags(position);
        const GraphFigures row = figures();
        if (row.figures.log_prefix == -INFINITY) {
            shifting_.clear();
            return row;
        }
        push_words(position);
        return row;
    }

    void thin_shifting() {
        masses_.clear();
        for (const Shifting& s : shifting_) masses_.push_back(graph_.nodes[s.node].mass * s.probability);
        std::vector<Shifting> kept;
        for (const Thinning::Kept& k : thinning_.thin(masses_, 1.0, *rng_)) {
            kept.push_back(shifting_[k.index]);
            kept.back().kept = k;
            kept.back().probability *= k.factor;
        }
        shifting_.swap(kept);
    }

    // The tags of the word for every node, and which nodes look the same from what is shifted onto them.
    void find_tags(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        groups_.clear();
        for (Shifting& s : shifting_) {
            const StackLook& look = graph_.nodes[s.node].look;
            PredictionMemory::Answer& answer = memory_[s.answer];
            if (!answer.has_tags) {
                observe(look, position - 1);
                tag_choices_.find(elements_, word, -1, sentence_->spelling(position, model_.system.symbols.tags), answer.tags);
                keep_most_probable(answer.tags, static_cast<std::size_t>(options_.tags));
                answer.has_tags = true;
            }
            StackLook seen;
            for (std::size_t depth = 1; depth < kStackItems; ++depth) seen.items[depth] = items_.seen_at(look.items[depth - 1], depth);
            seen.last_tag = look.last_tag;
            const auto known = std::find(groups_.begin(), groups_.end(), seen);
            s.group = static_cast<std::uint32_t>(known - groups_.begin());
            if (known == groups_.end()) groups_.push_back(seen);
        }
    }

    static void keep_most_probable(std::vector<TagChoice>& items, std::size_t most) {
        if (items.size() <= most) return;
        std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(), [](const TagChoice& a, const TagChoice& b) {
            return a.probability != b.probability ? a.probability > b.probability : a.tag < b.tag;
        });
        items.resize(most);
    }

    // The sum over all that shifts and all tags; masses by group and tag.
    GraphFigures figures() {
        group_masses_.assign(groups_.size() * tags_, 0.0);
        total_ = 0;
        Tally sum;
        double lexical = 0, joint = 0;
        for (const Shifting& s : shifting_) {
            const StackNode& node = graph_.nodes[s.node];
            const double mass = node.mass * s.probability;
            double of_word = 0, of_logs = 0;
            double* masses = group_masses_.data() + s.group * tags_;
            const auto& tags = memory_[s.answer].tags;
            for (const TagChoice& choice : tags) {
                of_word += choice.probability;
                masses[choice.tag] += mass * choice.probability;
            }
            total_ += mass * of_word;
            for (const TagChoice& choice : tags) {
                if (choice.probability < of_word * kNegligible) continue;
                const double of_tag = std::log(choice.probability);
                of_logs += choice.probability * of_tag;
                lexical -= mass * choice.probability * std::log(choice.word);
            }
            sum.add_times(mass * of_word, node.tally);
            for (std::size_t c = 0; c < kChannels; ++c) sum.noise[c] += static_cast<float>(mass * of_word) * s.kept.noise[c];
            joint += mass * (of_logs + of_word * std::log(s.probability / s.kept.factor));
        }
        if (!(total_ > 0)) return {{-INFINITY, 0, 0}, {}};
        sum.scale(1 / total_);
        log_prefix_ += std::log(total_);
        return {{log_prefix_, lexical / total_, sum.log_joint + joint / total_}, sum.noise};
    }

    // New nodes for the word, thinned.
    void push_words(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        const std::vector<Thinning::Kept>& kept = thinning_.thin(group_masses_, total_, *rng_);
        kept_by_group_.assign(groups_.size(), {});
        for (const Thinning::Kept& k : kept) kept_by_group_[k.index / tags_].push_back(k);
        for (const Shifting& s : shifting_) {
            const StackLook look = graph_.nodes[s.node].look;
            const auto& tags = memory_[s.answer].tags;
            auto choice = tags.begin();
            for (const Thinning::Kept& k : kept_by_group_[s.group]) {
                const auto tag = static_cast<std::int32_t>(k.index % tags_);
                if (tags.size() == tags_) choice = tags.begin() + tag;
                else choice = std::find_if(tags.begin(), tags.end(), [&](const TagChoice& c) { return c.tag == tag; });
                if (choice == tags.end() || !(choice->probability > 0)) continue;
                Tally tally;
                tally.log_joint = std::log(s.probability / s.kept.factor * choice->probability);
                if (s.kept.is_drawn) StackGraph::add_noise(tally, s.kept.noise);
                if (k.is_drawn) StackGraph::add_noise(tally, k.noise);
                add({items_.without_children(tag, word, position), tag, look.last_tag, position}, s.node,
                    s.probability * choice->probability * k.factor / total_, tally);
            }
        }
    }

    // With the root last, it comes onto the stack like a word, and takes what is there.
    GraphFigures end_sentence() {
        if (!model_.system.root_first && !ending_.empty()) {
            const Symbols& s = model_.system.symbols;
            const std::int32_t position = sentence_->size() + 1;
            for (const auto& [id, probability] : ending_) {
                const StackLook look = graph_.nodes[id].look;
                Tally tally;
                tally.log_joint = std::log(probability);
                add({items_.without_children(s.root_tag(), s.root_word(), position), look.last_tag, look.last_tag_but_one, position}, id,
                    probability, tally);
            }
            ending_.clear();
            sweep(position, false);
        }
        if (!(final_ > 0)) return {{-INFINITY, 0, 0}, {}};
        final_tally_.scale(1 / final_);
        return {{log_prefix_ + std::log(final_), 0, final_tally_.log_joint}, final_tally_.noise};
    }

    static constexpr double kNegligible = 1e-12;  // a share of a word's probability that its means may do without

    struct Ending {
        std::uint32_t node;
        double probability;
    };

    const TransitionModel<Frozen>& model_;
    SearchOptions options_;
    StackItems items_;
    StackGraph graph_;
    Thinning thinning_;
    PredictionMemory memory_;
    Distributions<Frozen> of_actions_;
    TagChoices<Frozen> tag_choices_;
    std::size_t tags_;
    bool reads_last_ = false, reads_last_but_one_ = false;
    const Sentence* sentence_ = nullptr;
    Stream* rng_ = nullptr;
    Elements elements_{};
    std::vector<std::vector<std::uint32_t>> buckets_;  // nodes by where their top item begins
    std::vector<std::uint32_t> ids_;
    std::vector<Thinning::Kept> expanding_;
    std::vector<std::vector<Thinning::Kept>> kept_by_group_;
    std::vector<Shifting> shifting_;
    std::vector<Ending> ending_;
    std::vector<StackLook> groups_;
    std::vector<double> masses_, group_masses_, label_probabilities_;
    std::vector<TagChoice> labels_;
    double log_prefix_ = 0, total_ = 0, final_ = 0;
    Tally final_tally_;
};

}  // namespace bistro
