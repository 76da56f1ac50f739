// Short lists in order: sorting without memory of its own, and the likeliest of many outcomes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bistro::isbn {

// As std::stable_sort.
template <class Iterator, class Before>
void sort_stably(Iterator begin, Iterator end, const Before& before) {
    constexpr std::ptrdiff_t longest = 24;
    if (end - begin > longest) {
        if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
        return;
    }
    for (Iterator i = begin; i != end; ++i) {
        if (i == begin || !before(*i, *(i - 1))) continue;
        auto value = std::move(*i);
        Iterator place = i;
        for (; place != begin && before(value, *(place - 1)); --place) *place = std::move(*(place - 1));
        *place = std::move(value);
    }
}

template <class Real>
class Likeliest {
public:
    // The likeliest of n outcomes in order, at most so many and all above `least`; the first of equals comes first. `p` fills blocks of
    // eight, with zeros at the end.
    const std::vector<std::int32_t>& of(const Real* p, std::size_t n, std::size_t most, Real least) {
        find_highest(p, (n + kBlock - 1) / kBlock);
        const Real lowest = that_many_exceed(most, least);
        ranked_.clear();
        for (std::size_t b = 0; b < highest_.size(); ++b) {
            if (!(highest_[b] > least) || highest_[b] < lowest) continue;
            for (std::size_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i) {
                if (!(p[i] > least) || p[i] < lowest) continue;
                if (ranked_.size() == most) ranked_.pop_back();
                auto place = ranked_.end();
                while (place != ranked_.begin() && p[i] > p[*(place - 1)]) --place;
                ranked_.insert(place, static_cast<std::int32_t>(i));
                if (ranked_.size() == most) least = p[ranked_.back()];
            }
        }
        return ranked_;
    }

private:
    static constexpr std::size_t kBlock = 8;

    void find_highest(const Real* p, std::size_t blocks) {
        highest_.resize(blocks);
        for (std::size_t b = 0; b < blocks; ++b, p += kBlock) {
            Real four[kBlock / 2];
            for (std::size_t k = 0; k < kBlock / 2; ++k) four[k] = p[k] > p[k + kBlock / 2] ? p[k] : p[k + kBlock / 2];
            highest_[b] = std::max(std::max(four[0], four[2]), std::max(four[1], four[3]));
        }
    }

    // What so many outcomes reach: the highest ones of so many blocks; `least` if they do not exceed it.
    Real that_many_exceed(std::size_t most, Real least) {
        if (highest_.size() < most) return least;
        in_order_.assign(most, least);
        for (const Real high : highest_) {
            if (!(high > in_order_[most - 1])) continue;
            std::size_t place = most - 1;
            for (; place > 0 && high > in_order_[place - 1]; --place) in_order_[place] = in_order_[place - 1];
            in_order_[place] = high;
        }
        return in_order_[most - 1];
    }

    std::vector<Real> highest_, in_order_;  // by block
    std::vector<std::int32_t> ranked_;
};

}  // namespace bistro::isbn
