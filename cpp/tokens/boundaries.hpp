// Where words and sentences end in a text: sums over all ways to put hidden events between its characters.
//
// The histories after each character form a layer; histories in the same state are one. What is improbable beyond hope
// is dropped. Whenever a single history is left, everything before it is settled: its probabilities are computed
// (backward sums over the layers since the last such place) and its memory is used again, so that a text of any
// length needs little.
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
    std::size_t most = 12;      // histories in a layer
};

class Boundaries {
public:
    Boundaries(const Automaton& automaton, const BoundaryOptions& options) : automaton_(automaton), options_(options) {}

    // `allowed`: by character, which events may follow it: bit 0 for none, then one bit for each hidden event.
    // Writes the probability of each hidden event after each character; returns log p of the text (events summed out).
    double run(std::span<const std::int32_t> text, std::span<const std::uint8_t> allowed, std::uint32_t start,
               std::uint32_t final_symbol, float* out) {
        log_total_ = 0;
        settled_ = 0;
        layers_.clear();
        edges_.clear();
        layers_.push_back({{{start, 1.0}}, 0});
        out_ = out;
        std::uint32_t first_state = start;
        if (text.empty()) return 0;
        {
            const Move move = automaton_.step(first_state, static_cast<std::uint32_t>(text[0]));
            log_total_ += std::log(move.probability);
            layers_.back().histories[0].state = move.state;
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            pause();
            const std::uint32_t next = i + 1 < text.size() ? static_cast<std::uint32_t>(text[i + 1]) : final_symbol;
            advance(allowed[i], next);
            if (layers_.back().histories.size() == 1) settle(i + 1);
        }
        settle(text.size());
        return log_total_;
    }

private:
    struct History {
        std::uint32_t state;
        double weight;
    };
    struct Edge {
        std::uint32_t from, to;
        int event;  // -1: none
        double weight;
    };
    struct Layer {
        std::vector<History> histories;
        std::size_t first_edge;  // of the edges that lead here
    };

    void advance(std::uint8_t allowed, std::uint32_t next) {
        const std::size_t first_edge = edges_.size();
        fresh_.clear();
        const std::vector<History>& here = layers_.back().histories;
        for (std::uint32_t h = 0; h < here.size(); ++h) {
            if (allowed & 1) extend(h, here[h].state, here[h].weight, -1, next);
            for (int e = 0; e < kHiddenEvents; ++e) {
                if (!(allowed & (2 << e))) continue;
                const Move event = automaton_.hidden(here[h].state, e);
                if ((allowed & 1) && event.probability < options_.least_event) continue;
                extend(h, event.state, here[h].weight * event.probability, e, next);
            }
        }
        double best = 0, total = 0;
        for (const History& history : fresh_) best = std::max(best, history.weight);
        prune(best, first_edge);
        for (const History& history : fresh_) total += history.weight;
        for (History& history : fresh_) history.weight /= total;
        for (std::size_t e = first_edge; e < edges_.size(); ++e) edges_[e].weight /= total;
        log_total_ += std::log(total);
        layers_.push_back({fresh_, first_edge});
    }

    void extend(std::uint32_t from, std::uint32_t state, double weight, int event, std::uint32_t next) {
        const Move move = automaton_.step(state, next);
        const double factor = move.probability * weight;
        std::uint32_t to = 0;
        while (to < fresh_.size() && fresh_[to].state != move.state) ++to;
        if (to == fresh_.size()) fresh_.push_back({move.state, 0.0});
        fresh_[to].weight += factor;
        edges_.push_back({from, to, event, factor});
    }

    void prune(double best, std::size_t first_edge) {
        double least = best * options_.least_share;
        if (fresh_.size() > options_.most) {
            weights_.clear();
            for (const History& history : fresh_) weights_.push_back(history.weight);
            std::nth_element(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(options_.most), weights_.end(), std::greater<>());
            least = std::max(least, weights_[options_.most] * (1 + 1e-12));
        }
        renamed_.assign(fresh_.size(), kNone);
        std::uint32_t kept = 0;
        for (std::uint32_t h = 0; h < fresh_.size(); ++h)
            if (fresh_[h].weight >= least) {
                fresh_[kept] = fresh_[h];
                renamed_[h] = kept++;
            }
        if (kept == fresh_.size()) return;
        fresh_.resize(kept);
        std::size_t end = first_edge;
        for (std::size_t e = first_edge; e < edges_.size(); ++e)
            if (renamed_[edges_[e].to] != kNone) {
                edges_[end] = edges_[e];
                edges_[end++].to = renamed_[edges_[e].to];
            }
        edges_.resize(end);
    }

    // Everything up to `end` characters is certain to pass through the histories of the last layer.
    void settle(std::size_t end) {
        // An edge's weight is forward weight of its origin times its own factor; divided by the former it is its own.
        std::vector<double>& after = after_;
        after.assign(layers_.back().histories.size(), 0.0);
        for (std::size_t h = 0; h < after.size(); ++h) after[h] = layers_.back().histories[h].weight;
        for (std::size_t layer = layers_.size() - 1; layer > 0; --layer) {
            const std::size_t last_edge = layer + 1 < layers_.size() ? layers_[layer + 1].first_edge : edges_.size();
            before_.assign(layers_[layer - 1].histories.size(), 0.0);
            float* row = out_ + (settled_ + layer - 1) * kHiddenEvents;
            for (std::size_t e = layers_[layer].first_edge; e < last_edge; ++e) {
                const Edge& edge = edges_[e];
                // Share of this edge in its target, times the posterior of the target.
                const double share = after[edge.to] * edge.weight / layers_[layer].histories[edge.to].weight;
                before_[edge.from] += share;
                if (edge.event >= 0) row[edge.event] += static_cast<float>(share);
            }
            after.swap(before_);
        }
        settled_ = end;
        Layer last = layers_.back();
        last.first_edge = 0;
        layers_.clear();
        edges_.clear();
        layers_.push_back(std::move(last));
    }

    const Automaton& automaton_;
    BoundaryOptions options_;
    std::vector<Layer> layers_;
    std::vector<Edge> edges_;
    std::vector<History> fresh_;
    std::vector<double> weights_, after_, before_;
    std::vector<std::uint32_t> renamed_;
    double log_total_ = 0;
    std::size_t settled_ = 0;
    float* out_ = nullptr;
};

}  // namespace bistro
