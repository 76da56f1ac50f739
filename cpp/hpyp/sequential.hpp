// Hyper-parameters under the probability of the data instead of the seating.
//
// With minimal or maximal seating, the tables are not informative about the hyper-parameters. With a table for every
// customer, for example, the seating is most probable if discount or strength are so high that nothing is ever learned. The
// objective is then the probability of the events in sequence, each predicted from the events before it,
//
//     log p(x_1 ... x_N) = sum_n log p(x_n | x_1 ... x_{n-1}, d, theta)
//
// in a fixed random order, where the seating rule decides which customers are sent to the parent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/hyper.hpp"

namespace bistro {

class SequentialLikelihood {
public:
    // Entries are the result of `resolve`. The base must not learn.
    SequentialLikelihood(const Franchise& franchise, std::span<const std::uint32_t> events, Stream& rng)
        : franchise_(franchise), events_(events.begin(), events.end()) {
        if (franchise.seating() == Seating::gibbs || franchise.base().learns())
            throw std::invalid_argument("a sequence of events needs minimal or maximal seating, and a base that does not learn");
        for (std::size_t i = events_.size(); i > 1; --i) std::swap(events_[i - 1], events_[rng.below(i)]);
    }

    double operator()(const std::vector<double>& discount, const std::vector<double>& strength) const {
        dish_.assign(franchise_.entries().size(), {});
        room_.assign(franchise_.restaurants().size(), {});
        double log_sum = 0, product = 1;
        for (const std::uint32_t event : events_) {
            product *= probability(event, discount, strength);
            if (product < 1e-250) log_sum += std::log(product), product = 1;
            add(event);
        }
        return log_sum + std::log(product);
    }

    const Franchise& franchise() const { return franchise_; }

private:
    struct Counts {
        std::int32_t customers = 0, tables = 0;
    };

    double probability(std::uint32_t id, const std::vector<double>& discount, const std::vector<double>& strength) const {
        const Entry& entry = franchise_.entries()[id];
        const Counts& room = room_[entry.restaurant];
        const double parent =
            entry.parent == kNone ? franchise_.base().probability(entry.dish) : probability(entry.parent, discount, strength);
        if (room.customers == 0) return parent;
        const int depth = franchise_.restaurants()[entry.restaurant].depth;
        const double d = discount[depth], theta = strength[depth];
        return (dish_[id].customers - d * dish_[id].tables + (theta + d * room.tables) * parent) / (room.customers + theta);
    }

    void add(std::uint32_t id) const {
        for (; id != kNone; id = franchise_.entries()[id].parent) {
            Counts& dish = dish_[id];
            Counts& room = room_[franchise_.entries()[id].restaurant];
            const bool opens = franchise_.seating() == Seating::maximal || dish.customers == 0;
            ++dish.customers, ++room.customers;
            if (!opens) return;
            ++dish.tables, ++room.tables;
        }
    }

    const Franchise& franchise_;
    std::vector<std::uint32_t> events_;
    mutable LongArray<Counts> dish_, room_;  // one per entry; one per restaurant
};

// One slice-sampling step for each parameter of each level, under the probability of the sequence of events.
inline void slice_sequentially(Franchise& franchise, const SequentialLikelihood& likelihood, const HyperPrior& prior,
                               bool dirichlet, Stream& rng) {
    if (&likelihood.franchise() != &franchise) throw std::invalid_argument("the events belong to another franchise");
    std::vector<double> discount, strength;
    for (int level = 0; level < franchise.levels(); ++level) {
        discount.push_back(dirichlet ? 0.0 : franchise.discount_at(level));
        strength.push_back(franchise.strength_at(level) > 0 ? franchise.strength_at(level) : 1e-3);
    }
    for (int level = 0; level < franchise.levels(); ++level) {
        if (!dirichlet) {
            auto of_discount = [&](double x) {
                if (!(x > 0 && x < 1)) return -std::numeric_limits<double>::infinity();
                auto tried = discount;
                tried[level] = x;
                return likelihood(tried, strength) + prior.log_discount(x);
            };
            discount[level] = slice_step(discount[level], of_discount, 0.1, 0.0, 1.0, rng);
        }
        auto of_log_strength = [&](double x) {
            auto tried = strength;
            tried[level] = std::exp(x);
            return likelihood(discount, tried) + prior.log_strength(tried[level]) + x;
        };
        strength[level] = std::exp(slice_step(std::log(strength[level]), of_log_strength, 1.0, -30.0, 30.0, rng));
        franchise.set_parameters(level, discount[level], strength[level]);
    }
}

}  // namespace bistro
