// One restaurant of a franchise as the base distribution of another.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hpyp/franchise.hpp"

namespace bistro {

class FranchiseBase final : public Base {
public:
    FranchiseBase(std::shared_ptr<Franchise> franchise, std::vector<std::int32_t> context)
        : franchise_(std::move(franchise)), context_(std::move(context)) {
        if (static_cast<int>(context_.size()) >= franchise_->levels())
            throw std::invalid_argument("a context has more elements than the franchise has levels");
        for (const std::int32_t element : context_)
            if (element < 0) throw std::invalid_argument("a context element is negative");
    }

    std::int32_t dishes() const override { return franchise_->base().dishes(); }
    double probability(std::int32_t dish) const override {
        return franchise_->probability(franchise_->deepest_restaurant(Elements{context_.data()}, static_cast<int>(context_.size())),
                                       dish);
    }
    bool learns() const override { return true; }
    void add(std::int32_t dish, Stream& rng) override { franchise_->add(entry(dish), rng); }
    void remove(std::int32_t dish, Stream& rng) override { franchise_->remove(entry(dish), rng); }

private:
    struct Elements {
        const std::int32_t* data;
        std::int32_t operator()(int k) const { return data[k]; }
    };

    std::uint32_t entry(std::int32_t dish) {
        return franchise_->resolve(Elements{context_.data()}, static_cast<int>(context_.size()), dish, path_);
    }

    std::shared_ptr<Franchise> franchise_;
    std::vector<std::int32_t> context_;
    std::vector<std::uint32_t> path_;
};

}  // namespace bistro
