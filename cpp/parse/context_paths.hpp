// Finds the restaurants of many contexts together.
//
// The restaurants of a context form a path, and each step on the path waits for memory. All contexts are extended level by
// level, so that memory accesses for different contexts overlap.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/model.hpp"

namespace bistro {

class ContextPaths {
public:
    template <class Franchise>
    void find(const Predictor<Franchise>& predictor, std::span<const Elements> questions) {
        paths_.resize(questions.size());
        for (Path& path : paths_) path[0] = 0;
        depths_.assign(questions.size(), 0);
        active_.resize(questions.size());
        std::iota(active_.begin(), active_.end(), 0U);
        for (const std::uint8_t e : predictor.contexts) take_together(*predictor.franchise, questions, e);
    }

    const std::uint32_t* path(std::size_t number) const { return paths_[number].data(); }
    int depth(std::size_t number) const { return depths_[number]; }
    std::uint32_t deepest(std::size_t number) const { return paths_[number][static_cast<std::size_t>(depths_[number])]; }

private:
    // Extends the paths of all active contexts by one element.
    void take_together(const Frozen& f, std::span<const Elements> questions, std::uint8_t e) {
        auto has_children = [&](std::uint32_t restaurant) { return restaurant + 1 < f.child_begin.size(); };
        auto key = [&](std::uint32_t i) { return static_cast<std::uint32_t>(questions[i][e]); };
        for (const std::uint32_t i : active_)
            if (has_children(deepest(i))) prefetch(&f.child_begin[deepest(i)]);
        for (const std::uint32_t i : active_) {
            if (!has_children(deepest(i))) continue;
            const std::uint32_t begin = f.child_begin[deepest(i)], size = f.child_begin[deepest(i) + 1] - begin;
            prefetch(f.element.data() + begin + (size > kLinear ? region_start(key(i), size) : 0));
        }
        std::erase_if(active_, [&](std::uint32_t i) {
            const std::uint32_t next = f.child(deepest(i), key(i));
            if (next != kNone) paths_[i][static_cast<std::size_t>(++depths_[i])] = next;
            return next == kNone;
        });
    }

    std::vector<Path> paths_;            // by question: its restaurants
    std::vector<int> depths_;            // by question: the depth of its deepest restaurant
    std::vector<std::uint32_t> active_;  // questions whose paths may still be extended
};

}  // namespace bistro
