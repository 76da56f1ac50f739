// Discounts and strengths of contexts whose chains are collapsed.
//
// A context of length n has discount d_n, and all contexts from some length on share one discount. The strength of the
// empty context is alpha, and the strength of every longer context is the strength of its parent times its own discount.
// Then a context whose parents down to length m are integrated out is again a Pitman-Yor process, with
//
//     discount  d_{m+1} d_{m+2} ... d_n      strength  alpha d_1 d_2 ... d_n
//
// (Pitman 1999; Gasthaus & Teh 2010).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bistro {

class ChainDiscounts {
public:
    ChainDiscounts(std::vector<double> discount, double strength) { assign(std::move(discount), strength); }

    void assign(std::vector<double> discount, double strength) {
        if (discount.size() < 2) throw std::invalid_argument("there must be at least two discounts");
        for (const double d : discount)
            if (!(d > 0 && d < 1)) throw std::invalid_argument("a discount must lie in (0, 1)");
        if (!(strength > -discount[0] && std::isfinite(strength)))
            throw std::invalid_argument("a strength must be finite and greater than -discount");
        // A negative strength stays above minus the discount of every longer context, since it shrinks at the same rate.
        discount_ = std::move(discount);
        strength_ = strength;
        refresh();
    }

    int levels() const { return static_cast<int>(discount_.size()); }
    const std::vector<double>& discounts() const { return discount_; }
    double alpha() const { return strength_; }
    int index(std::int32_t depth) const { return std::min(depth, levels() - 1); }

    // The discount of a context of length `to` whose nearest stored ancestor has length `from`. The empty context has no
    // parent.
    double discount(std::int32_t from, std::int32_t to) const {
        if (to == 0) return discount_[0];
        const std::int32_t last = levels() - 1;
        const double own = product_[std::min(to, last)] / product_[std::min(from, last)];
        return to > last ? own * power(to - std::max(from, last)) : own;
    }

    double strength(std::int32_t depth) const {
        const std::int32_t last = levels() - 1;
        const double own = strength_ * product_[std::min(depth, last)];
        return depth > last ? own * power(depth - last) : own;
    }

    // `derivative` is with respect to the logarithm of the product of the discounts of lengths from + 1 to `to`. Adds it to
    // the derivative of every factor.
    void spread(std::int32_t from, std::int32_t to, double derivative, std::vector<double>& by) const {
        const std::int32_t last = levels() - 1;
        for (std::int32_t n = std::min(to, last); n > from; --n) by[n] += derivative;
        // The last discount occurs as a factor once for every length that shares it.
        if (to > last) by[last] += derivative * (to - std::max(from, last));
    }

private:
    static constexpr std::int32_t kTabled = 256;

    double power(std::int32_t n) const { return n < kTabled ? power_[n] : std::pow(discount_.back(), n); }

    void refresh() {
        product_.assign(discount_.size(), 1.0);
        for (std::size_t i = 1; i < discount_.size(); ++i) product_[i] = product_[i - 1] * discount_[i];
        power_.assign(kTabled, 1.0);
        for (std::int32_t n = 1; n < kTabled; ++n) power_[n] = power_[n - 1] * discount_.back();
    }

    std::vector<double> discount_;
    double strength_ = 0;
    std::vector<double> product_, power_;  // d_1 ... d_n, and powers of the last discount
};

}  // namespace bistro
