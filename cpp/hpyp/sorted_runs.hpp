// Several sorted lists of events merged into one. Each list was created and sorted by another worker, and may be in a
// mapped file.
//
// A heap yields the smallest next event of all lists. Events are compared by their first two context elements as one
// number, which decides most comparisons, then by the other elements, and then by the outcome. Equal events are identical,
// so the result does not depend on how the events were divided into lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bistro {

// Concatenated rows of `width` context elements each, and one outcome per row.
struct SortedRun {
    const std::int32_t* contexts;
    const std::int32_t* outcomes;
    std::size_t size;
};

class MergedRuns {
public:
    MergedRuns(const std::vector<SortedRun>& runs, int width) : width_(static_cast<std::size_t>(width)) {
        for (const SortedRun& run : runs)
            if (run.size > 0) heap_.push_back(Head{key(run.contexts), run});
        for (std::size_t at = heap_.size() / 2; at-- > 0;) sink(at);
    }

    bool is_over() const { return heap_.empty(); }
    const std::int32_t* context() const { return heap_.front().run.contexts; }
    std::int32_t outcome() const { return *heap_.front().run.outcomes; }

    void advance() {
        SortedRun& run = heap_.front().run;
        run.contexts += width_, ++run.outcomes, --run.size;
        if (run.size > 0) {
            heap_.front().key = key(run.contexts);
        } else {
            heap_.front() = heap_.back();
            heap_.pop_back();
        }
        if (!heap_.empty()) sink(0);
    }

private:
    struct Head {
        std::uint64_t key;
        SortedRun run;
    };

    // Elements are never negative, so unsigned numbers have the same order.
    std::uint64_t key(const std::int32_t* context) const {
        const std::uint64_t first = width_ > 0 ? static_cast<std::uint32_t>(context[0]) : 0;
        return first << 32 | (width_ > 1 ? static_cast<std::uint32_t>(context[1]) : 0);
    }

    bool is_before(const Head& a, const Head& b) const {
        if (a.key != b.key) return a.key < b.key;
        for (std::size_t k = 2; k < width_; ++k)
            if (a.run.contexts[k] != b.run.contexts[k]) return a.run.contexts[k] < b.run.contexts[k];
        return *a.run.outcomes < *b.run.outcomes;
    }

    void sink(std::size_t at) {
        const Head moving = heap_[at];
        for (std::size_t child; (child = 2 * at + 1) < heap_.size(); at = child) {
            if (child + 1 < heap_.size() && is_before(heap_[child + 1], heap_[child])) ++child;
            if (!is_before(heap_[child], moving)) break;
            heap_[at] = heap_[child];
        }
        heap_[at] = moving;
    }

    std::size_t width_;
    std::vector<Head> heap_;
};

}  // namespace bistro
