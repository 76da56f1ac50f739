// Probabilities of prefixes by sums over a graph of stacks, which is thinned at random where it grows too large.
//
// Between two words every stack may take any arcs. An arc joins the two top items, so the words below the new top item begin
// further left: nodes are expanded in the order of where their top item begins, the rightmost first, and each is complete when
// its turn comes. What shifts is added up over all tags of the next word: the probability of the prefix. Nothing is drawn but
// which nodes go on; without thinning the sums are exact.
//
// Nodes are thinned where they are about to shift, by a guess of how probable they make the next word, and once more when the
// word and its tag are there. In between, arcs of little mass go on with a probability in proportion to it (Russian roulette).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/language.hpp"
#include "parse/stack_graph.hpp"
#include "parse/tag_choices.hpp"
#include "parse/word_guide.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct GraphFigures {
    PrefixFigures figures;
    Noise noise;  // relative error of the prefix, in copies
};

// How much of the graph is kept, for a number of nodes per word; 0: all of it.
struct GraphSize {
    explicit GraphSize(double nodes)
        : shifting{1, nodes > 0 ? 1 / (nodes * nodes) : 0, nodes > 0 ? nodes : kAll},
          words{0.5, nodes > 0 ? 1 / nodes : 0, nodes > 0 ? nodes : kAll}, least_arc(nodes > 0 ? 0.3 / (nodes * nodes) : 0) {}

    static constexpr double kAll = std::numeric_limits<double>::infinity();
    ThinningOptions shifting, words;
    double least_arc;  // arcs of less mass may not go on
};

class GraphSums {
public:
    GraphSums(const TransitionModel<Frozen>& model, const SearchOptions& options, const GraphSize& size)
        : model_(model), options_(options), size_(size), items_(model), of_actions_(model.actions, model.code().outcomes()), guide_(model),
          tag_choices_(model, options.unseen_tags), tags_(static_cast<std::size_t>(model.system.symbols.tags)) {
        for (const ContextList* list : {&model.actions.contexts, &model.tags.contexts, &model.words.contexts, &model.labels.contexts})
            for (const std::uint8_t e : *list) {
                reads_last_ = reads_last_ || e == element("p1.tag") || e == element("p2.tag");
                reads_last_but_one_ = reads_last_but_one_ || e == element("p2.tag");
            }
    }

    // One row per word, and one for the end of the sentence.
    std::vector<GraphFigures> run(const Sentence& sentence, Stream& rng) {
        std::vector<GraphFigures> rows;
        begin(sentence, rng);
        for (std::int32_t i = 1; i <= sentence.size(); ++i) rows.push_back(next_word(i));
        rows.push_back(end_sentence());
        return rows;
    }

    // What may follow the first words of a sentence: `open` sees every node that comes to generate one word more, as elements with
    // its share of the first words. Returned is the share that ends here, with the log-probability of the first words.
    template <class Open>
    std::pair<double, double> go_on_from(const Sentence& first, const Stream& rng, const Open& open) {
        for (const bool ends : {false, true}) {  // the same draws twice, because arcs use up what they begin with
            Stream stream = rng;
            begin(first, stream);
            for (std::int32_t i = 1; i <= first.size(); ++i) next_word(i);
            if (ends) break;
            make_arcs(first.size(), true);
            for (const Shifting& s : shifting_) {
                observe(graph_.nodes[s.node].look);
                open(elements_, graph_.nodes[s.node].mass * s.probability);
            }
        }
        if (first.size() > 0) end_sentence();
        return {final_, log_prefix_};
    }

private:
    // What is left of a node when it has expanded.
    struct Expanded {
        std::uint32_t node;
        ActionProbabilities actions;
        Choices choices;
    };
    // A node about to shift.
    struct Shifting {
        std::uint32_t node;
        double probability, counts;  // of the shift; and how often it counts, because others were not kept
        Noise noise;
        std::uint32_t tags = 0, group = 0;
    };
    struct Top {
        std::uint32_t item;
        std::int32_t last_tag, last_tag_but_one, begin;
    };

    void begin(const Sentence& sentence, Stream& rng) {
        sentence_ = &sentence;
        rng_ = &rng;
        graph_.clear();
        items_.clear();
        ending_.clear();
        log_prefix_ = final_ = 0;
        final_tally_ = {};
        graph_.nodes.push_back({{}, kNone, 1.0, {}});  // the empty stack
        buckets_.assign(static_cast<std::size_t>(sentence.size()) + 2, {});
        const Symbols& s = model_.system.symbols;
        if (!model_.system.root_first) return buckets_[0].push_back(0);
        add({items_.without_children(s.root_tag(), s.root_word(), 0), -1, -1, 0}, 0, 1.0, {});
    }

    // Adds a stack with this top item on the node below.
    void add(const Top& top, std::uint32_t below, double weight, const Tally& tally) {
        StackLook look = looked_at(graph_.nodes[below].look);
        look.items[0] = top.item;
        look.last_tag = static_cast<std::int16_t>(reads_last_ ? top.last_tag : -1);
        look.last_tag_but_one = static_cast<std::int16_t>(reads_last_but_one_ ? top.last_tag_but_one : -1);
        look.begin = top.begin;
        bool is_new;
        const std::uint32_t node = graph_.node(look, is_new);
        if (is_new) buckets_[static_cast<std::size_t>(top.begin)].push_back(node);
        graph_.link(node, below, weight).tally.add_times(weight, tally);
    }

    // What is seen of a stack from a new item on top of it.
    StackLook looked_at(const StackLook& under) const {
        StackLook look;
        for (std::size_t depth = 1; depth < kStackItems; ++depth) look.items[depth] = items_.seen_at(under.items[depth - 1], depth);
        return look;
    }

    // --- arcs -------------------------------------------------------------------------------------------------------------

    // Takes all stacks with so many words through all arcs they may make.
    void make_arcs(std::int32_t words, bool words_left) {
        shifting_.clear();
        words_ = words;
        for (std::size_t bucket = static_cast<std::size_t>(words) + 1; bucket-- > 0;) {
            pause();
            expanded_.clear();
            double arcs = 0;
            for (const std::uint32_t id : buckets_[bucket]) {
                if (id != 0) graph_.settle(id);
                expanded_.push_back(expand(id));
                arcs += graph_.nodes[id].mass * (expanded_.back().actions.left_arc + expanded_.back().actions.right_arc);
            }
            buckets_[bucket].clear();
            // Before the next word arcs compete with shifts; after the last one, with each other.
            least_ = size_.least_arc * (words_left ? 1.0 : arcs * kEnd);
            for (const Expanded& e : expanded_) go_on(e, words_left);
        }
        graph_.forget_looks();
    }

    Choices choices(const StackLook& look) const {
        const System& system = model_.system;
        const std::int32_t root = system.symbols.root_tag();
        auto tag = [&](std::size_t depth) { return items_.facts(look.items[depth])[fact("tag")]; };
        const bool empty = look.items[0] == StackItems::kMissing, several = look.items[1] != StackItems::kMissing;
        if (system.root_first)
            return {true, several && tag(1) != root, several, !system.single_root && !several && words_ > 0};
        if (!empty && tag(0) == root) return {false, several, false, false};
        return {true, several, several, !empty && (!several || !system.single_root)};
    }

    void observe(const StackLook& look) {
        const Symbols& symbols = model_.system.symbols;
        for (std::size_t depth = 0; depth < kStackItems; ++depth) {
            const ItemFacts& facts = items_.facts(look.items[depth]);
            std::copy(facts.begin(), facts.begin() + kFacts, elements_.begin() + static_cast<std::ptrdiff_t>(depth * kFacts));
        }
        auto word = [&](std::int32_t position) { return position > 0 ? sentence_->words[static_cast<std::size_t>(position) - 1] : symbols.no_word(); };
        elements_[element("p1.tag")] = look.last_tag >= 0 ? look.last_tag : symbols.no_tag();
        elements_[element("p2.tag")] = look.last_tag_but_one >= 0 ? look.last_tag_but_one : symbols.no_tag();
        elements_[element("p1.word")] = word(words_);
        elements_[element("p2.word")] = word(words_ - 1);
        const bool several = look.items[1] != StackItems::kMissing;
        elements_[element("distance")] =
            several ? distance_class(items_.facts(look.items[0])[kFacts] - items_.facts(look.items[1])[kFacts]) : 6;
    }

    Expanded expand(std::uint32_t id) {
        const StackLook& look = graph_.nodes[id].look;
        const Choices possible = choices(look);
        observe(look);
        return {id, model_.action_probabilities(possible, model_.pace.factor(words_), [&] { return of_actions_.of(elements_); }), possible};
    }

    void go_on(const Expanded& e, bool words_left) {
        const ActionProbabilities& p = e.actions;
        if (words_left && p.shift > 0) shifting_.push_back({e.node, p.shift, 1.0, {}});
        if (!words_left && p.end > 0) end(e.node, p.end);
        if (p.left_arc > 0) make_arcs(e.node, Action::left_arc, p.left_arc, words_left);
        if (p.right_arc > 0) make_arcs(e.node, Action::right_arc, p.right_arc, words_left);
    }

    void end(std::uint32_t id, double probability) {
        if (!model_.system.root_first) return ending_.push_back({id, probability, 1.0, {}});
        Tally tally = graph_.nodes[id].tally;
        tally.log_joint += std::log(probability);
        finish(graph_.nodes[id].mass * probability, tally);
    }

    void finish(double mass, const Tally& tally) {
        final_ += mass;
        final_tally_.add_times(mass, tally);
    }

    // Whether something of little mass goes on; if it does, it counts as much more as it is less probable to.
    bool goes_on(double mass, double& weight, Tally& tally) {
        if (mass >= least_) return true;
        const double p = mass / least_;
        if (!(rng_->uniform() < p)) return false;
        weight /= p;
        add_noise(tally.noise, random_signs(std::sqrt(1 - p), *rng_));
        return true;
    }

    // Where no later context reads labels, an arc stands for all its labels together.
    void make_arcs(std::uint32_t id, Action action, double probability, bool words_left) {
        if (!model_.labelled || !model_.labels_in_contexts) return make_arc(id, action, 0, probability, words_left);
        observe(graph_.nodes[id].look);
        model_.label_probabilities(action, elements_, label_probabilities_);
        for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l)
            if (const double p = label_probabilities_[static_cast<std::size_t>(l)]; p > 0)
                make_arc(id, action, l, probability * p, words_left);
    }

    void make_arc(std::uint32_t id, Action action, std::int32_t label, double probability, bool words_left) {
        const StackNode node = graph_.nodes[id];
        Tally of_action;
        of_action.log_joint = std::log(probability);
        if (!goes_on(node.mass * probability, probability, of_action)) return;
        const std::int32_t root = model_.system.symbols.root_tag();
        for (std::uint32_t at = node.first_link; at != kNone; at = graph_.links[at].next) {
            const std::uint32_t second = graph_.links[at].below;
            double weight = graph_.links[at].weight * probability;
            Tally tally = graph_.links[at].tally;
            tally.add(of_action);
            const StackNode& below = graph_.nodes[second];
            const bool ends = action == Action::right_arc && model_.system.single_root && items_.facts(below.look.items[0])[fact("tag")] == root;
            if (ends && words_left) continue;
            if (!goes_on(below.mass * weight, weight, tally)) continue;
            if (ends) {
                tally.add(below.tally);
                finish(below.mass * weight, tally);
            } else {
                join(node.look, second, action, label, weight, tally);
            }
        }
    }

    // The arc between the top item of a stack and the one on top of `second`, which leaves a stack for every link of `second`.
    void join(const StackLook& look, std::uint32_t second, Action action, std::int32_t label, double weight, const Tally& tally) {
        const StackLook under = graph_.nodes[second].look;
        const bool left = action == Action::left_arc;
        const std::uint32_t head = left ? look.items[0] : under.items[0], child = left ? under.items[0] : look.items[0];
        const Top top{items_.with_child(head, child, action, label), look.last_tag, look.last_tag_but_one, under.begin};
        const bool is_root_last = !model_.system.root_first && items_.facts(head)[fact("tag")] == model_.system.symbols.root_tag();
        for (std::uint32_t at = graph_.nodes[second].first_link; at != kNone; at = graph_.links[at].next) {
            const std::uint32_t third = graph_.links[at].below;
            double product = weight * graph_.links[at].weight;
            Tally both = tally;
            if (!goes_on(graph_.nodes[third].mass * product, product, both)) continue;
            both.add(graph_.links[at].tally);
            if (is_root_last && third == 0) finish(product, both);
            else add(top, third, product, both);
        }
    }

    // --- words ------------------------------------------------------------------------------------------------------------

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
            observe(graph_.nodes[s.node].look);
            masses_.push_back(graph_.nodes[s.node].mass * s.probability * guide_.guess(elements_));
            whole += masses_.back();
        }
        kept_.clear();
        for (const Thinning::Kept& k : thinning_.thin(masses_, whole, size_.shifting, *rng_)) {
            kept_.push_back(shifting_[k.index]);
            kept_.back().counts = k.factor;
            kept_.back().noise = k.noise;
        }
        shifting_.swap(kept_);
    }

    // The tags of the word for every node, and which nodes look the same from what is shifted onto them.
    void find_tags(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        const double* spelling = sentence_->spelling(position, model_.system.symbols.tags);
        groups_.clear();
        if (choices_.size() < shifting_.size()) choices_.resize(shifting_.size());
        for (std::uint32_t i = 0; i < shifting_.size(); ++i) {
            Shifting& s = shifting_[i];
            const StackLook& look = graph_.nodes[s.node].look;
            observe(look);
            tag_choices_.find(elements_, word, -1, spelling, choices_[i]);
            keep_most_probable(choices_[i], static_cast<std::size_t>(options_.tags));
            s.tags = i;
            StackLook seen = looked_at(look);
            seen.last_tag = look.last_tag;
            const auto known = std::find(groups_.begin(), groups_.end(), seen);
            s.group = static_cast<std::uint32_t>(known - groups_.begin());
            if (known == groups_.end()) groups_.push_back(seen);
        }
    }

    // The sum over all that shifts and all tags; masses by tag and group.
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
        return {{log_prefix_, lexical / total_, sum.log_joint}, sum.noise};
    }

    // New nodes for the word, thinned.
    void push_words(std::int32_t position) {
        const std::int32_t word = sentence_->words[static_cast<std::size_t>(position) - 1];
        by_group_.assign(groups_.size(), {});
        for (const Thinning::Kept& k : thinning_.thin(group_masses_, total_, size_.words, *rng_)) by_group_[k.index % groups_.size()].push_back(k);
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

    double probability_of(const std::vector<TagChoice>& choices, std::int32_t tag) const {
        if (choices.size() == tags_) return choices[static_cast<std::size_t>(tag)].probability;
        const auto found = std::find_if(choices.begin(), choices.end(), [&](const TagChoice& c) { return c.tag == tag; });
        return found == choices.end() ? 0.0 : found->probability;
    }

    // With the root last, it comes onto the stack like a word, and takes what is there.
    GraphFigures end_sentence() {
        make_arcs(sentence_->size(), false);
        const Symbols& s = model_.system.symbols;
        const std::int32_t position = sentence_->size() + 1;
        for (const Shifting& e : ending_) {
            const StackLook look = graph_.nodes[e.node].look;
            Tally tally;
            tally.log_joint = std::log(e.probability);
            add({items_.without_children(s.root_tag(), s.root_word(), position), look.last_tag, look.last_tag_but_one, position}, e.node,
                e.probability, tally);
        }
        if (!ending_.empty()) make_arcs(position, false);
        if (!(final_ > 0)) return {{-INFINITY, 0, 0}, {}};
        final_tally_.scale(1 / final_);
        return {{log_prefix_ + std::log(final_), 0, final_tally_.log_joint}, final_tally_.noise};
    }

    static constexpr double kEnd = 10;  // an arc after the last word needs so many times the share to go on for certain
    static constexpr double kNegligible = 1e-7;  // a share of a word's probability that its means may do without

    const TransitionModel<Frozen>& model_;
    SearchOptions options_;
    GraphSize size_;
    StackItems items_;
    StackGraph graph_;
    Thinning thinning_;
    Distributions<Frozen> of_actions_;
    WordGuide guide_;
    TagChoices<Frozen> tag_choices_;
    std::size_t tags_;
    bool reads_last_ = false, reads_last_but_one_ = false;
    const Sentence* sentence_ = nullptr;
    Stream* rng_ = nullptr;
    std::int32_t words_ = 0;  // generated so far
    Elements elements_{};
    std::vector<std::vector<std::uint32_t>> buckets_;  // nodes by where their top item begins
    std::vector<Expanded> expanded_;
    std::vector<Shifting> shifting_, kept_, ending_;
    std::vector<std::vector<TagChoice>> choices_;  // of every node about to shift
    std::vector<StackLook> groups_;
    std::vector<std::vector<Thinning::Kept>> by_group_;
    std::vector<double> masses_, group_masses_, label_probabilities_;
    double log_prefix_ = 0, total_ = 0, final_ = 0, least_ = 0;
    Tally final_tally_;
};

}  // namespace bistro
