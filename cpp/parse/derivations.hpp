// Learning with derivations that are not observed: each sentence's derivation is drawn anew, given all the others.
//
// A step of particle Gibbs for one sentence: its events leave the franchises, conditional SMC (with the present derivation
// retained) draws derivations that agree with what is annotated, one of them is chosen by its weight, and its events come
// back. With whole trees given, this samples the order in which their arcs are made (the non-deterministic oracle).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hpyp/franchise.hpp"
#include "parse/oracle.hpp"
#include "parse/search.hpp"

namespace bistro {

class DerivationSampler {
public:
    // Franchises in the order actions, labels, tags, words; null where the model has none.
    using Franchises = std::array<std::shared_ptr<Franchise>, 4>;

    DerivationSampler(EventShape shape, Franchises franchises, bool labels_in_contexts)
        : shape_(std::move(shape)), franchises_(std::move(franchises)) {
        model_.system = shape_.system;
        model_.labelled = shape_.labelled;
        model_.joint_labels = shape_.joint_labels;
        model_.lexicalised = shape_.lexicalised;
        model_.labels_in_contexts = labels_in_contexts;
        model_.actions = {franchises_[0].get(), shape_.contexts.actions};
        model_.labels = {franchises_[1].get(), shape_.contexts.labels};
        model_.tags = {franchises_[2].get(), shape_.contexts.tags};
        model_.words = {franchises_[3].get(), shape_.contexts.words};
    }

    std::size_t size() const { return seated_.size(); }

    // Seats a sentence for the first time, along a history or, without one, along the deterministic oracle.
    void seat(const Sentence& sentence, const History* history, Stream& rng) {
        seated_.emplace_back();
        enter(sentence, history ? *history : oracle_history(sentence), seated_.back(), rng);
    }

    // Takes up a sentence whose events are seated already, along a history.
    void resume(const Sentence& sentence, const History& history) {
        seated_.emplace_back();
        record(sentence, history, seated_.back());
    }

    // Draws a new derivation for a seated sentence; true if it differs from the present one.
    bool redraw(std::size_t index, const Sentence& sentence, std::int64_t particles, Stream& rng) {
        Seated& seat = seated_.at(index);
        for (std::size_t f = 0; f < 4; ++f)
            for (const std::uint32_t id : seat.entries[f]) franchises_[f]->remove(id, rng);
        const History before = seat.history;
        Search<Franchise, DrawingPolicy> search(model_, DrawingPolicy{particles, &rng}, {1 << 14, 1 << 14, true});
        const auto& finals = search.run(sentence, &before);
        enter(sentence, history_of(search.states(), chosen(finals, rng).state), seat, rng);
        return !same(before, seat.history);
    }

    const History& history(std::size_t index) const { return seated_.at(index).history; }

private:
    struct Seated {
        History history;
        std::array<std::vector<std::uint32_t>, 4> entries;
    };

    static bool same(const History& a, const History& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HistoryStep& x, const HistoryStep& y) {
            return x.action == y.action && x.tag == y.tag && x.label == y.label;
        });
    }

    static const Derivation& chosen(const std::vector<Derivation>& finals, Stream& rng) {
        double highest;
        return finals[draw(importance_weights(finals, highest), rng)];
    }

    static History history_of(const States& states, std::uint32_t id) {
        History steps;
        for (; states[id].previous != kNone; id = states[id].previous)
            steps.push_back({states[id].action, states[id].tag, states[id].label});
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    History oracle_history(const Sentence& sentence) const {
        DerivationEvents unused;
        Recorder recorder(shape_, unused);
        if (!recorder.follow(sentence)) throw std::invalid_argument("a tree has no derivation: it is not projective");
        return history_of(recorder.states(), recorder.last());
    }

    // Follows a history, and seats its events.
    void enter(const Sentence& sentence, const History& history, Seated& seat, Stream& rng) {
        record(sentence, history, seat);
        for (std::size_t f = 0; f < 4; ++f)
            for (const std::uint32_t id : seat.entries[f]) franchises_[f]->add(id, rng);
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
                seat.entries[f].push_back(franchises_[f]->resolve([row](int k) { return row[k]; },
                                                                  static_cast<int>(widths[f]), outcome, path_[f]));
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
