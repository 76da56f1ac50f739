// Sorting of short lists without extra memory, and selection of the most probable outcomes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bistro::isbn {

// Sorts as std::stable_sort does.
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
    // The most probable of n outcomes in decreasing order: at most `most` outcomes, all above `least`, which must not be
    // negative. Of equally probable outcomes, the first one comes first. `p` is padded with zeros to a multiple of eight.
    const std::vector<std::int32_t>& of(const Real* p, std::size_t n, std::size_t most, Real least) {
        const std::size_t blocks = (n + kBlock - 1) / kBlock;
        left_.assign(p, p + blocks * kBlock);
        highest_.resize(blocks);
        for (std::size_t b = 0; b < blocks; ++b) highest_[b] = highest_of_block(b);
        ranked_.clear();
        while (ranked_.size() < most) {
            const auto highest = std::max_element(highest_.begin(), highest_.end());
            if (!(*highest > least)) break;
            const auto block = static_cast<std::size_t>(highest - highest_.begin());
            const auto first = left_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
            const auto outcome = std::find(first, first + kBlock, *highest);
            ranked_.push_back(static_cast<std::int32_t>(outcome - left_.begin()));
            *outcome = 0;
            *highest = highest_of_block(block);
        }
        return ranked_;
    }

private:
    static constexpr std::size_t kBlock = 8;

    Real highest_of_block(std::size_t b) const {
        const Real* const p = left_.data() + b * kBlock;
        Real four[kBlock / 2];
        for (std::size_t k = 0; k < kBlock / 2; ++k) four[k] = p[k] > p[k + kBlock / 2] ? p[k] : p[k + kBlock / 2];
        return std::max(std::max(four[0], four[2]), std::max(four[1], four[3]));
    }

    std::vector<Real> left_;     // probabilities; 0 for outcomes that were chosen
    std::vector<Real> highest_;  // by block: its maximum in left_
    std::vector<std::int32_t> ranked_;
};

}  // namespace bistro::isbn
