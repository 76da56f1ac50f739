// Beam search for the derivations of one sentence, word by word.
//
// After each shift, the best derivations of the words so far are kept. Between two shifts, the search is best-first: the most
// probable partial derivations are extended until no other derivation can be kept. (A derivation only becomes less probable, and
// its next word is assumed to be hardly more probable than in the derivations found so far.) Several derivations are extended at
// a time, so that their states and decisions are computed together; shifts.hpp explains why the result stays the same.
//
// After an arc, only its most probable labels are followed. To limit the time per sentence, only a limited number of derivations
// is extended for each number of actions since the last shift. The stage of a state after a decision (stages.hpp) is computed
// only when the search follows this decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "isbn/agenda.hpp"
#include "isbn/endings.hpp"
#include "isbn/evidence.hpp"
#include "isbn/nodes.hpp"
#include "isbn/prospects.hpp"
#include "isbn/questions.hpp"
#include "isbn/search.hpp"
#include "isbn/shifts.hpp"
#include "isbn/sights.hpp"
#include "stop/pause.hpp"

namespace bistro::isbn {

template <class Real>
class Beam {
public:
    Beam(const PackedNetwork<Real>& network, const SeenClusters& seen, BeamOptions options)
        : shape_(network.shape()), options_(options), stages_(network), sights_(network), agenda_(options.margin),
          shifts_(shape_, seen, options),
          most_states_(options.states ? options.states : std::max(kLeastStates, kLeastBytes / stages_.bytes_per_stage())) {}

    // Returns complete derivations, the best first. The list is empty if the search finds no derivation that agrees with the
    // evidence. After each word, `watch` receives the derivations that have generated it, with the log-probability of the word in
    // each of them.
    template <class Watch>
    const std::vector<Final>& run(const Sentence& sentence, const Watch& watch) {
        begin(sentence, sentence.size());
        for (std::int32_t next = 1; next <= sentence.size() + 1 && !kept_.empty(); ++next) {
            pass(next > sentence.size());
            if (next > sentence.size()) break;
            watch(shifted_);
            keep();
        }
        sort_stably(finals_.begin(), finals_.end(), [](const Final& a, const Final& b) { return a.log_prob > b.log_prob; });
        if (finals_.size() > options_.width) finals_.resize(options_.width);
        return finals_;
    }
    const std::vector<Final>& run(const Sentence& sentence) {
        return run(sentence, [](const auto&) {});
    }

    const std::vector<Final>& finals() const { return finals_; }

    // Returns the best derivations of the words of a sentence, with memory for continuations up to `most_words` words.
    std::span<const Kept> run_prefix(const Sentence& sentence, std::int32_t most_words) {
        begin(sentence, most_words);
        for (std::int32_t next = 1; next <= sentence.size(); ++next) {
            pass(false);
            keep();
        }
        return kept_.view();
    }

    // Searches for derivations of the first words of a sentence, whatever the next word is. `watch` is called as in `run`.
    // Then `open` receives every derivation that is about to generate one more word or the end, with the stage and the mask of
    // its tag decision.
    using Open = std::function<void(double log_prob, std::int32_t stage, std::uint8_t mask, Stages<Real>& stages)>;
    template <class Watch>
    void run_open(const Sentence& sentence, const Watch& watch, Open open) {
        begin(sentence, sentence.size() + 1);
        for (std::int32_t next = 1; next <= sentence.size(); ++next) {
            pass(false);
            watch(shifted_);
            keep();
        }
        open_ = std::move(open);
        limit_ = kOpen * options_.width;
        pass(false);
        limit_ = options_.width;
        open_ = nullptr;
    }

    // All stages of the search; the links of configurations are their numbers.
    const Stages<Real>& stages() const { return stages_; }

private:
    void begin(const Sentence& sentence, std::int32_t most_words) {
        sentence_ = &sentence;
        words_.assign(1, 0);
        words_.insert(words_.end(), sentence.words.begin(), sentence.words.end());
        finals_.clear();
        stages_.clear();
        sights_.clear();
        kept_.clear();
        Kept& first = kept_.add();
        first.configuration = Configuration(most_words);
        first.log_prob = 0;
    }

    void pass(bool is_last) {
        nodes_.clear();
        shifted_.clear();
        expanded_.clear();
        prospects_.begin(kMarginOfProspects * options_.margin);
        const auto kept = kept_.view();
        const double highest = kept.empty() ? 0.0 : kept[0].log_prob;
        agenda_.begin(limit_, highest);
        if (!is_last && !open_ && !kept.empty()) {
            const std::int32_t next = kept[0].configuration.front() + 1;
            shifts_.begin(words_[static_cast<std::size_t>(next)], sentence_->given_tag(next), limit_);
        }
        for (std::size_t i = 0; i < kept.size(); ++i) agenda_.push(kept[i].log_prob, static_cast<std::int32_t>(i), kStart, 0, 0);
        for (take(); !taken_.empty(); take()) {
            pause();
            shift_all(is_last);
            label_all();
            expand_all(is_last);
        }
        if (is_last || open_) return;
        agenda_.begin(limit_, highest);
        shifts_.replay(agenda_, shifted_);
    }

    void take() {
        agenda_.take(options_.at_once, taken_, [&](const Item& item) {
            if (item.action == kShift || item.action == kStart) return item.log_prob;
            return item.log_prob + prospects_.most(nodes_[item.node].top, item.action);
        });
    }

    void push(double log_prob, std::int32_t node, std::int32_t action, std::int32_t label) {
        agenda_.push(log_prob, node, action, label, nodes_[node].level + 1);
    }

    static bool waits_for_label(const Item& item) { return item.action != kShift && item.label == kAbsent; }

    // A new state.
    struct Expanded {
        std::int32_t node;
        double log_prob;
        std::uint8_t possible, allowed;
        std::size_t question;
        bool decides() const { return possible != 1 << kShift; }
    };

    void expand_all(bool is_last) {
        states_.clear();
        for (const Item& item : taken_) {
            if (item.action == kShift || waits_for_label(item)) continue;
            if (item.level >= expanded_.size()) expanded_.resize(item.level + 1, 0);
            if (++expanded_[item.level] <= 4 * limit_ + kLeastExpanded) plan(item, is_last);
        }
        stages_.work_out();
        questions_.clear();
        for (Expanded& e : states_)
            if (e.decides()) e.question = questions_.ask(stages_, nodes_[e.node].stage, kActionGroup, e.possible);
        questions_.answer(stages_);
        for (const Expanded& e : states_)
            for (std::int32_t action = 0; action < kActions; ++action)
                if (e.allowed >> action & 1)
                    push(e.log_prob + (e.decides() ? log_of(questions_[e.question][action]) : 0.0), e.node, action,
                         open_label(action));
    }

    void plan(const Item& item, bool is_last) {
        const Step step = step_of(item);
        const std::int32_t here = nodes_.size();
        Node& node = nodes_.add();
        node.step = step;
        const Configuration& c = configuration_of(here);
        const std::uint8_t possible = c.possible();
        const std::uint8_t allowed = agreeing(c, *sentence_, possible, is_last, shape_.symbols().single_root);
        if (allowed == 0) return nodes_.drop();
        const std::int32_t stage = stages_.plan(see(c), c.links());
        node = {step,      item.log_prob, item.level,
                stage,     Node::kNone,   c.top(),
                c.front(), possible,      c.may_end(shape_.symbols().single_root)};
        states_.push_back({here, item.log_prob, possible, allowed, 0});
    }

    Step step_of(const Item& item) {
        if (item.action == kStart) return {item.node, kStart, 0, kAbsent};
        const std::int32_t decided = after_action(nodes_[item.node], item.action);
        const bool has_label = item.action != kReduce;
        return {item.node, item.action, item.label,
                has_label ? stages_.after(decided, label_group(item.action), kAll, item.label) : decided};
    }

    const Configuration& configuration_of(std::int32_t node) { return present_.of(node, nodes_, kept_); }

    std::int32_t after_action(Node& node, std::int32_t action) {
        if (node.possible == 1 << kShift) return node.stage;
        std::int32_t& stage = node.after[static_cast<std::size_t>(action)];
        if (stage == kAbsent) stage = stages_.after(node.stage, kActionGroup, node.possible, action);
        return stage;
    }

    static std::int32_t label_group(std::int32_t action) { return action == kLeftArc ? kLeftLabels : kRightLabels; }

    std::int32_t open_label(std::int32_t action) const {
        return action == kReduce || action == kShift || shape_.outcomes(label_group(action)) == 1 ? 0 : kAbsent;
    }

    std::span<const Real* const> see(const Configuration& c) { return sights_.see(c, {words_.data(), sentence_->lemmas}); }

    void label_all() {
        arcs_.clear();
        questions_.clear();
        for (const Item& item : taken_) {
            if (!waits_for_label(item)) continue;
            arcs_.push_back(item);
            questions_.ask(stages_, after_action(nodes_[item.node], item.action), label_group(item.action));
        }
        questions_.answer(stages_);
        for (std::size_t i = 0; i < arcs_.size(); ++i) label(arcs_[i], questions_[i]);
    }

    void label(const Item& item, const Real* p) {
        const Node& node = nodes_[item.node];
        const std::int32_t given = sentence_->given_label(item.action == kLeftArc ? node.top : node.front);
        auto go_on = [&](std::int32_t label) { push(item.log_prob + log_of(p[label]), item.node, item.action, label); };
        if (given >= 0) return go_on(given);
        // The agenda would reject labels that are less probable.
        const auto least = static_cast<Real>(std::exp(agenda_.threshold() - item.log_prob) * (1 - 1e-6));
        for (const std::int32_t label : likeliest_.of(p, shape_.outcomes(label_group(item.action)), options_.labels, least))
            go_on(label);
    }

    void shift_all(bool is_last) {
        shifting_.clear();
        for (const Item& item : taken_) {
            if (item.action != kShift) continue;
            Node& node = nodes_[item.node];
            shifting_.push_back({item.log_prob, item.node, after_action(node, kShift), end_mask(node.may_end)});
        }
        if (shifting_.empty()) return;
        if (open_) return open_all();
        if (is_last) return finish_all();
        shifts_.run(shifting_, stages_, agenda_, [&](const Shifted& s) { note_prospects(s); });
    }

    // Notes how much log-probability a derivation has lost after each of its steps since the last word.
    void note_prospects(const Shifted& shifted) {
        for (std::int32_t node = shifted.node; nodes_[node].step.action != kStart; node = nodes_[node].step.from)
            prospects_.note(nodes_[nodes_[node].step.from].top, nodes_[node].step.action,
                            shifted.log_prob - nodes_[node].log_prob);
    }

    void open_all() {
        for (const Shifting& s : shifting_) {
            agenda_.note_score(s.log_prob);
            open_(s.log_prob, s.stage, s.mask, stages_);
        }
    }

    void finish_all() {
        questions_.clear();
        for (const Shifting& s : shifting_) questions_.ask(stages_, s.stage, kTagGroup, s.mask);
        questions_.answer(stages_);
        endings_.clear();
        for (std::size_t i = 0; i < shifting_.size(); ++i) {
            const Shifting& s = shifting_[i];
            const double log_end = s.log_prob + log_of(questions_[i][kEnd]);
            if (!(log_end > agenda_.threshold())) continue;  // it would not be returned
            endings_.add(configuration_of(s.node), stages_.after(s.stage, kTagGroup, s.mask, kEnd), log_end);
        }
        for (const Ending& e : endings_.hang_on_root(*sentence_, stages_, [&](const Configuration& c) { return see(c); }))
            if (e.agrees && e.log_end > agenda_.threshold()) finish(e);
    }

    void finish(const Ending& ending) {
        const Configuration& c = ending.configuration;
        Final made{{}, {}, {}, ending.log_prob, ending.log_words};
        for (std::int32_t word = 1; word <= sentence_->size(); ++word) {
            made.heads.push_back(c.head(word));
            made.labels.push_back(c.label(word));
            made.clusters.push_back(c.cluster(word));
        }
        finals_.push_back(std::move(made));
        agenda_.note_score(ending.log_prob);
    }

    void keep() {
        sort_stably(shifted_.begin(), shifted_.end(), [](const Shifted& a, const Shifted& b) { return a.log_prob > b.log_prob; });
        if (shifted_.size() > options_.width) shifted_.resize(options_.width);
        next_kept_.clear();
        for (const Shifted& s : shifted_) {
            Kept& next = next_kept_.add();
            next.log_prob = s.log_prob;
            Configuration& c = next.configuration = configuration_of(s.node);
            const Outcome word = shape_.of_word(s.cluster, words_[static_cast<std::size_t>(c.front()) + 1]);
            c.note(stages_.after(s.stage, word.group, kAll, word.outcome));
            c.shift(s.cluster);
        }
        std::swap(kept_, next_kept_);
        if (stages_.are_many(most_states_))
            stages_.keep_only([&](const auto& mark) {
                for (const Kept& k : kept_.view()) k.configuration.each_linked(mark);
            });
    }

    static constexpr std::size_t kLeastExpanded = 60;
    // A smaller share is faster, but with 1/2 the most probable trees of some sentences are lost.
    static constexpr double kMarginOfProspects = 0.75;
    static constexpr std::size_t kLeastStates = 1000, kLeastBytes = 64 << 20;  // nothing is freed below these
    // If the next word is unknown, the search keeps this many times as many derivations: the most probable derivations before a
    // word need not be the most probable ones after it.
    static constexpr std::size_t kOpen = 10;

    const Shape& shape_;
    BeamOptions options_;
    Stages<Real> stages_;
    Sights<Real> sights_;
    Questions<Real> questions_;
    Agenda agenda_;
    Prospects prospects_;
    Shifts<Real> shifts_;
    const Sentence* sentence_ = nullptr;
    Likeliest<Real> likeliest_;
    Endings<Real> endings_{shape_};
    std::vector<std::int32_t> words_;
    Reused<Kept> kept_, next_kept_;
    Reused<Node> nodes_;
    Present present_;
    std::vector<Item> taken_, arcs_;
    std::vector<Expanded> states_;
    std::vector<Shifting> shifting_;
    std::vector<Shifted> shifted_;
    std::vector<Final> finals_;
    std::vector<std::size_t> expanded_;  // by level
    std::size_t limit_ = options_.width;
    std::size_t most_states_;
    Open open_;  // receives derivations whose next word is not known; see run_open
};

}  // namespace bistro::isbn
