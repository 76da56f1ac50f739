// Finds the ends of words and sentences in a text, by sums over all ways to put hidden events between its characters.
//
// The histories after each character form a layer, and histories in the same state are merged. Very improbable histories
// are dropped. Whenever a single history remains, everything before it is decided: its probabilities are computed (by
// backward sums over the layers since the last such place) and its memory is reused, so that a text of any length needs
// little memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "stop/pause.hpp"
#include "tokens/automaton.hpp"

namespace bistro {

struct BoundaryOptions {
    double least_event = 1e-6;  // a hidden event less probable than this is not tried
    double least_share = 1e-6;  // a history with less than this share of its layer is dropped
    std::size_t most = 12;      // maximum number of histories in a layer
};

class Boundaries {
public:
    Boundaries(const Automaton& automaton, const BoundaryOptions& options) : automaton_(automaton), options_(options) {}

    // `allowed` has for each character the events that may follow it: bit 0 for none, then one bit for each hidden event.
    // Writes the probability of each hidden event after each character; returns log p of the text (events summed out).
    double run(std::span<const std::int32_t> text, std::span<const std::uint8_t> allowed, std::uint32_t start,
               std::uint32_t final_symbol, float* out) {
        if (text.empty()) return 0;
        out_ = out;
        settled_ = 0;
        log_total_ = 0;
        scale_ = 1;
        const Move first = automaton_.step(start, static_cast<std::uint32_t>(text[0]));
        count(first.probability);
        begin_with({first.state, 1.0});
        for (std::size_t i = 0; i < text.size(); ++i) {
            pause();
            const std::uint32_t next = i + 1 < text.size() ? static_cast<std::uint32_t>(text[i + 1]) : final_symbol;
            if (layers_.size() == 1 && histories_.size() == 1 && is_plain(allowed[i])) {
                const Move move = automaton_.step(histories_[0].state, next);
                count(move.probability);
                histories_[0].state = move.state;
                settled_ = i + 1;
                continue;
            }
            advance(allowed[i], next);
            if (histories_.size() - layers_.back().first_history == 1) settle(i + 1);
        }
        settle(text.size());
        return log_total_ + std::log(scale_);
    }

private:
    struct History {
        std::uint32_t state;
        double weight;
    };
    struct Edge {
        std::uint32_t from, to;  // histories, counted from the first of their layers
        int event;               // -1: none
        double weight;
    };
    // The histories of a layer and the edges that lead to them begin here, and end where those of the next layer begin.
    struct Layer {
        std::size_t first_history, first_edge;
    };

    void begin_with(History history) {
        histories_.assign(1, history);
        edges_.clear();
        layers_.assign(1, {0, 0});
    }

    // The logarithm of a product is computed only occasionally.
    void count(double probability) {
        scale_ *= probability;
        if (scale_ > kTiny) return;
        log_total_ += std::log(scale_);
        scale_ = 1;
    }

    bool is_tried(std::uint32_t state, std::uint8_t allowed, int event) const {
        return (allowed & (2 << event)) && (!(allowed & 1) || automaton_.hidden(state, event).probability >= options_.least_event);
    }

    // Whether the only history continues without a hidden event.
    bool is_plain(std::uint8_t allowed) const {
        for (int e = 0; e < kHiddenEvents; ++e)
            if (is_tried(histories_[0].state, allowed, e)) return false;
        return true;
    }

    void advance(std::uint8_t allowed, std::uint32_t next) {
        const Layer last = layers_.back(), fresh{histories_.size(), edges_.size()};
        layers_.push_back(fresh);
        for (std::size_t h = last.first_history; h < fresh.first_history; ++h) {
            const History here = histories_[h];
            const auto from = static_cast<std::uint32_t>(h - last.first_history);
            if (allowed & 1) extend(from, here.state, here.weight, -1, next);
            for (int e = 0; e < kHiddenEvents; ++e) {
                if (!is_tried(here.state, allowed, e)) continue;
                const Move event = automaton_.hidden(here.state, e);
                extend(from, event.state, here.weight * event.probability, e, next);
            }
        }
        prune();
        double total = 0;
        for (std::size_t h = fresh.first_history; h < histories_.size(); ++h) total += histories_[h].weight;
        for (std::size_t h = fresh.first_history; h < histories_.size(); ++h) histories_[h].weight /= total;
        for (std::size_t e = fresh.first_edge; e < edges_.size(); ++e) edges_[e].weight /= total;
        count(total);
    }

    void extend(std::uint32_t from, std::uint32_t state, double weight, int event, std::uint32_t next) {
        const Move move = automaton_.step(state, next);
        const double factor = move.probability * weight;
        const std::size_t first = layers_.back().first_history;
        std::size_t to = first;
        while (to < histories_.size() && histories_[to].state != move.state) ++to;
        if (to == histories_.size()) {
            automaton_.expect(move.state);
            histories_.push_back({move.state, 0.0});
        }
        histories_[to].weight += factor;
        edges_.push_back({from, static_cast<std::uint32_t>(to - first), event, factor});
    }

    // Drops the improbable histories of the last layer, and the edges that lead to them.
    void prune() {
        const auto [first, first_edge] = layers_.back();
        const std::size_t size = histories_.size() - first;
        if (size == 1) return;
        double best = 0;
        for (std::size_t h = first; h < histories_.size(); ++h) best = std::max(best, histories_[h].weight);
        const double least = least_weight(first, best);
        renamed_.assign(size, kNone);
        std::uint32_t kept = 0;
        for (std::size_t h = 0; h < size; ++h)
            if (histories_[first + h].weight >= least) {
                histories_[first + kept] = histories_[first + h];
                renamed_[h] = kept++;
            }
        if (kept == size) return;
        histories_.resize(first + kept);
        std::size_t end = first_edge;
        for (std::size_t e = first_edge; e < edges_.size(); ++e)
            if (renamed_[edges_[e].to] != kNone) {
                edges_[end] = edges_[e];
                edges_[end++].to = renamed_[edges_[e].to];
            }
        edges_.resize(end);
    }

    double least_weight(std::size_t first, double best) {
        const double least = best * options_.least_share;
        if (histories_.size() - first <= options_.most) return least;
        weights_.clear();
        for (std::size_t h = first; h < histories_.size(); ++h) weights_.push_back(histories_[h].weight);
        std::nth_element(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(options_.most), weights_.end(),
                         std::greater<>());
        return std::max(least, weights_[options_.most] * (1 + 1e-12));
    }

    // All histories of the first `end` characters pass through the last layer.
    void settle(std::size_t end) {
        // An edge's weight is the forward weight of its origin times its own factor. Dividing by the forward weight gives
        // the factor.
        after_.clear();
        for (std::size_t h = layers_.back().first_history; h < histories_.size(); ++h) after_.push_back(histories_[h].weight);
        std::size_t last_edge = edges_.size();
        for (std::size_t layer = layers_.size() - 1; layer > 0; --layer) {
            const Layer here = layers_[layer];
            before_.assign(here.first_history - layers_[layer - 1].first_history, 0.0);
            float* row = out_ + (settled_ + layer - 1) * kHiddenEvents;
            for (std::size_t e = here.first_edge; e < last_edge; ++e) {
                const Edge& edge = edges_[e];
                // Share of this edge in its target, times the posterior of the target.
                const double share = after_[edge.to] * edge.weight / histories_[here.first_history + edge.to].weight;
                before_[edge.from] += share;
                if (edge.event >= 0) row[edge.event] += static_cast<float>(share);
            }
            after_.swap(before_);
            last_edge = here.first_edge;
        }
        settled_ = end;
        if (histories_.size() - layers_.back().first_history == 1) begin_with(histories_.back());
    }

    static constexpr double kTiny = 1e-200;

    const Automaton& automaton_;
    BoundaryOptions options_;
    std::vector<Layer> layers_;  // layers since the last decided place
    std::vector<History> histories_;
    std::vector<Edge> edges_;
    std::vector<double> weights_, after_, before_;
    std::vector<std::uint32_t> renamed_;
    double log_total_ = 0, scale_ = 1;  // log p of what was read is log_total_ + log(scale_)
    std::size_t settled_ = 0;
    float* out_ = nullptr;
};

}  // namespace bistro
