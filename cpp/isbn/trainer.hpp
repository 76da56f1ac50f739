// Maximum-likelihood training by stochastic gradient descent.
//
// A step has two phases. First, the forward and backward passes run separately for each sentence of a batch. Then every block of
// parameters collects its gradient from all sentences, in the order of the batch, and is updated. Blocks share nothing. No sum
// therefore depends on which thread computes what, and the result is the same for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/tape.hpp"
#include "parse/parser.hpp"

namespace bistro::isbn {

inline constexpr int kKinds = 6;  // of decisions: action, label, root label, tag, bundle, word

inline int kind_of(const Shape& shape, std::int32_t group) {
    if (group == kActionGroup) return 0;
    if (group == kLeftLabels || group == kRightLabels) return 1;
    if (group == kRootLabels) return 2;
    if (group == kTagGroup) return 3;
    return group < kFirstBundles + shape.symbols().tags ? 4 : 5;
}

struct StepSize {
    double rate, decay;
    bool adaptive = true;  // true: AdaGrad; false: plain gradient descent
};

// A plain step of gradient descent; g becomes 0.
template <class Real>
void descend_plainly(Real* w, Real* g, std::size_t n, Real rate, Real decay) {
    for (std::size_t i = 0; i < n; ++i) {
        w[i] -= rate * (g[i] + decay * w[i]);
        g[i] = 0;
    }
}

template <class Real>
class Trainer {
public:
    Trainer(const Shape& shape, Aligned<Real> weights, Aligned<Real> squares)
        : shape_(shape), w_(std::move(weights)), squares_(std::move(squares)), g_(shape.parameters(), Real(0)),
          is_touched_(static_cast<std::size_t>(shape.rows()), 0), of_group_(static_cast<std::size_t>(shape.groups())) {
        if (w_.size() != shape.parameters() || squares_.size() != shape.parameters())
            throw std::invalid_argument("the parameters do not fit the model");
        gains_ = all_gains(shape_, w_.data());
    }

    const Aligned<Real>& weights() const { return w_; }
    const Aligned<Real>& squares() const { return squares_; }
    Network<Real> network() const { return {shape_, w_.data(), gains_.data()}; }

    // One pass over the derivations in the given order, `at_once` per step. Returns their total log-probability, computed before
    // each step. The index of `dropout` is the number of the pass.
    double pass(const std::vector<Derivation>& data, std::span<const std::int64_t> order, std::size_t at_once, StepSize step,
                const Dropout& dropout, int threads) {
        double total = 0;
        for (std::size_t begin = 0; begin < order.size(); begin += at_once) {
            const auto batch = order.subspan(begin, std::min(at_once, order.size() - begin));
            total += run(data, batch, dropout, threads);
            in_parallel(kBlocks, threads, [&](std::size_t block) {
                collect(data, batch, block);
                descend(block, step);
            });
        }
        return total;
    }

    // The gradient of the negative log-probability of derivations with respect to all parameters.
    std::vector<Real> gradient(const std::vector<Derivation>& data, const Dropout& dropout) {
        std::vector<std::int64_t> order(data.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
        run(data, order, dropout, 1);
        for (std::size_t block = 0; block < kBlocks; ++block) collect(data, order, block);
        std::vector<Real> found(g_.begin(), g_.end());
        std::fill(g_.begin(), g_.end(), Real(0));
        for (auto& rows : touched_) {
            for (const std::int32_t row : rows) is_touched_[static_cast<std::size_t>(row)] = 0;
            rows.clear();
        }
        return found;
    }

private:
    static constexpr std::size_t kRowBlocks = 6, kGroupBlocks = 10;
    static constexpr std::size_t kBlocks = kRelations + kRowBlocks + kGroupBlocks;

    double run(const std::vector<Derivation>& data, std::span<const std::int64_t> batch, const Dropout& dropout, int threads) {
        if (tapes_.size() < batch.size()) tapes_.resize(batch.size());
        const Network<Real> network = this->network();
        in_parallel(batch.size(), threads, [&](std::size_t i) {
            const Derivation& derivation = data[static_cast<std::size_t>(batch[i])];
            Dropout own = dropout;
            own.index = dropout.index * data.size() + static_cast<std::uint64_t>(batch[i]);
            tapes_[i].forward(network, derivation, own);
            tapes_[i].backward(network, derivation);
        });
        double total = 0;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            for (const double x : tapes_[i].log_probs()) total += x;
            total += data[static_cast<std::size_t>(batch[i])].log_shares;
        }
        return total;
    }

    void collect(const std::vector<Derivation>& data, std::span<const std::int64_t> batch, std::size_t block) {
        auto each = [&](const auto& visit) {
            for (std::size_t i = 0; i < batch.size(); ++i) visit(data[static_cast<std::size_t>(batch[i])], tapes_[i]);
        };
        if (block < kRelations)
            collect_links(each, static_cast<int>(block));
        else if (block < kRelations + kRowBlocks)
            each([&](const Derivation& derivation, const Tape<Real>& tape) { collect_rows(derivation, tape, block - kRelations); });
        else
            collect_groups(each, block - kRelations - kRowBlocks);
    }

    // Pairs of vectors whose outer products are added to a matrix together, so that it is read and written only once.
    struct Pairs {
        std::vector<const Real*> xs, ys;

        void add(const Real* x, const Real* y) { xs.push_back(x), ys.push_back(y); }
        void add_to(Real* matrix, std::size_t rows, std::size_t columns) const {
            add_outers(matrix, xs.data(), ys.data(), xs.size(), rows, columns);
        }
        void clear() { xs.clear(), ys.clear(); }
    };

    template <class Each>
    void collect_links(const Each& each, int relation) {
        if (!shape_.linked()) return;
        Pairs& pairs = of_relation_[static_cast<std::size_t>(relation)];
        each([&](const Derivation& derivation, const Tape<Real>& tape) {
            for (std::size_t s = 0; s < derivation.states(); ++s)
                if (const std::int32_t from = derivation.links[s][relation]; from != kAbsent)
                    pairs.add(tape.last_mu(from), tape.delta(s));
        });
        pairs.add_to(g_.data() + shape_.links_at(relation), shape_.hidden(), shape_.hidden());
        pairs.clear();
    }

    void collect_rows(const Derivation& derivation, const Tape<Real>& tape, std::size_t part) {
        const std::size_t h = shape_.hidden();
        for (std::size_t s = 0; s < derivation.states(); ++s)
            for (const std::int32_t row : derivation.features_of(s)) {
                if (static_cast<std::size_t>(row) % kRowBlocks != part) continue;
                add_row(g_.data() + shape_.row_at(row), tape.delta(s), h);
                if (is_touched_[static_cast<std::size_t>(row)]) continue;
                is_touched_[static_cast<std::size_t>(row)] = 1;
                touched_[part].push_back(row);
            }
    }

    template <class Each>
    void collect_groups(const Each& each, std::size_t part) {
        const bool mean_field = shape_.mean_field();
        each([&](const Derivation& derivation, const Tape<Real>& tape) {
            for (std::size_t s = 0; s < derivation.states(); ++s)
                for (auto k = static_cast<std::size_t>(derivation.decision_begin[s]);
                     k < static_cast<std::size_t>(derivation.decision_begin[s + 1]); ++k) {
                    const Decision& d = derivation.decisions[k];
                    if (static_cast<std::size_t>(d.group) % kGroupBlocks != part) continue;
                    Pairs& pairs = of_group_[static_cast<std::size_t>(d.group)];
                    if (pairs.xs.empty()) touched_groups_[part].push_back(d.group);
                    pairs.add(tape.seen_by(s, k, mean_field), tape.slopes(k));
                    if (mean_field) tape.collect_move(network(), d, s, k, g_.data());
                }
        });
        for (const std::int32_t group : touched_groups_[part]) {
            Pairs& pairs = of_group_[static_cast<std::size_t>(group)];
            pairs.add_to(g_.data() + shape_.group_at(group), shape_.hidden(), shape_.outcomes(group));
            for (const Real* slopes : pairs.ys) add_row(g_.data() + shape_.bias_at(group), slopes, shape_.outcomes(group));
            pairs.clear();
        }
    }

    void descend(std::size_t block, StepSize step) {
        const std::size_t h = shape_.hidden();
        auto move = [&](std::size_t at, std::size_t n, bool decays) {
            const auto rate = static_cast<Real>(step.rate), decay = static_cast<Real>(decays ? step.decay : 0.0);
            if (step.adaptive)
                adagrad(w_.data() + at, g_.data() + at, squares_.data() + at, n, rate, decay);
            else
                descend_plainly(w_.data() + at, g_.data() + at, n, rate, decay);
        };
        if (block < kRelations) {
            if (shape_.linked()) move(shape_.links_at(static_cast<int>(block)), h * h, true);
        } else if (block < kRelations + kRowBlocks) {
            auto& rows = touched_[block - kRelations];
            for (const std::int32_t row : rows) {
                move(shape_.row_at(row), h, row > 0);
                is_touched_[static_cast<std::size_t>(row)] = 0;
            }
            rows.clear();
        } else {
            auto& groups = touched_groups_[block - kRelations - kRowBlocks];
            for (const std::int32_t group : groups) {
                const std::size_t at = shape_.group_at(group), n = h * shape_.outcomes(group);
                move(at, n, true);
                if (shape_.mean_field()) gains_of(gains_.data() + (at - shape_.group_at(0)), w_.data() + at, n);
                move(shape_.bias_at(group), shape_.outcomes(group), false);
            }
            groups.clear();
        }
    }

    const Shape& shape_;
    Aligned<Real> w_, squares_, g_;
    Aligned<Real> gains_;  // of the groups; they always match the weights
    std::vector<Tape<Real>> tapes_;
    std::vector<std::uint8_t> is_touched_;
    std::array<std::vector<std::int32_t>, kRowBlocks> touched_;  // rows with a gradient
    std::array<std::vector<std::int32_t>, kGroupBlocks> touched_groups_;
    std::array<Pairs, kRelations> of_relation_;
    std::vector<Pairs> of_group_;
};

// Log-probabilities of derivations by kind of decision. The shares of unlisted words are counted as part of the words.
template <class Real>
std::array<double, kKinds> log_probs_by_kind(const Network<Real>& network, const std::vector<Derivation>& data, int threads) {
    const Shape& shape = network.shape();
    std::vector<std::array<double, kKinds>> sums(data.size());
    in_parallel_each(data.size(), threads, [&] {
        return [&, tape = Tape<Real>()](std::size_t i) mutable {
            tape.forward(network, data[i]);
            sums[i].fill(0.0);
            for (std::size_t k = 0; k < data[i].decisions.size(); ++k)
                sums[i][static_cast<std::size_t>(kind_of(shape, data[i].decisions[k].group))] += tape.log_probs()[k];
            sums[i].back() += data[i].log_shares;
        };
    });
    std::array<double, kKinds> total{};
    for (const auto& row : sums)
        for (std::size_t k = 0; k < kKinds; ++k) total[k] += row[k];
    return total;
}

}  // namespace bistro::isbn
