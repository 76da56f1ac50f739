// Learning with latent derivations: each sentence's derivation is redrawn, given all the others.
//
// A step of particle Gibbs for one sentence: its events are removed from the franchises, conditional SMC (with the current
// derivation retained) draws derivations that agree with the annotation, one of them is chosen by its weight, and its
// events are added. If whole trees are given, this samples the order of their arcs (the non-deterministic oracle). If only
// words are given, it also samples trees, tags and labels.
//
// The particles use the franchises without this sentence. But the events of one sentence also depend on each other: an
// event that occurs twice is more probable the second time. So a draw is a proposal, accepted with probability
//
//     min(1, r(new) / r(old)),   r = product over its events of  p(event | others, events before it) / p(event | others)
//
// (Metropolis-Hastings; a step of particle Gibbs is reversible, so all other factors cancel). If the proposal is rejected,
// all customers return to their previous tables. Only Gibbs seating has these probabilities; other seatings always accept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hpyp/empty_dropper.hpp"
#include "hpyp/franchise.hpp"
#include "parse/oracle.hpp"
#include "parse/search.hpp"

namespace bistro {

// Resampling makes particles share their past with each other and with the retained particle, so it should be rare.
inline constexpr double kResampleBelow = 0.5;

class DerivationSampler {
    struct Seated {
        History history;
        std::array<std::vector<std::uint32_t>, 4> entries;
    };

public:
    // Franchises in the order actions, labels, tags, words; null if the model has none.
    using Franchises = std::array<std::shared_ptr<Franchise>, 4>;

    // The tags of each word are in the lists (see TransitionModel). Empty lists allow all tags.
    DerivationSampler(EventShape shape, Franchises franchises, bool labels_in_contexts, std::span<const std::int32_t> tag_begin,
                      std::span<const std::int32_t> tag_list)
        : shape_(std::move(shape)), franchises_(std::move(franchises)) {
        model_.system = shape_.system;
        model_.labelled = shape_.labelled;
        model_.joint_labels = shape_.joint_labels;
        model_.lexicalised = shape_.lexicalised;
        model_.labels_in_contexts = labels_in_contexts;
        model_.tag_begin = tag_begin;
        model_.tag_list = tag_list;
        model_.actions = {franchises_[0].get(), shape_.contexts.actions};
        model_.labels = {franchises_[1].get(), shape_.contexts.labels};
        model_.tags = {franchises_[2].get(), shape_.contexts.tags};
        model_.words = {franchises_[3].get(), shape_.contexts.words};
    }

    std::size_t size() const { return seated_.size(); }

    // Seats a sentence for the first time. Its derivation is the history or, without one, that of the deterministic oracle.
    void seat(const Sentence& sentence, const History* history, Stream& rng) {
        seated_.emplace_back();
        record(sentence, history ? *history : oracle_history(sentence), seated_.back());
        enter(seated_.back(), rng);
    }

    // Adds a sentence whose events are already seated, with its history.
    void resume(const Sentence& sentence, const History& history) {
        seated_.emplace_back();
        record(sentence, history, seated_.back());
    }

    // The result of a draw.
    struct Outcome {
        bool accepted, changed;
    };

    // Draws a new derivation for a seated sentence.
    Outcome redraw(std::size_t index, const Sentence& sentence, std::int64_t particles, Stream& rng) {
        Seated& seat = seated_.at(index);
        Notes notes(*this);
        const double old_ratio = leave(seat, rng);
        Seated fresh;
        record(sentence, draw_history(sentence, &seat.history, particles, rng), fresh);
        const double new_ratio = enter(fresh, rng);
        if (is_gibbs() && std::log(rng.uniform()) >= new_ratio - old_ratio) {
            notes.take_back(rng);
            return {false, false};
        }
        const bool changed = !same(seat.history, fresh.history);
        seat = std::move(fresh);
        return {true, changed};
    }

    // Draws a derivation that agrees with the sentence, given the current franchises. With a history, conditional SMC is
    // used, which retains the history.
    History draw_history(const Sentence& sentence, const History* before, std::int64_t particles, Stream& rng) {
        Search<Franchise, DrawingPolicy> search(model_, DrawingPolicy{particles, &rng, kResampleBelow}, {1 << 14, 1 << 14, true});
        const auto& finals = search.run(sentence, before);
        if (finals.empty()) throw std::invalid_argument("a sentence has no derivation that agrees with its annotation");
        double highest;
        const Derivation& chosen = finals[draw(importance_weights(finals, highest), rng)];
        return history_of(search.states(), chosen.state, &sentence, &rng);
    }

    // The derivation of the deterministic oracle.
    History oracle_history(const Sentence& sentence) const {
        DerivationEvents unused;
        Recorder recorder(shape_, unused);
        if (!recorder.follow(sentence)) throw std::invalid_argument("a tree has no derivation: it is not projective");
        return history_of(recorder.states(), recorder.last());
    }

    // Frees the empty restaurants of every franchise that has many.
    void drop_empty() {
        for (std::size_t kind = 0; kind < franchises_.size(); ++kind) {
            if (!franchises_[kind] || !EmptyDropper(*franchises_[kind]).is_due()) continue;
            const auto numbers = EmptyDropper(*franchises_[kind]).drop();
            path_[kind].clear();  // the path refers to restaurants by their old numbers
            for (Seated& seat : seated_)
                for (std::uint32_t& entry : seat.entries[kind]) entry = numbers[entry];
        }
    }

    const History& history(std::size_t index) const { return seated_.at(index).history; }

private:
    static bool same(const History& a, const History& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HistoryStep& x, const HistoryStep& y) {
            return x.action == y.action && x.tag == y.tag && x.label == y.label;
        });
    }

    bool is_gibbs() const { return franchises_[0]->seating() == Seating::gibbs; }

    // The steps of a derivation. If a sentence is given, labels that the search summed out are drawn, each given its own
    // configuration.
    History history_of(const States& states, std::uint32_t id, const Sentence* sentence = nullptr, Stream* rng = nullptr) const {
        History steps;
        for (; states[id].previous != kNone; id = states[id].previous) {
            const State& s = states[id];
            steps.push_back({s.action, s.tag, s.label});
            const bool is_arc = s.action == Action::left_arc || s.action == Action::right_arc;
            if (sentence && is_arc && shape_.labelled && !model_.labels_in_contexts && sentence->given_label(s.dependent) < 0)
                steps.back().label = draw_label(states, s, *sentence, *rng);
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    std::int16_t draw_label(const States& states, const State& made, const Sentence& sentence, Stream& rng) const {
        Elements elements{};
        std::vector<double> probabilities;
        observe(states, made.previous, shape_.system.symbols, sentence.words, elements);
        model_.label_probabilities(made.action, elements, probabilities);
        return static_cast<std::int16_t>(draw(probabilities, rng));
    }

    // Records all changes of tables during its lifetime.
    struct Notes {
        Franchises& franchises;
        std::array<std::vector<TableMove>, 4> moves;

        explicit Notes(DerivationSampler& owner) : franchises(owner.franchises_) {
            for (std::size_t f = 0; f < 4; ++f)
                if (franchises[f]) franchises[f]->write_down(&moves[f]);
        }
        Notes(const Notes&) = delete;
        Notes& operator=(const Notes&) = delete;
        ~Notes() { stop(); }
        void stop() {
            for (const auto& franchise : franchises)
                if (franchise) franchise->write_down(nullptr);
        }
        void take_back(Stream& rng) {
            stop();
            for (std::size_t f = 0; f < 4; ++f)
                if (franchises[f]) franchises[f]->take_back(moves[f], rng);
        }
    };

    // Seats events one after the other. Returns log r of the formula above.
    double enter(const Seated& seat, Stream& rng) {
        double ratio = -log_probability(seat);
        for (std::size_t f = 0; f < 4; ++f)
            for (const std::uint32_t id : seat.entries[f]) {
                ratio += std::log(franchises_[f]->entry_probability(id));
                franchises_[f]->add(id, rng);
            }
        return ratio;
    }

    // Removes events, the last one first. For seated events, returns the same value as `enter`.
    double leave(const Seated& seat, Stream& rng) {
        double ratio = 0;
        for (std::size_t f = 0; f < 4; ++f)
            for (auto id = seat.entries[f].rbegin(); id != seat.entries[f].rend(); ++id) {
                franchises_[f]->remove(*id, rng);
                ratio += std::log(franchises_[f]->entry_probability(*id));
            }
        return ratio - log_probability(seat);
    }

    double log_probability(const Seated& seat) const {
        double sum = 0;
        for (std::size_t f = 0; f < 4; ++f)
            for (const std::uint32_t id : seat.entries[f]) sum += std::log(franchises_[f]->entry_probability(id));
        return sum;
    }

    // Follows a history, and finds the entries of its events.
    void record(const Sentence& sentence, const History& history, Seated& seat) {
        DerivationEvents events;
        Recorder recorder(shape_, events);
        recorder.retrace(sentence, history);
        const std::array<const EventList*, 4> lists{&events.actions, &events.labels, &events.tags, &events.words};
        const std::array<std::size_t, 4> widths{shape_.contexts.actions.size(), shape_.contexts.labels.size(),
                                                shape_.contexts.tags.size(), shape_.contexts.words.size()};
        for (std::size_t f = 0; f < 4; ++f) {
            seat.entries[f].clear();
            const std::int32_t* row = lists[f]->contexts.data();
            for (const std::int32_t outcome : lists[f]->outcomes) {
                seat.entries[f].push_back(
                    franchises_[f]->resolve([row](int k) { return row[k]; }, static_cast<int>(widths[f]), outcome, path_[f]));
                row += widths[f];
            }
        }
        seat.history = history;
    }

    EventShape shape_;
    Franchises franchises_;
    TransitionModel<Franchise> model_;
    std::vector<Seated> seated_;
    std::array<std::vector<std::uint32_t>, 4> path_;
};

}  // namespace bistro
