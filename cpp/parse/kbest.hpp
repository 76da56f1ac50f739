// The k best trees of a chart, one after the other, computed lazily (Huang & Chiang 2005).
//
// Every item has a list of its best derivations so far and a heap of candidates for the next one. A derivation consists of
// a way to derive the item and the rank of the derivation of each part. After a derivation is chosen, the derivations that
// use the next best derivation of one part become candidates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "parse/chart_trees.hpp"
#include "stop/pause.hpp"

namespace bistro {

class KBest {
public:
    explicit KBest(const Chart<MaxPlus>& chart) : chart_(chart), place_(chart.num_items(), -1) {}

    struct Scored {
        ChartTree tree;
        double score;
    };

    // The tree of this rank (0: the best), or nothing if there are fewer trees.
    std::optional<Scored> tree(int rank) {
        if (!derivation(chart_.goal(), rank)) return std::nullopt;
        Scored result{ChartTree(chart_.weights().words), derivation(chart_.goal(), rank)->score};
        std::vector<std::pair<Item, int>> open{{chart_.goal(), rank}};
        while (!open.empty()) {
            const auto [item, which] = open.back();
            open.pop_back();
            const Derivation d = *derivation(item, which);
            const Way& way = known(item).ways[d.way];
            result.tree.note(chart_.weights(), item, way.part);
            if (way.part.type != Item::none) open.emplace_back(way.part, d.of_part);
            if (way.other.type != Item::none) open.emplace_back(way.other, d.of_other);
        }
        return result;
    }

private:
    struct Way {
        double weight;
        Item part, other;
    };
    struct Derivation {
        double score;
        std::int32_t way, of_part, of_other;
        // Equal scores have a fixed order, so that the result is the same everywhere.
        bool operator<(const Derivation& b) const {
            return score != b.score ? score < b.score : std::tie(b.way, b.of_part, b.of_other) < std::tie(way, of_part, of_other);
        }
    };
    struct Known {
        std::vector<Way> ways;
        std::vector<Derivation> best, candidates;
    };

    Known& known(const Item& item) {
        std::int32_t& place = place_[chart_.index(item)];
        if (place >= 0) return known_[place];
        place = static_cast<std::int32_t>(known_.size());
        Known& made = known_.emplace_back();
        chart_.each_way(item, [&](double weight, const Item& part, const Item& other) {
            const double score = weight + chart_.value(part) + chart_.value(other);
            if (score == -kInfinity) return;
            made.candidates.push_back({score, static_cast<std::int32_t>(made.ways.size()), 0, 0});
            made.ways.push_back({weight, part, other});
        });
        if (made.ways.empty()) {  // a side without children
            made.ways.push_back({0.0, {}, {}});
            made.candidates.push_back({chart_.value(item), 0, 0, 0});
        }
        std::make_heap(made.candidates.begin(), made.candidates.end());
        return made;
    }

    const Derivation* derivation(const Item& item, int rank) {
        static const Derivation nothing{0.0, 0, 0, 0};
        if (item.type == Item::none) return rank == 0 ? &nothing : nullptr;
        while (static_cast<int>(known(item).best.size()) <= rank) {
            if (known(item).candidates.empty()) return nullptr;
            take_next(item);
        }
        return &known(item).best[rank];
    }

    void take_next(const Item& item) {
        pause();
        Known& here = known(item);
        std::pop_heap(here.candidates.begin(), here.candidates.end());
        const Derivation taken = here.candidates.back();
        here.candidates.pop_back();
        here.best.push_back(taken);
        const Way way = here.ways[taken.way];
        consider(item, way, {0.0, taken.way, taken.of_part + 1, taken.of_other});
        // The rank of the other part increases only while the first part has rank 0. Otherwise, a pair would occur twice.
        if (taken.of_part == 0) consider(item, way, {0.0, taken.way, 0, taken.of_other + 1});
    }

    void consider(const Item& item, const Way& way, Derivation next) {
        const Derivation* part = derivation(way.part, next.of_part);
        if (!part) return;
        next.score = way.weight + part->score;
        const Derivation* other = derivation(way.other, next.of_other);
        if (!other) return;
        next.score += other->score;
        auto& candidates = known(item).candidates;
        candidates.push_back(next);
        std::push_heap(candidates.begin(), candidates.end());
    }

    const Chart<MaxPlus>& chart_;
    std::vector<std::int32_t> place_;  // by item: its index in known_, or -1
    std::deque<Known> known_;          // a deque, so that elements do not move
};

}  // namespace bistro
