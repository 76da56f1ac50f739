// Any number of steps: multiplication by S* = I + S + S² + …, which is (I - S)⁻¹ for sums.
//
// S* itself is full where a grammar can fall back from any symbol to any other. So symbols are eliminated one after the other, first
// those whose elimination joins the fewest pairs of others (Markowitz 1957), and a multiplication follows the steps that remain. For
// sums this is a decomposition into two triangles with pivots on the diagonal: all numbers added are positive, and what cannot be
// reached is exactly zero.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "pcfg/sparse.hpp"

namespace bistro::pcfg {

template <class Semiring>
class Closure {
public:
    // Steps lead from `key` to `index`, both below `size`.
    Closure(std::int32_t size, const std::vector<Triple>& steps) {
        Steps remaining(size);
        for (const Triple& step : steps) remaining.add(step.key, step.index, step.weight);
        std::vector<Triple> above, below, before;
        for (std::int32_t i; (i = remaining.cheapest()) >= 0;) {
            const double star = remaining.star(i);
            order_.push_back(i);
            star_.push_back(star);
            for (const auto& [to, weight] : remaining.from[i]) {
                below.push_back({i, to, weight});
                before.push_back({to, i, star * weight});
            }
            for (const std::int32_t from : remaining.to[i]) above.push_back({i, from, remaining.from[from].at(i)});
            remaining.eliminate(i, star);
        }
        above_ = Sparse(size, above);
        below_ = Sparse(size, below);
        before_ = Sparse(size, before);
    }

    // x = S* x: every symbol receives the values of those it leads to.
    void up(double* x) const {
        for (std::size_t n = 0; n < order_.size(); ++n) {
            const std::int32_t i = order_[n];
            if (x[i] == 0) continue;
            x[i] *= star_[n];
            for (const auto& [from, weight] : above_.at(i)) x[from] = Semiring::plus(x[from], weight * x[i]);
        }
        for (std::size_t n = order_.size(); n-- > 0;) {
            const double value = x[order_[n]];
            if (value == 0) continue;
            for (const auto& [from, weight] : before_.at(order_[n])) x[from] = Semiring::plus(x[from], weight * value);
        }
    }

    // x = x S*: every symbol hands its value on to those it leads to.
    void down(double* x) const {
        for (std::size_t n = 0; n < order_.size(); ++n) {
            const std::int32_t i = order_[n];
            x[i] *= star_[n];
            for (const auto& [to, weight] : below_.at(i)) x[to] = Semiring::plus(x[to], weight * x[i]);
        }
        for (std::size_t n = order_.size(); n-- > 0;) {
            const std::int32_t i = order_[n];
            double value = x[i];
            for (const auto& [from, weight] : above_.at(i)) value = Semiring::plus(value, star_[n] * weight * x[from]);
            x[i] = value;
        }
    }

private:
    // The steps between the symbols that have not been eliminated yet.
    struct Steps {
        using Cost = std::pair<std::size_t, std::int32_t>;

        explicit Steps(std::int32_t size) : from(size), to(size), loop(size, 0.0), done(size, false) {
            for (std::int32_t i = 0; i < size; ++i) queue.emplace(0, i);
        }
        void add(std::int32_t source, std::int32_t target, double weight) {
            if (source == target) {
                loop[source] = Semiring::plus(loop[source], weight);
                return;
            }
            double& known = from[source].try_emplace(target, 0.0).first->second;
            known = Semiring::plus(known, weight);
            to[target].insert(source);
        }
        double star(std::int32_t i) const { return Semiring::star(loop[i]); }
        std::size_t cost(std::int32_t i) const { return from[i].size() * to[i].size(); }

        // The next to eliminate, or -1. Costs in the queue may be out of date: a symbol then waits again.
        std::int32_t cheapest() {
            while (!queue.empty()) {
                const auto [said, i] = queue.top();
                queue.pop();
                if (done[i]) continue;
                if (said == cost(i)) return i;
                queue.emplace(cost(i), i);
            }
            return -1;
        }
        // Steps through i become steps past it.
        void eliminate(std::int32_t i, double star) {
            done[i] = true;
            for (const std::int32_t source : to[i]) {
                const double weight = from[source].extract(i).mapped() * star;
                for (const auto& [target, further] : from[i]) add(source, target, weight * further);
            }
            for (const auto& [target, weight] : from[i]) to[target].erase(i);
        }

        std::vector<std::map<std::int32_t, double>> from;
        std::vector<std::set<std::int32_t>> to;
        std::vector<double> loop;
        std::vector<bool> done;
        std::priority_queue<Cost, std::vector<Cost>, std::greater<>> queue;
    };

    std::vector<std::int32_t> order_;
    std::vector<double> star_;  // in this order
    // By symbol: steps from later symbols to it; from it to later ones; from earlier ones to it, with the star of the earlier one.
    Sparse above_, below_, before_;
};

}  // namespace bistro::pcfg
