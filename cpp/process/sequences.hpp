// Events in sequence: each outcome is in the context of all previous outcomes of its sequence.
//
// An event with a separate context is a sequence in which only the last element is observed: the elements before it are the
// context, the nearest one last. So texts and single events have the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace bistro {

// The elements before a position, the nearest first.
struct Before {
    const std::int32_t* end;
    std::int32_t operator()(int k) const { return end[-1 - k]; }
};

struct Sequences {
    std::span<const std::int32_t> elements;
    std::span<const std::int64_t> offsets;  // sequence i is elements[offsets[i] .. offsets[i + 1])
    bool last_only = false;                 // only the last element of each sequence is observed
    std::int64_t given = 0;                 // number of elements at the beginning of each sequence that are only context

    void check(std::int64_t outcomes) const {
        const auto size = static_cast<std::int64_t>(elements.size());
        if (offsets.empty() || offsets.front() != 0 || offsets.back() != size || given < 0)
            throw std::invalid_argument("the offsets of the sequences do not cover their elements");
        for (std::size_t i = 1; i < offsets.size(); ++i)
            if (offsets[i] < offsets[i - 1]) throw std::invalid_argument("the offsets of the sequences decrease");
        for (const std::int32_t element : elements)
            if (element < 0) throw std::invalid_argument("an element of a sequence is negative");
        for_each([&](std::int64_t, std::int64_t at) {
            if (elements[at] >= outcomes) throw std::invalid_argument("an outcome is not among the outcomes of the base");
        });
    }

    // Calls visit(begin of its sequence, position) for every observed element.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
            const std::int64_t begin = offsets[i], end = offsets[i + 1];
            if (begin == end) continue;
            for (std::int64_t at = last_only ? end - 1 : begin + given; at < end; ++at) visit(begin, at);
        }
    }

    Before before(std::int64_t position) const { return {elements.data() + position}; }
};

}  // namespace bistro
