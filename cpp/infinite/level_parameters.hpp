// Discount and strength by the length of the context. Long contexts share the last pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bistro {

class LevelParameters {
public:
    // The pair at index i is for contexts of length i + 1. The last pair is also for all longer contexts.
    LevelParameters(std::vector<double> discount, std::vector<double> strength)
        : discount_(std::move(discount)), strength_(std::move(strength)) {
        if (discount_.empty() || discount_.size() != strength_.size())
            throw std::invalid_argument("every level must have a discount and a strength");
        for (std::size_t i = 0; i < discount_.size(); ++i)
            if (!(discount_[i] >= 0 && discount_[i] < 1 && strength_[i] > -discount_[i] && std::isfinite(strength_[i])))
                throw std::invalid_argument("a discount must lie in [0, 1), a strength must be finite and greater than -discount");
    }

    int levels() const { return static_cast<int>(discount_.size()); }
    double discount(std::int32_t depth) const { return discount_[index(depth)]; }
    double strength(std::int32_t depth) const { return strength_[index(depth)]; }

    // The weight of the shorter context in a restaurant with these numbers of customers and tables.
    double backoff(std::int32_t depth, double customers, double tables) const {
        return (strength(depth) + discount(depth) * tables) / (customers + strength(depth));
    }

    // The product of that weight over contexts of lengths from + 1 to `to` that do not branch. Each of them has one
    // customer, at its own table, for each of `dishes` dishes.
    double run(std::int32_t dishes, std::int32_t from, std::int32_t to) const {
        double weight = 1;
        const std::int32_t own = std::min(to, levels() - 1);
        for (std::int32_t depth = from + 1; depth <= own; ++depth) weight *= backoff(depth, dishes, dishes);
        const std::int32_t sharing = to - std::max(from, levels() - 1);
        return sharing > 0 ? weight * std::pow(backoff(to, dishes, dishes), sharing) : weight;
    }

    std::size_t index(std::int32_t depth) const { return static_cast<std::size_t>(std::min(depth, levels()) - 1); }

private:
    std::vector<double> discount_, strength_;
};

}  // namespace bistro
