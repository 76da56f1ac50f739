// The base of a franchise, below depth 0: a distribution over dishes that may itself learn.
//
// Bases compose: a base can be another franchise at a fixed context (see franchise_base.hpp). Then every table opened at
// depth 0 of the first franchise sends a customer to the other franchise.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "hpyp/rng.hpp"

namespace bistro {

class Base {
public:
    virtual ~Base() = default;
    virtual std::int32_t dishes() const = 0;
    virtual double probability(std::int32_t dish) const = 0;
    virtual bool learns() const { return false; }  // if true, the base scores its own customers
    virtual void add(std::int32_t, Stream&) {}
    virtual void remove(std::int32_t, Stream&) {}
};

class UniformBase final : public Base {
public:
    explicit UniformBase(std::int32_t dishes) : dishes_(dishes) {
        if (dishes < 1) throw std::invalid_argument("a uniform base needs at least one dish");
    }
    double probability(std::int32_t dish) const override { return dish >= 0 && dish < dishes_ ? 1.0 / dishes_ : 0.0; }
    std::int32_t dishes() const override { return dishes_; }

private:
    std::int32_t dishes_;
};

class VectorBase final : public Base {
public:
    explicit VectorBase(std::vector<double> probabilities) : probabilities_(std::move(probabilities)) { check(probabilities_); }
    // Sets new probabilities of the same dishes, for a base that is learned between the sweeps of the franchise.
    void assign(std::vector<double> probabilities) {
        check(probabilities);
        if (probabilities.size() != probabilities_.size())
            throw std::invalid_argument("the number of dishes of a base cannot change");
        probabilities_ = std::move(probabilities);
    }
    double probability(std::int32_t dish) const override {
        return dish >= 0 && static_cast<std::size_t>(dish) < probabilities_.size() ? probabilities_[dish] : 0.0;
    }

    std::int32_t dishes() const override { return static_cast<std::int32_t>(probabilities_.size()); }

private:
    static void check(const std::vector<double>& probabilities) {
        double sum = 0;
        for (const double p : probabilities) {
            if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a probability must lie in [0, 1]");
            sum += p;
        }
        if (!(std::abs(sum - 1) < 1e-6)) throw std::invalid_argument("the probabilities of a base must sum to 1");
    }

    std::vector<double> probabilities_;
};

}  // namespace bistro
