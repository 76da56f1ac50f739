// Sparse matrices: the entries of each row (or column) one after the other, in the order in which they were given.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace bistro::pcfg {

struct Entry {
    std::int32_t index;
    double weight;
};

struct Triple {
    std::int32_t key, index;
    double weight;
};

class Sparse {
public:
    Sparse() = default;
    Sparse(std::int32_t keys, const std::vector<Triple>& triples) : begin_(keys + 1, 0), entries_(triples.size()) {
        for (const Triple& t : triples) ++begin_[t.key + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
        for (const Triple& t : triples) entries_[next[t.key]++] = {t.index, t.weight};
    }
    std::span<const Entry> at(std::int32_t key) const {
        return {entries_.data() + begin_[key], entries_.data() + begin_[key + 1]};
    }

private:
    std::vector<std::int64_t> begin_;
    std::vector<Entry> entries_;
};

}  // namespace bistro::pcfg
