// The arcs between two words, in a graph of stacks.
//
// An arc joins the two top items, so the span of the new top item begins further left. Nodes are expanded by the position
// at which their top item begins, from right to left, so each node is complete before it is expanded. An arc with little
// mass is kept with a probability proportional to its mass (Russian roulette).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/distributions.hpp"
#include "parse/next_tags.hpp"
#include "parse/stack_view.hpp"
#include "stop/pause.hpp"

namespace bistro {

class GraphArcs {
protected:
    GraphArcs(const TransitionModel<Frozen>& model, double least_arc)
        : model_(model), view_(model), items_(model),
          of_actions_(model.actions, model.code().outcomes(), never_ends(model) ? end_outcome(model) : kNone),
          least_arc_(least_arc) {}

    // A node with its possible actions and their probabilities.
    struct Expanded {
        std::uint32_t node;
        ActionProbabilities actions;
    };
    // A node that is about to shift.
    struct Shifting {
        std::uint32_t node;
        double probability, counts;  // of the shift; factor for dropped alternatives
        Noise noise;
        NextTags::Entry next{};   // the index of the stack in observed_, and a tag
        std::uint32_t group = 0;  // stacks of one group look the same below a new item
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
        common_ = {};
        has_dropped_ = false;
        final_tally_ = {};
        graph_.nodes.push_back({{}, kNone, 1.0, {}});  // the empty stack
        buckets_.assign(static_cast<std::size_t>(sentence.size()) + 2, {});
        const Symbols& s = model_.system.symbols;
        if (!model_.system.root_first) return buckets_[0].push_back(0);
        add({items_.without_children(s.root_tag(), s.root_word(), 0), -1, -1, 0}, 0, 1.0, {});
    }

    // Adds a stack with this top item above the node.
    void add(const Top& top, std::uint32_t below, double weight, const Tally& tally) {
        bool is_new;
        const StackLook& under = graph_.nodes[below].look;
        const StackLook look = view_.on_top(items_, under, top.item, top.last_tag, top.last_tag_but_one, top.begin);
        const std::uint32_t node = graph_.node(look, is_new);
        if (is_new) buckets_[static_cast<std::size_t>(top.begin)].push_back(node);
        graph_.link(node, below, weight).tally.add_times(weight, tally);
    }

    // Applies all possible arcs to all stacks after this number of words.
    void make_arcs(std::int32_t words, bool words_left) {
        shifting_.clear();
        words_ = words;
        pace_ = model_.pace.factor(words);
        for (std::size_t bucket = static_cast<std::size_t>(words) + 1; bucket-- > 0;) {
            pause();
            expanded_.clear();
            double arcs = 0;
            observed_.resize(buckets_[bucket].size());
            for (std::size_t i = 0; i < observed_.size(); ++i) observe(graph_.nodes[buckets_[bucket][i]].look, observed_[i]);
            of_actions_.prepare(observed_);
            for (std::size_t i = 0; i < observed_.size(); ++i) {
                const std::uint32_t id = buckets_[bucket][i];
                if (id != 0) graph_.settle(id);
                expanded_.push_back(expand(id, i));
                arcs += graph_.nodes[id].mass * (expanded_.back().actions.left_arc + expanded_.back().actions.right_arc);
            }
            buckets_[bucket].clear();
            // Before the next word, arcs compete with shifts; after the last word, they compete with each other.
            least_ = least_arc_ * (words_left ? 1.0 : arcs * kEnd);
            if (!words_left && least_ > 0) least_ = std::min(least_, heaviest());
            for (const Expanded& e : expanded_) go_on(e, words_left);
        }
        graph_.forget_looks();
    }

    // The mass of the heaviest arc of the nodes expanded last, followed along the heaviest links. After the last word,
    // stacks can no longer shift, so at least one arc must be kept for certain; otherwise, all derivations could be lost.
    double heaviest() {
        double most = 0;
        const Expanded* best = nullptr;
        Action action = Action::left_arc;
        for (const Expanded& e : expanded_)
            for (const Action a : {Action::left_arc, Action::right_arc}) {
                const double mass = graph_.nodes[e.node].mass * (a == Action::left_arc ? e.actions.left_arc : e.actions.right_arc);
                if (mass > most) most = mass, best = &e, action = a;
            }
        if (!best) return least_;
        double weight = action == Action::left_arc ? best->actions.left_arc : best->actions.right_arc;
        if (has_labels()) {
            observe(graph_.nodes[best->node].look, elements_);
            model_.label_probabilities(action, elements_, label_probabilities_);
            weight *= *std::max_element(label_probabilities_.begin(), label_probabilities_.end());
        }
        const std::uint32_t first = heaviest_link(best->node);
        weight *= graph_.links[first].weight;
        const std::uint32_t below = graph_.links[first].below;
        const std::uint32_t second = heaviest_link(below);
        if (second == kNone) return graph_.nodes[below].mass * weight;
        return graph_.nodes[graph_.links[second].below].mass * weight * graph_.links[second].weight;
    }

    std::uint32_t heaviest_link(std::uint32_t node) const {
        std::uint32_t best = kNone;
        double most = -1;
        for (std::uint32_t at = graph_.nodes[node].first_link; at != kNone; at = graph_.links[at].next)
            if (const double mass = graph_.nodes[graph_.links[at].below].mass * graph_.links[at].weight; mass > most)
                most = mass, best = at;
        return best;
    }

    bool has_labels() const { return model_.labelled && model_.labels_in_contexts; }

    void observe(const StackLook& look, Elements& out) { view_.observe(items_, look, *sentence_, words_, out); }

    // The possible actions of a node. `number` is its index in observed_.
    Expanded expand(std::uint32_t id, std::size_t number) {
        const Choices possible = view_.choices(items_, graph_.nodes[id].look, words_);
        const auto outcomes = [&] { return of_actions_.of_prepared(number); };
        return {id, model_.action_probabilities(possible, pace_, outcomes)};
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

    // Decides whether something with this mass is kept. Returns the probability with which it is kept (1 unless its mass is
    // below least_), or 0 if it is dropped.
    double chance(double mass) {
        if (mass >= least_) return 1;
        const double p = mass / least_;
        if (rng_->uniform() < p) return p;
        has_dropped_ = true;
        return 0;
    }

    // Divides the weight of something that was kept with probability p by p, and adds the resulting error to its tally. Its
    // previous error is that of its own tally and of the tally below.
    void count_drawn(double p, double& weight, Tally& tally, const Tally& below) {
        weight /= p;
        const double variance = mean_square(tally.noise, below.noise, common_);
        add_noise(tally.noise, random_signs(std::sqrt((1 - p) * std::max(0.0, 1 - variance)), *rng_));
    }

    // If no later context uses labels, an arc represents all of its labels together.
    void make_arcs(std::uint32_t id, Action action, double probability, bool words_left) {
        if (!has_labels()) return make_arc(id, action, 0, probability, words_left);
        observe(graph_.nodes[id].look, elements_);
        model_.label_probabilities(action, elements_, label_probabilities_);
        for (std::int32_t l = 0; l < model_.system.symbols.labels; ++l)
            if (const double p = label_probabilities_[static_cast<std::size_t>(l)]; p > 0)
                make_arc(id, action, l, probability * p, words_left);
    }

    void make_arc(std::uint32_t id, Action action, std::int32_t label, double probability, bool words_left) {
        const double p = chance(graph_.nodes[id].mass * probability);
        if (p == 0) return;
        Tally of_action;
        of_action.log_joint = std::log(probability);
        if (p < 1) count_drawn(p, probability, of_action, graph_.nodes[id].tally);
        const StackLook look = graph_.nodes[id].look;
        const std::int32_t root = model_.system.symbols.root_tag();
        for (std::uint32_t at = graph_.nodes[id].first_link; at != kNone; at = graph_.links[at].next) {
            const std::uint32_t second = graph_.links[at].below;
            double weight = graph_.links[at].weight * probability;
            const StackNode& below = graph_.nodes[second];
            const bool ends =
                action == Action::right_arc && model_.system.single_root && items_.facts(below.look.items[0])[fact("tag")] == root;
            if (ends && words_left) continue;
            const double goes_on = chance(below.mass * weight);
            if (goes_on == 0) continue;
            Tally tally = graph_.links[at].tally;
            tally.add(of_action);
            if (goes_on < 1) count_drawn(goes_on, weight, tally, below.tally);
            if (ends) {
                tally.add(below.tally);
                finish(below.mass * weight, tally);
            } else {
                join(look, second, action, label, weight, tally);
            }
        }
    }

    // Makes the arc between the top item of a stack and the top item of `second`, the node below. The result is one stack
    // for every link of `second`.
    void join(const StackLook& look, std::uint32_t second, Action action, std::int32_t label, double weight, const Tally& tally) {
        const StackLook& under = graph_.nodes[second].look;
        const bool left = action == Action::left_arc;
        const std::uint32_t head = left ? look.items[0] : under.items[0], child = left ? under.items[0] : look.items[0];
        Top top{kNone, look.last_tag, look.last_tag_but_one, under.begin};
        const bool is_root_last = !model_.system.root_first && items_.facts(head)[fact("tag")] == model_.system.symbols.root_tag();
        for (std::uint32_t at = graph_.nodes[second].first_link; at != kNone; at = graph_.links[at].next) {
            const std::uint32_t third = graph_.links[at].below;
            double product = weight * graph_.links[at].weight;
            const double goes_on = chance(graph_.nodes[third].mass * product);
            if (goes_on == 0) continue;
            Tally both = tally;
            both.add(graph_.links[at].tally);
            if (goes_on < 1) count_drawn(goes_on, product, both, graph_.nodes[third].tally);
            if (is_root_last && third == 0) {
                finish(product, both);
                continue;
            }
            if (top.item == kNone) top.item = items_.with_child(head, child, action, label);
            add(top, third, product, both);
        }
    }

    // If the root is first and has one child, the arc from the root ends the sentence, so the end action never occurs.
    static bool never_ends(const TransitionModel<Frozen>& model) { return model.system.root_first && model.system.single_root; }
    static std::uint32_t end_outcome(const TransitionModel<Frozen>& model) {
        return static_cast<std::uint32_t>(model.code().end());
    }

    static constexpr double kEnd = 3;  // after the last word, the share above which an arc is always kept is higher by this factor

    const TransitionModel<Frozen>& model_;
    StackView view_;
    StackItems items_;
    StackGraph graph_;
    Distributions<Frozen> of_actions_;
    double least_arc_;
    const Sentence* sentence_ = nullptr;
    Stream* rng_ = nullptr;
    std::int32_t words_ = 0;  // generated so far
    double pace_ = 1;         // pace factor of the next actions
    Elements elements_{};
    std::vector<Elements> observed_;
    std::vector<std::vector<std::uint32_t>> buckets_;  // nodes by the position at which their top item begins
    std::vector<Expanded> expanded_;
    std::vector<Shifting> shifting_, ending_;
    std::vector<double> label_probabilities_;
    double log_prefix_ = 0, final_ = 0, least_ = 0;
    Tally final_tally_;
    Noise common_{};  // the error of the prefix so far, which all stacks share
    bool has_dropped_ = false;
};

}  // namespace bistro
