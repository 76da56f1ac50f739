// The probability of the seating of a sequence memoizer, for any hyper-parameters.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "hpyp/special.hpp"
#include "process/memoizer.hpp"

namespace bistro {

// The counts of all restaurants, gathered once. Contexts with one customer are not informative about the hyper-parameters.
class MemoizerLikelihood {
public:
    explicit MemoizerLikelihood(const Memoizer& memoizer) {
        std::vector<std::uint32_t> slots;
        memoizer.for_each_path([&](const TreePath& path) {
            const std::vector<ContextNode>& nodes = memoizer.tree().nodes();
            const ContextNode& node = nodes[path.nodes.back()];
            if (path.nodes.size() == 1) gather_base(memoizer, node);
            if (node.customers < 2) return;
            const std::int32_t above = path.nodes.size() > 1 ? nodes[path.nodes[path.nodes.size() - 2]].depth : 0;
            rooms_.push_back({above, node.depth, node.customers, node.tables, 0});
            memoizer.seats().sorted(node.seats, slots);
            for (const std::uint32_t slot : slots)
                for_each_table_size(memoizer.seats()[slot], memoizer.table_sizes(), [&](std::int32_t size, std::int32_t tables) {
                    if (size < 2) return;
                    sizes_.emplace_back(size, tables);
                    ++rooms_.back().sizes;
                });
        });
    }

    // log p(seating, outcomes), without the probabilities of a base that learns.
    double operator()(const ChainDiscounts& parameters) const {
        double sum = log_base_;
        std::size_t at = 0;
        for (const Room& room : rooms_) {
            const double d = parameters.discount(room.above, room.depth), theta = parameters.strength(room.depth);
            if (room.tables > 1) sum += log_progression(theta + d, d, room.tables - 1);
            sum -= log_progression(theta + 1, 1, room.customers - 1);
            for (std::int32_t i = 0; i < room.sizes; ++i, ++at)
                sum += sizes_[at].second * log_progression(1 - d, 1, sizes_[at].first - 1);
        }
        return sum;
    }

    // The same with its derivatives with respect to the logarithm of every discount and, last, of the strength.
    std::pair<double, std::vector<double>> gradient(const ChainDiscounts& parameters) const {
        std::vector<double> by(parameters.levels() + 1, 0.0);
        std::size_t at = 0;
        for (const Room& room : rooms_) {
            const double d = parameters.discount(room.above, room.depth), theta = parameters.strength(room.depth);
            const auto opened = progression_with_gradient(theta + d, d, room.tables - 1);
            const double by_theta = opened.by_x - progression_with_gradient(theta + 1, 1, room.customers - 1).by_x;
            double by_d = opened.by_x + opened.by_step;
            for (std::int32_t i = 0; i < room.sizes; ++i, ++at)
                by_d -= sizes_[at].second * progression_with_gradient(1 - d, 1, sizes_[at].first - 1).by_x;
            parameters.spread(room.depth == 0 ? -1 : room.above, room.depth, by_d * d, by);
            parameters.spread(0, room.depth, by_theta * theta, by);
            by.back() += by_theta * theta;
        }
        return {(*this)(parameters), by};
    }

private:
    struct Room {
        std::int32_t above, depth, customers, tables, sizes;
    };

    void gather_base(const Memoizer& memoizer, const ContextNode& root) {
        if (memoizer.base().learns()) return;
        std::vector<std::uint32_t> slots;
        memoizer.seats().sorted(root.seats, slots);
        for (const std::uint32_t slot : slots) {
            const Seats& seats = memoizer.seats()[slot];
            if (seats.tables > 0)
                log_base_ += seats.tables * std::log(memoizer.base().probability(static_cast<std::int32_t>(seats.key)));
        }
    }

    double log_base_ = 0;
    std::vector<Room> rooms_;
    std::vector<std::pair<std::int32_t, std::int32_t>> sizes_;
};

// The empty context of a sequence memoizer as the base of another process.
class MemoizerBase final : public Base {
public:
    explicit MemoizerBase(std::shared_ptr<Memoizer> memoizer) : memoizer_(std::move(memoizer)) {}
    std::int32_t dishes() const override { return memoizer_->base().dishes(); }
    double probability(std::int32_t dish) const override { return memoizer_->probability_at_root(dish); }
    bool learns() const override { return true; }
    void add(std::int32_t dish, Stream& rng) override { memoizer_->add_at_root(dish, rng); }
    void remove(std::int32_t dish, Stream& rng) override { memoizer_->remove_at_root(dish, rng); }

private:
    std::shared_ptr<Memoizer> memoizer_;
};

}  // namespace bistro
