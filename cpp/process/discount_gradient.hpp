// Discounts that adapt to the text: after every few events (kBatch), the discounts and the strength take a small step along
// the gradient of the log-probability of these events.
//
// With D and theta the discount and strength of a restaurant on the path of a context, and q the probability above it,
//
//     p = (c_x - D t_x + (theta + D t) q) / (c + theta)
//     dp = (theta + D t)/(c + theta) dq  +  D (t q - t_x)/(c + theta) dlog D  +  theta (q - p)/(c + theta) dlog theta
//
// D is the product of the discounts of all lengths that the edge covers, and theta is the product of alpha and the discounts
// of lengths 1 to the restaurant's own. So one pass from the longest context up gives the derivatives with respect to all
// discounts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "process/chain_discounts.hpp"

namespace bistro {

// The values of one restaurant on the path of a context for one outcome.
struct PathStep {
    std::int32_t above, depth;  // depth of the restaurant above it; its own depth
    std::int32_t customers, tables, own_customers, own_tables;
    double discount, strength, parent, probability;

    double predictive() const {
        return (own_customers - discount * own_tables + (strength + discount * tables) * parent) / (customers + strength);
    }
};

class DiscountLearner {
public:
    // `rate` is the size of a step, which decreases as squared gradients accumulate (AdaGrad; Duchi, Hazan & Singer 2011).
    DiscountLearner(double rate, int levels) : rate_(rate), square_(levels + 1, 1.0), gradient_(levels + 1) {
        if (!(rate > 0)) throw std::invalid_argument("the learning rate must be above 0");
    }

    // Adds the gradient of one event. After every kBatch events, all parameters are updated.
    void look(const std::vector<PathStep>& steps, double p, ChainDiscounts& parameters) {
        differentiate(steps, p, parameters);
        if (++seen_ % kBatch == 0) move_all(parameters);
    }

    // The state, for saving in a file.
    std::vector<double> state() const {
        std::vector<double> out{static_cast<double>(seen_)};
        out.insert(out.end(), square_.begin(), square_.end());
        out.insert(out.end(), gradient_.begin(), gradient_.end());
        return out;
    }
    void restore(const std::vector<double>& state) {
        if (state.size() != 1 + 2 * square_.size()) throw std::invalid_argument("the saved gradients do not match the parameters");
        for (const double x : state)
            if (!std::isfinite(x)) throw std::invalid_argument("the saved gradients are damaged");
        seen_ = static_cast<std::int64_t>(state[0]);
        std::copy_n(state.begin() + 1, square_.size(), square_.begin());
        for (double& square : square_) square = std::max(square, 1e-12);
        std::copy_n(state.begin() + 1 + static_cast<std::ptrdiff_t>(square_.size()), gradient_.size(), gradient_.begin());
    }

private:
    // Derivatives of log p with respect to the logarithms of every discount and of the strength.
    void differentiate(const std::vector<PathStep>& steps, double p, const ChainDiscounts& parameters) {
        double weight = 1 / p, by_strength = 0;
        for (std::size_t k = steps.size(); k-- > 0;) {
            const PathStep& s = steps[k];
            const std::int32_t above = k == 0 ? -1 : s.above;
            if (s.customers > 0) {
                const double total = s.customers + s.strength;
                parameters.spread(above, s.depth, weight * s.discount * (s.tables * s.parent - s.own_tables) / total, gradient_);
                by_strength += weight * s.strength * (s.parent - s.probability) / total;
                weight *= (s.strength + s.discount * s.tables) / total;
            }
            // The discounts of this edge are factors of the strengths of this restaurant and of all restaurants below.
            if (k > 0) parameters.spread(above, s.depth, by_strength, gradient_);
        }
        gradient_.back() += by_strength;
    }

    void move_all(ChainDiscounts& parameters) {
        std::vector<double> discount = parameters.discounts();
        for (std::size_t i = 0; i < discount.size(); ++i) {
            // On the scale of the logit: dlog d / dlogit d = 1 - d.
            const double logit = std::log(discount[i] / (1 - discount[i])) + move(i, gradient_[i] * (1 - discount[i]));
            discount[i] = std::clamp(1 / (1 + std::exp(-logit)), 1e-4, 1 - 1e-4);
        }
        double strength = parameters.alpha();
        if (strength > 0) strength = std::clamp(strength * std::exp(move(discount.size(), gradient_.back())), 1e-4, 1e4);
        parameters.assign(std::move(discount), strength);
        std::fill(gradient_.begin(), gradient_.end(), 0.0);
    }

    double move(std::size_t i, double gradient) {
        square_[i] += gradient * gradient;
        return rate_ * gradient / std::sqrt(square_[i]);
    }

    static constexpr std::int64_t kBatch = 16;

    double rate_;
    std::int64_t seen_ = 0;
    std::vector<double> square_, gradient_;
};

}  // namespace bistro
