// The closure over any number of steps: multiplication by S* = I + S + S² + …, which is (I - S)⁻¹ for sums.
//
// S* itself is dense if a grammar can back off from any symbol to any other. Therefore, symbols are eliminated one after
// the other, starting with those whose elimination joins the fewest pairs of other symbols (Markowitz 1957), and a
// multiplication follows the remaining steps. For sums, this is an LU decomposition with pivots on the diagonal. All
// summands are positive, and the values of symbols that cannot be reached are exactly zero.
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
    // Steps lead from row to column.
    Closure(std::int32_t size, const std::vector<Entry>& steps) : star_(size, 1.0) {
        Steps remaining(size);
        for (const Entry& step : steps) remaining.add(step.row, step.column, step.weight);
        std::vector<Entry> to_later, from_later;
        for (std::int32_t i; (i = remaining.cheapest()) >= 0;) {
            star_[i] = Semiring::star(remaining.loop[i]);
            order_.push_back(i);
            for (const auto& [to, weight] : remaining.from[i]) to_later.push_back({i, to, weight});
            for (const std::int32_t from : remaining.to[i]) from_later.push_back({i, from, remaining.from[from].at(i)});
            remaining.eliminate(i, star_[i]);
        }
        to_later_ = Sparse(size, to_later);
        from_later_ = Sparse(size, from_later);
        // Most symbols have no unary rule and are skipped.
        for (const std::int32_t i : order_) {
            if (!from_later_.empty(i) || star_[i] != 1) ascending_.push_back(i);
            if (!to_later_.empty(i)) descending_.push_back(i);
        }
    }

    // x = S* x: every symbol receives the values of the symbols that it leads to.
    void up(double* x) const {
        for (const std::int32_t i : ascending_)
            if (x[i] != 0) {
                x[i] *= star_[i];
                from_later_.template scatter<Semiring>(i, x[i], x);
            }
        for (auto i = descending_.rbegin(); i != descending_.rend(); ++i)
            x[*i] = Semiring::plus(x[*i], star_[*i] * to_later_.template gather<Semiring>(*i, x));
    }

    // x = x S*: every symbol passes its value to the symbols that it leads to.
    void down(double* x) const {
        for (const std::int32_t i : order_)
            if (x[i] != 0) {
                x[i] *= star_[i];
                to_later_.template scatter<Semiring>(i, x[i], x);
            }
        for (auto i = order_.rbegin(); i != order_.rend(); ++i)
            x[*i] = Semiring::plus(x[*i], star_[*i] * from_later_.template gather<Semiring>(*i, x));
    }

private:
    // The steps between symbols that have not been eliminated yet.
    struct Steps {
        using Cost = std::pair<std::size_t, std::int32_t>;

        explicit Steps(std::int32_t size) : from(size), to(size), loop(size, 0.0), done(size, false) {
            for (std::int32_t i = 0; i < size; ++i) queue.emplace(0, i);
        }
        void add(std::int32_t source, std::int32_t target, double weight) {
            double& known = source == target ? loop[source] : from[source].try_emplace(target, 0.0).first->second;
            known = Semiring::plus(known, weight);
            if (source != target) to[target].insert(source);
        }
        std::size_t cost(std::int32_t i) const { return from[i].size() * to[i].size(); }

        // The next symbol to eliminate, or -1. A symbol whose cost in the queue is out of date is put back.
        std::int32_t cheapest() {
            while (!queue.empty()) {
                const auto [known_cost, i] = queue.top();
                queue.pop();
                if (done[i]) continue;
                if (known_cost == cost(i)) return i;
                queue.emplace(cost(i), i);
            }
            return -1;
        }
        // Replaces steps through i by direct steps.
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

    std::vector<std::int32_t> order_, ascending_, descending_;
    std::vector<double> star_;
    Sparse to_later_, from_later_;  // by symbol: steps to symbols that are eliminated later, and from them
};

}  // namespace bistro::pcfg
