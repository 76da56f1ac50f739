// A product of several frozen franchises over the same dishes: the sum of their log-probabilities.
//
//     score(x) = sum over experts of log p_e(x | context of e)
//
// Only candidates are scored: the most probable dishes of each expert, or the dishes that are allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "hpyp/frozen.hpp"

namespace bistro {

// A dish with a lower probability under an expert is a candidate only if another expert gives it a higher one.
inline constexpr double kUnlikely = 0.01;

class Product {
public:
    Product(std::vector<const Frozen*> experts, std::size_t most)
        : experts_(std::move(experts)), most_(most), paths_(experts_.size()), depths_(experts_.size()),
          seen_(experts_.empty() ? 0 : static_cast<std::size_t>(experts_.front()->dishes), 0) {}

    // Sets the context of an expert for the next place to score.
    template <class Context>
    void enter(std::size_t expert, const Context& context, int length) {
        paths_[expert].resize(static_cast<std::size_t>(length) + 1);
        depths_[expert] = experts_[expert]->descend(context, length, paths_[expert].data());
    }

    // Appends the candidates in numerical order, and their scores.
    void score(std::span<const std::int32_t> allowed, std::vector<std::int32_t>& dishes, std::vector<double>& scores) {
        const std::size_t first = dishes.size();
        if (allowed.empty()) {
            add_most_probable(dishes);
        } else {
            dishes.insert(dishes.end(), allowed.begin(), allowed.end());
        }
        for (std::size_t i = first; i < dishes.size(); ++i) {
            double sum = 0;
            for (std::size_t e = 0; e < experts_.size(); ++e)
                sum +=
                    std::log(experts_[e]->probability_on_path(paths_[e].data(), depths_[e], static_cast<std::uint32_t>(dishes[i])));
            scores.push_back(sum);
        }
    }

private:
    void add_most_probable(std::vector<std::int32_t>& dishes) {
        const auto first = static_cast<std::ptrdiff_t>(dishes.size());
        for (std::size_t e = 0; e < experts_.size(); ++e) {
            experts_[e]->most_probable(paths_[e].data(), depths_[e], most_, seen_, ranked_, kUnlikely);
            for (const Frozen::Ranked& ranked : ranked_) dishes.push_back(static_cast<std::int32_t>(ranked.dish));
        }
        std::sort(dishes.begin() + first, dishes.end());
        dishes.erase(std::unique(dishes.begin() + first, dishes.end()), dishes.end());
    }

    std::vector<const Frozen*> experts_;
    std::size_t most_;
    std::vector<std::vector<std::uint32_t>> paths_;  // one per expert
    std::vector<int> depths_;
    std::vector<std::uint8_t> seen_;
    std::vector<Frozen::Ranked> ranked_;
};

}  // namespace bistro
